"""Whole games in the browser, clicked as a person does, on a site run as `make play` runs it. Then Postgres is read."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from playwright.sync_api import TimeoutError as TooLate

from games.kinds import rules_for
from games.log.positions import Entry
from games.rules import Action
from tests.site_run import Run

pytestmark = pytest.mark.slow

PHONE = {"width": 360, "height": 740}
DESK = {"width": 1280, "height": 800}
PATIENCE_MS = 10_000
#: Clicks after which a game has to be over; a deal takes about thirty.
MOST_CLICKS = 3_000


def open_game(browser: Browser, site: Run, kind: str, locale: str, viewport: Any) -> tuple[Page, list[str]]:
    """A table that was just dealt, and what goes wrong in the page from now on."""
    page = browser.new_context(viewport=viewport, locale=locale).new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.goto(f"http://localhost:{site.port}/")
    page.click(f"button[formaction$='/play/{kind}/']")
    page.wait_for_selector("#table[data-phase]", timeout=PATIENCE_MS)
    return page, faults


def phase_of(page: Page) -> str:
    return page.locator("#table").get_attribute("data-phase") or ""


def answer(page: Page, clicks: int) -> None:
    """One step of a person's: a card chosen or played, a bid, an answer."""
    phase = phase_of(page)
    if phase in ("pass", "exchange"):
        for card in page.locator(".hand-card[data-state=open]").all()[: 3 if phase == "pass" else 2]:
            card.click(force=True)
        page.locator("[data-action=give]").click(force=True)
    elif phase == "bid":
        page.locator(f"[data-bid='{2 + clicks % 2}']").click()
        page.locator("[data-action=bid]").click(force=True)
    elif phase == "play":
        card = page.locator(".hand-card[data-state=legal]").first
        name = card.get_attribute("data-card")
        card.click(force=True)
        confirm = page.locator("[data-action=play]")
        if confirm.is_visible() and page.locator(f".hand-card[data-card='{name}']").count():
            confirm.click(force=True)


def play_to_the_end(page: Page) -> None:
    for clicks in range(MOST_CLICKS):
        page.wait_for_function(
            "() => { const t = document.querySelector('#table');"
            " return t.hasAttribute('data-mine') || t.dataset.phase === 'over'; }",
            timeout=PATIENCE_MS,
        )
        if phase_of(page) == "over":
            return
        ask = page.locator("#table").get_attribute("data-ask")
        answer(page, clicks)
        with suppress(TooLate):  # a person, too, taps once more where a tap went wrong
            page.wait_for_function(
                "ask => { const t = document.querySelector('#table');"
                " return !t.hasAttribute('data-mine') || t.dataset.ask !== ask || t.dataset.phase === 'over'; }",
                arg=ask,
                timeout=1_500,
            )
    pytest.fail("the game does not end")


def log_of(site: Run, game: int) -> tuple[Any, list[Entry]]:
    """The game's row and its log, as Postgres has them."""
    with site.database() as link:
        row = link.execute(
            "select kind, players, options, status, ply, result from games_game where id = %s", [game]
        ).fetchone()
        entries = link.execute(
            """select ply, seat, kind, ask, data, cause, client_id, created_at from games_action
               where game_id = %s order by ply""",
            [game],
        ).fetchall()
    return row, [Entry(*entry) for entry in entries]


def check_the_log(site: Run, page: Page) -> dict[str, Any]:
    """Folding what was stored gives the stored result; returns it."""
    game = int(page.url.rstrip("/").split("/")[-1])
    (kind, players, options, status, ply, result), entries = log_of(site, game)
    assert status == "finished"
    assert [entry.ply for entry in entries] == list(range(1, ply + 1))
    rules = rules_for(kind, players, options)
    state = rules.start()
    for entry in entries:
        action = entry.action
        assert isinstance(action, Action)
        state = rules.apply(state, action)
    found = rules.result(state)
    assert found is not None
    assert list(found.scores) == result["scores"]
    assert list(found.placings) == result["placings"]
    assert any(entry.cause == "player" for entry in entries)
    assert any(entry.cause == "cpu" for entry in entries)
    stored: dict[str, Any] = result
    return stored


@pytest.mark.parametrize(
    ("kind", "locale", "viewport", "language"),
    [
        ("hearts", "ja-JP", PHONE, "ja"),
        ("hearts", "en-US", DESK, "en"),
        ("spades", "ja-JP", DESK, "ja"),
        ("spades", "en-US", PHONE, "en"),
    ],
)
def test_a_whole_game_by_clicks(
    browser: Browser, site: Run, kind: str, locale: str, viewport: Any, language: str
) -> None:
    page, faults = open_game(browser, site, kind, locale, viewport)
    assert page.locator("html").get_attribute("lang") == language
    play_to_the_end(page)
    page.wait_for_selector("#overlay[data-what=final]", timeout=PATIENCE_MS)
    result = check_the_log(site, page)
    shown = page.locator("#overlay").inner_text().replace("−", "-")
    for score in result["scores"]:
        assert str(score) in shown
    assert faults == []
    width = page.evaluate("() => [document.documentElement.scrollWidth, innerWidth]")
    assert width[0] <= width[1], "nothing has to be scrolled sideways"
    page.context.close()


