"""The replay page's window for playing on from a moment, and the replay of a game that was played on."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs

import pytest
from django.utils import translation
from playwright.sync_api import Browser, Page, expect

from games import verify
from games.codes import deals
from games.histories import records
from games.kinds import rules_for
from games.kinds.checks import checks
from games.tables.selectors import levels_to_play, limits_to_play
from tests.browser.stage import ORIGIN, Stage
from tests.browser.test_replay import DESK, PATH, UPRIGHT, named, page_of
from tests.games.finished import played

Open = Callable[..., Page]


@pytest.fixture
def show(browser: Browser) -> Iterator[Open]:
    """Opens the replay of a record; afterwards nothing may have gone wrong in the page."""
    stages: list[Stage] = []

    def opened(record: records.Record, seat: int | None = 0, *, address: str = "", **more: Any) -> Page:
        about = {name: more.pop(name) for name in ("origin",) if name in more}
        stage = Stage(browser, record["kind"], players=record["players"], **{"viewport": DESK, **more})
        stages.append(stage)
        with translation.override(stage.language):
            about["play_on"] = {
                "seats": [{"seat": other, "name": holder["name"]} for other, holder in enumerate(record["seats"])],
                "seat": seat or 0,
                "levels": levels_to_play(),
                "level": "normal",
                "limits": limits_to_play(),
            }
        stage.pages[PATH] = page_of(stage, record, seat, **about)[0]
        stage.pages["/game/7/play-on/"] = "<!doctype html><title>the new table</title>"
        stage.page.goto(f"{ORIGIN}{PATH}{address}")
        stage.page.wait_for_selector("#table[data-ready]")
        return stage.page

    yield opened
    for stage in stages:
        faults = stage.faults
        stage.close()
        assert faults == []


@pytest.fixture(scope="module")
def record() -> records.Record:
    return named(played("hearts", 4, {"end_score": 50}, seed=5))


@pytest.fixture(scope="module")
def forked(record: records.Record) -> records.Record:
    """The same game, as if it had been played on from another one after its last deal was dealt."""
    plies = [entry["ply"] for entry in record["log"] if entry["kind"] == "deal"]
    code = deals.sealed_code(rules_for("hearts", 4, {}), b"another", [b""] * 4).text
    plain: Any = {"commitment": None, "secret": None, "nonces": [""] * 4, "code": code}
    return {**copy.deepcopy(record), **plain, "forks": [{"ply": plies[-1], "code": record["code"]}]}


def test_the_form_has_the_moment_that_is_shown_and_the_seat_that_is_watched(show: Open, record: records.Record) -> None:
    page = show(record, address="#2.3.2")
    page.select_option("#who", "2")
    page.click("#play-on [data-open]")
    expect(page.locator("#dialog-play-on [data-place]")).to_have_text("Deal 2 · trick 3 · card 2")
    page.locator("#dialog-play-on").get_by_label("Computer players").select_option("expert")
    page.keyboard.press("Escape")
    expect(page.locator("#dialog-play-on")).not_to_be_visible()
    page.keyboard.press("ArrowRight")
    page.click("#play-on [data-open]")
    with page.expect_request("**/game/7/play-on/") as sent:
        page.locator("#dialog-play-on").get_by_role("button", name="Play on").click()
    fields = parse_qs(sent.value.post_data or "")
    assert {name: fields[name] for name in ("seat", "level", "timer")} == {
        "seat": ["2"],
        "level": ["expert"],
        "timer": ["0"],
    }
    here = records.entries_of(record)[int(fields["ply"][0]) - 1]
    assert (here.kind, here.ask) == ("play", "2.0.play.3")
    expect(page).to_have_title("the new table")


def test_it_can_be_done_with_keys_alone(show: Open, record: records.Record) -> None:
    page = show(record, address="#1.2.1")
    page.locator("#play-on [data-open]").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#dialog-play-on")).to_be_visible()
    with page.expect_request("**/game/7/play-on/"):
        page.locator("#dialog-play-on .primary").focus()
        page.keyboard.press("Enter")
    expect(page).to_have_title("the new table")  # a page that is closed on its way elsewhere may never close


def test_at_the_end_of_the_game_it_says_that_there_is_nothing_to_play(show: Open, record: records.Record) -> None:
    page = show(record)
    page.keyboard.press("End")
    expect(page.locator("#play-on [data-note]")).to_be_visible()
    page.locator("#play-on [data-open]").click(force=True)
    expect(page.locator("#dialog-play-on")).not_to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#play-on [data-note]")).not_to_be_visible()


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("viewport", [UPRIGHT, DESK], ids=["phone", "desk"])
def test_the_window_fits_the_screen(
    show: Open, record: records.Record, viewport: dict[str, int], language: str
) -> None:
    page = show(record, viewport=viewport, language=language, address="#1.4.3")
    page.click("#play-on [data-open]")
    box = page.locator("#dialog-play-on").bounding_box()
    assert box is not None
    assert (box["x"] >= 0, box["x"] + box["width"] <= viewport["width"]) == (True, True)
    assert page.evaluate("document.documentElement.scrollWidth") == viewport["width"]


def test_a_game_that_was_played_on_leads_back_and_its_cards_are_checked_in_both_parts(
    show: Open, forked: records.Record
) -> None:
    page = show(forked, origin={"game": 5, "ply": 61})
    link = page.locator(".replay-forked a").first
    expect(link).to_have_attribute("href", "/game/5/replay/?ply=61")
    page.locator(".replay-forked a").last.click()
    expect(page.locator("#slider")).to_have_value(str(forked["forks"][0]["ply"]))
    (span,) = forked["forks"]
    spades = deals.new_code(rules_for("spades", 4, {})).text
    changes: tuple[dict[str, Any], ...] = (
        {},
        {"ply": span["ply"] - 1},
        {"code": "4000"},
        {"code": forked["code"]},
        {"code": spades},
    )
    cases = [{**forked, "forks": [span | change]} for change in changes]
    found = page.evaluate(
        """async (cases) => {
          const { check } = await import('/static/games/histories/verify.js');
          const kinds = await (await import('/static/games/histories/check.js')).checkedKinds();
          return Promise.all(cases.map((record) => check(record, kinds)));
        }""",
        cases,
    )
    assert [sorted(faults) for faults in found] == [sorted(verify.check_record(case, checks())) for case in cases]
    assert [bool(faults) for faults in found] == [False, True, True, True, True]
