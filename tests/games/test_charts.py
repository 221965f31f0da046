"""Charts: no script, no style, no address of elsewhere; words and a table for whoever does not see them."""

from __future__ import annotations

from xml.etree import ElementTree

from django.template.loader import render_to_string
from django.test import override_settings

from games.charts import Chart, Series, bars, curve


def drawn() -> list[Chart]:
    series = [Series("Seen <b>", [10, None, 30.5]), Series("Theory", [12, 20, 28])]
    words = ("Suit & length", "How long suits are.")
    return [
        bars(*words, ["0", "1", "<i>"], series, corner="Length", show=lambda value: f"{value:.1f} %"),
        curve(*words, ["0", "1", "<i>"], series, corner="Length", marked=["0"]),
    ]


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
        assert len(notes) == 5  # one value of six is not there
    first, second = drawn()
    assert "0: 10.0 %" in first.svg
    assert first.svg != second.svg


def test_two_charts_of_a_page_have_names_of_their_own() -> None:
    ids = [element.get("id") for chart in drawn() for element in ElementTree.fromstring(chart.svg)]
    found = [name for name in ids if name]
    assert len(found) == len(set(found)) == 4


def test_the_table_behind_a_chart_has_every_number() -> None:
    chart = drawn()[0]
    assert chart.columns == ("Length", "Seen <b>", "Theory")
    assert chart.rows == (("0", "10.0 %", "12.0 %"), ("1", "–", "20.0 %"), ("<i>", "30.5 %", "28.0 %"))
    with override_settings(LANGUAGE_CODE="en"):
        page = render_to_string("games/chart.html", {"chart": chart})
    assert "<b>" not in page
    assert page.count("<td>") == 6
    assert '<svg xmlns="http://www.w3.org/2000/svg"' in page
