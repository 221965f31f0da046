"""Planted positions: each has one right answer, or one that is plainly wrong."""

from __future__ import annotations

import random
from typing import Any

import pytest

from games.kinds.cpu import choose_action
from games.rules import Action, Rules, State, view
from games.rules.state import Trick, evolve
from tests.games.rules.rig import dealt, ending, play, played_out, table


def chosen(rules: Rules, state: State, seat: int | None = None, level: str = "normal") -> Action:
    """The answer of the seat, by default of the one on turn."""
    asked = state.turn if seat is None else seat
    return choose_action(view(rules, state, asked), level, random.Random(1))


def card(rules: Rules, state: State) -> str | None:
    return chosen(rules, state).card


# --- Hearts: passing ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "given"),
    [
        ("QS 3S 2C 3C 4C 5C 2D 3D 4D 5D 2H 3H 4H", "QS"),  # one guard
        ("QS 2C 3C 4C 5C 6C 2D 3D 4D 5D 2H 3H 4H", "QS"),  # none
        ("KS 3S 2C 3C 4C 5C 2D 3D 4D 5D 2H 3H 4H", "KS"),
        ("AS 2C 3C 4C 5C 6C 2D 3D 4D 5D 2H 3H 4H", "AS"),
    ],
)
def test_no_high_spade_is_kept_unprotected(hand: str, given: str) -> None:
    rules = table("hearts")
    assert given in chosen(rules, dealt(rules, {0: hand}), 0).cards


def test_a_well_guarded_queen_is_kept() -> None:
    rules = table("hearts")
    state = dealt(rules, {0: "QS 2S 3S 4S 5S 6S KC AC 9D KD AD KH AH"})
    assert "QS" not in chosen(rules, state, 0).cards


def test_low_spades_are_not_passed() -> None:
    rules = table("hearts")
    state = dealt(rules, {0: "2S 3S 4S QC KC AC 9D TD JD 9H TH JH QH"})
    assert not {"2S", "3S", "4S"} & set(chosen(rules, state, 0).cards)


def test_a_hand_that_can_shoot_the_moon_passes_its_losers() -> None:
    rules = table("hearts")
    hand = "AS KS QS AH KH QH JH TH AC KC 2C 2D 3D"
    assert set(chosen(rules, dealt(rules, {0: hand}), 0).cards) == {"2C", "2D", "3D"}
    quiet = table("hearts", moon="off")
    assert not {"2C", "2D", "3D"} & set(chosen(quiet, dealt(quiet, {0: hand}), 0).cards)


def test_the_jack_of_diamonds_and_what_catches_it_are_kept() -> None:
    rules = table("hearts", jack_of_diamonds="minus_ten")
    state = dealt(rules, {0: "JD QD KD AD 2C 3C 9C TC JC 2S 3S 9H TH"})
    assert not {"JD", "QD", "KD", "AD"} & set(chosen(rules, state, 0).cards)


# --- Hearts: play ---------------------------------------------------------------------------------------------------


def hold_deal(hands: dict[int, str], cards: str = "", **options: Any) -> tuple[Rules, State]:
    """A deal without a pass in which seat 0 leads what it likes, after these cards."""
    free = {"passing": "off", "first_lead": "dealer_left", "first_trick_points": "yes"}
    rules = table("hearts", **{**free, **options})
    return rules, play(rules, dealt(rules, hands, dealer=3), cards)


def test_the_queen_is_ducked() -> None:
    rules, state = hold_deal({0: "JS 2C", 1: "QS", 2: "AS KS 3S 2S", 3: "4S"}, "JS QS")
    assert card(rules, state) in ("2S", "3S")


def test_the_queen_goes_under_the_ace_and_the_king() -> None:
    for top in ("AS", "KS"):
        rules, state = hold_deal({0: top, 1: "QS JS 2S"}, top)
        assert card(rules, state) == "QS"


def test_the_queen_goes_on_a_trick_that_another_wins() -> None:
    rules, state = hold_deal({0: "5C", 1: "9C", 2: "QS 3S AH KH JD KD 3D 4D 5D 6D 7D 8D 9D"}, "5C 9C")
    assert card(rules, state) == "QS"


def test_a_high_card_is_thrown_before_a_low_one() -> None:
    rules, state = hold_deal({0: "5C", 1: "9C", 2: "AH KH QH AD 2D 3D 4D 5D 2S 3S 4S 5S 6S"}, "5C 9C")
    assert card(rules, state) in ("AH", "KH", "QH", "AD")


