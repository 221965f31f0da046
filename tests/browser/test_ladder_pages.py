"""Pages of the ladder in the browser: on a phone and a desk, in both languages, in light and dark, by the keyboard."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.test_rules_pages import DESK, PHONE, TOO_FAINT
from tests.site_run import PROJECT, Run, environment

pytestmark = pytest.mark.slow

BOARD = "/ladder/hearts-ranked/"
PATIENCE_MS = 20_000


@dataclass
class Shown:
    """A page as the busy player of `tests.ladder.queue.full` sees it, and what goes wrong in it."""

    page: Page
    faults: list[str]
    origin: str

    def open(self, path: str) -> Page:
        answer = self.page.goto(self.origin + path)
        assert answer is not None
        assert answer.status == 200, path
        return self.page


@pytest.fixture(scope="module")
def player(site: Run) -> dict[str, Any]:
    """The site's ladders are full of people; the busy player's id and session."""
    lines = (site.folder / ".data/environment").read_text().splitlines()
    variables = dict(shlex.split(line)[0].split("=", 1) for line in lines)
    done = subprocess.run(
        [sys.executable, str(PROJECT / "tests/ladder/queue/full.py")],
        cwd=PROJECT,
        env=environment({**variables, "DJANGO_SETTINGS_MODULE": "config.settings"}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture
def shown(browser: Browser, site: Run, player: dict[str, Any]) -> Iterator[Callable[..., Shown]]:
    contexts = []

    def open_context(viewport: Any = DESK, locale: str = "en-US", **more: Any) -> Shown:
        context = browser.new_context(viewport=viewport, locale=locale, **more)
        contexts.append(context)
        context.set_default_timeout(PATIENCE_MS)
        context.add_cookies([{"name": "sessionid", "value": player["session"], "domain": "localhost", "path": "/"}])
        page = context.new_page()
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
        return Shown(page, faults, f"http://localhost:{site.port}")

    yield open_context
    for context in contexts:
        context.close()


def paths(user: int) -> Iterator[str]:
    yield from ("/ladder/", "/ladder/how/", BOARD, f"{BOARD}?page=2", f"{BOARD}?q=player+1")
    yield from (f"/player/{user}/", f"/player/{user}/?ladder=spades-ranked", f"/player/{user}/games/")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("locale", ["en-US", "ja-JP"])
@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["phone", "desk"])
def test_pages_fit_and_can_be_read_in_light_and_dark(
    shown: Callable[..., Shown], player: dict[str, Any], viewport: Any, locale: str, scheme: str
) -> None:
    seen = shown(viewport, locale, color_scheme=scheme)
    for path in paths(player["user"]):
        page = seen.open(path)
        page.evaluate("() => document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        assert page.locator("html").get_attribute("lang") == locale[:2]
        wide = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, path
        assert page.evaluate(TOO_FAINT) == [], path
        assert seen.faults == [], path


def test_the_reader_finds_his_row_and_others_by_name_and_season(shown: Callable[..., Shown]) -> None:
    page = shown(PHONE).open(BOARD)
    page.get_by_role("link", name="Show my row").click()
    page.wait_for_url("**page=3#own")
    own = page.locator("tr.own")
    assert own.is_visible()
    assert "Aki" in own.inner_text()
    page.get_by_role("link", name="Higher ranks").click()
    page.wait_for_url("**page=2")
    page.get_by_label("Player’s name").fill("player 12")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=player+12*")
    assert page.locator(".board tbody tr").count() == 11, "12, and 120 to 129"
    page.goto(page.url.split("?")[0])
    page.get_by_label("Season").select_option(index=1)
    page.get_by_role("button", name="Show").click()
    page.wait_for_url("**season=*")
    assert page.locator(".board thead").inner_text().split("\t")[2] == "Closing rating"
    page.locator(".site-header button[value=ja]").click()
    page.wait_for_url("**/ja/ladder/hearts-ranked/?season=*")


def test_a_curve_is_drawn_at_its_size_and_has_its_table(shown: Callable[..., Shown], player: dict[str, Any]) -> None:
    for viewport, drawn, other in ((DESK, "desk", "phone"), (PHONE, "phone", "desk")):
        page = shown(viewport).open(f"/player/{player['user']}/")
        assert page.locator(f".curve-{drawn} svg").is_visible()
        assert not page.locator(f".curve-{other} svg").is_visible()
        sizes = page.evaluate(
            "() => [...document.querySelectorAll('.curve-svg text')].map((each) => each.getBoundingClientRect().height)"
        )
        assert all(size >= 9 for size in sizes if size), "letters that can be read"
        line = page.locator(f".curve-{drawn} .series path").first.bounding_box()
        frame = page.locator(f".curve-{drawn} svg").bounding_box()
        assert line is not None
        assert frame is not None
        assert frame["y"] <= line["y"]
        assert line["y"] + line["height"] <= frame["y"] + frame["height"]
        name = page.get_by_role("img", name="The rating of Aki")
        assert name.count() == 1, "the drawing that is not shown is not told either"
        page.get_by_text("The curve as a table").click()
        assert page.locator(".points tbody tr").count() > 20


def test_receipts_are_opened_by_the_keyboard(shown: Callable[..., Shown], player: dict[str, Any]) -> None:
    page = shown(DESK).open(f"/player/{player['user']}/games/")
    page.locator(".told-receipt summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator(".receipt-sum").first.is_visible()
    assert page.locator(".receipt-sum").first.locator("tbody tr").count() == 3


def test_the_front_page_leads_to_the_ladders_and_they_to_a_player(shown: Callable[..., Shown]) -> None:
    page = shown(PHONE).open("/")
    assert page.locator(".tops .board tbody tr").count() >= 5
    page.locator(".site-nav a", has_text="Ranked").click()
    page.wait_for_url("**/en/ladder/")
    page.locator(".ladder-card tbody a").first.click()
    page.wait_for_url("**/player/**")
    assert page.locator("h1").inner_text().strip()
