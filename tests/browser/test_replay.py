"""The replay page: steps by button, key and address, whose hands are seen, and deals checked by the browser itself.

No site runs: the page is made from a record, and its requests are answered from files.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.test import RequestFactory
from django.utils import translation
from playwright.sync_api import Browser, Page, expect

from games import verify
from games.histories import records, replays
from games.kinds import KINDS
from games.kinds.checks import checks
from tests.browser.stage import ORIGIN, Stage
from tests.games.finished import BEGAN, played
from tests.games.histories.test_records import GAMES, TAMPERED_BIDS, TAMPERING, tampered
from tests.games.tampering import WAYS, another_bid, another_score, tampered_with, the_last_deals_cut_off

UPRIGHT = {"width": 360, "height": 740}
DESK = {"width": 1280, "height": 800}
PATH = "/game/7/replay/"

Open = Callable[..., tuple[Page, dict[str, Any]]]


def page_of(stage: Stage, record: records.Record, seat: int | None, **more: Any) -> tuple[str, dict[str, Any]]:
    """The page as the site would send it, and what its script is given. `more`: what else its template is given."""
    boot: Any = {**stage.boot(), "seat": seat, "names": [s["name"] for s in record["seats"]], "code": record["code"]}
    boot["cpu"] = [s["cpu"] for s in record["seats"]]
    page = replays.page(
        boot,
        records.table_of(record),
        records.entries_of(record),
        result=record["result"],
        commitment=record["commitment"],
        game=boot["game"],
    )
    shown = {**page, "files": {"json": "/game/7/record.json", "text": "/game/7/record.txt"}}
    about = {"replay": shown, "game": SimpleNamespace(pk=7, created_at=BEGAN, preset_version=None), **more}
    with translation.override(stage.language):
        return render_to_string("games/histories/replay.html", about, request=RequestFactory().get(PATH)), shown


@pytest.fixture
def show(browser: Browser) -> Iterator[Open]:
    """Opens the replay of a record; afterwards nothing may have gone wrong in the page."""
    stages: list[Stage] = []

    def opened(
        record: records.Record, seat: int | None = 0, *, address: str = "", exported: Any = None, **more: Any
    ) -> tuple[Page, dict[str, Any]]:
        options = {"viewport": DESK, **more}
        stage = Stage(browser, record["kind"], players=record["players"], options=record["options"], **options)
        stages.append(stage)
        html, shown = page_of(stage, record, seat)
        stage.pages[PATH] = html
        stage.pages["/game/7/record.json"] = json.dumps(exported or record)
        stage.page.goto(f"{ORIGIN}{PATH}{address}")
        stage.page.wait_for_selector("#table[data-ready]")
        return stage.page, shown

    yield opened
    for stage in stages:
        faults = stage.faults
        stage.close()
        assert faults == []


@pytest.fixture(scope="module")
def record() -> records.Record:
    return named(played("hearts", 4, {"end_score": 50}, seed=5))


def named(record: records.Record) -> records.Record:
    """With names as people have them."""
    for seat, holder in enumerate(record["seats"]):
        holder["name"] = f"CPU {seat}" if holder["cpu"] else ["Guest 4821", "さくら"][seat % 2]
    return record


def ply(page: Page) -> int:
    return int(page.locator("#slider").input_value())


def faces(page: Page, row: int) -> int:
    """Open cards in a row of the hands."""
    return page.locator("#hands li").nth(row).locator(".card:not(.card-back)").count()


def first(shown: dict[str, Any], **wanted: Any) -> int:
    """The ply of the first step like that."""
    return next(int(step["ply"]) for step in shown["steps"] if all(step[key] == value for key, value in wanted.items()))


# --- steps ------------------------------------------------------------------------------------------------------------


def test_keys_step_by_card_trick_and_deal_and_the_address_follows(show: Open, record: records.Record) -> None:
    page, shown = show(record)
    assert ply(page) == 2  # the first deal
    page.keyboard.press("ArrowRight")
    assert ply(page) == 3
    page.keyboard.press("ArrowLeft")
    assert ply(page) == 2
    page.keyboard.press("Shift+ArrowRight")
    assert ply(page) == first(shown, stop="trick")
    assert page.locator(".trick-card[data-won]").count() == 1
    assert page.evaluate("location.hash") == "#1.1.4"
    page.keyboard.press("PageDown")
    assert ply(page) == first(shown, stop="deal", place=[2, 0, 0])
    page.keyboard.press("End")
    assert ply(page) == len(shown["steps"])
    expect(page.locator("#scores .final-table")).to_be_visible()
    page.keyboard.press("Home")
    assert ply(page) == 1
    page.keyboard.press("ArrowLeft")
    assert ply(page) == 1


def test_buttons_slider_deal_list_and_log_lead_to_the_same_steps(show: Open, record: records.Record) -> None:
    page, shown = show(record)
    page.click('[data-move="trick-forward"]')
    page.click('[data-move="forward"]')
    here = ply(page)
    assert shown["steps"][here - 1]["place"] == [1, 2, 1]
    page.locator("#slider").fill("40")
    assert ply(page) == 40
    page.select_option("#deal", index=1)
    assert ply(page) == first(shown, stop="deal", place=[2, 0, 0])
    page.locator("#log button").nth(5).click()
    assert ply(page) == first(shown, stop="deal", place=[2, 0, 0]) + 5
    expect(page.locator("#log [aria-current]")).to_have_count(1)


@pytest.mark.parametrize(
    ("address", "place"),
    [("#2.3.2", [2, 3, 2]), ("#2.3", [2, 3, 1]), ("#2", [2, 0, 0]), ("#99.1.1", [1, 0, 0]), ("?ply=30", None)],
)
def test_an_address_leads_to_its_moment(show: Open, record: records.Record, address: str, place: Any) -> None:
    page, shown = show(record, address=address)
    step = shown["steps"][ply(page) - 1]
    assert step["place"] == place if place else step["ply"] == 30


def test_it_plays_by_itself_to_the_end_and_any_step_stops_it(show: Open, record: records.Record) -> None:
    page, shown = show(record, address=f"?ply={len(record['log']) - 2}")
    page.select_option("#pace", "fast")
    page.click("#run")
    expect(page.locator("#run")).to_have_attribute("data-running", "")
    expect(page.locator("#slider")).to_have_value(str(len(shown["steps"])))
    expect(page.locator("#run")).not_to_have_attribute("data-running", "")
    page.keyboard.press("Home")
    page.locator("body").press(" ")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#run")).not_to_have_attribute("data-running", "")


# --- what is seen -----------------------------------------------------------------------------------------------------


def test_a_player_sees_the_own_hand_first_then_one_or_all(show: Open, record: records.Record) -> None:
    page, _ = show(record)
    assert [faces(page, row) for row in range(4)] == [13, 0, 0, 0]
    page.keyboard.press("a")
    assert [faces(page, row) for row in range(4)] == [13] * 4
    page.select_option("#who", "2")
    assert [faces(page, row) for row in range(4)] == [0, 0, 13, 0]
    page.locator("body").press("o")
    assert [faces(page, row) for row in range(4)] == [13, 0, 0, 0]


def test_a_visitor_sees_all_hands_and_every_pass(show: Open, record: records.Record) -> None:
    page, shown = show(record, None)
    assert [faces(page, row) for row in range(4)] == [13] * 4
    page.locator("#slider").fill(str(first(shown, kind="pass")))
    expect(page.locator("#caption")).to_contain_text("passes")
    assert page.locator("#hands [data-up]").count() == 3


def test_the_own_view_keeps_the_passes_of_the_others_to_itself(show: Open, record: records.Record) -> None:
    page, shown = show(record)
    for step in shown["steps"]:
        if step["kind"] == "pass" and step["seat"] != 0 and step["place"][0] == 1:
            page.locator("#slider").fill(str(step["ply"]))
            expect(page.locator("#caption")).to_contain_text("chosen cards")


def test_each_step_says_who_answered_and_how_long_it_took(show: Open, record: records.Record) -> None:
    page, shown = show(record)
    page.locator("#slider").fill(str(first(shown, kind="play", cause="cpu", seat=2)))
    expect(page.locator("#caption .took")).to_contain_text("CPU")
    page.locator("#slider").fill(str(first(shown, cause="timeout", kind="play")))
    expect(page.locator("#caption")).to_contain_text("Time is up")
    expect(page.locator("#caption .took")).to_contain_text("time was up after")


@pytest.mark.parametrize(("kind", "players", "options"), GAMES, ids=[f"{game[0]}{game[1]}" for game in GAMES])
def test_every_step_of_every_kind_of_game_can_be_shown(
    show: Open, kind: str, players: int, options: dict[str, Any]
) -> None:
    record = named(played(kind, players, options, seed=2, most_deals=3))
    page, shown = show(record, None, viewport=UPRIGHT)
    empty = page.evaluate(
        """(count) => {
          const slider = document.querySelector('#slider'), empty = [];
          for (let ply = 1; ply <= count; ply += 1) {
            slider.value = ply;
            slider.dispatchEvent(new Event('input'));
            if (!document.querySelector('.caption-text')?.textContent) empty.push(ply);
          }
          return empty;
        }""",
        len(shown["steps"]),
    )
    assert empty == []


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("viewport", [UPRIGHT, DESK], ids=["phone", "desk"])
@pytest.mark.parametrize("players", [4, 7])
def test_nothing_sticks_out_sideways_and_no_control_is_too_small(
    show: Open, viewport: dict[str, int], language: str, players: int
) -> None:
    record = named(played("hearts", players, {"end_score": 40}, seed=8))
    page, _ = show(record, None, viewport=viewport, language=language, address="#1.4.3")
    assert page.evaluate("document.documentElement.scrollWidth") == viewport["width"]
    small = page.evaluate(
        """() => [...document.querySelectorAll('.player button, .player select, .paper button, .paper a.button')]
          .filter((node) => node.getBoundingClientRect().height < 38 || node.getBoundingClientRect().width < 38)
          .map((node) => node.outerHTML.slice(0, 80))"""
    )
    assert small == []
    bar = page.locator(".player-buttons").bounding_box()
    assert bar is not None
    assert bar["y"] + bar["height"] <= viewport["height"]


def test_a_step_is_spoken_and_a_hand_has_words(show: Open, record: records.Record) -> None:
    page, _ = show(record, None, address="#1.2.1")
    page.keyboard.press("ArrowRight")
    said = page.locator("#live").text_content() or ""
    assert "plays the" in said
    assert "holds the" in (page.locator("#hands li .visually-hidden").first.text_content() or "")
    assert page.locator("#slider").get_attribute("aria-valuetext") == "Deal 1 · trick 2 · card 2"


# --- deals checked by the browser -------------------------------------------------------------------------------------


def test_one_click_checks_the_deals(show: Open, record: records.Record) -> None:
    page, _ = show(record)
    page.click("#check button")
    expect(page.locator("[data-answer][data-tone='good']")).to_contain_text("All is well")
    expect(page.locator(".values")).to_contain_text(record["secret"] or "a secret")


def test_one_click_finds_a_card_that_was_changed(show: Open, record: records.Record) -> None:
    change, _ = TAMPERING["pack"]
    page, _ = show(record, exported=tampered(record, change))
    page.click("#check button")
    expect(page.locator("[data-answer][data-tone='bad']")).to_contain_text("The cards of deal 1 do not follow")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("secret", "The secret is not the one that was promised before the game."),
        ("nonce", "The game code does not follow from the secret and the players' shares."),
        ("dealer", "The first dealer does not follow from the game code."),
        ("order of the log", "What was played cannot be right from step"),
    ],
)
def test_one_click_finds_what_was_tampered_with(show: Open, record: records.Record, name: str, said: str) -> None:
    page, _ = show(record, exported=tampered(record, TAMPERING[name][0]))
    page.click("#check button")
    expect(page.locator("[data-answer][data-tone='bad']")).to_contain_text(said)


@pytest.mark.parametrize("way", [another_bid, another_score, the_last_deals_cut_off], ids=lambda way: way.__name__)
def test_one_click_finds_a_log_that_does_not_lead_to_the_result(show: Open, record: records.Record, way: Any) -> None:
    spades = played("spades", 4, {"target": 100}, seed=6)
    changed = tampered_with(spades if way is another_bid else record, way, random.Random(1))
    assert changed is not None
    page, _ = show(record, exported=changed)
    page.click("#check button")
    expect(page.locator("[data-answer][data-tone='bad']")).to_be_visible()


def test_the_browser_and_the_stand_alone_checker_find_the_same(show: Open, record: records.Record) -> None:
    page, _ = show(record)
    cases = [tampered(record, change) for change, _ in TAMPERING.values()]
    bidding = played("spades", 4, {"target": 500, "floor": "no", "blind_nil": "yes"}, seed=41, most_deals=4)
    cases += [tampered(bidding, change) for change, _ in TAMPERED_BIDS.values()]
    for number in range(2, len(bidding["log"]) - 1, 5):
        cases.append(copy.deepcopy(bidding))
        log = cases[-1]["log"]
        log[number], log[number + 1] = {**log[number + 1], "ply": number + 1}, {**log[number], "ply": number + 2}
    rng = random.Random(4)
    for number, (kind, players, options) in enumerate(GAMES):
        whole = played(kind, players, options, seed=number)
        cases += [case for way in WAYS if (case := tampered_with(whole, way, rng)) is not None]
    cases += [played(kind, players, options, seed=9, most_deals=2) for kind, players, options in GAMES]
    plain = copy.deepcopy(record)
    plain |= {"commitment": None, "secret": None, "nonces": [""] * 4}
    cases += [record, plain]
    found = page.evaluate(
        """async (cases) => {
          const { check } = await import('/static/games/histories/verify.js');
          const kinds = await (await import('/static/games/histories/check.js')).checkedKinds();
          return Promise.all(cases.map((record) => check(record, kinds)));
        }""",
        cases,
    )
    for case, faults in zip(cases, found, strict=True):
        assert sorted(faults) == sorted(verify.check_record(case, checks()))
    assert [found[at] for at in (-1, -2)] == [[], []]
    assert sum(not faults for faults in found[-2 - len(GAMES) :]) == len(GAMES) + 2


def test_the_faults_of_the_browser_are_those_of_the_checker(show: Open, record: records.Record) -> None:
    page, _ = show(record)
    kinds = page.evaluate("async () => (await import('/static/games/histories/check.js')).FAULT_KINDS")
    assert kinds == list(verify.FAULTS), "FAULTS of js/check.js against FAULTS of games/verify/faults.py"


def test_a_kind_without_a_script_is_said_to_be_one_that_browsers_cannot_check(
    show: Open, record: records.Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(KINDS, "hearts", replace(KINDS["hearts"], check_script=None))
    page, _ = show(record)
    expect(page.locator("#check [data-answer]")).to_have_text("Games of this kind cannot be checked in the browser.")
    expect(page.locator("#check [data-check]")).to_be_hidden()
    page.locator("#check summary").click()
    expect(page.locator("#check a[download]")).to_have_attribute("href", "/verify.py")
