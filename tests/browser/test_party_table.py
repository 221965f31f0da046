"""Four people at one party's table, two languages, and somebody who watches: what they say, how they go and come back,
what they decide together, and the next game. On a site run as `make play` runs it.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.test_games import DESK, PATIENCE_MS, PHONE
from tests.browser.test_parties import Person, make_party, sit_down
from tests.site_run import Run

pytestmark = pytest.mark.slow

GREETINGS = {"ja": "よろしくお願いします", "en": "Have a good game"}
LOCALES = (("ja-JP", PHONE), ("en-US", DESK), ("ja-JP", DESK), ("en-US", PHONE), ("en-US", DESK))


@pytest.fixture
def people(browser: Browser) -> Iterator[list[Person]]:
    """Four who play, two of them in Japanese, and a fifth who has never been here."""
    found = []
    for locale, viewport in LOCALES:
        context = browser.new_context(viewport=viewport, locale=locale)  # type: ignore[arg-type]
        person = Person(context, context.new_page())
        person.page.set_default_timeout(PATIENCE_MS)
        person.note_faults()
        found.append(person)
    yield found
    for person in found:
        person.context.close()


def language(person: Person) -> str:
    return person.page.locator("html").get_attribute("lang") or ""


def bubble(person: Person, seat: int) -> str:
    """What is said at a seat, as this person reads it."""
    return person.page.locator(f".bubble[data-seat='{seat}']").inner_text(timeout=PATIENCE_MS)


def open_talk(page: Page) -> None:
    if not page.locator("#dialog-talk").is_visible():
        page.click("#open-talk")


def close_talk(page: Page) -> None:
    page.click("#dialog-talk [data-close]")


def say(person: Person, phrase: str) -> None:
    open_talk(person.page)
    person.page.click(f"[data-phrase={phrase}]")


def at_table(person: Person) -> None:
    person.page.wait_for_url("**/game/*/**")
    person.page.wait_for_selector("#table[data-phase]")


def test_four_at_a_private_party_talk_leave_come_back_end_the_game_and_play_once_more(
    people: list[Person], site: Run
) -> None:
    *players, watcher = people
    host, second, third, fourth = players
    link = make_party(host, site, "hearts-short")
    for person in (second, third, fourth):
        sit_down(person, link)
    host.page.click(".party-actions form[action$='/start/'] button")
    for person in players:
        at_table(person)
    assert [language(person) for person in players] == ["ja", "en", "ja", "en"]

    # Somebody with the link watches without a card and without a word; by the address of the table alone nobody does.
    table = second.page.url
    watcher.page.goto(table)
    assert watcher.page.locator("#table").count() == 0
    watcher.page.goto(link)
    watcher.page.click(".party-actions a.primary")
    at_table(watcher)
    expect(watcher.page.locator(".watching")).to_be_visible()
    expect(watcher.page.locator(".hand-card, #open-talk:visible, #greet:visible")).to_have_count(0)
    expect(second.page.locator(".hand-card")).to_have_count(13)

    # A greeting is written for each in his own language.
    host.page.click("#greet")
    for person in people:
        assert bubble(person, 0) == GREETINGS[language(person)]

    # Who is muted is heard by all others.
    open_talk(second.page)
    second.page.click("[data-mute='2']")
    expect(second.page.locator("[data-mute='2']")).to_have_attribute("aria-pressed", "true")
    close_talk(second.page)
    say(third, "lucky")
    for person in (host, third, fourth, watcher):
        bubble(person, 2)
    expect(second.page.locator(".bubble[data-seat='2']")).to_have_count(0)

    # One leaves and a CPU has his seat; he comes back by loading the page and by taking it back.
    open_talk(fourth.page)
    fourth.page.click("[data-leave]")
    for person in (host, watcher):
        expect(person.page.locator(".plate[data-presence=stand_in]")).to_have_count(1, timeout=PATIENCE_MS)
    fourth.page.reload()
    at_table(fourth)
    fourth.page.click("[data-action=back]")
    for person in (host, watcher):
        expect(person.page.locator(".plate[data-presence=online]")).to_have_count(4, timeout=PATIENCE_MS)

    # All want it to end without a result: three votes are shown to everybody, the fourth carries it.
    for person in (host, second, third):
        open_talk(person.page)
        person.page.click("[data-vote=void]")
        close_talk(person.page)
    expect(fourth.page.locator("#votes")).to_contain_text("3 of 4", timeout=PATIENCE_MS)
    expect(host.page.locator("#votes")).to_contain_text("4", timeout=PATIENCE_MS)
    fourth.page.click("#votes button")
    for person in people:
        person.page.wait_for_selector("#overlay[data-what=final]")

    # And once more, when all have agreed.
    for person in players:
        person.page.goto(link)
    for number, person in enumerate(players):
        expect(person.page.locator(".tag-ready")).to_have_count(number, timeout=PATIENCE_MS)
        person.page.click("form[action$='/agree/'] button")
    for person in players:
        person.page.wait_for_url(lambda url: "/game/" in url and url != table)
        person.page.wait_for_selector("#table[data-phase]")
    assert len({person.page.url for person in players}) == 1
    assert [person.faults for person in people] == [[]] * 5
