"""Phrases, players and votes on the table page: by pointer and by keys, on a phone and a desk, in both languages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.scenes import SCENES
from tests.browser.stage import Stage

PHONE = {"width": 360, "height": 740}
Open = Callable[..., Stage]


@pytest.fixture
def at_table(browser: Browser) -> Iterator[Open]:
    stages: list[Stage] = []

    def open_stage(scene: str = "hearts_middle", **more: Any) -> Stage:
        chosen = SCENES[scene]
        stage = Stage(browser, chosen.kind, players=chosen.players, options=chosen.options, **more)
        stages.append(stage)
        stage.show(chosen.state())
        return stage

    yield open_stage
    faults = [fault for stage in stages for fault in stage.faults]
    for stage in stages:
        stage.close()
    assert faults == []


def told(stage: Stage, kind: str) -> dict[str, Any]:
    """The last message of a type that the page has sent, without its id."""
    stage.page.wait_for_timeout(50)
    found = [message for message in stage.received if message["type"] == kind]
    assert found, stage.received
    return {key: value for key, value in found[-1].items() if key not in ("type", "id")}


def fits(page: Page) -> bool:
    """Whether nothing makes the page wider than the screen."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


@pytest.mark.parametrize("viewport", [PHONE, None], ids=["phone", "desk"])
def test_a_phrase_is_two_taps_away_and_shows_at_the_plate_of_who_says_it(at_table: Open, viewport: Any) -> None:
    stage = at_table(people=(0, 2), viewport=viewport)
    page = stage.page
    page.click("#open-talk")
    page.click("[data-phrase=nice_play]")
    expect(page.locator("#dialog-talk")).to_be_hidden()
    assert told(stage, "say") == {"phrase": "nice_play"}
    stage.say({"type": "said", "seat": 2, "phrase": "nice_play"})
    bubble = page.locator(".bubble")
    expect(bubble).to_have_text("Nice play")
    box = bubble.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= page.viewport_size["width"]  # type: ignore[index]
    expect(page.locator("#live")).to_contain_text("Guest 4823: “Nice play”")
    assert fits(page)


def test_each_reader_reads_a_phrase_in_his_own_language(at_table: Open) -> None:
    stage = at_table(people=(0, 2), language="ja")
    stage.say({"type": "said", "seat": 2, "phrase": "good_game"})
    expect(stage.page.locator(".bubble")).to_have_text("よろしくお願いします")


def test_a_good_game_is_wished_with_one_tap_at_the_start_and_cpus_answer(at_table: Open) -> None:
    stage = at_table("hearts_pass", pace=0)
    page = stage.page
    page.click("#greet")
    expect(page.locator("#greet")).to_be_hidden()
    assert told(stage, "say") == {"phrase": "good_game"}
    stage.say({"type": "said", "seat": 0, "phrase": "good_game"})
    expect(page.locator(".bubble")).to_have_count(4)


def test_the_table_is_thanked_with_one_tap_at_the_end(at_table: Open) -> None:
    stage = at_table("hearts_over", people=(0, 1))
    stage.page.click("#thanks")
    assert told(stage, "say") == {"phrase": "thank_you_game"}
    expect(stage.page.locator("#thanks")).to_be_disabled()


def test_somebody_is_muted_and_heard_again(at_table: Open) -> None:
    stage = at_table(people=(0, 2))
    page = stage.page
    page.keyboard.press("t")
    page.click("[data-mute='2']")
    assert told(stage, "mute") == {"seat": 2, "on": True}
    stage.say({"type": "muted", "seats": [2]})
    expect(page.locator("[data-mute='2']")).to_have_attribute("aria-pressed", "true")
    page.click("[data-mute='2']")
    assert told(stage, "mute") == {"seat": 2, "on": False}
    expect(page.locator(".person")).to_have_count(1)


def test_a_vote_is_shown_with_who_is_for_it_and_agreed_to_with_one_tap(at_table: Open) -> None:
    stage = at_table(people=(0, 1, 2, 3), viewport=PHONE)
    page = stage.page
    stage.say({"type": "votes", "votes": [{"about": "void", "target": None, "seats": [1, 2], "needed": 4}]})
    expect(page.locator("#votes")).to_contain_text("Guest 4822 and Guest 4823 agreed, 2 of 4")
    page.click("#votes button")
    assert told(stage, "vote") == {"about": "void", "target": None, "on": True}
    assert fits(page)


def test_an_absent_player_who_is_asked_can_be_voted_off_and_one_who_is_there_cannot(at_table: Open) -> None:
    stage = at_table("hearts_waiting", people=(0, 1, 2, 3))
    page = stage.page
    asked = stage.rules.due(stage.state).seats[0]
    page.keyboard.press("t")
    expect(page.locator("[data-vote=stand_in]")).to_have_count(0)
    stage.say({"type": "presence", "seats": ["away" if seat == asked else "online" for seat in range(4)]})
    page.click("[data-vote=stand_in]")
    assert told(stage, "vote") == {"about": "stand_in", "target": asked, "on": True}


def test_leaving_is_said_to_the_table(at_table: Open) -> None:
    stage = at_table(people=(0, 1))
    stage.page.keyboard.press("t")
    stage.page.click("[data-leave]")
    assert told(stage, "leave") == {}


def test_nobody_alone_among_cpus_is_offered_votes_or_leaving(at_table: Open) -> None:
    stage = at_table()
    stage.page.keyboard.press("t")
    expect(stage.page.locator("[data-phrase]").first).to_be_visible()
    expect(stage.page.locator("[data-vote], [data-leave], .person")).to_have_count(0)


def test_who_watches_is_offered_nothing_to_say(at_table: Open) -> None:
    stage = at_table(seat=None, people=(0, 1, 2, 3))
    expect(stage.page.locator("#open-talk")).to_be_hidden()
    expect(stage.page.locator("#greet")).to_be_hidden()
    stage.page.keyboard.press("t")
    expect(stage.page.locator("#dialog-talk")).to_be_hidden()
