"""The Spades expert: planted positions with one right answer, and what holds for each of its answers."""

from __future__ import annotations

import json
import random
import time
from itertools import product
from typing import Any

import pytest

from games.cpu import LEVELS
from games.kinds.cpu import choose_action
from games.kinds.spades.cpu import expert as spades_expert
from games.kinds.spades.cpu.bid import nil_possible
from games.programs.cpu_player import answer
from games.rules import Action, Rules, State, view
from games.rules.cards import STRENGTH
from games.rules.state import Trick, evolve
from tests.games.rules.play import answer_at_random, random_game
from tests.games.rules.rig import dealt, play, table

WORK = 2500.0
SEEDS = (1, 2, 3)
#: No answer may take longer on its own processor.
CARD_S, BID_S = 0.025, 0.050


def answers(rules: Rules, state: State, seat: int | None = None) -> list[Action]:
    """What the seat, by default the one on turn, answers under a few seeds."""
    seen = view(rules, state, state.turn if seat is None else seat)
    return [spades_expert.choose(seen, random.Random(seed), WORK) for seed in SEEDS]


def cards(rules: Rules, state: State) -> set[str | None]:
    return {action.card for action in answers(rules, state)}


def bids(rules: Rules, state: State) -> set[int | None]:
    return {action.bid for action in answers(rules, state)}


def bidding(
    hands: dict[int, str], heard: str = "", scores: tuple[int, int] = (0, 0), **options: Any
) -> tuple[Rules, State]:
    """A deal in which seat 0 bids first, after these bids."""
    rules = table("spades", **options)
    opened = rules.apply(rules.start(), Action("open", dealer=3))
    state = dealt(rules, hands, before=evolve(opened, scores=scores))
    for bid in heard.split():
        state = rules.apply(state, Action("bid", state.turn, bid=int(bid)))
    return rules, state


def bid_and_play(hands: dict[int, str], heard: str, played: str) -> tuple[Rules, State]:
    rules, state = bidding(hands, heard)
    return rules, play(rules, state, played)


def late(rules: Rules, hands: str, heard: tuple[int, ...], tricks: tuple[int, ...], played: str = "") -> State:
    """Seat 0 leads. So many tricks were taken by each seat before, each of four cards of one suit.

    Of every suit the hands hold one card, five or nine.
    """
    held = [tuple(hand.split()) for hand in hands.split(",")]
    gone = [card for card in rules.deck if not any(card in hand for hand in held)]
    winners = [seat for seat, number in enumerate(tricks) for _ in range(number)]
    done = tuple(Trick(seat, tuple(gone[4 * i : 4 * i + 4]), seat) for i, seat in enumerate(winners))
    assert all(len({card[1] for card in trick.cards}) == 1 for trick in done)
    opened = rules.apply(rules.start(), Action("open", dealer=3))
    fields = {"phase": "play", "hands": tuple(held), "bids": heard, "blinds": (None,) * 4, "tricks": done}
    return play(rules, evolve(opened, **fields, broken=True, turn=0, leader=0), played)


# --- bids -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "low", "high"),
    [
        ("AS 2S 2C 3C 4C 5C 2D 3D 4D 5D 2H 3H 4H", 1, 2),  # never nil with the ace of spades
        ("2S 3S 2C 3C 4C 5C 2D 3D 4D 5D 2H 3H 4H", 0, 0),
        ("KS 9S 2C 3C AC KC 2D 3D AD 5D 2H 3H 4H", 2, 4),
        ("AS KS QS JS TS 9S 8S AC KC AD KD AH KH", 11, 13),
        ("2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS", 13, 13),
    ],
)
def test_a_bid_fits_the_hand(hand: str, low: int, high: int) -> None:
    for bid in bids(*bidding({0: hand})):
        assert bid is not None
        assert low <= bid <= high


def test_a_bid_does_not_promise_more_than_the_others_leave() -> None:
    rules, state = bidding({3: "AS KS QS 2C 3C AC KC 2D AD 5D 2H 3H AH"}, "4 4 4")
    assert max(bid or 0 for bid in bids(rules, state)) <= 4


def test_close_to_the_target_a_bid_is_no_higher_than_the_game_needs() -> None:
    """At 490 to 480 a sure trick wins; the same hand bids more at the start."""
    hand = "AS 8S 4S AC 9C 5C KD 8D 3D QH 9H 6H 2H"
    needs = bids(*bidding({3: hand}, "2 2 2", scores=(480, 490)))
    assert max(bid or 0 for bid in needs) <= max(bid or 0 for bid in bids(*bidding({3: hand}, "2 2 2")))
    assert 0 not in needs


def test_far_behind_at_the_end_the_bid_is_what_can_still_win() -> None:
    """The others have 485 and will get there; a safe bid of two loses, so nil is tried where it is a chance."""
    hand = "TS 5S 2S 8C 4C 3C 9D 6D 2D TH 7H 4H 2H"
    assert 0 in bids(*bidding({0: hand}, scores=(395, 485)))


# --- blind nil and the exchange ---------------------------------------------------------------------------------------


