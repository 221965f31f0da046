"""Four people at one party, each with a browser and a language, on a site run as `make play` runs it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from playwright.sync_api import TimeoutError as TooLate

from tests.browser.test_games import DESK, PATIENCE_MS, PHONE, answer, phase_of
from tests.site_run import Run

pytestmark = pytest.mark.slow

#: The shortest game there is.
SHORT = {"option_end_score": "20", "option_tie_for_first": "shared"}
MOST_ANSWERS = 600


@dataclass
class Person:
    """Somebody with a browser."""

    context: BrowserContext
    page: Page
    faults: list[str] = field(default_factory=list)

    def note_faults(self) -> None:
        """What goes wrong in the page from now on."""
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))


@pytest.fixture
def people(browser: Browser) -> Iterator[list[Person]]:
    """Two with a phone and two at a desk, two who read Japanese and two who read English."""
    found = []
    for locale, viewport in (("ja-JP", PHONE), ("en-US", DESK), ("ja-JP", DESK), ("en-US", PHONE)):
        context = browser.new_context(viewport=viewport, locale=locale)  # type: ignore[arg-type]
        person = Person(context, context.new_page())
        person.page.set_default_timeout(PATIENCE_MS)
        person.note_faults()
        found.append(person)
    yield found
    for person in found:
        person.context.close()


def make_party(person: Person, site: Run, slug: str, *, listed: bool = False) -> str:
    """Makes a party from a preset by clicks; its link."""
    page = person.page
    page.goto(f"http://localhost:{site.port}/")
    page.click("a[href='/party/new/']")
    if listed:
        page.check("input[name=is_listed]")
    page.click(f"button[value={slug}]")
    page.wait_for_selector("[data-viewer=host]")
    return page.locator("#invite-link").inner_text()


def sit_down(person: Person, link: str) -> None:
    person.page.goto(link)
    person.page.click(".party-actions form button.primary")
    person.page.wait_for_selector("[data-viewer=member]")


def set_up(person: Person, **settings: str) -> None:
    """Changes settings as the host does."""
    page = person.page
    page.click("#settings summary")
    for name, value in settings.items():
        control = page.locator(f"[name={name}]")
        if control.evaluate("node => node.tagName") == "SELECT":
            control.select_option(value)
        else:
            control.fill(value)
    page.click(".settings-save button")
    page.wait_for_selector("[data-viewer=host]")


def names(page: Page) -> list[str]:
    return page.locator(".place:not([data-state=empty]) .place-name").all_inner_texts()


def expect_sitting(people: list[Person], count: int) -> None:
    for person in people:
        expect(person.page.locator(".place:not([data-state=empty])")).to_have_count(count, timeout=PATIENCE_MS)


def play_on(people: list[Person]) -> None:
    """Whoever is asked answers, until the game is over."""
    pages = [person.page for person in people]
    for number in range(MOST_ANSWERS):
        phases = [phase_of(page) for page in pages]
        if all(phase == "over" for phase in phases):
            return
        asked = [page for page in pages if page.locator("#table").get_attribute("data-mine") is not None]
        for page in asked:
            ask = page.locator("#table").get_attribute("data-ask")
            answer(page, number)
            with suppress(TooLate):  # a person, too, taps once more where a tap went wrong
                page.wait_for_function(
                    "ask => { const t = document.querySelector('#table');"
                    " return !t.hasAttribute('data-mine') || t.dataset.ask !== ask; }",
                    arg=ask,
                    timeout=1_500,
                )
        if not asked:
            pages[0].wait_for_timeout(50)
    shown = [[page.locator("#table").get_attribute(name) for name in ("data-phase", "data-ask")] for page in pages]
    pytest.fail(f"the game does not end: {shown}")


def test_four_people_find_each_other_play_and_play_once_more_by_changed_rules(people: list[Person], site: Run) -> None:
    host, second, third, fourth = people
    link = make_party(host, site, "hearts-short", listed=True)
    assert host.page.locator("html").get_attribute("lang") == "ja"

    # By the link, by the code as it was heard, and from the list of the front page, which is told live.
    front = f"http://localhost:{site.port}/"
    fourth.page.goto(front)
    code = link.rstrip("/").split("/")[-1]
    row = fourth.page.locator(f"#party-list [data-party='{code}']")
    expect(row).to_contain_text("3 seats free", timeout=PATIENCE_MS)
    sit_down(second, link)
    third.page.goto(front)
    third.page.fill("#party-code", f" {code[:3].lower()}-{code[3:].lower()} ")
    third.page.click(".code-form button")
    third.page.click(".party-actions form button.primary")
    third.page.wait_for_selector("[data-viewer=member]")
    expect(row).to_contain_text("1 seat free", timeout=PATIENCE_MS)
    for icon in ("players", "timer", "end-score", "moon"):
        assert row.locator(f"use[href='#rule-{icon}']").count() == 1
    row.click()
    fourth.page.click(".party-actions form button.primary")
    fourth.page.wait_for_selector("[data-viewer=member]")

    # Everybody sees the same names, and each the rules in his own language.
    expect_sitting(people, 4)
    assert len({tuple(names(person.page)) for person in people}) == 1
    set_up(host, **SHORT)
    for person, words in ((second, "To 20"), (third, "20点"), (fourth, "To 20")):
        expect(person.page.locator(".rule-chips")).to_contain_text(words, timeout=PATIENCE_MS)

    # Seats change hands, and it is full for a fifth.
    host.page.click(".party-actions form[action$='/start/'] button")
    for person in people:
        person.page.wait_for_url("**/game/*/")
    games = {person.page.url for person in people}
    assert len(games) == 1
    stranger = second.context.browser
    assert stranger is not None
    fifth = stranger.new_context(locale="en-US").new_page()
    fifth.goto(link)
    expect(fifth.locator(".party-status")).to_have_text("The game is running.")
    assert fifth.locator("form[action$='/sit/']").count() == 0
    assert fifth.locator(f"a[href='/game/{games.copy().pop().rstrip('/').split('/')[-1]}/']").count() == 1

    # One goes to the party and comes back; one closes the tab and comes back.
    second.page.click(".to-party")
    second.page.click("text=Back to the table")
    second.page.wait_for_url(next(iter(games)))
    again = third.context.new_page()
    third.page.close()
    third.page = again
    again.set_default_timeout(PATIENCE_MS)
    again.goto(link)
    again.click(".party-actions a.primary")
    again.wait_for_url(next(iter(games)))

    play_on(people)
    for person in people:
        person.page.wait_for_selector("#overlay[data-what=final]")

    # At the table all agree but the host, who changes the rules first: nobody has agreed to that.
    second.page.click("#rematch")
    expect(fourth.page.locator("#rematch")).to_contain_text("1 of 4", timeout=PATIENCE_MS)
    host.page.goto(link)
    expect(host.page.locator(".tag-ready")).to_have_count(1)
    set_up(host, option_moon="off", timer="60")
    expect(second.page.locator("#rematch")).to_contain_text("has changed", timeout=PATIENCE_MS)
    for person in (second, third, fourth):
        person.page.click("#overlay a[href^='/party/']")
        expect(person.page.locator(".changes li")).to_have_count(2)
    expect(second.page.locator(".changes")).to_contain_text("No moon")
    expect(third.page.locator(".changes")).to_contain_text("ムーンなし")
    for number, person in enumerate((second, third, fourth, host)):
        expect(person.page.locator(".tag-ready")).to_have_count(number, timeout=PATIENCE_MS)
        person.page.click("form[action$='/agree/'] button")
    for person in people:
        person.page.wait_for_url(lambda url: "/game/" in url and url not in games)
    assert len({person.page.url for person in people}) == 1
    expect(second.page.locator("#chips")).to_contain_text("No moon")
    fifth.context.close()
    assert [person.faults for person in people] == [[], [], [], []]


def test_the_host_sends_somebody_away_and_hands_over_when_he_leaves(people: list[Person], site: Run) -> None:
    host, second, third, fourth = people
    link = make_party(host, site, "spades-standard")
    for person in (second, third):
        sit_down(person, link)
    fourth.page.goto(link)
    expect_sitting(people, 3)

    # Partners sit opposite: a seat is changed for an empty one, and all see it.
    third.page.click("form[action$='/sit/'] button")
    for person in people:
        expect(person.page.locator(".place[data-seat='2'][data-state=empty]")).to_have_count(1, timeout=PATIENCE_MS)

    row = host.page.locator(".place", has_text=own_name(second))
    row.locator("form[action$='/send-away/'] button").click()
    host.page.click("#confirm button[value=no]")
    expect_sitting(people, 3)
    row.locator("form[action$='/send-away/'] button").click()
    host.page.click("#confirm-yes")
    expect(second.page.locator("h1")).to_have_text("You were sent away", timeout=PATIENCE_MS)
    second.page.goto(link)
    expect(second.page.locator("h1")).to_have_text("You were sent away")
    expect_sitting([host, third, fourth], 2)

    host.page.click("form[action$='/leave/'] button")
    host.page.wait_for_url(f"http://localhost:{site.port}/")
    third.page.wait_for_selector("[data-viewer=host]")
    fourth.page.click(".party-actions form button.primary")
    fourth.page.wait_for_selector("[data-viewer=member]")
    third.page.click("form[action$='/leave/'] button")
    fourth.page.wait_for_selector("[data-viewer=host]")
    fourth.page.click("form[action$='/leave/'] button")
    fourth.page.goto(link)
    expect(fourth.page.locator("h1")).to_have_text("This party is over")
    assert [person.faults for person in people] == [[], [], [], []]


def own_name(person: Person) -> str:
    return person.page.locator(".place[data-own] .place-name").inner_text()


def test_a_party_works_without_scripts(browser: Browser, site: Run) -> None:
    context = browser.new_context(java_script_enabled=False, locale="en-US")
    page = context.new_page()
    page.goto(f"http://localhost:{site.port}/party/new/")
    page.click("button[value=spades-short]")
    page.locator("form[action$='/sit/'] button").first.click()
    page.click("form[action$='/shuffle/'] button")
    page.click("form[action$='/start/'] button")
    assert re.search(r"/game/\d+/$", page.url)
    context.close()