def test_the_queen_is_not_led() -> None:
    rules, state = hold_deal({0: "QS 9S 7C 8C 9C 6D 7D 8D 9D 5H 6H 7H 8H"})
    assert card(rules, state) != "QS"


def test_the_ace_and_king_of_spades_are_not_led_while_the_queen_is_out() -> None:
    rules, state = hold_deal({0: "AS KS 2S 7C 8C 9C 6D 7D 8D 5H 6H 7H 8H", 2: "QS"})
    assert card(rules, state) not in ("AS", "KS")


def test_a_low_spade_is_led_to_smoke_out_the_queen() -> None:
    rules, state = hold_deal({0: "2S 4S 5S 7S 2C 5C 8C 2D 6D 9D 3H 5H 8H", 2: "QS AS KS"})
    assert card(rules, state) in ("2S", "4S", "5S", "7S")


def test_a_trick_with_points_is_left_to_another_and_the_highest_loser_goes() -> None:
    rules, state = hold_deal({0: "9D", 1: "TD KD 2D 8D", 2: "2H 3H", 3: "3D 5D 7D AD"}, "9D TD")
    state = evolve(state, hands=(*state.hands[:2], ("2H", "3H"), state.hands[3]))
    state = play(rules, state, "2H")
    assert card(rules, state) == "7D"


def test_a_clean_trick_that_has_to_be_taken_takes_the_highest_card() -> None:
    rules, state = hold_deal({0: "5C", 1: "6C", 2: "TC", 3: "JC KC AC 8D 9D 2S 3S 4S 5S 5H 6H 7H 8H"}, "5C 6C TC")
    assert card(rules, state) == "AC"


SHOOTER = {
    0: "5S 6S 7S 3C 4C 5C 6C 7C 8C 9C TC JC QC",
    1: "AS KS QS AH KH QH JH TH 8H AC KC 2C 2D",
    2: "8S 9S TS JS 6D 7D 8D 9D TD JD QD KD AD",
    3: "2S 3S 4S 2H 3H 4H 5H 6H 7H 9H 3D 4D 5D",
}
#: Seat 1 takes the queen and ten hearts, then leads its last one; the nine is behind it.
EIGHT_TRICKS = "AS 8S 2S 5S KS 9S 3S 6S QS TS 4S 7S AH 6D 2H 3C KH 7D 3H 4C QH 8D 4H 5C JH 9D 5H 6C TH TD 6H 7C 8H JD"


@pytest.mark.parametrize("moon", ["add", "subtract", "choose"])
def test_a_moon_is_stopped(moon: str) -> None:
    rules = table("hearts", passing="off", first_lead="dealer_left", hearts_broken_by="any_point", moon=moon)
    state = play(rules, dealt(rules, SHOOTER, dealer=0), EIGHT_TRICKS)
    assert (state.turn, view(rules, state, 3).points_taken[1]) == (3, 23)
    assert card(rules, state) == "9H"


def test_where_no_moon_can_be_shot_the_same_trick_is_ducked() -> None:
    rules = table("hearts", passing="off", first_lead="dealer_left", hearts_broken_by="any_point", moon="off")
    state = play(rules, dealt(rules, SHOOTER, dealer=0), EIGHT_TRICKS)
    assert card(rules, state) == "7H"


def test_a_hand_of_winners_shoots_the_moon() -> None:
    rules = table("hearts", passing="off", first_lead="dealer_left", hearts_broken_by="any_point")
    hands = {**SHOOTER, 1: "AS KS QS JS AH KH QH JH TH AC KC AD KD", 2: "8S 9S TS 2C 6D 7D 8D 9D TD JD QD 8H 2D"}
    state = dealt(rules, hands, dealer=0)
    while not state.sheet and state.phase == "play":
        state = rules.apply(state, chosen(rules, state))
    assert state.sheet[0].change == (26, 0, 26, 26)