def test_nil_is_bid_blind_when_nothing_else_can_win() -> None:
    rules, state = bidding({}, scores=(0, 450), blind_nil="yes")
    assert state.phase == "blind"
    assert {action.blind for action in answers(rules, state, 0)} == {True}


def test_two_partners_never_bid_nil_blind_together() -> None:
    for scores in ((0, 480), (-150, 450), (300, 495)):
        rules, state = bidding({}, scores=scores, blind_nil="yes")
        both = [{action.blind for action in answers(rules, state, seat)} for seat in (0, 2)]
        assert {False} in both


def test_a_blind_nil_gives_its_high_spades_away() -> None:
    hands = {0: "AS KS 2S 2C 3C 4C 2D 3D 4D 5D 2H 3H 4H", 2: "QS JS TS 5C KC 6C 6D AD KD 5H 6H KH AH"}
    rules, state = bidding(hands, scores=(0, 300), blind_nil="yes")
    for seat, blind in ((0, True), (2, False)):
        state = rules.apply(state, Action("blind", seat, blind=blind))
    while state.phase == "bid":
        state = rules.apply(state, Action("bid", state.turn, bid=3))
    assert {action.cards for action in answers(rules, state, 0)} == {("KS", "AS")}
    for action in answers(rules, state, 2):
        assert not {"QS", "JS", "TS", "KC", "AD", "KD", "KH", "AH"} & set(action.cards)


# --- play -----------------------------------------------------------------------------------------------------------


def test_a_partners_sure_winner_is_not_trumped() -> None:
    hands = {0: "AC KC", 1: "2C 3C", 2: "AS KS 2S 2D 3D 4D 5D 6D 7D 8D 9D TD JD", 3: "4C 5C"}
    rules, state = bid_and_play(hands, "3 3 3 3", "AC 2C")
    assert all((card or "")[1] == "D" for card in cards(rules, state))


def test_a_partners_winning_card_is_not_overtaken() -> None:
    hands = {0: "KC", 1: "2C 3C", 3: "4C 5C"}
    rules, state = bid_and_play({**hands, 2: "AC 9C 5H 6H 7H 8H 9H 2D 4D 6D 3S 5S 7S"}, "3 3 3 3", "KC 2C")
    assert cards(rules, state) == {"9C"}


def test_a_winner_of_the_other_side_is_trumped_low() -> None:
    hands = {0: "2C", 1: "AC", 2: "AS 9S 3S 2D 3D 4D 5D 6D 7D 8D 9D TD JD", 3: "4C 5C"}
    rules, state = bid_and_play(hands, "3 3 4 3", "2C AC")
    assert cards(rules, state) == {"3S"}


def test_a_trick_is_won_as_cheaply_as_it_can_be() -> None:
    hands = {0: "5C", 1: "3C", 2: "9C", 3: "2C TC KC AC 2D 3D 4D 5D 2H 3H 4H 5H 2S"}
    rules, state = bid_and_play(hands, "3 3 3 3", "5C 3C 9C")
    assert cards(rules, state) == {"TC"}


def test_a_partners_nil_is_covered() -> None:
    rules, state = bid_and_play({0: "9C", 1: "8C 2C", 2: "AC TC 3C", 3: "4C 5C"}, "0 3 5 3", "9C 8C")
    assert cards(rules, state) <= {"AC", "TC"}


def test_an_own_nil_ducks_with_its_highest_loser() -> None:
    hands = {0: "JC", 1: "TC 8C 2C 3D 5D 8D 2H 4H 6H 9H 2S 4S 3H", 2: "QC 9C", 3: "3C"}
    rules, state = bid_and_play(hands, "3 0 4 3", "JC")
    assert cards(rules, state) <= {"TC", "8C"}


def test_an_own_nil_never_keeps_the_higher_of_two_cards_that_both_lose() -> None:
    rules, state = bid_and_play({0: "JC", 1: "TC 8C 2C", 2: "QC 9C", 3: "3C"}, "3 0 4 3", "JC")
    assert {choose_action(view(rules, state, 1), "expert", random.Random(s), 800).card for s in range(10)} == {"TC"}


def test_nil_is_no_bid_where_some_spade_cannot_fall_to_a_higher_one() -> None:
    """King and queen do not both fall to the ace."""
    for spades, possible in (("K", 1), ("KQ", 0), ("KJ", 1), ("KJT", 0), ("QJ", 1), ("QJT", 0), ("A", 0), ("AQ", 0)):
        held = sorted(STRENGTH[f"{rank}S"] for rank in spades)
        assert nil_possible(held) == bool(possible), spades
    hand = "KS QS 2C 3C 4C 5C 2D 3D 4D 5D 2H 3H 4H"
    rules, state = bidding({0: hand})
    for level in LEVELS:
        assert choose_action(view(rules, state, 0), level, random.Random(2), 800).bid


def test_a_nil_of_the_other_side_is_left_with_its_trick() -> None:
    hands = {0: "3C", 1: "2C", 2: "8C", 3: "AC 7C 4D 5D 6D 4H 5H 6H 7H 2S 3S 4S 5S"}
    rules, state = bid_and_play(hands, "4 3 0 3", "3C 2C 8C")
    assert cards(rules, state) == {"7C"}


