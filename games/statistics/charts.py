"""Charts as SVG without script or style of their own: `games/statistics/charts.css` gives them their look, in light and
dark.

Drawn by pygal. Each comes with the numbers behind it as a table, and with words for whoever does not see it: the
template `games/statistics/chart.html` puts the three together.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any
from unicodedata import east_asian_width
from xml.etree import ElementTree

import pygal
from django.utils.formats import localize
from django.utils.safestring import SafeString, mark_safe
from pygal.style import Style

# It leaves a finder for its plugins behind, of a form that Python 3.11 warns about at every import that fails.
sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, pygal.PluginImportFixer)]

#: About as wide as on a phone, where a unit is a pixel: texts are as large there as they are meant to be.
WIDTH, HEIGHT = 320, 220
#: Of a chart of rows: each bar, and what is around all of them.
ROW, AROUND = 40, 12
#: Sizes that pygal makes room for; charts.css sets the same.
FONT = 13
#: How wide a letter is, as pygal takes it to be, and how wide one of an East Asian script is, in heights.
LETTER, WIDE_LETTER = 0.6, 1.0
#: At most so many lines across, the one at the bottom not counted.
MOST_TICKS = 4
#: What pygal draws for its own script, which is not used.
UNUSED = ("defs", "desc", "title")
UNUSED_GROUPS = ("titles", "plot tooltip-overlay")

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
    """A drawn chart, the names of its series in their order, that of the line across, and its numbers as a table."""

    svg: SafeString
    title: str
    legend: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    mark: str = ""


def bars(
    title: str,
    description: str,
    labels: Sequence[str],
    series: Sequence[Series],
    *,
    corner: str,
    show: Show = str,
    unit: str = "",
    mark: tuple[str, Number] | None = None,
) -> Chart:
    """Bars side by side. `corner` heads the column of labels in the table; `show` writes a value. `mark` is the name
    and the place of a line across, which then is the only one.
    """
    most = max([value for one in series for value in one.values if value is not None] + [mark[1] if mark else 0])
    ticks = _ticks(most)
    more: dict[str, Any] = {"range": (0, ticks[-1]), "y_labels": ticks if mark is None else [0, mark[1]]}
    drawn = _drawn(pygal.Bar, HEIGHT, lambda value: f"{value:g}{unit}", more)
    drawn.x_labels = list(labels)
    for one in series:
        drawn.add(one.name, list(one.values), formatter=show)
    svg = _svg(drawn, title, description, has_mark=mark is not None)
    legend = tuple(one.name for one in series) if len(series) > 1 or mark else ()
    shown = [*series, *([] if mark is None else [Series(mark[0], [mark[1]] * len(labels))])]
    columns = (corner, *(one.name for one in shown))
    return Chart(svg, title, legend, columns, _rows(labels, shown, show), mark[0] if mark else "")


def rows(
    title: str,
    description: str,
    labels: Sequence[str],
    one: Series,
    *,
    corner: str,
    show: Show = str,
    counted: tuple[str, Sequence[int]] | None = None,
) -> Chart:
    """Bars below each other, the value at the end of each, for labels of several words. `counted`, with its name, is
    how many each of them is the mean of; that stands in the table.
    """
    values = [value for value in one.values if value is not None]
    wide = max(sum(WIDE_LETTER if east_asian_width(letter) in "WF" else LETTER for letter in text) for text in labels)
    room = max(0, round((wide - max(map(len, labels)) * LETTER) * FONT))  # pygal takes all letters to be narrow
    more = {
        "range": (0, 1.25 * max([*values, 0]) or 1),  # with room for the number behind the longest
        "print_values": True,
        "print_values_position": "top",
        "show_x_labels": False,
        "margin_left": 6 + room,
    }
    drawn = _drawn(pygal.HorizontalBar, ROW * len(labels) + AROUND, show, more)
    drawn.x_labels = list(labels)[::-1]  # it begins below
    drawn.add(one.name, list(one.values)[::-1], formatter=show)
    table = _rows(labels, [one], show)
    if counted is not None:
        table = tuple((*row, str(localize(number))) for row, number in zip(table, counted[1], strict=True))
    columns = (corner, one.name, *([] if counted is None else [counted[0]]))
    return Chart(_svg(drawn, title, description), title, (), columns, table)


def _ticks(most: float) -> list[float]:
    """Round numbers from 0 to one that is at least as large."""
    if most <= 0:
        return [0, 1]
    size = 10 ** math.floor(math.log10(most))
    step = next(part * size for part in (0.2, 0.25, 0.5, 1, 2, 2.5, 5) if math.ceil(most / (part * size)) <= MOST_TICKS)
    return [round(step * number, 9) for number in range(math.ceil(most / step) + 1)]


def _drawn(kind: Any, height: int, show: Show, more: dict[str, Any]) -> Any:
    return kind(
        js=(),
        css=(),
        style=Style(label_font_size=FONT, major_label_font_size=FONT, value_font_size=FONT),
        width=WIDTH,
        height=height,
        spacing=6,
        show_legend=False,
        value_formatter=show,
        no_data_text="",
        truncate_label=-1,
        **{"margin": 6, **more},
    )


def _rows(labels: Sequence[str], series: Sequence[Series], show: Show) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (label, *("–" if value is None else show(value) for value in values))
        for label, *values in zip(labels, *(one.values for one in series), strict=True)
    )


def _svg(drawn: Any, title: str, description: str, *, has_mark: bool = False) -> SafeString:
    """The picture alone: no script, no style, its own title and description, a note at every point."""
    root = drawn.render_tree()
    for parent in list(root.iter()):
        note = _note(parent)
        for child in list(parent):
            if child.tag in UNUSED or not isinstance(child.tag, str) or child.get("class") in UNUSED_GROUPS:
                parent.remove(child)
        if note:
            ElementTree.SubElement(parent, "title").text = note
    if has_mark:
        plot = next(group for group in root.iter() if group.get("class") == "plot")
        axis = next(group for group in plot if group.get("class") == "axis y always_show")
        axis.set("class", "axis y mark")
        plot.remove(axis)
        plot.append(axis)  # over the bars
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