@pytest.mark.parametrize(
    ("fields", "options", "choice"),
    [
        ({"scores": (60, 80, 34, 50)}, {"end_test": "exceed", "tie_for_first": "shared"}, "subtract"),
        ({"scores": (60, 80, 34, 50)}, {"end_test": "exceed", "tie_for_first": "play_on"}, "add"),
        ({"scores": (70, 75, 20, 30)}, {"end_test": "exceed", "tie_for_first": "shared"}, "subtract"),
        ({"scores": (0, 0, 0, 0)}, {}, "add"),
        ({"scores": (60, 80, 34, 50), "deal": 60}, {"tie_for_first": "play_on"}, "subtract"),
        ({"scores": (60, 80, 34, 50), "extra_deals": 5}, {"end_test": "exceed"}, "subtract"),
    ],
)
def test_the_moon_is_chosen_as_the_rules_would(fields: dict[str, Any], options: dict[str, Any], choice: str) -> None:
    rules = table("hearts", moon="choose", **options)
    state = played_out(rules, ending(rules, {}, "AC 2C 3C 4C", **fields))
    assert state.phase == "moon"
    assert chosen(rules, state) == rules.default_action(state, 0) == Action("moon", 0, choice=choice)


# --- Spades: before the first trick -----------------------------------------------------------------------------------


def bidding(hands: dict[int, str], bids: str = "", **options: Any) -> tuple[Rules, State]:
    """A deal in which seat 0 bids first, after these bids."""
    rules = table("spades", **options)
    state = dealt(rules, hands, dealer=3)
    for bid in bids.split():
        state = rules.apply(state, Action("bid", state.turn, bid=int(bid)))
    return rules, state


@pytest.mark.parametrize(
    ("hand", "low", "high"),
    [
        ("AS 2S 2C 3C 4C 5C 2D 3D 4D 5D 2H 3H 4H", 1, 2),  # never nil with the ace of spades
        ("2S 3S 2C 3C 4C 5C 2D 3D 4D 5D 2H 3H 4H", 0, 0),
        ("KS 9S 2C 3C AC KC 2D 3D AD 5D 2H 3H 4H", 3, 5),
        ("AS KS QS JS TS 9S 8S AC KC AD KD AH KH", 12, 13),
        ("2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS", 13, 13),
    ],
)
def test_a_bid_fits_the_hand(hand: str, low: int, high: int) -> None:
    rules, state = bidding({0: hand})
    assert low <= (chosen(rules, state).bid or 0) <= high


def test_the_last_to_bid_does_not_promise_more_than_is_left() -> None:
    rules, state = bidding({3: "AS KS QS 2C 3C AC KC 2D AD 5D 2H 3H AH"}, "4 4 4")
    assert chosen(rules, state).bid == 1


@pytest.mark.parametrize("scores", [(0, 100), (0, 150), (300, 400)])
def test_nil_is_not_bid_blind_when_a_little_behind(scores: tuple[int, int]) -> None:
    rules = table("spades", blind_nil="yes")
    start = rules.apply(rules.start(), Action("open", dealer=3))
    state = dealt(rules, {}, before=evolve(start, scores=scores))
    assert state.phase == "blind"
    for seed in range(20):
        assert choose_action(view(rules, state, 0), "normal", random.Random(seed)).blind is False


def test_nil_is_bid_blind_now_and_then_when_far_behind() -> None:
    rules = table("spades", blind_nil="yes")
    start = rules.apply(rules.start(), Action("open", dealer=3))
    state = dealt(rules, {}, before=evolve(start, scores=(0, 450)))
    answers = {choose_action(view(rules, state, 0), "normal", random.Random(seed)).blind for seed in range(20)}
    assert answers == {True, False}


def test_a_blind_nil_gives_its_highest_spades_and_gets_low_cards() -> None:
    rules = table("spades", blind_nil="yes")
    start = rules.apply(rules.start(), Action("open", dealer=3))
    hands = {0: "AS KS 2S 2C 3C AC 2D 3D 4D 5D 2H 3H 4H", 2: "QS JS TS 4C 5C KC 6D AD KD 5H 6H KH AH"}
    state = dealt(rules, hands, before=evolve(start, scores=(0, 300)))
    state = rules.apply(state, Action("blind", 0, blind=True))
    state = rules.apply(state, Action("blind", 2, blind=False))
    while state.phase == "bid":
        state = rules.apply(state, Action("bid", state.turn, bid=3))
    assert chosen(rules, state, 0).cards == ("KS", "AS")
    assert set(chosen(rules, state, 2).cards) == {"4C", "5C"}


# --- Spades: play -----------------------------------------------------------------------------------------------------


def bid_and_play(hands: dict[int, str], bids: str, cards: str) -> tuple[Rules, State]:
    rules, state = bidding(hands, bids)
    return rules, play(rules, state, cards)


