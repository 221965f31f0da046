"""The daily game, and what can be done with a game that is over, clicked on a site run as `make play` runs it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.test_accounts import DESK, PHONE, Desk
from tests.browser.test_games import play_to_the_end
from tests.browser.test_mistakes import answer
from tests.browser.test_queue import sign_up
from tests.games.tables.readme_client import Player
from tests.site_run import Run

pytestmark = pytest.mark.slow

#: The search may have to be compiled first, and every other process goes before it.
FOUND_MS = 180_000


# --- the daily game ---------------------------------------------------------------------------------------------------


def test_a_daily_game_is_clicked_to_its_end_once_and_the_board_shows_its_player(browser: Browser, site: Run) -> None:
    desk = Desk(browser, site, "en-US", PHONE)
    page = desk.go("/daily/")
    page.get_by_role("region", name="Spades").get_by_role("button", name=re.compile("^Play")).click()
    page.wait_for_selector("#table[data-phase]")
    game = page.url
    play_to_the_end(page)
    page.locator("#overlay").get_by_role("link", name="Board of the day").click()
    board = page.url
    expect(page.locator(".daily-own")).to_contain_text("Sign up in this browser, and this try is yours.")
    page.locator(".daily-own").get_by_role("link", name="Sign up").click()
    sign_up(desk, "Perdita")
    page.goto(board)
    expect(page.locator(".board tr.own")).to_contain_text("Perdita")
    expect(page.locator(".daily-own")).to_contain_text("No. 1 of 1 on the board.")

    # Whoever reads what is shared learns no card and no code, only the way there.
    shared = page.locator(".share-text").inner_text()
    assert shared.splitlines()[0].startswith("Moonshot daily deal ")
    assert re.search(r"[♠♥♦♣]|\b(10|[2-9TJQKA])[CDHS]\b|/game/", shared) is None
    assert shared.splitlines()[-1] == board
    with site.database() as link:
        row = link.execute("select code from games_dailysecret").fetchone()
    assert row is not None
    assert row[0] not in page.content()

    # Once is all there is: no page has a button, and the form of an earlier page leads to the game that is over.
    for path in (page.url, f"http://localhost:{site.port}/daily/", f"http://localhost:{site.port}/"):
        page.goto(path)
        assert page.locator("form[action$='/spades/play/'], [formaction$='/spades/play/']").count() == 0, path
    page.goto(f"http://localhost:{site.port}/daily/")
    other = page.get_by_role("region", name="Hearts")
    other.locator("form").evaluate("node => { node.action = node.action.replace('hearts', 'spades'); }")
    other.get_by_role("button").click()
    page.wait_for_url(game)
    expect(page.locator("#overlay[data-what=final]")).to_be_visible()
    with site.database() as link:
        assert link.execute("select count(*) from games_dailytry").fetchone() == (1,)
    assert desk.faults == []
    desk.context.close()


# --- a game that is over ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Played:
    """A game that a program has played to its end, at random, and the browser of its player."""

    desk: Desk
    game: int

    def replay(self, moment: str = "") -> Page:
        page = self.desk.go(f"/game/{self.game}/replay/{moment}")
        page.wait_for_selector("#table[data-ready]")
        return page


@pytest.fixture(scope="module")
def played(browser: Browser, site: Run) -> Iterator[Played]:
    address = f"http://localhost:{site.port}"
    player = Player(address, "a game with mistakes")
    player.open_game("hearts")
    player.play()
    desk = Desk(browser, site, "en-US", DESK)
    desk.context.add_cookies(
        [{"name": name, "value": morsel.value, "url": address} for name, morsel in player.cookies.items()]
    )
    yield Played(desk, player.game)
    assert desk.faults == []
    desk.context.close()


def as_shown(points: float) -> str:
    """To a tenth, as browsers round what is written in decimals."""
    return str(Decimal(str(points)).quantize(Decimal("0.1"), ROUND_HALF_UP))


def test_three_mistakes_are_found_asked_and_explained(played: Played, site: Run) -> None:
    page = played.replay()
    page.get_by_role("button", name="Find my three mistakes").click()
    begin = page.get_by_role("button", name="To the questions")
    expect(begin).to_be_visible(timeout=FOUND_MS)
    with site.database() as link:
        row = link.execute(
            "select mistakes from games_review r join games_player p on p.id = r.player_id where p.game_id = %s",
            [played.game],
        ).fetchone()
    assert row is not None
    found: list[dict[str, Any]] = row[0]
    assert len(found) == 3, "somebody who plays at random makes at least three"
    begin.click()
    for number, mistake in enumerate(found, 1):
        question = page.locator("#question")
        expect(question.locator(".question-count")).to_have_text(f"Question {number} of 3")
        expect(question.locator(".weighed")).to_have_count(0)
        best, given = mistake["options"][:2]
        answer(page, given if number == 1 else best)
        verdict = question.locator(".verdict")
        expect(verdict).to_have_attribute("data-tone", "bad" if number == 1 else "good")
        expect(verdict).to_contain_text(f"was better by {as_shown(given['worse'])} points.")  # what was best
        expect(question.locator("caption")).to_have_text(re.compile(r"On average of [\d,]+ deals"))
        expect(question.locator("tr[data-best]")).to_contain_text("best")
        expect(question.locator("tr[data-given]")).to_contain_text("±")
        expect(question.locator("thead")).to_contain_text("You get")  # what happens then
        expect(question.locator(".how-sure")).to_contain_text(re.compile("certain|sure"))
        page.get_by_role("button", name="Done" if number == 3 else "Next question").click()
    expect(page.locator("#question")).not_to_be_visible()
    page = played.replay()
    expect(page.get_by_role("button", name="To the questions")).to_be_visible()  # kept, without another search


def test_a_replay_is_stepped_linked_seen_from_each_side_and_played_on(played: Played, site: Run) -> None:
    page = played.replay()
    slider, place = page.locator("#slider"), page.locator("#place")
    for key, there in (
        ("PageDown", "Deal 2"),
        ("Shift+ArrowRight", "Deal 2 · trick 1 · card 4"),
        ("ArrowRight", "Deal 2 · trick 2 · card 1"),
        ("ArrowLeft", "Deal 2 · trick 1 · card 4"),
        ("Shift+ArrowRight", "Deal 2 · trick 2 · card 4"),
        ("Shift+ArrowLeft", "Deal 2 · trick 1 · card 4"),
        ("PageUp", "Deal 2"),
        ("PageUp", "Deal 1"),
    ):
        page.keyboard.press(key)
        expect(place).to_contain_text(there)
    page.select_option("#deal", index=1)
    expect(place).to_contain_text("Deal 2")
    before = int(slider.input_value())
    page.select_option("#pace", "fast")
    page.locator("#run").click()
    page.wait_for_function("before => Number(document.querySelector('#slider').value) > before + 2", arg=before)
    page.locator("#run").click()
    expect(page.locator("#run")).not_to_have_attribute("data-running", "")

    # Another browser sees the same moment by its link, with all hands; the player's own view hides the others'.
    page.goto(page.url.partition("#")[0] + "#2.3.2")
    expect(place).to_have_text("Deal 2 · trick 3 · card 2")
    own = "#hands li:not(:first-child) .card:not(.card-back)"
    assert page.locator(own).count() == 0
    page.keyboard.press("a")
    assert page.locator(own).count() > 0
    played.desk.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=f"http://localhost:{site.port}")
    page.locator("#link").click()
    expect(page.locator("#link-said")).not_to_be_empty()
    copied = page.evaluate("navigator.clipboard.readText()")
    other = page.context.browser.new_context().new_page()  # type: ignore[union-attr]
    other.goto(copied)
    expect(other.locator("#slider")).to_have_value(slider.input_value())
    expect(other.locator("#who")).to_have_value("all")
    other.context.close()

    page.click("#play-on [data-open]")
    page.locator("#dialog-play-on").get_by_role("button", name="Play on").click()
    page.wait_for_url(lambda url: "/replay/" not in url)
    page.wait_for_selector("#table[data-mine]")
    assert page.locator(".hand-card").count() >= 10
    with site.database() as link:
        game = int(page.url.rstrip("/").split("/")[-1])
        row = link.execute("select forked_from_id from games_game where id = %s", [game]).fetchone()
    assert row == (played.game,)
