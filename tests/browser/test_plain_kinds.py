"""A third game, and one in which each is alone, at the table and in the replay: with their own words, and none of
those of another game.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.test import RequestFactory
from playwright.sync_api import Browser, Page, expect

from games.histories import replays
from games.log.positions import Entry, Holder, Table, fold
from games.rules import state as states
from tests.browser.scenes import asked, dealt, on, over
from tests.browser.stage import ORIGIN, Stage
from tests.games.finished import BEGAN
from tests.games.kinds import plain
from tests.games.rules.play import dealers_action

PHONE = {"width": 360, "height": 740}
#: Words that only games of the site have.
FOREIGN = re.compile(r"\b(?:Hearts|Spades|(?i:broken|nil|bags?|bids?|moon|pass))\b")  # cards are "of hearts"

Open = Callable[..., Stage]


@pytest.fixture(params=["pairs", "alone"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def show(browser: Browser, kind: str) -> Iterator[Open]:
    """Makes the page of a table; afterwards nothing may have gone wrong in it."""
    stages: list[Stage] = []

    def opened(**more: Any) -> Stage:
        stages.append(Stage(browser, kind, **more))
        return stages[-1]

    with plain.registered():
        yield opened
    for stage in stages:
        faults = stage.faults
        stage.close()
        assert faults == []


def foreign_in(page: Page) -> list[str]:
    """Words of other games in what is seen or said."""
    found: list[str] = FOREIGN.findall(page.locator("#table").inner_text())
    return found


@pytest.mark.parametrize("viewport", [None, PHONE], ids=["desk", "phone"])
def test_a_deal_is_played_and_scored_by_its_own_words(show: Open, kind: str, viewport: Any) -> None:
    stage = show(viewport=viewport)
    rng = random.Random(4)
    page = stage.show(on(stage.rules, dealt(stage.rules, rng), rng, asked("play", tricks=2)))
    assert page.title().startswith("Your turn! ")
    assert {"pairs": "Plain Pairs", "alone": "Plain Tricks"}[kind] in page.title()
    expect(page.locator(".fact")).to_have_text(["Deal 1"])  # neither a pass nor what is broken
    expect(page.locator("#sides")).to_be_visible(visible=kind == "pairs")
    if kind == "pairs":
        tricks = [sum(stage.rules.tricks_of(stage.state)[seat] for seat in (side, side + 2)) for side in (0, 1)]
        expect(page.locator(".side-contract")).to_have_text([f"Tricks taken: {number}" for number in tricks])
        expect(page.locator(".side-bags")).to_have_count(0)
        expect(page.locator(".stat.total")).to_have_count(0)
    else:
        expect(page.locator(".stat.total")).to_have_count(4)
    stage.state = on(
        stage.rules, stage.state, rng, lambda rules, state: len(state.tricks) == 12 and len(state.trick) == 3
    )
    while stage.state.phase == "play":
        stage.do(stage.rules.default_action(stage.state, stage.rules.due(stage.state).seats[0]))
    table = page.locator(".deal-table")
    expect(table).to_be_visible()
    best = max(stage.state.scores)
    expect(table.locator("tbody tr .deal-total").first).to_have_text(str(best))  # the most points stand first
    expect(table.locator("tbody tr .line").first).to_have_text(f"Tricks won +{best}")
    assert foreign_in(page) == []


def test_the_end_names_the_places_of_its_sides(show: Open, kind: str) -> None:
    stage = show()
    page = stage.show(over(stage.rules, random.Random(2)))
    expect(page.locator(".final-table tbody tr")).to_have_count(stage.rules.sides)
    places = page.locator(".final-table td.place").all_inner_texts()
    assert places == sorted(places)
    assert foreign_in(page) == []


def test_its_replay_is_gone_through_to_the_end(show: Open, kind: str) -> None:
    stage = show()
    page = stage.page
    table, entries = game_of(stage)
    boot: Any = {**stage.boot(), "code": None}
    result = states.plain(stage.rules.result(fold(table, entries).state))
    replay: Any = replays.page(boot, table, entries, result=result, commitment=None)
    replay["files"] = {"json": "/game/7/record.json", "text": "/game/7/record.txt"}
    about = {"replay": replay, "game": SimpleNamespace(pk=7, created_at=BEGAN, preset_version=None)}
    request = RequestFactory().get("/game/7/replay/")
    stage.pages["/game/7/replay/"] = render_to_string("games/histories/replay.html", about, request=request)
    page.goto(f"{ORIGIN}/game/7/replay/")
    page.wait_for_selector("#table[data-ready]")
    label = {"pairs": "Plain Pairs", "alone": "Plain Tricks"}[kind]
    expect(page.locator("h1")).to_have_text(f"Replay of {label}")
    for key in ("ArrowRight", "Shift+ArrowRight", "PageDown", "End"):
        page.keyboard.press(key)
    expect(page.locator("#scores .final-table tbody tr")).to_have_count(stage.rules.sides)
    expect(page.locator("#mistakes")).to_have_count(0)
    told = page.locator(".replay-view").inner_text() + page.locator(".replay-side").inner_text()
    assert FOREIGN.findall(told) == []


def game_of(stage: Stage) -> tuple[Table, list[Entry]]:
    """A whole game as the clock would play it."""
    rules, rng = stage.rules, random.Random(3)
    holders = tuple(Holder(None if seat else 1, "normal" if seat else "", "") for seat in range(4))
    state, entries = rules.start(), list[Entry]()
    while state.phase != "over":
        seats = rules.due(state).seats
        action = rules.default_action(state, seats[0]) if seats else dealers_action(rules, state, rng)
        data = {key: value for key, value in action.to_json().items() if key not in ("kind", "seat")}
        ask = rules.ask_id(state, seats[0]) if seats else ""
        cause = "player" if seats else "dealer"
        ply = len(entries) + 1
        entries.append(Entry(ply, action.seat, action.kind, ask or "", data, cause, None, BEGAN))
        state = rules.apply(state, action)
    return Table(7, rules, 0, holders, ""), entries
