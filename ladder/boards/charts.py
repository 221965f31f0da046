"""The rating curve as a drawing that stands in the page: pygal draws it, css of the page colours it.

Nothing of the library's style or scripts is kept. For whoever does not see it there is a title, a description and, in
the page, a table of the same points.
"""

from __future__ import annotations

import sys
from decimal import Decimal
from functools import lru_cache
from math import ceil, floor
from typing import Any

import pygal
from django.utils.safestring import SafeString, mark_safe
from pygal.etree import etree

from ladder.boards.careers import Point

# The library hooks its plug-ins, of which none is used here, into every import by a protocol that Python has dropped.
sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, pygal.PluginImportFixer)]

#: Curves that a process remembers, of some 20 KB each.
DRAWINGS = 256
#: Steps between the lines of a curve: the first with which at most so many are needed.
STEPS = (10, 20, 50, 100, 200, 500, 1000, 2000)
MOST_LINES = 6
#: What pygal writes for its own styles and scripts.
_UNUSED = (etree.Comment, "defs", "title", "desc")
_OVERLAYS = ("text-overlay", "tooltip-overlay", "titles", "background")


@lru_cache(maxsize=DRAWINGS)
def curve_svg(
    points: tuple[Point, ...], *, name: str, title: str, description: str, width: int, height: int
) -> SafeString:
    """A curve as an `svg` element with the ids `name-title` and `name-text`.

    The latest are remembered: a page is often asked for again before a game has changed its curve.
    """
    ratings = [point.rating for point in points]
    lines = _lines(min(ratings), max(ratings))
    chart = pygal.XY(
        width=width,
        height=height,
        js=[],
        css=[],
        no_prefix=True,
        show_legend=False,
        show_dots=False,
        margin=2,
        margin_right=14,
        range=(lines[0], lines[-1]),
        y_labels=lines,
        x_labels=_numbers(points[-1].number, 5 if width < 500 else 9),
        x_value_formatter=_whole,
        value_formatter=_whole,
    )
    chart.add(None, [(point.number, float(point.rating)) for point in points])
    chart.add(None, [(points[-1].number, float(points[-1].rating))], show_dots=True, dots_size=4)
    return _made_plain(chart.render_tree(), name, title, description)


def _whole(value: float) -> str:
    return f"{value:.0f}"


def _lines(lowest: Decimal, highest: Decimal) -> list[int]:
    """Round ratings from below the lowest to above the highest."""
    for step in STEPS:
        first, last = floor(lowest / step) * step, ceil(highest / step) * step
        last = max(last, first + step)
        if (last - first) // step < MOST_LINES:
            break
    return list(range(first, last + 1, step))


def _numbers(last: int, most: int) -> list[int]:
    """Round numbers of games from 0 on."""
    step = next(each for power in range(9) for each in (10**power, 2 * 10**power, 5 * 10**power) if last < each * most)
    return list(range(0, last + 1, step))


def _made_plain(tree: Any, name: str, title: str, description: str) -> SafeString:
    """The drawing without styles, scripts and what they would show; with words for screen readers."""
    _drop(tree)
    tree.set("class", "curve-svg")
    tree.set("role", "img")
    tree.set("aria-labelledby", f"{name}-title")
    tree.set("aria-describedby", f"{name}-text")
    tree.attrib.pop("id", None)
    for place, (tag, end, text) in enumerate((("title", "title", title), ("desc", "text", description))):
        word = etree.Element(tag, {"id": f"{name}-{end}"})
        word.text = text
        tree.insert(place, word)
    return mark_safe(etree.tostring(tree, encoding="unicode"))  # made by a library that escapes


def _drop(part: Any) -> None:
    for child in list(part):
        words = child.get("class", "").split()
        if child.tag in _UNUSED or any(word in words for word in _OVERLAYS):
            part.remove(child)
        else:
            _drop(child)
