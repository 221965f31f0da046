"""Four people look for a ranked game, each with a browser, on a site run as `make play` runs it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.test_accounts import DESK, PASSWORD, PATIENCE_MS, PHONE, Desk
from tests.site_run import Run, eventually

pytestmark = pytest.mark.slow

NAMES = ("Beatrice", "Benedick", "Hero", "Claudio")
#: A game that is over, as far as the queue asks.
FINISHED = """
with game as (
    insert into games_game (kind, players, options, may_watch, is_private, is_ranked, rules_version, timer_s, status,
                            ply, asks, claims, code, cards, commitment, created_at, moved_at)
    select 'hearts', 4, '{}', false, false, false, 1, 0, 'finished', 0, '{}', 0, '', 'drawn', '', now(), now()
    from generate_series(1, %s) returning id)
insert into games_player (game_id, seat, user_id, cpu_level, nonce, outcome, kind, is_ranked, is_private)
select game.id, 0, accounts_user.id, '', '', '', '', false, false from game, accounts_user where display_name = %s
"""


def member(browser: Browser, site: Run, name: str, locale: str, viewport: Any, games: int = 3) -> Desk:
    """Somebody who has signed up and finished so many games."""
    desk = Desk(browser, site, locale, viewport)
    desk.go("/account/signup/")
    sign_up(desk, name, games)
    return desk


def sign_up(desk: Desk, name: str, games: int = 3) -> None:
    """Fills in the form that is shown; then so many games are over."""
    desk.fill(display_name=name, email=f"{name}@example.org".lower(), password1=PASSWORD)
    desk.submit()
    desk.page.wait_for_selector(".account-link[href='/account/']")
    with desk.site.database() as link:
        link.execute(FINISHED, [games, name])


@pytest.fixture(scope="module")
def people(browser: Browser, site: Run) -> Iterator[list[Desk]]:
    """Members who may queue: with a phone or at a desk, in Japanese or in English."""
    shapes = (("ja-JP", PHONE), ("en-US", DESK), ("ja-JP", DESK), ("en-US", PHONE))
    found = [member(browser, site, name, *shape) for name, shape in zip(NAMES, shapes, strict=True)]
    yield found
    for desk in found:
        desk.context.close()


def search(page: Page, ladder: str) -> None:
    page.click(f"[data-ladder={ladder}] [data-do=join]")
    page.wait_for_selector(f"[data-ladder={ladder}] [data-search]:not([hidden])")


def test_a_visitor_is_told_to_sign_up_and_a_newcomer_how_many_games_are_missing(browser: Browser, site: Run) -> None:
    visitor = Desk(browser, site, "en-US", PHONE)
    page = visitor.go("/")
    expect(page.locator("#ranked-bar [data-bar=sign_up]")).to_be_visible()
    assert page.locator("[data-do=join]:visible").count() == 0
    newcomer = member(browser, site, "Dogberry", "en-US", DESK, games=2)
    page = newcomer.go("/")
    expect(page.locator("#ranked-bar")).to_contain_text("So far: 2 of 3.")
    assert page.locator("[data-do=join]:visible").count() == 0
    for desk in (visitor, newcomer):
        assert desk.faults == []
        desk.context.close()


def test_two_become_partners_by_name_and_one_who_leaves_leaves_the_other_searching(people: list[Desk]) -> None:
    first, second = (people[number].go("/") for number in (1, 3))
    first.click(".pair summary")
    first.fill("[name=name]", "nobody at all")
    first.press("[name=name]", "Enter")
    expect(first.locator("#ranked-status")).to_have_text("Nobody of this name can be asked.", timeout=PATIENCE_MS)
    first.fill("[name=name]", NAMES[3])
    first.press("[name=name]", "Enter")
    invited = second.locator("#ranked-invited .notice")
    expect(invited).to_contain_text(NAMES[1], timeout=PATIENCE_MS)
    invited.locator(".primary").click()
    for page, partner in ((first, NAMES[3]), (second, NAMES[1])):
        expect(page.locator("[data-ladder=spades] [data-partner]")).to_contain_text(partner, timeout=PATIENCE_MS)
    second.click("[data-ladder=spades] [data-do=leave]")
    expect(first.locator("#ranked-status")).to_contain_text("Your partner has left", timeout=PATIENCE_MS)
    first.click("[data-ladder=spades] [data-do=leave]")
    expect(first.locator("[data-ladder=spades] [data-do=join]")).to_be_visible(timeout=PATIENCE_MS)


def test_four_search_one_declines_and_then_all_sit_at_one_table(people: list[Desk], site: Run) -> None:
    pages = [desk.go("/") for desk in people]
    for page in pages[:3]:
        search(page, "hearts")
    waiting = pages[3].locator("[data-ladder=hearts] [data-now=waiting]")
    expect(waiting).to_have_text("3", timeout=PATIENCE_MS)
    assert pages[0].locator("[data-ladder=spades] [data-do=join]").is_disabled()

    # A reload keeps the place; the clock goes on.
    pages[1].wait_for_timeout(1_500)
    pages[1].reload()
    clock = pages[1].locator("[data-ladder=hearts] [data-clock]")
    expect(clock).to_have_text(re.compile("0:0[2-9]|0:[1-5][0-9]"), timeout=PATIENCE_MS)

    # Consent is the ticket's, so a second tab shows it.
    pages[2].check("[data-ladder=hearts] [data-do=consent]")
    tab = people[2].context.new_page()
    tab.goto(pages[2].url)
    expect(tab.locator("[data-ladder=hearts] [data-do=consent]")).to_be_checked(timeout=PATIENCE_MS)
    tab.close()

    search(pages[3], "hearts")
    for page in pages:
        expect(page.locator("#ready-check[open]")).to_be_visible(timeout=PATIENCE_MS)
        assert page.evaluate("document.activeElement.dataset.do") == "ready"
    assert pages[1].title() == "● A table is ready"
    pages[1].keyboard.press("Escape")
    expect(pages[1].locator("#ready-check[open]")).to_be_visible()
    pages[1].keyboard.press("Enter")
    expect(pages[3].locator("#ready-check [data-others]")).to_have_text("1 of 4 is ready", timeout=PATIENCE_MS)
    pages[0].click("[data-do=decline]")

    # The others keep their place; whoever has declined begins anew.
    for page in pages:
        expect(page.locator("#ready-check[open]")).to_have_count(0, timeout=PATIENCE_MS)
    expect(pages[0].locator("[data-ladder=hearts] [data-do=join]")).to_be_visible()
    expect(pages[1].locator("#ranked-status")).to_contain_text("You keep your place")
    search(pages[0], "hearts")
    for page in pages:
        expect(page.locator("#ready-check[open]")).to_be_visible(timeout=PATIENCE_MS)
    for page in pages:
        page.click("[data-do=ready]")
    for page in pages:
        page.wait_for_url(re.compile(r"/game/\d+/"), timeout=PATIENCE_MS)
        page.wait_for_selector("#table")
    assert len({page.url for page in pages}) == 1

    game = int(pages[0].url.rstrip("/").split("/")[-1])
    with site.database() as link:
        ranked = "select count(*) from ladder_rankedgame r join games_player p using (game_id) where game_id = %s"
        assert eventually(lambda: link.execute(ranked, [game]).fetchone()) == (4,)
        assert link.execute("select count(*) from ladder_ticket").fetchone() == (0,)

    # The front page leads back to it.
    page = people[3].go("/")
    expect(page.locator("#ranked-bar")).to_contain_text("Your ranked game goes on.")
    page.click("#ranked-bar [data-bar=running]")
    page.wait_for_url(f"**/game/{game}/")
    assert [desk.faults for desk in people] == [[], [], [], []]