def test_cards_on_both_sides_of_the_winning_card_are_not_the_same_to_play() -> None:
    """All diamonds but those on the table are in one hand: some take the trick from the partner's nil, some do not."""
    hands = {0: "4D", 1: "8D", 2: "2D", 3: "3D 5D 6D 7D 9D TD JD QD KD AD 2C 3C 4C"}
    rules, state = bid_and_play(hands, "4 0 3 3", "4D 8D 2D")
    assert cards(rules, state) == {"9D"}
    rules, state = bid_and_play(hands | {1: "2D", 2: "8D"}, "4 3 0 3", "4D 2D 8D")
    assert cards(rules, state) <= {"3D", "5D"}  # a nil of the other side is left with it


def test_the_setting_trick_is_taken() -> None:
    """Side 1 needs the last two tricks; side 0 has its contract, and the ace sets them."""
    rules = table("spades")
    state = late(rules, "2D 3H,KD 5C,QD AD,9D 2S", (2, 4, 2, 4), (3, 3, 2, 3), "2D KD")
    assert cards(rules, state) == {"AD"}


def test_no_bag_is_taken_when_the_contract_is_made() -> None:
    rules = table("spades")
    hands = "4D 2H 3H 4H 6C,2D 2C 3C 4C 5C,8D 7C 8C 9C TC,3D KD 5H 6H 2S"
    state = late(rules, hands, (2, 2, 2, 2), (2, 2, 2, 2), "4D 2D 8D")
    assert cards(rules, state) == {"3D"}


def test_without_a_bag_penalty_the_same_trick_is_taken() -> None:
    rules = table("spades", bag_penalty="no")
    hands = "4D 2H 3H 4H 6C,2D 2C 3C 4C 5C,8D 7C 8C 9C TC,3D KD 5H 6H 2S"
    state = late(rules, hands, (2, 2, 2, 2), (2, 2, 2, 2), "4D 2D 8D")
    assert cards(rules, state) == {"KD"}


def test_a_sure_trick_is_cashed_when_the_contract_hangs_on_it() -> None:
    rules = table("spades")
    state = late(rules, "2D AD,KD 5C,3D 6H,4D 7S", (4, 4, 2, 3), (3, 4, 2, 2))
    assert cards(rules, state) == {"AD"}


# --- every option -----------------------------------------------------------------------------------------------------

OPTIONS: list[dict[str, Any]] = [
    {"bag_penalty": bags, "blind_nil": blind, "floor": floor, "first_lead": lead, "target": target}
    for bags, blind, floor, lead, target in product(
        ("yes", "no"), ("yes", "no"), ("yes", "no"), ("dealer_left", "club_two"), (100, 500)
    )
]


@pytest.mark.parametrize("number", range(len(OPTIONS)))
def test_every_answer_under_every_option_is_legal_and_in_time(number: int) -> None:
    """Whole games of wild answers; times are of this thread alone, since the machine may be busy."""
    rules, rng = table("spades", **OPTIONS[number]), random.Random(f"late {number}")
    asked = 0
    for state, _, _ in random_game(rules, rng, answer_at_random):
        if state.phase in ("open", "deal") or (state.phase == "play" and rng.random() < 0.5):
            continue
        for seat in rules.due(state).seats:
            seen = view(rules, state, seat)
            begin = time.thread_time()
            action = spades_expert.choose(seen, rng)
            taken = time.thread_time() - begin
            rules.check(state, action)
            assert taken < (CARD_S if state.phase == "play" else BID_S)
            asked += 1
        if asked > 90:
            break
    assert asked > 10


def test_the_same_view_seed_and_budget_give_the_same_answer() -> None:
    rules, rng = table("spades", blind_nil="yes"), random.Random(8)
    for state, _, _ in random_game(rules, rng, answer_at_random):
        if state.phase not in ("open", "deal") and rng.random() < 0.1:
            for seat in rules.due(state).seats:
                seen = view(rules, state, seat)
                one, two = (spades_expert.choose(seen, random.Random(5), 600.0) for _ in range(2))
                assert one == two


def test_damaged_views_are_refused_or_answered_but_never_crash() -> None:
    """Values of views are put in each other's places; whatever is read as a view gets an answer."""
    rules, rng = table("spades", blind_nil="yes", target=150), random.Random(3)
    seen: list[dict[str, Any]] = []
    for state, _, _ in random_game(rules, rng, answer_at_random):
        if state.phase not in ("open", "deal"):
            seen += [view(rules, state, seat).to_json() for seat in rules.due(state).seats]
    wrong = [None, 0, 3, [], ["QS"], [0, 0, 0, 0], [13] * 4, [5] * 4, "bid"]
    answered = 0
    for _ in range(600):
        changed, other = dict(rng.choice(seen)), rng.choice(seen)
        key = rng.choice(sorted(changed))
        changed[key] = rng.choice([*wrong, other[key], other[key]])
        said = answer(json.dumps(changed).encode(), "spades", "expert", random.Random(1), 40)
        assert "kind" in said or said["ok"] is False
        answered += "kind" in said
    assert answered > 30
