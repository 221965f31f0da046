"""The replay page's questions about a player's mistakes: looked for, asked, answered; by pointer and by keys alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from games.histories import records
from games.mistakes.search import find
from tests.browser.stage import ORIGIN, Stage
from tests.browser.test_replay import DESK, PATH, UPRIGHT, named, page_of
from tests.games.finished import played

Open = Callable[..., Page]


class Server:
    """Answers for the address of the mistakes as the site would: one answer after another, the last one for ever."""

    def __init__(self, *answers: dict[str, Any]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    def __call__(self, route: Route) -> None:
        self.asked.append(route.request.method)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        status = 429 if answer["status"] == "limit" else 200
        route.fulfill(status=status, body=json.dumps(answer), content_type="application/json")


@pytest.fixture
def show(browser: Browser) -> Iterator[Open]:
    """Opens the replay of a record; afterwards nothing may have gone wrong in the page."""
    stages: list[Stage] = []

    def opened(record: records.Record, server: Server, **more: Any) -> Page:
        stage = Stage(browser, record["kind"], players=record["players"], **{"viewport": DESK, **more})
        stages.append(stage)
        stage.pages[PATH] = page_of(stage, record, 0, mistakes=True)[0]
        stage.page.route("**/game/7/mistakes/", server)
        stage.page.goto(f"{ORIGIN}{PATH}")
        stage.page.wait_for_selector("#table[data-ready]")
        return stage.page

    yield opened
    for stage in stages:
        faults = [fault for fault in stage.faults if "429" not in fault]
        stage.close()
        assert faults == []


def done(found: list[dict[str, Any]]) -> dict[str, Any]:
    return {"status": "done", "share": 1.0, "mistakes": found}


@pytest.fixture(scope="module")
def hearts() -> tuple[records.Record, list[dict[str, Any]]]:
    record = named(played("hearts", 4, {"end_score": 50}, seed=5))
    return record, found_in(record)


@pytest.fixture(scope="module")
def spades() -> tuple[records.Record, list[dict[str, Any]]]:
    record = named(played("spades", 4, {"target": 500}, seed=5, most_deals=3))
    return record, found_in(record)


def found_in(record: records.Record) -> list[dict[str, Any]]:
    """Mistakes of seat 0, one of each phase first."""
    return find(records.table_of(record), records.entries_of(record), 0, 1)


def short(card: str) -> str:
    return {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}[card[1]] + card[0].replace("T", "10")


def test_they_are_looked_for_when_asked_and_progress_is_shown(show: Open, hearts: Any) -> None:
    record, found = hearts
    server = Server(
        {"status": "none"}, {"status": "waiting", "share": 0}, {"status": "working", "share": 0.4}, done(found)
    )
    page = show(record, server)
    page.get_by_role("button", name="Find my three mistakes").click()
    expect(page.locator("#mistakes [data-said]")).to_have_text("40% done")
    assert float(page.locator("#mistakes-progress").evaluate("node => node.value")) == 0.4
    expect(page.get_by_role("button", name="To the questions")).to_be_visible()
    expect(page.locator("#mistakes [data-start]")).not_to_be_visible()
    assert server.asked == ["GET", "POST", "GET", "GET"]


def test_a_question_shows_the_moment_as_it_was_and_hides_what_came_of_it(show: Open, hearts: Any) -> None:
    record, found = hearts
    page = show(record, Server(done(found)))
    page.keyboard.press("a")
    page.get_by_role("button", name="To the questions").click()
    expect(page.locator("#slider")).to_have_value(str(found[0]["ply"] - 1))
    expect(page.locator("#who")).to_have_value("own")
    assert page.locator("#hands li").nth(1).locator(".card:not(.card-back)").count() == 0
    expect(page.locator(".part-log")).not_to_be_visible()
    expect(page.locator(".player")).not_to_be_visible()
    expect(page.locator("#question-title")).to_be_focused()
    expect(page.locator(".weighed")).to_have_count(0)
    page.get_by_role("button", name="Close the questions").click()
    expect(page.locator(".player")).to_be_visible()
    expect(page.locator("#question")).not_to_be_visible()


def test_every_question_can_be_answered_with_the_best_answer(show: Open, hearts: Any, spades: Any) -> None:
    for record, found in (hearts, spades):
        assert found
        page = show(record, Server(done(found)))
        page.get_by_role("button", name="To the questions").click()
        for number, mistake in enumerate(found):
            best, given = mistake["options"][:2]
            answer(page, best)
            expect(page.locator(".verdict")).to_have_attribute("data-tone", "good")
            expect(page.locator(".verdict")).to_be_focused()
            expect(page.locator("tr[data-best]")).to_contain_text("your answer now")
            expect(page.locator("tr[data-given]")).to_contain_text("you, in the game")
            expect(page.locator("#slider")).to_have_value(str(mistake["ply"]))
            if "card" in given:
                expect(page.locator(".verdict")).to_contain_text(f"In the game you chose {short(given['card'])}.")
            last = number == len(found) - 1
            page.get_by_role("button", name="Done" if last else "Next question").click()
        expect(page.locator("#question")).not_to_be_visible()


def answer(page: Page, option: dict[str, Any]) -> None:
    buttons = page.locator("#question .answers button")
    if "cards" in option:
        for card in option["cards"]:
            buttons.filter(has=page.locator(f'[data-rank="{card[0]}"][data-suit="{card[1]}"]')).click()
        page.get_by_role("button", name="Give these cards").click()
    elif "card" in option:
        card = option["same"][-1]
        buttons.filter(has=page.locator(f'[data-rank="{card[0]}"][data-suit="{card[1]}"]')).click()
    else:
        page.get_by_role("button", name=str(option["bid"] or "Nil"), exact=True).click()


@pytest.mark.parametrize("width", [1100, 1280])
def test_a_whole_hand_to_choose_from_has_one_line_on_a_desk(show: Open, hearts: Any, width: int) -> None:
    record, found = hearts
    play = next(mistake for mistake in found if mistake["phase"] == "play")
    cards = [card for entry in record["log"] if entry["kind"] == "deal" for card in entry["data"]["pack"][:13]][:13]
    whole = {**play, "options": [{**play["options"][0], "card": card, "same": [card]} for card in cards]}
    page = show(record, Server(done([whole])), viewport={"width": width, "height": 800})
    page.get_by_role("button", name="To the questions").click()
    tops = page.eval_on_selector_all(".answer-card", "nodes => nodes.map((node) => node.getBoundingClientRect().top)")
    assert (len(tops), len(set(tops))) == (13, 1)


def test_the_answer_that_was_given_is_told_to_be_that(show: Open, hearts: Any) -> None:
    record, found = hearts
    page = show(record, Server(done(found)))
    page.get_by_role("button", name="To the questions").click()
    answer(page, found[0]["options"][1])
    expect(page.locator(".verdict[data-tone='bad']")).to_contain_text("That is what you did in the game, too.")


def test_it_can_be_done_with_keys_alone(show: Open, hearts: Any) -> None:
    record, found = hearts
    play = next(mistake for mistake in found if mistake["phase"] == "play")
    page = show(record, Server(done([play])))
    page.get_by_role("button", name="To the questions").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "answer-card"
    assert "of" in (page.evaluate("document.activeElement.getAttribute('aria-label')") or "")
    page.keyboard.press("Space")
    expect(page.locator(".verdict")).to_be_focused()


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (done([]), "No clear mistake was found"),
        ({"status": "failed", "share": 0.3}, "try again later"),
        ({"status": "limit", "text": "Please come back tomorrow."}, "Please come back tomorrow."),
    ],
)
def test_whatever_comes_of_it_is_a_sentence(show: Open, hearts: Any, answer: dict[str, Any], text: str) -> None:
    page = show(hearts[0], Server({"status": "none"}, answer))
    page.get_by_role("button", name="Find my three mistakes").click()
    expect(page.locator("#mistakes [data-said]")).to_contain_text(text)


def test_a_search_that_is_on_its_way_goes_on_when_the_page_is_opened_again(show: Open, hearts: Any) -> None:
    page = show(hearts[0], Server({"status": "working", "share": 0.5}))
    expect(page.locator("#mistakes [data-said]")).to_have_text("50% done")
    expect(page.locator("#mistakes [data-start]")).not_to_be_visible()


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("viewport", [UPRIGHT, DESK], ids=["phone", "desk"])
@pytest.mark.parametrize("kind", ["hearts", "spades"])
def test_nothing_sticks_out_sideways_and_no_control_is_too_small(
    show: Open, hearts: Any, spades: Any, kind: str, viewport: dict[str, int], language: str
) -> None:
    record, found = {"hearts": hearts, "spades": spades}[kind]
    page = show(record, Server(done(found)), viewport=viewport, language=language)
    page.click("#mistakes [data-begin] button")
    for mistake in found:
        assert page.evaluate("document.documentElement.scrollWidth") == viewport["width"]
        small = page.evaluate(
            """() => [...document.querySelectorAll('#question button')]
              .filter((node) => node.getBoundingClientRect().height < 38 || node.getBoundingClientRect().width < 38)
              .map((node) => node.outerHTML.slice(0, 80))"""
        )
        assert small == []
        if mistake["phase"] != "bid":
            answer_in(page, mistake["options"][1])
        else:
            page.locator("#question .answer-plain").first.click()
        assert page.evaluate("document.documentElement.scrollWidth") == viewport["width"]
        page.locator("#question .question-actions .primary").click()


def answer_in(page: Page, option: dict[str, Any]) -> None:
    """As `answer`, in any language."""
    buttons = page.locator("#question .answers button")
    for card in option.get("cards") or [option["card"]]:
        buttons.filter(has=page.locator(f'[data-rank="{card[0]}"][data-suit="{card[1]}"]')).click()
    if "cards" in option:
        page.locator("#question .question-actions .primary").click()
