"""What the rules pages of Spades state is what the engine does: each statement is read from the page and played."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.utils import translation

from games.kinds import rules_for
from games.kinds.rulebook import rules_page
from games.kinds.spades.rulebook import SENTENCES
from games.presets.shipped import shipped_presets
from games.rulebook import Page
from games.rulebook.words import card
from games.rules import Action, Rules, State
from games.rules.state import Trick, evolve
from tests.games.rules import rig

PRESETS = {preset.slug: preset.options for preset in shipped_presets() if preset.kind == "spades"}
#: Beside the shipped ones, what they leave out.
OTHERS: dict[str, dict[str, Any]] = {
    "no-bags": {"bag_penalty": "no"},
    "no-floor": {"floor": "no", "blind_nil": "yes"},
    "club-two": {"first_lead": "club_two", "target": 100},
}
each_table = pytest.mark.parametrize("options", [pytest.param(o, id=name) for name, o in {**PRESETS, **OTHERS}.items()])


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    with translation.override("en"):
        yield


def both(options: dict[str, Any]) -> tuple[Page, Rules]:
    return rules_page("spades", [4], options), rules_for("spades", 4, options)


def stated(page: Page, option: str) -> str:
    """The one value of an option that the page states."""
    found = []
    for value, sentence in SENTENCES[option].items():
        pattern = re.sub(r"%\\?\(\w+\\?\)s", ".+", re.escape(sentence))
        if any(re.search(pattern, text) for text in page.texts()):
            found.append(value)
    (only,) = found
    return only


def amount(text: str) -> int:
    return int(text.split(maxsplit=1)[0].replace("−", "-"))


def change(rules: Rules, bids: str, tricks: str, **fields: Any) -> int:
    """What the first side scores in a deal with these bids and tricks."""
    return rig.spades_deal(rules, bids, tricks, **fields).sheet[-1].change[0]


def dealt(rules: Rules, **fields: Any) -> State:
    opened = evolve(rules.apply(rules.start(), Action("open", dealer=0)), **fields)
    return rules.apply(opened, Action("deal", pack=rules.deck))


def bid_out(rules: Rules, state: State) -> State:
    while state.phase != "play":
        seat = rules.due(state).seats[0]
        state = rules.apply(state, rules.default_action(state, seat))
    return state


@each_table
def test_the_table_of_scores_is_what_deals_score(options: dict[str, Any]) -> None:
    page, rules = both(options)
    rows = {row[0]: row[1] for row in page.table("scores").rows}
    assert amount(rows["contract made"]) * 6 == change(rules, "4 4 2 3", "4 4 2 3")
    assert amount(rows["contract missed"]) * 6 == change(rules, "4 4 2 3", "3 4 2 4")
    bag = amount(rows["each trick above the contract (a bag)"])
    assert bag * 2 == change(rules, "4 4 2 3", "5 3 3 2") - change(rules, "4 4 2 3", "4 4 2 3")
    partner = change(rules, "4 4 2 3", "4 4 2 3") // 6 * 4
    assert amount(rows["nil made"]) == change(rules, "nil 5 4 4", "0 5 4 4") - partner
    assert amount(rows["nil failed"]) == change(rules, "nil 5 4 3", "2 4 4 3") - partner - 2 * bag
    assert ("blind nil made" in rows) == (stated(page, "blind_nil") == "yes")
    if "blind nil made" in rows:
        assert amount(rows["blind nil made"]) == change(rules, "blind 5 4 4", "0 5 4 4") - partner
        assert amount(rows["blind nil failed"]) == change(rules, "blind 5 4 4", "1 4 4 4") - partner - bag


@each_table
def test_ten_bags_cost_what_is_stated(options: dict[str, Any]) -> None:
    page, rules = both(options)
    without = change(rules, "4 4 2 3", "5 3 3 2")
    state = rig.spades_deal(rules, "4 4 2 3", "5 3 3 2", bags=(9, 0))
    rows = {row[0]: row[1] for row in page.table("scores").rows}
    cost = amount(rows.get("every ten bags", "0"))
    assert state.sheet[-1].change[0] == without + cost
    assert (cost != 0) == (stated(page, "bag_penalty") == "yes")
    assert state.bags[0] == (1 if cost else 11)


@each_table
def test_tricks_of_a_failed_nil_never_help_the_contract(options: dict[str, Any]) -> None:
    page, rules = both(options)
    assert "Tricks that a failed nil takes never help the contract. Each is a bag." in list(page.texts())
    state = rig.spades_deal(rules, "nil 5 2 4", "1 6 1 5")
    lines = {line.what: line.amount for line in state.sheet[-1].lines if line.side == 0}
    assert lines == {"missed_contract": -20, "failed_nil": -100, "bags": 1}


@each_table
def test_blind_nil_is_asked_where_it_is_stated(options: dict[str, Any]) -> None:
    page, rules = both(options)
    gap = page.facts["blind_gap"]
    assert isinstance(gap, int)
    offered = stated(page, "blind_nil") == "yes"
    assert (dealt(rules, scores=(0, -gap)).phase == "blind") == offered
    assert dealt(rules, scores=(0, 1 - gap)).phase == "bid"
    if not offered:
        return
    assert any(f"is {gap} points or more behind" in text for text in page.texts())
    state = dealt(rules, scores=(0, -gap))
    assert rules.due(state).seats == (1, 3)  # both of that side, at the same time
    state = rules.apply(rules.apply(state, Action("blind", 1, blind=True)), Action("blind", 3, blind=False))
    bidders = []
    while state.phase == "bid":
        bidders.append(state.mover)
        state = rules.apply(state, Action("bid", state.turn, bid=0 if state.turn == 3 else 3))
    assert bidders == [2, 3, 0]  # the blind bidder is passed over
    assert state.phase == "exchange"  # the partner's ordinary nil changes nothing
    assert rules.due(state).seats == (1, 3)
    assert rig.refusal(rules, state, Action("exchange", 1, cards=state.hands[1][:3])) == "wrong_count"
    assert rig.refusal(rules, state, Action("exchange", 1, cards=state.hands[1][:2])) == ""


@each_table
def test_bids_are_those_that_are_stated(options: dict[str, Any]) -> None:
    page, rules = both(options)
    state = dealt(rules)
    assert state.turn == 1  # from the dealer's left; seat 0 has dealt
    low, high = re.findall(r"from (\d+) to (\d+)\.", page.section("bidding").blocks[0].items[0])[0]  # type: ignore[union-attr]
    for bid in (int(low), int(high)):
        assert rig.refusal(rules, state, Action("bid", 1, bid=bid)) == ""
    for bid in (int(low) - 1, int(high) + 1):
        assert rig.refusal(rules, state, Action("bid", 1, bid=bid)) == "bid_out_of_range"


@each_table
def test_the_first_lead_is_the_one_that_is_stated(options: dict[str, Any]) -> None:
    page, rules = both(options)
    state = bid_out(rules, dealt(rules))
    if stated(page, "first_lead") == "club_two":
        assert rig.legal(rules, state) == "2C"
        assert "2C" in state.hands[state.mover]
    else:
        assert state.turn == 1
        assert rig.legal(rules, state).split() == [name for name in state.hands[1] if name[1] != "S"]


@each_table
def test_the_table_of_legal_cards_is_what_the_engine_allows(options: dict[str, Any]) -> None:
    page, rules = both(options)
    rows = page.table("legal").rows
    earlier = (Trick(2, ("7H", "9H", "TH", "JH"), 1),)

    def legal(hand: str, trick: tuple[str, ...], tricks: tuple[Trick, ...]) -> str:
        state = evolve(dealt(rules), phase="play", turn=1, leader=1 - len(trick), trick=trick, tricks=tricks)
        state = evolve(state, hands=((), tuple(hand.split()), (), ()))
        return " ".join(map(card, rig.legal(rules, state).split()))

    assert rows[0][1:] == ("♦6 ♥8 ♠K", legal("6D 8H KS", (), earlier))
    assert rows[1][1:] == ("♠5 ♠K", legal("5S KS", (), earlier))
    assert rows[2][1:] == ("♦6 ♥8 ♠K", legal("6D 8H KS", ("9C",), ()))
    assert rows[3][1:] == ("♣2 ♣A ♠K", legal("2C AC KS", ("9C",), earlier))


@each_table
def test_the_highest_spade_takes_the_trick_as_stated(options: dict[str, Any]) -> None:
    page, rules = both(options)
    assert any(text.startswith("The highest spade takes the trick") for text in page.texts())
    assert rules.winner(0, ("AC", "2S", "KC", "3S")) == 3
    assert rules.winner(0, ("9C", "AH", "KC", "AD")) == 2


@each_table
def test_the_game_ends_at_the_target_that_is_stated_and_not_before(options: dict[str, Any]) -> None:
    page, rules = both(options)
    target = page.facts["ends_at"]
    assert isinstance(target, int)
    assert any(f"stands at {target} points or more" in text for text in page.section("end").texts())
    made = change(rules, "4 4 2 3", "4 4 2 3")

    def after(total: int) -> State:
        return rig.spades_deal(rules, "4 4 2 3", "4 4 2 3", scores=(total - made, -20))

    assert after(target - 1).reason is None
    over = after(target)
    assert over.reason == "target"
    result = rules.result(over)
    assert result is not None
    assert result.placings == (1, 2, 1, 2)


@each_table
def test_the_floor_ends_the_game_where_it_is_stated(options: dict[str, Any]) -> None:
    page, rules = both(options)
    lost = change(rules, "4 4 2 3", "3 4 2 4")
    if stated(page, "floor") == "yes":
        floor = page.facts["floor"]
        assert isinstance(floor, int)
        assert any(f"−{-floor} points or lower" in text for text in page.section("end").texts())
        assert rig.spades_deal(rules, "4 4 2 3", "3 4 2 4", scores=(floor - lost, 0)).reason == "floor"
        assert rig.spades_deal(rules, "4 4 2 3", "3 4 2 4", scores=(floor + 1 - lost, 0)).reason is None
    else:
        assert rig.spades_deal(rules, "4 4 2 3", "3 4 2 4", scores=(-900, 0)).reason is None


@each_table
def test_equal_scores_are_played_on_until_the_last_deal_that_is_stated(options: dict[str, Any]) -> None:
    page, rules = both(options)
    most, target = page.facts["most_deals"], page.facts["ends_at"]
    assert isinstance(most, int)
    assert isinstance(target, int)
    assert "If both sides stand equal then, another deal is played." in list(page.texts())
    assert any(f"After {most} deals at the latest" in text for text in page.texts())
    deal = rig.spades_deal(rules, "4 4 2 3", "4 4 2 3").sheet[-1].change
    scores = tuple(target + 10 - new for new in deal)
    assert rig.spades_deal(rules, "4 4 2 3", "4 4 2 3", scores=scores).reason is None
    last = rig.spades_deal(rules, "4 4 2 3", "4 4 2 3", scores=scores, deal=most)
    assert last.reason == "deal_cap"
    result = rules.result(last)
    assert result is not None
    assert result.placings == (1, 1, 1, 1)


@each_table
def test_examples_of_deals_are_played_alike_by_another_hand(options: dict[str, Any]) -> None:
    page, rules = both(options)
    played = {
        "contract 5, 5 tricks": ("3 4 2 4", "4 4 1 4", 0),
        "contract 5, 7 tricks": ("3 4 2 4", "3 3 4 3", 0),
        "contract 5, 4 tricks": ("3 4 2 4", "4 5 0 4", 0),
        "contract 5, 8 tricks, with 9 bags before": ("3 4 2 4", "4 3 4 2", 9),
        "nil made, partner bids 4 and takes 5": ("nil 4 4 4", "0 4 5 4", 0),
        "nil takes 1 trick, partner bids 2 and takes 1": ("nil 5 2 5", "1 6 1 5", 0),
        "nil takes 2 tricks, partner bids 4 and takes 4": ("nil 4 4 3", "2 4 4 3", 0),
        "both bid nil, one takes 1 trick": ("nil 6 nil 6", "0 6 1 6", 0),
        "blind nil made, partner bids 4 and takes 4": ("blind 5 4 4", "0 5 4 4", 0),
        "blind nil takes 1 trick, partner bids 4 and takes 4": ("blind 4 4 4", "1 4 4 4", 0),
    }
    for name in ("contracts", "nils"):
        for told, _, score, bags in page.table(name).rows:
            bids, tricks, before = played[told]
            state = rig.spades_deal(rules, bids, tricks, bags=(before, 0))
            assert amount(score) == state.sheet[-1].change[0]
            assert int(bags) == state.bags[0]
