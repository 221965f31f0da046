"""Lists of finished games and opened records in the browser: on a phone as on a desk, by keys, in both languages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.test import RequestFactory
from django.utils import translation
from playwright.sync_api import Browser, Page, expect

from games.histories import lists as history_lists
from games.histories import opened_records, records
from games.histories.lists import Filters, Line
from games.histories.record_views import RecordForm
from tests.browser.stage import ORIGIN, Stage
from tests.games.finished import BEGAN, played

SIZES = ((360, 740), (1280, 800))
LINE = Line(
    id=7,
    kind="hearts",
    label="Hearts",
    rules="Portal classic",
    at=BEGAN,
    is_ranked=True,
    outcome="draw",
    outcome_text="Draw",
    standing="104 · −12 · 73 · 104",
    others="with MMMMMMMMMMMMMMMMMMMM, なまえのとてもながいひと, 2 CPU players",
    may_replay=True,
)


def history(language: str) -> str:
    """A list that is narrowed down as far as can be, as the site would send it."""
    filters = Filters("hearts", "", "yes", "draw", "M" * 40, BEGAN.date(), BEGAN.date())
    with translation.override(language):
        about: dict[str, Any] = {
            "owner": "M" * 20,
            "is_own": True,
            "lines": [replace(LINE, id=n, outcome=o) for n, o in enumerate(("draw", "won", "lost", "void"))],
            "filters": filters,
            "chips": [(chip.text, "?kind=") for chip in history_lists.chips_of(filters)],
            "is_later": True,
            "has_files": True,
            "presets": [],
            "results": [(result, history_lists.result_text(result)) for result in history_lists.RESULTS],
            "first": "?",
            "newer": "?after=7",
            "older": "?before=7",
        }
        return render_to_string("games/histories/history.html", about, request=RequestFactory().get("/history/"))


@pytest.fixture
def stage(browser: Browser) -> Iterator[Stage]:
    stage = Stage(browser, "hearts")
    yield stage
    faults = stage.faults
    stage.close()
    assert faults == []


def spills(page: Page) -> bool:
    """Whether the page is wider than the screen."""
    return bool(page.evaluate("() => document.documentElement.scrollWidth > innerWidth"))


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("size", SIZES, ids=["phone", "desk"])
def test_a_list_fits_and_its_filters_are_folded_until_asked_for(
    stage: Stage, size: tuple[int, int], language: str
) -> None:
    stage.pages["/history/"] = history(language)
    page = stage.page
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"{ORIGIN}/history/")
    form = page.locator(".filters")
    expect(form).to_be_hidden()
    assert page.locator(".games li").first.bounding_box()["y"] < size[1], "games are in sight at once"  # type: ignore[index]
    assert not spills(page)
    page.locator(".narrow summary").focus()
    page.keyboard.press("Enter")
    expect(form).to_be_visible()
    assert not spills(page)
    small = page.eval_on_selector_all(
        ".filters :is(select, input, button), .pages a, .narrow summary, .game-again",
        "nodes => nodes.map(node => node.getBoundingClientRect().height).filter(height => height < 40)",
    )
    assert small == [], "everything can be touched"


def test_the_form_asks_for_what_it_shows(stage: Stage) -> None:
    stage.pages["/history/"] = history("en")
    page = stage.page
    page.goto(f"{ORIGIN}/history/")
    page.locator(".narrow summary").click()
    for name in ("Game", "Rules", "Result", "Ladder"):
        expect(page.get_by_role("combobox", name=name, exact=True)).to_be_visible()
    for name in ("Another player’s name", "First day", "Last day"):
        expect(page.get_by_role("textbox", name=name, exact=True)).to_be_visible()
    page.get_by_role("combobox", name="Result").select_option("won")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url("**/history/?*")
    asked = page.evaluate("() => Object.fromEntries(new URLSearchParams(location.search))")
    day = BEGAN.date().isoformat()
    assert asked == {
        "kind": "hearts", "preset": "", "result": "won", "ranked": "yes", "with": "M" * 40, "from": day, "to": day,
    }  # fmt: skip


@pytest.mark.parametrize("size", SIZES, ids=["phone", "desk"])
def test_an_opened_record_can_be_stepped_through(stage: Stage, size: tuple[int, int]) -> None:
    record: records.Record = played("spades", 4, {"target": 100}, seed=4)
    shown = {
        **opened_records.replay_of(record),
        "files": {"json": "/record/x/record.json", "text": "/record/x/record.txt"},
    }
    about = {"replay": shown, "game": {"created_at": BEGAN, "opened_until": BEGAN + timedelta(days=30)}}
    stage.pages["/record/x/"] = render_to_string(
        "games/histories/replay.html", about, request=RequestFactory().get("/record/x/")
    )
    stage.pages["/record/x/record.json"] = records.to_bytes(record).decode()
    page = stage.page
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"{ORIGIN}/record/x/")
    page.wait_for_selector("#table[data-ready]")
    page.keyboard.press("End")
    assert int(page.locator("#slider").input_value()) == len(record["log"])
    assert page.locator("#hands li").count() == 4
    page.locator("#check button").click()
    expect(page.locator("#check [data-answer]")).to_have_attribute("data-tone", "good")
    assert not spills(page)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_page_that_opens_records_fits_a_phone_and_names_its_fields(stage: Stage, language: str) -> None:
    with translation.override(language):
        form = RecordForm({"text": ""})
        about = {"form": form, "kept": [], "days": 30}
        html = render_to_string("games/histories/open_record.html", about, request=RequestFactory().get("/record/"))
    stage.pages["/record/"] = html
    page = stage.page
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"{ORIGIN}/record/")
    assert not spills(page)
    assert page.get_by_role("alert").count() == 1
    for name in ("file", "text", "number"):
        field = page.locator(f"[name={name}]")
        expect(field).to_be_visible()
        assert field.evaluate("node => node.labels.length") == 1