def test_closing_the_tab_and_coming_back_restores_the_table_without_a_question(browser: Browser, site: Run) -> None:
    page, faults = open_game(browser, site, "hearts", "en-US", DESK)
    page.wait_for_selector(".hand-card[data-state=open]")
    answer(page, 0)
    page.wait_for_function("() => document.querySelector('#table').dataset.phase === 'play'", timeout=PATIENCE_MS)
    page.wait_for_selector("#table[data-mine]", timeout=PATIENCE_MS)
    answer(page, 1)
    page.wait_for_selector("#table[data-mine]", timeout=PATIENCE_MS)
    before = hand_of(page)
    again = page.context.new_page()
    page.close()
    again.goto(f"http://localhost:{site.port}/")
    again.click("a[href^='/game/']")
    again.wait_for_selector("#table[data-mine]", timeout=PATIENCE_MS)
    assert hand_of(again) == before
    assert faults == []
    again.context.close()


def hand_of(page: Page) -> list[str]:
    names: Callable[[], list[str]] = lambda: page.eval_on_selector_all(  # noqa: E731
        ".hand-card", "cards => cards.map(card => card.dataset.card)"
    )
    return names()


def test_a_rematch_is_a_new_game_at_the_same_table(browser: Browser, site: Run) -> None:
    page, _ = open_game(browser, site, "hearts", "en-US", DESK)
    first = page.url
    play_to_the_end(page)
    page.wait_for_selector("#overlay[data-what=final]", timeout=PATIENCE_MS)
    page.locator("#rematch").click()
    page.wait_for_url(lambda url: url != first, timeout=PATIENCE_MS)
    page.wait_for_selector("#table[data-phase=pass]", timeout=PATIENCE_MS)
    page.context.close()


# --- with the keyboard only -------------------------------------------------------------------------------------------

AT = """() => {
  const at = document.activeElement;
  const style = getComputedStyle(at.querySelector('.card') ?? at);
  return { card: at.dataset.card ?? '', state: at.dataset.state ?? '', bid: at.dataset.bid ?? '', id: at.id,
    action: at.getAttribute('formaction') ?? '', pressed: at.getAttribute('aria-pressed'),
    ring: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 };
}"""
SETTLED = """ask => { const t = document.querySelector('#table');
  return !t.hasAttribute('data-mine') || t.dataset.ask !== ask || t.dataset.phase === 'over'; }"""


def answer_with_keys(page: Page) -> None:
    """One answer, from wherever the focus is."""
    phase = phase_of(page)
    at = page.evaluate(AT)
    assert at["ring"], "what has the focus shows it"
    if phase == "bid":
        if not at["bid"]:  # the score of the last deal still lies over it
            page.keyboard.press("n")
            page.wait_for_function("() => document.activeElement.dataset.bid", timeout=PATIENCE_MS)
        page.keyboard.press("3")
        page.keyboard.press("Enter")
        return
    assert at["card"], f"the hand has the focus: {at}"
    if phase == "pass":
        for _ in range(3):
            page.keyboard.press("Space")
            page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowLeft")
        assert page.evaluate(AT)["pressed"] == "true"
        page.keyboard.press("Enter")
        return
    page.keyboard.press("Home")
    for _ in range(13):
        if page.evaluate(AT)["state"] == "legal":
            break
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")


@pytest.mark.parametrize("kind", ["hearts", "spades"])
def test_a_whole_game_and_its_rematch_with_the_keyboard_only(browser: Browser, site: Run, kind: str) -> None:
    viewport: Any = DESK
    page = browser.new_context(viewport=viewport, locale="en-US").new_page()
    page.goto(f"http://localhost:{site.port}/")
    for _ in range(20):
        page.keyboard.press("Tab")
        at = page.evaluate(AT)
        assert at["ring"]
        if at["action"].endswith(f"/play/{kind}/"):
            break
    page.keyboard.press("Enter")
    page.wait_for_selector("#table[data-phase]", timeout=PATIENCE_MS)
    first = page.url
    for _ in range(MOST_CLICKS):
        page.wait_for_function(
            "() => { const t = document.querySelector('#table');"
            " return t.hasAttribute('data-mine') || t.dataset.phase === 'over'; }",
            timeout=PATIENCE_MS,
        )
        if phase_of(page) == "over":
            break
        ask = page.locator("#table").get_attribute("data-ask")
        answer_with_keys(page)
        try:
            page.wait_for_function(SETTLED, arg=ask, timeout=PATIENCE_MS)
        except TooLate:
            pytest.fail(f"{ask}: {page.locator('#prompt-text').inner_text()!r} {page.evaluate(AT)}")
    page.wait_for_selector("#overlay[data-what=final]", timeout=PATIENCE_MS)
    check_the_log(site, page)
    page.keyboard.press("Tab")
    at = page.evaluate(AT)
    assert (at["id"], at["ring"]) == ("rematch", True)
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: url != first, timeout=PATIENCE_MS)
    page.wait_for_selector("#table[data-mine]", timeout=PATIENCE_MS)
    at = page.evaluate(AT)
    assert at["card"] or at["bid"], "the next game has the focus at once"
    page.context.close()