def test_a_partners_sure_winner_is_not_trumped() -> None:
    hands = {0: "AC KC", 1: "2C 3C", 2: "AS KS 2S 2D 3D 4D 5D 6D 7D 8D 9D TD JD", 3: "4C 5C"}
    rules, state = bid_and_play(hands, "3 3 3 3", "AC 2C")
    assert (card(rules, state) or "")[1] == "D"


def test_a_winner_of_the_other_side_is_trumped_low() -> None:
    hands = {0: "2C", 1: "AC", 2: "AS 9S 3S 2D 3D 4D 5D 6D 7D 8D 9D TD JD", 3: "4C 5C"}
    rules, state = bid_and_play(hands, "3 3 4 3", "2C AC")
    assert card(rules, state) == "3S"


def test_a_trick_is_won_as_cheaply_as_it_can_be() -> None:
    hands = {0: "5C", 1: "3C", 2: "9C", 3: "2C TC KC AC 2D 3D 4D 5D 2H 3H 4H 5H 2S"}
    rules, state = bid_and_play(hands, "3 3 3 3", "5C 3C 9C")
    assert card(rules, state) == "TC"


def test_a_partners_nil_is_covered() -> None:
    rules, state = bid_and_play({0: "9C", 1: "8C 2C", 2: "AC TC 3C", 3: "4C 5C"}, "0 3 5 3", "9C 8C")
    assert card(rules, state) in ("AC", "TC")


def test_the_lead_is_high_for_a_partner_who_bid_nil() -> None:
    rules, state = bid_and_play({0: "AC 2C AD 2D 2H 3H 4H 5H 6H 7H 3S 4S 5S"}, "4 3 0 3", "")
    assert card(rules, state) in ("AC", "AD")


def test_an_own_nil_ducks_with_its_highest_loser() -> None:
    rules, state = bid_and_play({0: "4C", 1: "TC 9C 2C", 2: "JC", 3: "3C"}, "3 0 4 3", "4C")
    assert card(rules, state) == "2C"
    rules, state = bid_and_play({0: "JC", 1: "TC 8C 2C", 2: "QC 9C", 3: "3C"}, "3 0 4 3", "JC")
    assert card(rules, state) == "TC"


def test_a_nil_of_the_other_side_is_left_with_its_trick() -> None:
    hands = {0: "3C", 1: "8C", 2: "2C", 3: "AC 7C 4D 5D 6D 4H 5H 6H 7H 2S 3S 4S 5S"}
    rules, state = bid_and_play(hands, "4 0 3 3", "3C 8C")
    state = play(rules, state, "2C")
    assert state.turn == 3  # its partner's nil: covered
    assert card(rules, state) == "AC"
    hands = {0: "3C", 1: "2C", 2: "8C", 3: "AC 7C 4D 5D 6D 4H 5H 6H 7H 2S 3S 4S 5S"}
    rules, state = bid_and_play(hands, "4 3 0 3", "3C 2C 8C")
    assert card(rules, state) == "7C"


def late(rules: Rules, hands: str, bids: tuple[int, ...], tricks: tuple[int, ...], trick: str = "") -> State:
    """Seat 0 leads, or seats from `trick` on have played; nobody holds a spade. Seats took so many tricks before."""
    cards = [tuple(hand.split()) for hand in hands.split(",")]
    spades = [f"{rank}S" for rank in "23456789TJQKA"]
    before = [seat for seat, count in enumerate(tricks) for _ in range(count)]
    done = [Trick(seat, tuple(spades[i % 10 : i % 10 + 4]), seat) for i, seat in enumerate(before)]
    opened = rules.apply(rules.start(), Action("open", dealer=3))
    fields = {"phase": "play", "hands": tuple(cards), "bids": bids, "blinds": (None,) * 4, "tricks": tuple(done)}
    return play(rules, evolve(opened, **fields, broken=True, turn=0, leader=0), trick)


def test_a_sure_trick_is_cashed_when_the_contract_hangs_on_it() -> None:
    rules = table("spades")
    state = late(rules, "2D AD,KD 5C,3D 6C,4D 7C", (4, 4, 2, 3), (3, 4, 2, 2))
    assert card(rules, state) == "AD"


def test_no_bag_is_taken_when_the_contract_is_made() -> None:
    rules = table("spades")
    hands = "4D 2H 3H 4H 9H,2D 2C 3C 4C 5C,8D 7C 8C 9C TC,3D KD 5H 6H 7H"
    state = late(rules, hands, (2, 2, 2, 2), (2, 2, 2, 2), "4D 2D 8D")
    assert card(rules, state) == "3D"
