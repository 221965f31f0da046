"""Charts: no script, no style, no address of elsewhere; words and a table for whoever does not see them."""

from __future__ import annotations

from xml.etree import ElementTree

from django.template.loader import render_to_string
from django.test import override_settings

from games.statistics.charts import Chart, Series, bars, rows


def drawn() -> list[Chart]:
    series = [Series("Seen <b>", [10, None, 30.5]), Series("Theory", [12, 20, 28])]
    words = ("Suit & length", "How long suits are.")
    return [
        bars(*words, ["0", "1", "<i>"], series, corner="Length", show=show),
        bars(*words, ["0", "1", "<i>"], series[:1], corner="Length", show=show, mark=("By theory", 25)),
        rows(*words, ["0", "1", "<i>"], series[0], corner="Length", show=show, counted=("Hands", (5, 6, 7))),
    ]


def show(value: float) -> str:
    return f"{value:.1f} %"


def test_a_chart_is_well_formed_and_has_no_script_no_style_and_no_address_of_elsewhere() -> None:
    for chart in drawn():
        root = ElementTree.fromstring(chart.svg)
        names = {element.tag.rpartition("}")[2] for element in root.iter()}
        assert names <= {"svg", "g", "rect", "path", "text", "circle", "title", "desc"}
        attributes = [name for element in root.iter() for name in element.attrib]
        assert not [name for name in attributes if name.startswith("on") or name in ("style", "href")]
        assert chart.svg.count("http") == 1  # the name of the format


def test_a_chart_says_what_it_shows_and_each_point_its_value() -> None:
    for chart in drawn():
        root = ElementTree.fromstring(chart.svg)
        assert root.get("role") == "img"
        said = {element.get("id"): element.text for element in root if element.get("id")}
        labels = (root.get("aria-labelledby") or "").split()
        assert [said[name] for name in labels] == ["Suit & length", "How long suits are."]
        notes = [element.text for element in root.iter() if element.tag.endswith("title")][1:]
        series = len(chart.columns) - 1 - bool(chart.mark) - ("Hands" in chart.columns)
        assert len(notes) == 3 * series - 1  # one value is not there
        assert "0: 10.0 %" in chart.svg


def test_two_charts_of_a_page_have_names_of_their_own() -> None:
    ids = [element.get("id") for chart in drawn() for element in ElementTree.fromstring(chart.svg)]
    found = [name for name in ids if name]
    assert len(found) == len(set(found)) == 6


def test_the_table_behind_a_chart_has_every_number() -> None:
    chart, marked, below = drawn()
    assert marked.columns == ("Length", "Seen <b>", "By theory")
    assert marked.rows[1] == ("1", "–", "25.0 %")
    assert (marked.legend, marked.mark) == (("Seen <b>",), "By theory")
    assert below.columns == ("Length", "Seen <b>", "Hands")
    assert below.rows == (("0", "10.0 %", "5"), ("1", "–", "6"), ("<i>", "30.5 %", "7"))
    assert chart.columns == ("Length", "Seen <b>", "Theory")
    assert chart.rows == (("0", "10.0 %", "12.0 %"), ("1", "–", "20.0 %"), ("<i>", "30.5 %", "28.0 %"))
    with override_settings(LANGUAGE_CODE="en"):
        page = render_to_string("games/statistics/chart.html", {"chart": chart})
    assert "<b>" not in page
    assert page.count("<td>") == 6
    assert '<svg xmlns="http://www.w3.org/2000/svg"' in page


def test_the_line_of_theory_lies_over_the_bars_and_ticks_are_round_numbers() -> None:
    chart, marked, _ = drawn()
    plot = next(group for group in ElementTree.fromstring(marked.svg).iter() if group.get("class") == "plot")
    assert plot[-1].get("class") == "axis y mark"
    texts = [element.text for element in ElementTree.fromstring(chart.svg).iter() if element.tag.endswith("text")]
    assert texts == ["0", "10", "20", "30", "40", "0", "1", "<i>"]
    empty = bars("Nothing", "Nothing yet.", ["0"], [Series("Seen", [0])], corner="Length")
    assert empty.rows == (("0", "0"),)


def test_rows_make_room_for_the_longest_label_and_say_each_value_beside_its_bar() -> None:
    for label in ("Human players", "人間のプレイヤー", "W" * 18):
        chart = rows("Title", "Words.", [label, "x"], Series("Seen", [3, 8]), corner="Who", show=show)
        root = ElementTree.fromstring(chart.svg)
        plot = next(group for group in root.iter() if group.get("class") == "plot")
        left = float((plot.get("transform") or "").partition("(")[2].partition(",")[0])
        assert left >= len(label) * 13 * (1 if label[0] > "z" else 0.6)
        assert [element.text for element in root.iter() if element.get("class") == "value"] == ["8.0 %", "3.0 %"]
