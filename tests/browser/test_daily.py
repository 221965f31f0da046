"""The daily deal and the statistics in the browser: narrow and wide, by keyboard, and the text that is shared."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any
from unittest.mock import patch

import pytest
from django.template.loader import render_to_string
from django.test import RequestFactory
from django.utils import translation
from playwright.sync_api import Browser, expect

from games import models
from games.daily import boards as daily_boards
from games.kinds.words import kind_label, level_name
from games.presets.selectors import chips
from games.rules.cards import DECK
from games.statistics import page as statistics_page
from games.statistics import services as deal_statistics
from games.statistics import tallies
from tests.browser import scenes
from tests.browser.stage import ORIGIN, Stage

DAY = date(2026, 4, 1)
NAMES = ("Hana", "A name as long as forty characters may be", "月見草", "Kenji")
WIDTHS = (320, 360, 1280)


class DailyStage(Stage):
    """The table of a daily deal."""

    def boot(self) -> dict[str, Any]:
        return {**super().boot(), "code": None, "daily": "/daily/2026-04-01/hearts/"}


def daily_of(kind: str) -> models.DailyDeal:
    preset = models.RulePreset(slug=f"{kind}-short", kind=kind, name="Short")
    version = models.PresetVersion(preset=preset, number=1, options={})
    shown = {"commitment": "ab" * 32, "secret": "cd" * 32, "code": "4TT3-8STM-AP5S-55QM", "cpu_level": "normal"}
    return models.DailyDeal(day=DAY, kind=kind, preset_version=version, cpu_version="0123456789abcdef", **shown)


def day_page(kind: str, language: str) -> str:
    """The page of a past day, as its best player sees it."""
    daily = daily_of(kind)
    found = models.DailyTry(place=1, score=-112 if kind == "spades" else 23, edge=-400, deals=[10, 0, 13, 4])
    with translation.override(language):
        outcome, grades = daily_boards.outcome_of(daily, found), daily_boards.grades_of(daily, found)
        standing = daily_boards.Standing(daily, kind_label(kind), "done", 7, outcome, grades, "10, 0, 13, 4")
        rows = [
            daily_boards.Row(n, name, daily_boards._short(daily, found), grades, 7, n == 1)
            for n, name in enumerate(NAMES, 1)
        ]
        context = {
            "standing": standing,
            "daily": daily,
            "board": daily_boards.Board(rows, len(rows), 1),
            "day_text": daily_boards.day_text(DAY),
            "chips": chips(kind, {}),
            "level": level_name("normal"),
            "share": daily_boards.share_text(daily, standing, 1, "https://example.org/daily/2026-04-01/hearts/"),
            "earlier": daily,
            "later": daily,
        }
        return render_to_string("games/daily/daily_day.html", context, request=RequestFactory().get("/"))


def statistics(language: str) -> str:
    """The page with counts of many deals."""
    rng = random.Random(3)
    found = Counter[tallies.Key]()
    for number in range(400):
        cards = rng.sample(DECK, 52)
        found["deals", "hearts"] += 1
        found["games", "hearts"] += 1
        found["first_dealer", str(number % 4)] += 1
        for seat in range(4):
            lengths = [sum(card[1] == suit for card in cards[seat::4]) for suit in "CDHS"]
            found.update(("length", str(length)) for length in lengths)
            found["queen_seat", str(seat)] += "QS" in cards[seat::4]
            found["queen_away", str(seat)] += "QS" in cards[seat::4]
        found["one_length", str(sum(card[1] == "S" for card in cards[::4]))] += 1
        for who in ("beginner", "normal", "expert"):
            found["points", f"{who} {rng.choice((0, 5, 26))}"] += 1
            found["nil", f"{who} {rng.choice(('made', 'failed'))}"] += 1
    with translation.override(language), patch.object(deal_statistics, "counts", lambda: found):
        context = {"page": statistics_page.page(), "fewest": 200}
        return render_to_string("games/statistics/statistics.html", context, request=RequestFactory().get("/"))


@pytest.fixture
def stage(browser: Browser) -> Iterator[Stage]:
    stage = Stage(browser, "hearts")
    yield stage
    assert stage.faults == []
    stage.close()


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize(
    "page", [lambda language: day_page("hearts", language), lambda language: day_page("spades", language), statistics]
)
def test_pages_fit_any_screen(stage: Stage, page: Callable[[str], str], language: str) -> None:
    stage.pages["/here/"] = page(language)
    for width in WIDTHS:
        stage.page.set_viewport_size({"width": width, "height": 740})
        stage.page.goto(f"{ORIGIN}/here/")
        wide = stage.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, (width, wide)


def test_the_text_is_copied_or_marked_where_that_is_not_allowed(stage: Stage) -> None:
    stage.pages["/here/"] = day_page("hearts", "en")
    page = stage.page
    stage.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=ORIGIN)
    page.goto(f"{ORIGIN}/here/")
    page.get_by_role("button", name="Copy").press("Enter")
    expect(page.get_by_role("status").filter(has_text="Copied.")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert copied[0] == "Moonshot daily deal 2026-04-01 Hearts"
    assert copied[2] == "🟧🟩🟥🟨"
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }")
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_text("The text is marked")).to_be_visible()
    assert page.evaluate("getSelection().toString()").splitlines()[0] == copied[0]


def test_a_phone_hands_the_text_to_its_own_menu(stage: Stage) -> None:
    stage.pages["/here/"] = day_page("spades", "ja")
    stage.context.add_init_script("navigator.share = (what) => { window.shared = what; return Promise.resolve(); }")
    stage.page.goto(f"{ORIGIN}/here/")
    stage.page.locator("[data-send]").click()
    assert "2026-04-01" in stage.page.evaluate("shared.text")


def test_the_numbers_behind_a_chart_open_by_keyboard(stage: Stage) -> None:
    stage.pages["/here/"] = statistics("en")
    page = stage.page
    page.goto(f"{ORIGIN}/here/")
    assert page.get_by_role("img").count() == 5
    expect(page.get_by_role("img", name="How long suits are")).to_be_visible()
    table = page.locator("table").first
    expect(table).to_be_hidden()
    page.locator("summary").first.press("Enter")
    expect(table).to_be_visible()
    expect(table.get_by_role("row")).to_have_count(10)
    assert page.evaluate("document.querySelectorAll('svg script, svg style').length") == 0


def test_bars_are_seen_on_light_and_dark_paper(browser: Browser) -> None:
    colours = set()
    for scheme in ("light", "dark"):
        stage = Stage(browser, "hearts", color_scheme=scheme)
        stage.pages["/here/"] = statistics("en")
        stage.page.goto(f"{ORIGIN}/here/")
        read = "node => getComputedStyle(node).fill"
        bars = [stage.page.locator(f".color-{n} .rect").first.evaluate(read) for n in (0, 1)]
        assert len(set(bars)) == 2
        assert "rgb(0, 0, 0)" not in bars
        colours.update(bars)
        stage.close()
    assert len(colours) == 4


def test_the_end_of_a_daily_game_leads_to_the_board_and_to_no_rematch(browser: Browser) -> None:
    stage = DailyStage(browser, "hearts")
    stage.show(scenes.over(stage.rules, random.Random(2)))
    overlay = stage.page.locator("#overlay[data-what=final]")
    board = overlay.get_by_role("link", name="Board of the day")
    expect(board).to_be_visible()
    assert board.get_attribute("href") == "/daily/2026-04-01/hearts/"
    assert overlay.locator("#rematch").count() == 0
    expect(overlay.locator(".overlay-actions .button").first).to_have_text("Board of the day")
    assert stage.faults == []
    stage.close()
