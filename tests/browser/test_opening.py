"""A sealed game from the promise to the check: two browsers at a party, on a site run as `make play` runs it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, WebSocket, expect

from games import verify
from games.codes import deals
from games.kinds import rules_for
from games.kinds.checks import checks
from tests.browser.test_games import DESK, PATIENCE_MS, PHONE, log_of
from tests.browser.test_parties import Person, make_party, sit_down
from tests.site_run import Run

pytestmark = pytest.mark.slow

Frame = tuple[str, dict[str, Any]]


@pytest.fixture
def people(browser: Browser) -> Iterator[list[Person]]:
    """One at a desk and one with a phone."""
    found = []
    for viewport in (DESK, PHONE):
        context = browser.new_context(viewport=viewport, locale="en-US")  # type: ignore[arg-type]
        person = Person(context, context.new_page())
        person.page.set_default_timeout(PATIENCE_MS)
        person.note_faults()
        found.append(person)
    yield found
    for person in found:
        person.context.close()


def listen(page: Page) -> list[Frame]:
    """Every frame of the page's sockets at tables from now on, with its way: in or out."""
    frames: list[Frame] = []

    def opened(socket: WebSocket) -> None:
        if "/ws/game/" in socket.url:
            socket.on("framereceived", lambda text: frames.append(("in", json.loads(text))))
            socket.on("framesent", lambda text: frames.append(("out", json.loads(text))))

    page.on("websocket", opened)
    return frames


def kept(page: Page) -> dict[str, Any]:
    game = page.url.split("?")[0].rstrip("/").split("/")[-1]
    found: dict[str, Any] = page.evaluate("name => JSON.parse(localStorage.getItem(name))", f"moonshot.deals.{game}")
    return found


def be_patient(site: Run) -> None:
    """The time for shares is not what is tested, and this machine may be slow."""
    with site.database() as link:
        link.execute("update games_game set deadline_at = now() + interval '1 minute' where status = 'open'")


def end_without_result(people: list[Person]) -> None:
    host, second = people
    host.page.click("#open-talk")
    host.page.click("[data-vote=void]")
    host.page.click("#dialog-talk [data-close]")
    second.page.click("#votes button", timeout=PATIENCE_MS)
    for person in people:
        person.page.wait_for_selector("#overlay[data-what=final]")


def other_deals(record: dict[str, Any]) -> dict[str, Any]:
    """The record of another game that is without a fault in itself: another secret, and all that follows from it."""
    rules = rules_for(record["kind"], record["players"], record["options"])
    secret = b"x" * 32
    code = deals.sealed_code(rules, secret, [bytes.fromhex(nonce) for nonce in record["nonces"]])
    opened, dealt, end = record["log"][0], record["log"][1], record["log"][-1]
    opened["data"] = {"dealer": deals.first_dealer(code.seed, 4)}
    dealt["data"] = {"pack": list(deals.shuffle(code.seed, 1, 0, rules.deck))}
    record |= {"secret": secret.hex(), "commitment": deals.commitment(secret), "code": code.text}
    record["log"] = [opened, dealt, {**end, "ply": 3}]
    return record


def test_two_browsers_see_the_promise_give_their_share_and_check_the_deals(people: list[Person], site: Run) -> None:
    host, second = people
    link = make_party(host, site, "hearts-short")
    sit_down(second, link)
    frames = [listen(person.page) for person in people]
    host.page.click(".party-actions form[action$='/start/'] button")
    be_patient(site)
    for person in people:
        person.page.wait_for_url("**/game/*/**")
        expect(person.page.locator(".hand-card")).to_have_count(13, timeout=PATIENCE_MS)

    # Each was told the promise before a card, and gave a share that the other was never told.
    given = [kept(person.page)["nonce"] for person in people]
    for number, heard in enumerate(frames):
        names = [(way, message["type"]) for way, message in heard]
        first_hand = next(
            index for index, (way, message) in enumerate(heard) if way == "in" and message.get("view", {}).get("hand")
        )
        assert ("in", "opening") in names[:first_hand]
        assert ("out", "nonce") in names[:first_hand]
        assert given[1 - number] not in json.dumps(heard)
    game = int(host.page.url.split("?")[0].rstrip("/").split("/")[-1])
    _, entries = log_of(site, game)
    assert entries[0].data["nonces"][:2] == given
    assert {kept(person.page)["commitment"] for person in people} == {entries[0].data["commitment"]}

    # A reload in the middle changes neither.
    second.page.reload()
    expect(second.page.locator(".hand-card")).to_have_count(13, timeout=PATIENCE_MS)
    assert kept(second.page)["nonce"] == given[1]
    end_without_result(people)

    # At the end of the game, and on its replay page, one click deals everything again.
    for person in people:
        person.page.click("#overlay [data-check]")
        answer = person.page.locator("#overlay [data-answer]")
        expect(answer).to_have_attribute("data-tone", "good", timeout=PATIENCE_MS)
        expect(answer).to_contain_text("The share that this browser gave before the deal went into it.")
        expect(answer).to_contain_text("The promise is the one that this browser was shown")
    replay = f"http://localhost:{site.port}/game/{game}/replay/"
    second.page.goto(replay)
    second.page.click("#check [data-check]")
    expect(second.page.locator("#check [data-answer]")).to_have_attribute("data-tone", "good", timeout=PATIENCE_MS)

    # Another game, in itself without a fault, is not what was promised to this browser.
    record = second.page.evaluate("async () => (await fetch('../record.json')).json()")
    other = other_deals(record)
    assert verify.check_record(other, checks()) == []

    def answer_with_another(route: Route) -> None:
        route.fulfill(json=other)

    second.page.route("**/record.json", answer_with_another)
    second.page.click("#check [data-check]")
    answer = second.page.locator("#check [data-answer]")
    expect(answer).to_have_attribute("data-tone", "bad", timeout=PATIENCE_MS)
    expect(answer).to_contain_text("The promise is not the one that this browser was shown")

    # The code is open now: the same cards once more, alone.
    host.page.click("#overlay form[action$='/again/'] button")
    host.page.wait_for_url(lambda url: "/game/" in url and f"/game/{game}/" not in url)
    expect(host.page.locator(".hand-card")).to_have_count(13, timeout=PATIENCE_MS)
    assert [person.faults for person in people] == [[], []]


def test_a_game_begins_without_the_share_of_somebody_who_does_not_come(people: list[Person], site: Run) -> None:
    host, second = people
    link = make_party(host, site, "hearts-short")
    sit_down(second, link)
    second.page.goto("about:blank")
    host.page.click(".party-actions form[action$='/start/'] button")
    host.page.wait_for_url("**/game/*/**")
    expect(host.page.locator("#prompt-text")).to_have_text("The cards are being prepared…")
    assert host.page.locator(".hand-card").count() == 0
    expect(host.page.locator(".hand-card")).to_have_count(13, timeout=PATIENCE_MS)
    game = int(host.page.url.split("?")[0].rstrip("/").split("/")[-1])
    _, entries = log_of(site, game)
    assert entries[0].data["nonces"] == [kept(host.page)["nonce"], "", "", ""]
