"""What the table page promises in every position: keys, a layout that holds still, and words that name things.

No site runs: the page is on a stage (`stage.py`), in positions that the rules have made (`scenes.py`).
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from games.rules import Action
from games.rules.state import evolve
from tests.browser.scenes import SCENES, shuffled
from tests.browser.stage import Stage

UPRIGHT = {"width": 360, "height": 740}
SHORT = {"width": 360, "height": 640}
SIDEWAYS = {"width": 740, "height": 360}
SMALL_SIDEWAYS = {"width": 667, "height": 375}
LEAST_SIDEWAYS = {"width": 640, "height": 360}
DESK = {"width": 1280, "height": 800}

Open = Callable[..., Stage]


@pytest.fixture
def show(browser: Browser) -> Iterator[Open]:
    """Opens the page in a scene; afterwards nothing may have gone wrong in it."""
    stages: list[Stage] = []

    def opened(name: str, **more: Any) -> Stage:
        scene = SCENES[name]
        stage = Stage(browser, scene.kind, players=scene.players, options=scene.options, **more)
        stages.append(stage)
        stage.show(scene.state())
        return stage

    yield opened
    for stage in stages:
        faults = stage.faults
        stage.close()
        assert faults == []


def rest_answers(stage: Stage) -> None:
    """Everybody else answers as the clock would, until seat 0 is asked or the deal is over."""
    while (due := stage.rules.due(stage.state)).seats and 0 not in due.seats:
        action = stage.rules.default_action(stage.state, due.seats[0])
        stage.do(Action("bid", due.seats[0], bid=3) if action.kind == "bid" else action)


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def focused(page: Page) -> dict[str, Any]:
    """What has the focus, and whether that can be seen."""
    found: dict[str, Any] = page.evaluate(
        """() => {
          const at = document.activeElement;
          const style = getComputedStyle(at.querySelector('.card') ?? at);
          return { card: at.dataset.card ?? null, bid: at.dataset.bid ?? null, id: at.id, tag: at.tagName,
            ring: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 };
        }"""
    )
    return found


def acts(stage: Stage) -> list[dict[str, Any]]:
    return [message["action"] for message in stage.received if message["type"] == "act"]


# --- keys -------------------------------------------------------------------------------------------------------------


def test_the_hand_takes_keys_from_the_first_moment_and_enter_passes_once_three_are_chosen(show: Open) -> None:
    stage = show("hearts_pass")
    page = stage.page
    at = focused(page)
    assert at["card"]
    assert at["ring"]
    press(page, "Space", "ArrowRight", "Space", "ArrowRight", "Enter")
    expect(page.locator(".hand-card[aria-pressed=true]")).to_have_count(3)
    assert acts(stage) == []
    press(page, "Space", "Space")  # Space takes a card back and chooses it again
    expect(page.locator(".hand-card[aria-pressed=true]")).to_have_count(3)
    press(page, "Enter")
    page.wait_for_selector("#table:not([data-mine])")
    assert [(action["kind"], len(action["cards"])) for action in acts(stage)] == [("pass", 3)]


def test_a_held_enter_neither_passes_nor_plays(show: Open) -> None:
    stage = show("hearts_lead")
    stage.page.keyboard.down("Enter")
    for _ in range(3):
        stage.page.keyboard.down("Enter")  # as the keyboard repeats it
    stage.page.keyboard.up("Enter")
    assert stage.page.locator(".hand-card[data-up]").count() == 1
    assert acts(stage) == []


def test_the_focus_stays_with_the_question_through_plays_deals_and_windows(show: Open) -> None:
    stage = show("hearts_lead")
    page = stage.page
    for _ in range(2):
        press(page, "Enter", "Enter")
        page.wait_for_function("() => document.activeElement.dataset.card")
        assert focused(page)["ring"]
        rest_answers(stage)
        page.wait_for_selector("#table[data-mine]")
        while page.evaluate("() => document.activeElement.dataset.state") != "legal":
            press(page, "ArrowRight")
    for key in "ls?":
        press(page, key)
        page.wait_for_selector("dialog[open]")
        press(page, "Escape")
        assert focused(page)["card"], key
    page.click("#open-settings")
    page.locator("#dialog-settings [data-close]").click()
    page.wait_for_function("() => document.activeElement.dataset.card")
    page.mouse.click(640, 300)  # beside everything: the arrows find back
    press(page, "ArrowRight")
    assert focused(page)["card"]


def test_a_new_deal_has_the_focus_too(show: Open) -> None:
    stage = show("hearts_lead")
    while any(stage.state.hands):
        due = stage.rules.due(stage.state)
        stage.do(stage.rules.default_action(stage.state, due.seats[0]))
    stage.do(Action("deal", pack=shuffled(stage.rules, random.Random(3))))
    stage.page.wait_for_selector("#table[data-phase=pass][data-mine]")
    assert focused(stage.page)["card"]
    press(stage.page, "Space")
    expect(stage.page.locator(".hand-card[aria-pressed=true]")).to_have_count(1)


def test_bids_take_keys_from_the_first_moment(show: Open) -> None:
    stage = show("spades_bid")
    at = focused(stage.page)
    assert at["bid"] == "3"
    assert at["ring"]
    press(stage.page, "ArrowRight", "Enter", "Enter")
    stage.page.wait_for_selector("#table:not([data-mine])")
    assert acts(stage) == [{"kind": "bid", "bid": 4}]
    assert focused(stage.page)["card"]


@pytest.mark.parametrize("scene", ["spades_blind", "hearts_moon"])
def test_other_questions_have_the_focus_on_an_answer(show: Open, scene: str) -> None:
    page = show(scene).page
    assert page.evaluate("() => document.activeElement.closest('#panel .primary') !== null")
    assert focused(page)["ring"]


def test_nil_is_explained_and_asked_about(show: Open) -> None:
    stage = show("spades_bid", settings={"confirm": False})
    page = stage.page
    page.click("[data-bid='0']")
    expect(page.locator("#dialog-ask")).to_contain_text("no trick at all")
    page.click("#ask-no")
    assert acts(stage) == []
    page.click("[data-bid='0']")
    page.click("#ask-yes")
    page.wait_for_selector("#table:not([data-mine])")
    assert acts(stage) == [{"kind": "bid", "bid": 0}]


# --- layout -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("name", SCENES)
def test_every_phase_fits_without_scrolling(show: Open, name: str, language: str) -> None:
    page = show(name, language=language).page
    viewports: list[Any] = [UPRIGHT, SHORT, SIDEWAYS, SMALL_SIDEWAYS, LEAST_SIDEWAYS, DESK]
    for viewport in viewports:
        page.set_viewport_size(viewport)
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        outside = page.evaluate(
            """() => {
              const seen = [...document.querySelectorAll('#panel, #prompt, .hand-card, .actions button, .tools, .own')];
              const boxes = seen.filter((node) => node.checkVisibility());
              const out = boxes.filter((node) => {
                const box = node.getBoundingClientRect();
                return box.top < 0 || box.left < 0 || box.bottom > innerHeight + 0.5 || box.right > innerWidth + 0.5;
              });
              const panel = document.querySelector('#panel');
              if (panel.scrollHeight > panel.clientHeight + 1) out.push(panel);
              const root = document.scrollingElement;
              if (root.scrollHeight > innerHeight || root.scrollWidth > innerWidth) out.push(root);
              return out.map((node) => node.id || node.className);
            }"""
        )
        assert outside == [], viewport


@pytest.mark.parametrize("viewport", [UPRIGHT, SIDEWAYS, DESK], ids=str)
def test_nothing_jumps_between_phases(show: Open, viewport: Any) -> None:
    boxes: dict[str, Any] = {}

    def measure(moment: str) -> None:
        boxes[moment] = page.evaluate(
            """() => ['hand', 'prompt', 'felt', 'trick'].map((id) => {
              const { left, top, width, height } = document.getElementById(id).getBoundingClientRect();
              return id === 'trick' ? [left, top] : [left, top, width, height];
            })"""
        )

    stage = show("hearts_pass", viewport=viewport)
    page = stage.page
    measure("asked to pass")
    for card in page.locator(".hand-card").all()[:3]:
        card.click(force=True)
    measure("three are chosen")
    page.locator(".hand-card").nth(7).click(force=True)
    measure("a fourth is refused")
    page.locator("[data-action=give]").click()
    page.wait_for_selector("#table:not([data-mine])")
    measure("waiting")
    rest_answers(stage)
    page.wait_for_selector("#table[data-phase=play]")
    measure("cards are received")
    for number in range(13):
        rest_answers(stage)
        if not stage.rules.due(stage.state).seats:
            break
        page.wait_for_selector("#table[data-mine]")
        measure(f"asked in trick {number}")
        stage.do(stage.rules.default_action(stage.state, 0))
    assert len(boxes) > 15
    assert {str(box) for box in boxes.values()} == {str(boxes["asked to pass"])}, boxes


@pytest.mark.parametrize("viewport", [UPRIGHT, SIDEWAYS, DESK], ids=str)
def test_nothing_jumps_when_bids_are_asked(show: Open, viewport: Any) -> None:
    stage = show("spades_bid", viewport=viewport)
    page = stage.page
    where = """() => ['hand', 'prompt', 'felt'].map(
      (id) => JSON.stringify(document.getElementById(id).getBoundingClientRect()))"""
    before = page.evaluate(where)
    page.click("[data-bid='3']")
    assert page.evaluate(where) == before
    page.click("[data-action=bid]")
    page.wait_for_selector("#table:not([data-mine])")
    assert page.evaluate(where) == before
    rest_answers(stage)
    page.wait_for_selector("#table[data-phase=play]")
    assert page.evaluate(where) == before


@pytest.mark.parametrize("players", [2, 3, 5, 6, 7])
def test_every_number_of_players_fits(browser: Browser, players: int) -> None:
    for viewport in (UPRIGHT, SIDEWAYS, DESK):
        stage = Stage(browser, "hearts", players=players, viewport=viewport)
        state = stage.rules.apply(stage.rules.start(), Action("open", dealer=1))
        page = stage.show(stage.rules.apply(state, Action("deal", pack=shuffled(stage.rules, random.Random(2)))))
        assert page.evaluate("() => document.scrollingElement.scrollHeight <= innerHeight")
        assert page.evaluate(
            """() => [...document.querySelectorAll('.hand-card')].every((card) => {
              const [box, hand] = [card, document.querySelector('#hand')].map((node) => node.getBoundingClientRect());
              return box.bottom <= innerHeight && box.left >= 0 && box.right <= innerWidth + 0.5 && box.top >= hand.top;
            })"""
        )
        assert stage.faults == []
        stage.close()


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("viewport", [UPRIGHT, SHORT, SIDEWAYS], ids=str)
def test_the_longest_sentence_stays_inside_the_prompt(show: Open, viewport: Any, language: str) -> None:
    stage = show("hearts_received", viewport=viewport, language=language)
    page = stage.page
    given = {"event": "handed_over", "seat": None, "phase": "pass", "direction": "left"}
    stage.state = evolve(stage.state, ply=stage.state.ply + 1)  # news that are old would be dropped
    received = {**given, "received": ["9D", "QD", "TD"], "ply": stage.state.ply}
    stage.sockets[-1].send(stage._frame([received]))
    expect(page.locator("#prompt-text")).to_contain_text("CPU 3")
    assert page.evaluate(
        """() => ['prompt-text', 'prompt'].map((id) => document.getElementById(id).offsetHeight)
          .reduce((text, bar) => text <= bar)"""
    )


#: How many plates and boxes of sides lie under another one, or under the greeting.
HIDDEN = """() => {
  const all = [...document.querySelectorAll('#seats .plate, .side-box, #greet')];
  const seen = all.filter((node) => node.checkVisibility());
  const boxes = seen.map((node) => node.getBoundingClientRect());
  return boxes.filter((one, i) => boxes.slice(i + 1).some((other) =>
    one.left < other.right && one.right > other.left && one.top < other.bottom && one.bottom > other.top)).length;
}"""


@pytest.mark.parametrize(("kind", "players"), [("spades", 4), *(("hearts", players) for players in range(2, 8))])
@pytest.mark.parametrize("language", ["en", "ja"])
def test_neither_a_seat_nor_the_greeting_hides_a_seat(browser: Browser, kind: str, players: int, language: str) -> None:
    stage = Stage(browser, kind, players=players, language=language)
    state = stage.rules.apply(stage.rules.start(), Action("open", dealer=1))
    page = stage.show(stage.rules.apply(state, Action("deal", pack=shuffled(stage.rules, random.Random(2)))))
    viewports: list[Any] = [UPRIGHT, SHORT, SIDEWAYS, SMALL_SIDEWAYS, LEAST_SIDEWAYS, DESK]
    for viewport in viewports:
        page.set_viewport_size(viewport)
        expect(page.locator("#greet")).to_be_visible()
        assert page.evaluate(HIDDEN) == 0, viewport
    assert stage.faults == []
    stage.close()


class RatedStage(Stage):
    """Everybody has a rating, a name as many have it, and a running clock."""

    def boot(self) -> dict[str, Any]:
        names = ["Guest 4821", "月見草の夜", "Guest 3068", "Alexander", "さくらんぼ", "Kenji 2", "Guest 7777"]
        rated = {"ratings": ["1504"] * self.rules.players} if len(self.people) == self.rules.players else {}
        return {**super().boot(), "names": names[: self.rules.players], **rated}

    def _frame(self, events: Any) -> str:
        frame = json.loads(super()._frame(events))
        frame["clock"]["due"] = {str(seat): frame["clock"]["now"] + 58_000 for seat in range(self.rules.players)}
        return json.dumps(frame)


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize(("kind", "players"), [("spades", 4), *(("hearts", players) for players in (3, 4, 5, 7))])
def test_names_ratings_and_levels_can_be_read_beside_badge_and_clock(
    browser: Browser, kind: str, players: int, language: str
) -> None:
    for people in (range(players), (0,)):
        stage = RatedStage(browser, kind, players=players, people=people, viewport=UPRIGHT, language=language)
        stage.limit_s = 60
        state = stage.rules.apply(stage.rules.start(), Action("open", dealer=1))
        page = stage.show(stage.rules.apply(state, Action("deal", pack=shuffled(stage.rules, random.Random(2)))))
        expect(page.locator("#seats .dealer")).to_be_visible()
        expect(page.locator("#seats .plate-clock").first).to_be_visible()
        cut = page.eval_on_selector_all(
            "#seats :is(.plate-name b, .plate-sub)",
            "nodes => nodes.filter(node => node.scrollWidth > node.clientWidth).map(node => node.innerText)",
        )
        assert cut == []
        assert stage.faults == []
        stage.close()


def test_a_tap_on_the_tab_of_a_received_card_means_the_card_that_it_lies_on(show: Open) -> None:
    stage = show("hearts_pass", viewport=UPRIGHT)
    page = stage.page
    stage.do(stage.rules.default_action(stage.state, 0))
    rest_answers(stage)
    page.wait_for_selector("#table[data-phase=play][data-mine]")
    hit = """() => {
      const [upper, lower] = document.querySelectorAll('.hand-row');
      const card = lower.firstElementChild;
      card.dataset.fresh = 'New';
      const box = card.getBoundingClientRect();
      const node = document.elementFromPoint(box.left + 8, box.top - 5);
      return upper.contains(node.closest('.hand-card'));
    }"""
    assert page.evaluate(hit)


# --- words ------------------------------------------------------------------------------------------------------------


def test_received_cards_are_marked_and_told_until_the_first_own_play(show: Open) -> None:
    stage = show("hearts_pass", viewport=UPRIGHT)
    page = stage.page
    stage.do(stage.rules.default_action(stage.state, 0))
    rest_answers(stage)
    page.wait_for_selector("#table[data-phase=play][data-mine]")
    fresh = page.locator(".hand-card[data-fresh]")
    expect(fresh).to_have_count(3)
    assert "received" in (fresh.first.get_attribute("aria-label") or "")
    tab = "() => getComputedStyle(document.querySelector('.hand-card[data-fresh]'), '::before').content"
    assert "New" in page.evaluate(tab)
    expect(page.locator("#prompt")).to_contain_text("gives you the")
    expect(page.locator("#live")).to_contain_text("gives you the")
    page.reload()
    expect(fresh).to_have_count(3)
    stage.do(stage.rules.default_action(stage.state, 0))
    expect(fresh).to_have_count(0)


def test_the_partner_is_named_as_such(show: Open) -> None:
    stage = show("spades_bid", viewport=UPRIGHT)
    page = stage.page
    partner = page.locator(".plate").filter(has_text="CPU 2")
    expect(partner).to_contain_text("Partner")
    expect(partner.locator(".visually-hidden")).to_contain_text("your partner")
    expect(page.locator("#sides")).to_contain_text("Your side")
    stage.do(Action("bid", 0, bid=4))
    rest_answers(stage)
    expect(page.locator("#log")).to_contain_text("CPU 2 (partner) bids 3 tricks.")
    expect(page.locator("#sides")).to_contain_text("Bid 7, took 0")
    press(page, "s")
    expect(page.locator("#dialog-sheet")).to_be_visible()


def test_the_log_reads_sensibly_after_a_reload(show: Open) -> None:
    stage = show("hearts_lead")
    rest_answers(stage)
    stage.do(stage.rules.default_action(stage.state, 0))
    log = stage.page.locator("#log li")
    before = log.all_inner_texts()
    assert before
    spoken = stage.page.locator("#live")
    stage.page.reload()
    stage.page.wait_for_function("(count) => document.querySelectorAll('#log li').length === count", arg=len(before))
    assert log.all_inner_texts() == before
    expect(spoken).not_to_contain_text(before[0])  # what is past is not spoken again
    assert "since=0" in stage.sockets[-1].url


def test_the_end_comes_by_itself_with_the_last_deal(show: Open) -> None:
    stage = show("spades_late", pace=1, settings={"speed": 0, "pause": 0.5})
    page = stage.page
    stage.state = evolve(stage.state, scores=(480, 470))
    while any(stage.state.hands):
        stage.do(stage.rules.default_action(stage.state, stage.rules.due(stage.state).seats[0]))
    assert stage.rules.result(stage.state) is not None
    overlay = page.locator("#overlay[data-what=final]")
    overlay.wait_for()
    expect(overlay.locator(".final-table")).to_contain_text("Your side")
    expect(overlay.locator(".deal-table")).to_contain_text("Opponents")
    press(page, "Tab")
    assert focused(page)["id"] == "rematch"


@pytest.mark.parametrize("language", ["en", "ja"])
def test_each_way_on_from_the_end_has_one_line_on_a_phone_and_the_first_stands_first(show: Open, language: str) -> None:
    page = show("hearts_over", viewport=UPRIGHT, language=language).page
    buttons = page.locator("#overlay .overlay-actions").first.locator(".button")
    expect(buttons.first).to_have_id("rematch")
    expect(buttons.nth(1)).to_have_id("thanks")
    lines = buttons.evaluate_all(
        """nodes => nodes.map((node) => {
          const range = document.createRange();
          range.selectNodeContents(node);
          return range.getClientRects().length;
        })"""
    )
    assert lines == [1] * 5


def test_an_end_without_a_result_is_told_and_leads_on(show: Open) -> None:
    stage = show("hearts_lead")
    stage.void = "vote"
    stage.show(stage.state, [{"event": "void", "seat": None, "reason": "vote", "ply": stage.state.ply}])
    expect(stage.page.locator("#overlay[data-what=final]")).to_contain_text("voted to end the game")
    expect(stage.page.locator("#log")).to_contain_text("without a result")
    expect(stage.page.locator("#overlay").get_by_role("button", name="New game")).to_be_visible()
    assert stage.page.locator("#rematch").count() == 0


# --- watching ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SCENES)
def test_a_spectator_sees_the_table_and_can_do_nothing(show: Open, name: str) -> None:
    stage = show(name, seat=None)
    page = stage.page
    viewports: list[Any] = [UPRIGHT, SIDEWAYS, DESK]
    for viewport in viewports:
        page.set_viewport_size(viewport)
        expect(page.locator(".watching")).to_be_in_viewport()
        expect(page.locator(".plate.own")).to_be_in_viewport()
    expect(page.locator("#hand")).to_be_hidden()
    expect(page.locator("#panel")).to_be_hidden()
    expect(page.locator(".plate.own")).to_contain_text("CPU 1")
    press(page, "h", "1", "0", "Enter", "ArrowRight", "Space", "n", "Escape")
    page.click("#felt", position={"x": 20, "y": 20})
    if not stage.rules.result(stage.state):
        stage.do(stage.rules.default_action(stage.state, stage.rules.due(stage.state).seats[0]))
    press(page, "l")
    expect(page.locator("#dialog-last")).to_be_visible()
    assert stage.received == []
    assert "%(" not in page.locator("body").inner_text()
    assert page.locator("#actions button").count() == 0


def test_a_spectator_can_follow_to_the_rematch(show: Open) -> None:
    stage = show("hearts_over", seat=None)
    expect(stage.page.locator("#overlay")).to_contain_text("The game is over")
    assert stage.page.locator("#rematch").count() == 0
    stage.pages["/game/8/"] = "<!doctype html><title>the rematch</title>"
    stage.say({"type": "rematch", "game": 8})
    stage.page.locator("#rematch").click()
    stage.page.wait_for_url("**/game/8/")
