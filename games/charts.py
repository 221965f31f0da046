"""Charts as SVG without script or style of their own: `games/css/charts.css` gives them their look, in light and dark.

Drawn by pygal. Each comes with the numbers behind it as a table, and with words for whoever does not see it: the
template `games/chart.html` puts the three together.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any
from xml.etree import ElementTree

import pygal
from django.utils.safestring import SafeString, mark_safe
from pygal.style import Style

# It leaves a finder for its plugins behind, of a form that Python 3.11 warns about at every import that fails.
sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, pygal.PluginImportFixer)]

WIDTH, HEIGHT = 400, 240
#: Sizes that pygal makes room for; charts.css sets the same.
FONT = 12
#: What pygal draws for its own script, which is not used.
UNUSED = ("defs", "desc", "title")
UNUSED_GROUPS = ("titles", "plot text-overlay", "plot tooltip-overlay")

_ids = count(1)

Number = int | float
Show = Callable[[Number], str]


@dataclass(frozen=True, slots=True)
class Series:
    """One row of bars or one line: its name, and a value for each label, None where there is none."""

    name: str
    values: Sequence[Number | None]


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawn chart, the names of its series in their order, and its numbers as a table."""

    svg: SafeString
    title: str
    legend: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def bars(
    title: str,
    description: str,
    labels: Sequence[str],
    series: Sequence[Series],
    *,
    corner: str,
    show: Show = str,
    unit: str = "",
) -> Chart:
    """Bars side by side. `corner` heads the column of labels in the table; `show` writes a value."""
    return _chart(pygal.Bar, title, description, labels, series, corner, show, unit, {})


def curve(
    title: str,
    description: str,
    labels: Sequence[str],
    series: Sequence[Series],
    *,
    corner: str,
    show: Show = str,
    unit: str = "",
    marked: Sequence[str] = (),
) -> Chart:
    """Lines through the values of each series. `marked` are the labels that are written below; none: all."""
    more: dict[str, Any] = {"show_dots": len(labels) <= 40, "dots_size": 3}
    if marked:
        more |= {"x_labels_major": list(marked), "show_minor_x_labels": False}
    return _chart(pygal.Line, title, description, labels, series, corner, show, unit, more)


def _chart(
    kind: Any,
    title: str,
    description: str,
    labels: Sequence[str],
    series: Sequence[Series],
    corner: str,
    show: Show,
    unit: str,
    more: dict[str, Any],
) -> Chart:
    drawn = kind(
        js=(),
        css=(),
        style=Style(label_font_size=FONT, major_label_font_size=FONT),
        width=WIDTH,
        height=HEIGHT,
        margin=6,
        spacing=6,
        show_legend=False,
        min_scale=3,
        max_scale=6,
        value_formatter=lambda value: f"{value:g}{unit}",
        no_data_text="",
        truncate_label=-1,
        **more,
    )
    drawn.x_labels = list(labels)
    for one in series:
        drawn.add(one.name, list(one.values), formatter=show)
    return Chart(
        svg=_svg(drawn, title, description),
        title=title,
        legend=tuple(one.name for one in series) if len(series) > 1 else (),
        columns=(corner, *(one.name for one in series)),
        rows=tuple(
            (label, *("–" if value is None else show(value) for value in values))
            for label, *values in zip(labels, *(one.values for one in series), strict=True)
        ),
    )


def _svg(drawn: Any, title: str, description: str) -> SafeString:
    """The picture alone: no script, no style, its own title and description, a note at every point."""
    root = drawn.render_tree()
    for parent in list(root.iter()):
        note = _note(parent)
        for child in list(parent):
            if child.tag in UNUSED or not isinstance(child.tag, str) or child.get("class") in UNUSED_GROUPS:
                parent.remove(child)
        if note:
            ElementTree.SubElement(parent, "title").text = note
    name = f"chart-{next(_ids)}"
    root.attrib.pop("id", None)
    root.attrib.update({"class": "chart-svg", "role": "img", "aria-labelledby": f"{name}-title {name}-desc"})
    for place, (tag, text) in enumerate((("title", title), ("desc", description))):
        element = ElementTree.Element(tag, id=f"{name}-{tag}")
        element.text = text
        root.insert(place, element)
    return mark_safe(ElementTree.tostring(root, encoding="unicode"))  # the tree escapes its texts


def _note(group: Any) -> str:
    """What a pointer is told of a bar or a dot: its label and its value, which pygal leaves there for its script."""
    told = {child.get("class"): child.text or "" for child in group if child.tag == "desc"}
    return f"{told['x_label']}: {told['value']}" if "x_label" in told and "value" in told else ""
