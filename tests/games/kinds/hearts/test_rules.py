"""Hearts, rule sentence by rule sentence.

E-numbers are the worked examples of the rules, H-numbers known faults of other programs.
"""

from __future__ import annotations

from typing import Any

import pytest

from games.kinds import rules_for
from games.rules import Action, Refused, Rules, State, story, view
from tests.games.rules.rig import dealt, ending, legal, play, played_out, refusal, table, why_not

ALL_HEARTS = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH"
EVERYTHING = f"{ALL_HEARTS} QS"


def passes(rules: Rules, state: State, cards: list[str]) -> State:
    for seat, given in enumerate(cards):
        state = rules.apply(state, Action("pass", seat, cards=tuple(given.split())))
    return state


def change(rules: Rules, taken: dict[int, str], last: str = "2C 3C 4C 5C", **fields: Any) -> tuple[int, ...]:
    """What each seat's score changes by, with these cards taken; the last trick has no points."""
    return played_out(rules, ending(rules, taken, last, **fields)).sheet[-1].change


# --- pack, deal, passing ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("players", "options", "cards", "each", "kitty", "out"),
    [
        (2, {}, 28, 13, 2, "3C 5C 7C 9C JC KC 3D 5D 7D 9D JD KD 3H 5H 7H 9H JH KH 3S 5S 7S 9S JS KS"),
        (2, {"surplus": "kitty"}, 28, 13, 2, "3C 5C 7C 9C JC KC 3D 5D 7D 9D JD KD 3H 5H 7H 9H JH KH 3S 5S 7S 9S JS KS"),
        (3, {}, 51, 17, 0, "2D"),
        (3, {"removed_three": "2C"}, 51, 17, 0, "2C"),
        (3, {"surplus": "kitty"}, 52, 17, 1, ""),
        (4, {}, 52, 13, 0, ""),
        (4, {"surplus": "kitty"}, 52, 13, 0, ""),
        (5, {}, 50, 10, 0, "2C 2D"),
        (5, {"surplus": "kitty"}, 52, 10, 2, ""),
        (6, {}, 48, 8, 0, "2C 2D 2H 2S"),
        (6, {"removed_six": "keep_hearts"}, 48, 8, 0, "3C 4C 2D 3D"),
        (6, {"surplus": "kitty"}, 52, 8, 4, ""),
        (7, {}, 49, 7, 0, "3C 2D 3D"),
        (7, {"surplus": "kitty"}, 52, 7, 3, ""),
    ],
)
def test_pack_hands_and_kitty_by_player_count(
    players: int, options: dict[str, Any], cards: int, each: int, kitty: int, out: str
) -> None:
    rules = rules_for("hearts", players, {**options, "passing": "off"})
    state = dealt(rules, {})
    assert len(rules.deck) == cards
    assert [len(hand) for hand in state.hands] == [each] * players
    assert len(state.kitty) == kitty
    missing = {f"{rank}{suit}" for rank in "23456789TJQKA" for suit in "CDHS"} - set(rules.deck)
    assert missing == set(out.split())


def test_card_i_goes_to_the_seat_i_plus_one_after_the_dealer_and_the_rest_is_the_kitty() -> None:
    rules = table("hearts", 5, surplus="kitty")
    state = rules.apply(rules.start(), Action("open", dealer=3))
    state = rules.apply(state, Action("deal", pack=rules.deck))
    for i, card in enumerate(rules.deck[:50]):
        assert card in state.hands[(3 + 1 + i) % 5]
    assert state.kitty == rules.deck[50:]


def test_the_deal_moves_left_every_deal() -> None:
    rules = table("hearts", 4, passing="off", end_score=300)
    state = rules.apply(rules.start(), Action("open", dealer=2))
    dealers = []
    for _ in range(5):
        state = dealt(rules, {}, before=state)
        dealers.append(state.dealer)
        while state.phase == "play":
            state = rules.apply(state, rules.default_action(state, state.turn or 0))
    assert dealers == [2, 3, 0, 1, 2]


@pytest.mark.parametrize(
    "pack",
    ["2C 3C", "x", " ".join(["2C"] * 52), " ".join((*table("hearts").deck, "2C"))],
)
def test_a_pack_holds_each_card_of_the_table_once(pack: str) -> None:
    rules = table("hearts")
    state = rules.apply(rules.start(), Action("open", dealer=0))
    assert refusal(rules, state, Action("deal", pack=tuple(pack.split()))) == "bad_pack"


@pytest.mark.parametrize(
    ("players", "options", "rotation"),
    [
        (2, {}, "opponent hold"),
        (2, {"hold_deal": "skip"}, "opponent"),
        (2, {"passing": "always_left"}, "opponent"),
        (3, {}, "left right hold"),
        (4, {}, "left right across hold"),
        (5, {}, "left right hold"),
        (6, {}, "left right across hold"),
        (7, {}, "left right hold"),
        (4, {"hold_deal": "skip"}, "left right across"),
        (5, {"hold_deal": "skip"}, "left right"),
        (4, {"passing": "always_left"}, "left"),
        (4, {"passing": "off"}, "hold"),
    ],
)
def test_pass_rotation_by_player_count(players: int, options: dict[str, Any], rotation: str) -> None:
    rules = rules_for("hearts", players, options)
    ways = rotation.split()
    assert [rules.direction(deal) for deal in range(1, 10)] == [ways[i % len(ways)] for i in range(9)]


@pytest.mark.parametrize(
    ("players", "deal", "receivers"),
    [
        (4, 1, "1 2 3 0"),
        (4, 2, "3 0 1 2"),
        (4, 3, "2 3 0 1"),
        (6, 3, "3 4 5 0 1 2"),
        (2, 1, "1 0"),
        (3, 2, "2 0 1"),
        (7, 1, "1 2 3 4 5 6 0"),
    ],
)
def test_passed_cards_reach_the_seat_in_that_direction(players: int, deal: int, receivers: str) -> None:
    rules = table("hearts", players)
    state = dealt(rules, {})
    state = State(**{**state.__dict__, "deal": deal})
    before = state.hands
    given = [hand[:3] for hand in before]
    for seat in range(players):
        state = rules.apply(state, Action("pass", seat, cards=given[seat]))
    for seat, receiver in enumerate(map(int, receivers.split())):
        assert set(given[seat]) <= set(state.hands[receiver])
        assert not set(given[seat]) & set(state.hands[seat])
        assert view(rules, state, receiver).received == given[seat]
    assert state.phase == "play"


def test_h18_exactly_three_distinct_held_cards_are_passed() -> None:
    rules = table("hearts")
    state = dealt(rules, {0: "2C 3C 4C 5C", 1: "AS"})
    for cards, code in [
        ("2C", "wrong_count"),
        ("2C 3C", "wrong_count"),
        ("2C 3C 4C 5C", "wrong_count"),
        ("2C 2C 3C", "same_card_twice"),
        ("2C 3C AS", "not_in_hand"),
        ("", "wrong_count"),
    ]:
        assert refusal(rules, state, Action("pass", 0, cards=tuple(cards.split()))) == code
    assert len(rules.legal_actions(state, 0)) == 286


def test_passing_is_simultaneous_in_any_order_and_each_seat_answers_once() -> None:
    rules = table("hearts")
    state = dealt(rules, {})
    for seat in (2, 0, 3):
        state = rules.apply(state, Action("pass", seat, cards=state.hands[seat][:3]))
        assert state.phase == "pass"
        assert refusal(rules, state, Action("pass", seat, cards=state.hands[seat][:3])) == "already_answered"
    assert rules.due(state).seats == (1,)
    assert view(rules, state, 1).answered == (0, 2, 3)
    assert all(view(rules, state, seat).received is None for seat in range(4))


def test_h23_a_hold_deal_has_no_pass_phase_and_h20_the_lowest_club_leads_it() -> None:
    rules = table("hearts", passing="off")
    state = dealt(rules, {2: "2C"}, dealer=0)
    assert (state.phase, state.turn) == ("play", 2)
    assert legal(rules, state) == "2C"
    assert why_not(rules, state, "3H") in ("not_in_hand", "must_lead_opening_card")


def test_h22_h25_options_hold_at_every_player_count_and_cards_keep_their_names() -> None:
    for players in (2, 3, 5, 6, 7):
        rules = table("hearts", players, passing="off", first_trick_points="no")
        state = dealt(rules, {})
        state = play(rules, state, legal(rules, state).split()[0])
        assert all(card in rules.deck for hand in state.hands for card in hand)
        assert not {"QS"} & set(legal(rules, state).split()) or "QS" in state.hands[state.turn or 0]


# --- calling a deal off -----------------------------------------------------------------------------------------------


def test_skip_right_none_means_no_deal_can_be_called_off() -> None:
    rules = table("hearts")
    assert refusal(rules, dealt(rules, {}), Action("skip", 0)) == "no_skip_right"


def test_skip_right_one_each_calls_the_deal_off_before_the_own_pass_is_sent() -> None:
    rules = table("hearts", skip_right="one_each")
    state = dealt(rules, {}, dealer=1)
    state = rules.apply(state, Action("pass", 0, cards=state.hands[0][:3]))
    assert refusal(rules, state, Action("skip", 0)) == "already_answered"
    state = rules.apply(state, Action("skip", 2))
    assert state.phase == "deal"
    assert state.skipped == (False, False, True, False)
    assert rules.next_deal(state) == (1, 1, 1), "same deal and dealer, next attempt"
    state = dealt(rules, {}, before=state)
    assert (state.deal, state.attempt, state.dealer, rules.direction(state.deal)) == (1, 1, 1, "left")
    assert state.given == (None,) * 4, "passes made are dropped"
    for seat in range(4):
        assert refusal(rules, state, Action("skip", seat)) == "no_skip_right", "that attempt cannot be called off again"


def test_skip_right_is_spent_by_the_caller_alone_for_the_whole_game() -> None:
    rules = table("hearts", skip_right="one_each", end_score=300)
    state = rules.apply(dealt(rules, {}), Action("skip", 2))
    state = dealt(rules, {}, before=state)
    while state.phase != "deal":
        seat = rules.due(state).seats[0]
        state = rules.apply(state, rules.default_action(state, seat))
    state = dealt(rules, {}, before=state)
    assert refusal(rules, state, Action("skip", 2)) == "no_skip_right"
    assert refusal(rules, state, Action("skip", 1)) == ""


def test_skip_right_exists_only_in_deals_with_a_pass() -> None:
    rules = table("hearts", 2, skip_right="one_each", end_score=300)
    state = dealt(rules, {})
    while state.phase != "deal":
        seat = rules.due(state).seats[0]
        state = rules.apply(state, rules.default_action(state, seat))
    state = dealt(rules, {}, before=state)
    assert rules.direction(state.deal) == "hold"
    assert refusal(rules, state, Action("skip", 0)) == "wrong_phase"


# --- the first lead and trick one -------------------------------------------------------------------------------------


def test_e1_five_players_lead_the_three_of_clubs_and_a_deal_has_26_points() -> None:
    rules = table("hearts", 5, passing="off")
    state = dealt(rules, {3: "3C"})
    assert len(rules.deck) == 50
    assert {len(hand) for hand in state.hands} == {10}
    assert (state.turn, legal(rules, state)) == (3, "3C")
    while state.phase == "play":
        state = rules.apply(state, rules.default_action(state, state.turn or 0))
    assert sum(state.sheet[-1].change) == 26


def test_e2_with_the_two_of_clubs_in_the_kitty_the_lowest_club_in_the_hands_leads() -> None:
    rules = table("hearts", 3, surplus="kitty", passing="off")
    state = dealt(rules, {0: "3H", 1: "3C", 2: "AC"}, kitty="2C")
    assert (state.turn, legal(rules, state)) == (1, "3C")
    state = play(rules, state, "3C AC")
    state = play(rules, state, legal(rules, state).split()[0])
    assert state.kitty_taker == 2
    assert view(rules, state, 2).kitty == ("2C",)


def test_the_opening_club_is_looked_for_after_passing() -> None:
    rules = table("hearts")
    state = dealt(rules, {0: "2C 3C 4C"})
    state = passes(rules, state, ["2C 3C 4C", *(" ".join(hand[-3:]) for hand in state.hands[1:])])
    assert (state.turn, legal(rules, state)) == (1, "2C")


def test_h21_the_opening_card_is_forced_only_as_the_first_lead() -> None:
    rules = table("hearts", passing="off", first_lead="dealer_left")
    state = dealt(rules, {1: "2D 3D", 2: "2C 4D 5D"}, dealer=0)
    state = play(rules, state, "2D")
    assert "2C" not in legal(rules, state)
    assert why_not(rules, state, "2C") == "must_follow_suit"


def test_first_lead_low_club_must_be_that_very_card() -> None:
    rules = table("hearts", passing="off")
    state = dealt(rules, {0: "2C 3C 4C"})
    assert why_not(rules, state, "3C") == "must_lead_opening_card"
    assert why_not(rules, state, "2C") == ""


def test_first_lead_dealer_left_leads_anything_that_may_be_led() -> None:
    rules = table("hearts", passing="off", first_lead="dealer_left")
    state = dealt(rules, {3: "4C 5D 7S QS 2H"}, dealer=2)
    assert state.turn == 3
    assert {"4C", "5D", "7S"} <= set(legal(rules, state).split())
    assert why_not(rules, state, "2H") == "hearts_not_broken"
    assert why_not(rules, state, "QS") == "no_points_first_trick"


def test_dealer_left_trick_one_spade_led_spares_the_queen_unless_it_is_the_only_spade() -> None:
    rules = table("hearts", passing="off", first_lead="dealer_left")
    low = "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC"
    state = play(rules, dealt(rules, {1: "KS", 2: f"3S QS {low}"}, dealer=0), "KS")
    assert legal(rules, state) == "3S"
    assert why_not(rules, state, "QS") == "no_points_first_trick"
    state = play(rules, dealt(rules, {1: "KS", 2: f"QS 2D {low}"}, dealer=0), "KS")
    assert legal(rules, state) == "QS"


def test_e12_h01_trick_one_void_in_the_led_suit_no_hearts() -> None:
    rules = table("hearts", passing="off")
    state = dealt(rules, {0: "2C", 1: f"2D {' '.join(ALL_HEARTS.split()[:12])}"})
    state = play(rules, state, "2C")
    assert legal(rules, state) == "2D"
    assert why_not(rules, state, "2H") == "no_points_first_trick"


def test_h01_trick_one_void_queen_and_hearts_are_barred() -> None:
    rules = table("hearts", passing="off")
    state = play(rules, dealt(rules, {0: "2C", 1: "3H QS 7D 8D 9D TD 2D 3D 4D 5D 6D JD QD"}), "2C")
    assert "3H" not in legal(rules, state)
    assert "QS" not in legal(rules, state)


def test_h02_h04_trick_one_with_nothing_but_points_plays_any_of_them() -> None:
    rules = table("hearts", passing="off")
    state = play(rules, dealt(rules, {0: "2C", 1: f"QS {' '.join(ALL_HEARTS.split()[:12])}"}), "2C")
    assert len(legal(rules, state).split()) == 13


def test_h03_the_first_trick_ban_looks_at_the_whole_hand() -> None:
    rules = table("hearts", passing="off")
    state = play(rules, dealt(rules, {0: "2C", 1: f"7S {' '.join(ALL_HEARTS.split()[:12])}"}), "2C")
    assert legal(rules, state) == "7S"


def test_first_trick_points_yes_lets_points_be_thrown_at_once() -> None:
    rules = table("hearts", passing="off", first_trick_points="yes")
    state = play(rules, dealt(rules, {0: "2C", 1: "3H QS 7D 8D 9D TD 2D 3D 4D 5D 6D JD QD"}), "2C")
    assert {"3H", "QS", "JD"} <= set(legal(rules, state).split())


def test_the_jack_of_diamonds_is_no_point_card_on_trick_one() -> None:
    rules = table("hearts", passing="off", jack_of_diamonds="minus_ten")
    state = play(rules, dealt(rules, {0: "2C", 1: "JD 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH"}), "2C")
    assert legal(rules, state) == "JD"


def test_trick_one_void_after_break_hearts_and_queen_leaves_the_queen() -> None:
    rules = table("hearts", passing="off", heart_discard="after_break")
    state = play(rules, dealt(rules, {0: "2C", 1: f"QS {' '.join(ALL_HEARTS.split()[:12])}"}), "2C")
    assert legal(rules, state) == "QS"
    assert why_not(rules, state, "3H") == "hearts_held_back"


# --- following, breaking ----------------------------------------------------------------------------------------------


def test_the_led_suit_must_be_followed_and_only_the_turn_plays() -> None:
    rules = table("hearts", passing="off")
    state = play(rules, dealt(rules, {0: "2C", 1: "3C 2D"}), "2C")
    assert why_not(rules, state, "2D") == "must_follow_suit"
    assert refusal(rules, state, Action("play", 2, card=state.hands[2][0])) == "not_your_turn"
    assert refusal(rules, state, Action("play", 9, card="2C")) == "no_such_seat"
    assert refusal(rules, state, Action("play", -1, card="2C")) == "no_such_seat"
    assert why_not(rules, state, "2C") == "not_in_hand"
    with pytest.raises(Refused) as caught:
        rules.apply(state, Action("play", 1, card="2D"))
    assert caught.value.to_json() == {"code": "must_follow_suit", "suit": "C"}


def test_highest_card_of_the_led_suit_takes_the_trick_and_leads() -> None:
    rules = table("hearts", passing="off")
    state = dealt(rules, {0: "2C", 1: "9C", 2: "TC", 3: "AD 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD"})
    state = play(rules, state, "2C 9C TC AD")
    assert state.tricks[-1].winner == 2, "ten beats nine, and an ace of another suit wins nothing"
    assert (state.turn, state.leader, state.trick) == (2, 2, ())


VOID = "2D 3D 4D 5D 6D 7D 8D 9D"


def led_after(rules: Rules, hand: str, thrown: str) -> State:
    """Seat 0 leads to trick two holding exactly this hand; seat 3, void in clubs, threw a card on trick one."""
    filler = [c for c in ["4C", "5C", "6C", "7C", "8C", "9C", "TC", "JC", "QC", "KC", "4S", "5S"] if c not in hand]
    mine = f"AC {hand} {' '.join(filler)}".split()[:13]
    state = dealt(rules, {0: " ".join(mine), 1: "2C", 2: "3C", 3: f"{thrown} {VOID} TD JD QD KD"})
    return play(rules, state, f"2C 3C {thrown} AC")


@pytest.mark.parametrize(
    ("broken_by", "thrown", "led"),
    [
        ("heart", "2H", True),
        ("heart", "QS", False),
        ("queen", "2H", False),
        ("queen", "QS", True),
        ("any_point", "2H", True),
        ("any_point", "QS", True),
        ("heart", "AD", False),
        ("any_point", "AD", False),
    ],
)
def test_e14_h07_hearts_broken_by_option_says_what_lets_hearts_be_led(broken_by: str, thrown: str, led: bool) -> None:
    rules = table("hearts", passing="off", first_trick_points="yes", hearts_broken_by=broken_by)
    state = led_after(rules, "3H 4H", thrown)
    assert state.turn == 0
    assert state.broken is led
    assert why_not(rules, state, "3H") == ("" if led else "hearts_not_broken")


def test_the_jack_of_diamonds_never_breaks() -> None:
    rules = table("hearts", passing="off", hearts_broken_by="any_point", jack_of_diamonds="minus_ten")
    state = led_after(rules, "3H 4H", "AD")
    assert state.broken is False


def test_broken_changes_with_the_card_so_later_seats_of_the_trick_see_it() -> None:
    rules = table(
        "hearts", passing="off", first_trick_points="yes", heart_discard="after_break", hearts_broken_by="queen"
    )
    state = dealt(
        rules, {0: "2C", 1: "QS 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD", 2: "AD 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH"}
    )
    held = play(rules, state, "2C 2D")
    assert legal(rules, held) == "AD"
    assert why_not(rules, held, "2H") == "hearts_held_back"
    broken = play(rules, state, "2C QS")
    assert broken.broken
    assert len(legal(rules, broken).split()) == 13


def test_heart_discard_after_break_holds_hearts_back_unless_nothing_else_is_held() -> None:
    rules = table("hearts", passing="off", first_trick_points="yes", heart_discard="after_break")
    only_hearts = dealt(rules, {0: "2C", 1: ALL_HEARTS})
    assert len(legal(rules, play(rules, only_hearts, "2C")).split()) == 13
    free = table("hearts", passing="off", first_trick_points="yes", heart_discard="free")
    state = dealt(free, {0: "2C", 1: "2D 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH"})
    assert len(legal(free, play(free, state, "2C")).split()) == 13
    assert legal(rules, play(rules, state, "2C")) == "2D"


def test_e13_unbroken_lead_from_hearts_and_the_queen_of_spades_is_the_queen() -> None:
    rules = table("hearts", passing="off", first_lead="dealer_left", first_trick_points="yes")
    state = dealt(rules, {1: f"QS {' '.join(ALL_HEARTS.split()[:12])}"}, dealer=0)
    assert legal(rules, state) == "QS"
    assert why_not(rules, state, "2H") == "hearts_not_broken"


@pytest.mark.parametrize("broken_by", ["heart", "queen", "any_point"])
def test_h05_a_hand_of_hearts_may_lead_any_and_that_breaks_under_every_setting(broken_by: str) -> None:
    rules = table("hearts", passing="off", first_lead="dealer_left", hearts_broken_by=broken_by)
    state = dealt(rules, {1: ALL_HEARTS}, dealer=0)
    assert legal(rules, state) == ALL_HEARTS
    assert play(rules, state, "5H").broken


def test_cards_passed_or_in_the_kitty_or_the_deal_before_break_nothing() -> None:
    rules = table("hearts", 5, surplus="kitty", hearts_broken_by="any_point", end_score=300)
    state = dealt(rules, {0: "2H 3H QS"}, kitty="AH KH")
    state = passes(rules, state, ["2H 3H QS", *(" ".join(hand[:3]) for hand in state.hands[1:])])
    assert state.broken is False
    while state.phase == "play":
        state = rules.apply(state, rules.default_action(state, state.turn or 0))
    assert state.broken
    assert dealt(rules, {}, before=state).broken is False


def test_h31_that_hearts_are_broken_is_told_in_a_hold_deal_too() -> None:
    rules = table("hearts", passing="off", first_trick_points="yes")
    before = play(rules, dealt(rules, {0: "2C", 1: f"2D {' '.join(ALL_HEARTS.split()[:12])}"}), "2C")
    action = Action("play", 1, card="2H")
    for viewer in (None, 0, 1):
        told = story(rules, before, action, rules.apply(before, action), viewer)
        assert [event.kind for event in told] == ["played", "broken"]


def test_h28_the_last_card_is_played_whatever_it_is() -> None:
    rules = table("hearts")
    state = ending(rules, {0: ALL_HEARTS}, "QS 2C 3C 4C")
    assert [a.card for a in rules.legal_actions(state, 0) if a.kind == "play"] == ["QS"]


# --- points, moon, jack -----------------------------------------------------------------------------------------------


def test_each_heart_is_one_point_and_the_queen_of_spades_thirteen() -> None:
    assert change(table("hearts"), {1: "2H 3H 4H", 2: "QS", 3: ""}) == (10, 3, 13, 0)


def test_points_count_in_the_last_trick_too() -> None:
    rules = table("hearts")
    state = ending(rules, {0: ALL_HEARTS, 1: "AS"}, "2C 3C 4C QS")
    assert played_out(rules, state).sheet[-1].change == (13, 0, 13, 0)


def test_e8_six_players_all_twos_out_twelve_hearts_and_the_queen_are_the_moon_worth_26() -> None:
    rules = table("hearts", 6)
    last = "3C 4C 5C 6C 7C 8C"
    assert change(rules, {1: "3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH QS"}, last) == (26, 0, 26, 26, 26, 26)
    assert change(rules, {1: "3H", 2: "QS"}, last) == (11, 1, 13, 0, 0, 0), "25 points in a deal without the moon"


def test_removed_six_keep_hearts_needs_all_thirteen_hearts_for_the_moon() -> None:
    rules = table("hearts", 6, removed_six="keep_hearts")
    last = "2C 5C 6C 7C 8C 9C"
    assert change(rules, {1: EVERYTHING.replace("2H ", ""), 2: "2H"}, last) == (0, 25, 1, 0, 0, 0)
    assert change(rules, {1: EVERYTHING}, last) == (26, 0, 26, 26, 26, 26)


def test_two_players_have_twenty_points_and_the_moon_is_worth_26() -> None:
    rules = table("hearts", 2)
    assert sum(13 if card == "QS" else card[1] == "H" for card in rules.deck) == 20
    assert change(rules, {1: "2H 4H 6H 8H TH QH AH QS"}, "2C 4C", kitty="2D 4D", kitty_taker=0) == (26, 0)
    assert change(rules, {1: "4H 6H 8H TH QH AH QS"}, "2C 4C", kitty="2D 2H", kitty_taker=1) == (26, 0)
    assert change(rules, {1: "4H 6H 8H TH QH AH QS"}, "2C 4C", kitty="2D 2H", kitty_taker=0) == (1, 19)


def test_e15_h08_sixteen_points_are_not_a_moon() -> None:
    assert change(table("hearts"), {1: "QS 2H 3H 4H", 2: "5H"}) == (9, 16, 1, 0)


def test_h09_the_moon_is_spread_over_many_tricks() -> None:
    rules = table("hearts")
    state = ending(rules, {2: EVERYTHING}, "2C 3C 4C 5C")
    assert len([t for t in state.tricks if t.winner == 2]) == 4
    assert played_out(rules, state).sheet[-1].change == (26, 26, 0, 26)


@pytest.mark.parametrize("shooter", [0, 1, 2, 3])
def test_h10_the_moon_is_judged_on_the_shooter_for_every_seat(shooter: int) -> None:
    rules = table("hearts", jack_of_diamonds="minus_ten", jack_in_moon="required")
    expected = tuple(-10 if seat == shooter else 26 for seat in range(4))
    assert change(rules, {shooter: f"{EVERYTHING} JD"}) == expected


def test_moon_off_the_taker_keeps_the_points() -> None:
    assert change(table("hearts", moon="off"), {1: EVERYTHING}) == (0, 26, 0, 0)


def test_moon_subtract_takes_26_off_the_shooter() -> None:
    assert change(table("hearts", moon="subtract"), {1: EVERYTHING}) == (0, -26, 0, 0)


def test_e4_jack_not_required_a_shoots_b_took_the_jack() -> None:
    rules = table("hearts", jack_of_diamonds="minus_ten")
    assert change(rules, {1: EVERYTHING, 2: "JD"}) == (26, 0, 16, 26)


def test_e5_h11_jack_not_required_the_shooter_took_it_too() -> None:
    rules = table("hearts", jack_of_diamonds="minus_ten")
    assert change(rules, {1: f"{EVERYTHING} JD"}) == (26, -10, 26, 26)


def test_e6_jack_in_moon_required_but_taken_by_another_is_no_moon() -> None:
    rules = table("hearts", jack_of_diamonds="minus_ten", jack_in_moon="required")
    assert change(rules, {1: EVERYTHING, 2: "JD"}) == (0, 26, -10, 0)


def test_e7_jack_in_moon_required_subtract_is_minus_36() -> None:
    rules = table("hearts", jack_of_diamonds="minus_ten", jack_in_moon="required", moon="subtract")
    assert change(rules, {1: f"{EVERYTHING} JD"}) == (0, -36, 0, 0)


def test_e30_jack_not_required_subtract_with_and_without_the_jack() -> None:
    rules = table("hearts", jack_of_diamonds="minus_ten", moon="subtract")
    assert change(rules, {1: f"{EVERYTHING} JD"}) == (0, -36, 0, 0)
    assert change(rules, {1: EVERYTHING, 2: "JD"}) == (0, -26, -10, 0)


def test_jack_of_diamonds_minus_ten_counts_without_a_moon_and_with_the_moon_off() -> None:
    assert change(table("hearts", jack_of_diamonds="minus_ten"), {1: "2H JD"}) == (25, -9, 0, 0)
    off = table("hearts", jack_of_diamonds="minus_ten", moon="off")
    assert change(off, {1: f"{EVERYTHING} JD"}) == (0, 16, 0, 0)
    assert change(table("hearts", jack_of_diamonds="off"), {1: "2H JD"}) == (25, 1, 0, 0)


def test_the_jack_in_the_kitty_scores_for_its_taker() -> None:
    rules = table("hearts", 3, surplus="kitty", jack_of_diamonds="minus_ten")
    assert change(rules, {1: "2H"}, "2C 3C 4C", kitty="JD", kitty_taker=2) == (25, 1, -10)


def test_e3_points_in_the_kitty_belong_to_the_winner_of_trick_one_who_alone_can_shoot() -> None:
    rules = table("hearts", 5, surplus="kitty")
    rest = " ".join(card for card in EVERYTHING.split() if card != "9H")
    last = "3C 4C 5C 6C 7C"
    assert change(rules, {1: rest}, last, kitty="2C 9H", kitty_taker=1) == (26, 0, 26, 26, 26)
    assert change(rules, {1: rest}, last, kitty="2C 9H", kitty_taker=3) == (0, 25, 0, 1, 0)


def moon_asked(**options: Any) -> tuple[Rules, State]:
    fields = {name: options.pop(name) for name in ("scores", "deal", "extra_deals") if name in options}
    rules = table("hearts", moon="choose", **options)
    state = played_out(rules, ending(rules, {1: EVERYTHING}, "2C 3C 4C 5C", **fields))
    return rules, state


def test_moon_choose_asks_the_shooter_with_both_score_tables() -> None:
    rules, state = moon_asked(scores=(1, 2, 3, 4))
    assert (state.phase, rules.due(state).seats) == ("moon", (1,))
    ask = view(rules, state, 1).ask
    assert ask is not None
    assert ask.tables == {"add": (27, 2, 29, 30), "subtract": (1, -24, 3, 4)}
    assert view(rules, state, 0).ask is None
    assert refusal(rules, state, Action("moon", 0, choice="add")) == "not_your_turn"
    assert rules.apply(state, Action("moon", 1, choice="add")).scores == (27, 2, 29, 30)
    assert rules.apply(state, Action("moon", 1, choice="subtract")).scores == (1, -24, 3, 4)


def test_h13_e27_the_clock_subtracts_when_adding_ends_the_game_tied_and_the_places_are_equal() -> None:
    rules = table("hearts", moon="choose", end_test="exceed", tie_for_first="shared")
    state = played_out(rules, ending(rules, {0: EVERYTHING}, "2C 3C 4C 5C", scores=(60, 80, 34, 50)))
    assert state.phase == "moon"
    assert rules.score(state, "add").scores == (60, 106, 60, 76)
    assert rules.default_action(state, 0).choice == "subtract"
    on = table("hearts", moon="choose", end_test="exceed", tie_for_first="play_on")
    assert on.default_action(state, 0).choice == "add", "under play_on adding does not end the game"


def test_e28_the_clock_subtracts_when_both_give_third_place() -> None:
    rules = table("hearts", moon="choose", end_test="exceed", tie_for_first="shared")
    state = played_out(rules, ending(rules, {0: EVERYTHING}, "2C 3C 4C 5C", scores=(70, 75, 20, 30)))
    choice = rules.default_action(state, 0)
    assert choice.choice == "subtract"
    assert rules.apply(state, choice).scores == (44, 75, 20, 30)


@pytest.mark.parametrize(
    ("scores", "choice", "places"),
    [
        ((10, 10, 10, 10), "add", (1, 1)),  # adding does not end the game
        ((50, 70, 10, 12), "add", (3, 3)),  # nor does it here
        ((0, 90, 50, 50), "add", (1, 1)),  # it ends the game with the shooter alone in first
        ((50, 90, 10, 12), "subtract", (3, 3)),  # 50 116 36 38 ends it, and 24 90 10 12 is third too
        ((60, 80, 20, 40), "subtract", (2, 2)),  # 60 106 46 66 ends it in second place, 34 80 20 40 is second too
        ((60, 80, 34, 50), "subtract", (1, 1)),  # 60 106 60 76 ends it with first shared, 34 80 34 50 too
        ((70, 80, 45, 50), "add", (1, 1)),  # 70 106 71 76 ends it alone in first
    ],
)
def test_the_clock_adds_unless_that_ends_the_game_with_the_shooter_not_alone_in_first(
    scores: tuple[int, ...], choice: str, places: tuple[int, int]
) -> None:
    rules = table("hearts", moon="choose", tie_for_first="shared")
    state = played_out(rules, ending(rules, {0: EVERYTHING}, "2C 3C 4C 5C", scores=scores))
    added, subtracted = rules.score(state, "add").scores, rules.score(state, "subtract").scores
    assert (rules.places(added)[0], rules.places(subtracted)[0]) == places
    assert rules.default_action(state, 0).choice == choice


def test_the_clock_looks_at_the_caps_when_it_chooses_a_moon() -> None:
    rules = table("hearts", moon="choose", end_score=300)
    fields = {"scores": (40, 10, 30, 30), "deal": 60}
    state = played_out(rules, ending(rules, {0: EVERYTHING}, "2C 3C 4C 5C", **fields))
    # Deal 60 is the last in any case: 40 36 56 56 is second, 14 10 30 30 is second too, so subtract.
    assert rules.default_action(state, 0).choice == "subtract"
    earlier = State(**{**state.__dict__, "deal": 59})
    assert rules.default_action(earlier, 0).choice == "add"


# --- the end ----------------------------------------------------------------------------------------------------------


def after_deal(rules: Rules, scores: tuple[int, ...], taken: dict[int, str], **fields: Any) -> State:
    return played_out(rules, ending(rules, taken, "2C 3C 4C 5C", scores=scores, **fields))


def test_e9_exceed_100_exactly_100_plays_on_and_reach_ends() -> None:
    shot = {1: "2H", 2: "QS"}  # 12, 1, 13, 0
    exceed = table("hearts", end_test="exceed", end_score=100)
    assert after_deal(exceed, (10, 20, 87, 30), shot).phase == "deal"
    assert after_deal(exceed, (10, 20, 88, 30), shot).reason == "target"
    reach = table("hearts", end_test="reach", end_score=100)
    assert after_deal(reach, (10, 20, 87, 30), shot).reason == "target"
    assert after_deal(reach, (10, 20, 86, 30), shot).phase == "deal"


def test_e10_play_on_a_tie_for_first_means_another_deal_with_direction_and_number_going_on() -> None:
    rules = table("hearts", tie_for_first="play_on")
    state = after_deal(rules, (28, 39, 57, 101), {1: "2H", 2: "QS"}, deal=5)
    assert state.scores == (40, 40, 70, 101)
    assert (state.phase, state.extra_deals) == ("deal", 1)
    assert rules.next_deal(state)[0] == 6
    following = dealt(rules, {}, before=state)
    assert rules.direction(following.deal) == "right"


def test_h16_an_extra_deal_is_an_ordinary_deal() -> None:
    rules = table("hearts", tie_for_first="play_on")
    state = after_deal(rules, (28, 39, 57, 101), {1: "2H", 2: "QS"}, deal=5)
    following = dealt(rules, {}, before=state)
    assert following.phase == "pass"
    assert (following.tricks, following.given, following.broken) == ((), (None,) * 4, False)


def test_e11_shared_two_firsts_a_third_a_fourth() -> None:
    rules = table("hearts", tie_for_first="shared", end_score=50)
    state = after_deal(rules, (8, 19, 17, 52), {1: "2H", 2: "QS"})
    result = rules.result(state)
    assert result is not None
    assert (result.scores, result.placings, result.reason) == ((20, 20, 30, 52), (1, 1, 3, 4), "target")


def test_e16_h15_a_tie_is_among_the_lowest_only() -> None:
    rules = table("hearts")
    won = after_deal(rules, (94, 44, 32, 20), {1: "2H", 2: "QS"})
    assert won.scores == (106, 45, 45, 20)
    result = rules.result(won)
    assert result is not None
    assert result.placings == (4, 2, 2, 1)
    tied = after_deal(rules, (94, 44, 32, 45), {1: "2H", 2: "QS"})
    assert tied.scores == (106, 45, 45, 45)
    assert tied.phase == "deal"


def test_e17_a_seat_on_80_shoots_and_then_the_end_is_tested() -> None:
    rules = table("hearts")
    state = after_deal(rules, (70, 80, 74, 20), {1: EVERYTHING})
    assert state.scores == (96, 80, 100, 46)
    assert state.reason == "target"


def test_e18_h27_scores_may_go_below_zero() -> None:
    state = after_deal(table("hearts", moon="subtract"), (0, 5, 0, 0), {1: EVERYTHING})
    assert state.scores == (0, -21, 0, 0)


def test_e29_falling_back_under_the_line_starts_the_count_of_extra_deals_again() -> None:
    rules = table("hearts", jack_of_diamonds="minus_ten", tie_for_first="play_on")
    fives = {0: "2H 3H 4H 5H 6H", 1: "7H 8H 9H TH JH"}
    still = after_deal(rules, (40, 40, 70, 101), {**fives, 2: "QH KH AH", 3: "QS JD"}, extra_deals=3)
    assert still.scores == (45, 45, 73, 104)
    assert (still.phase, still.extra_deals) == ("deal", 4)
    under = after_deal(rules, (40, 40, 70, 101), {**fives, 2: "QH KH QS", 3: "AH JD"}, extra_deals=4)
    assert under.scores == (45, 45, 85, 92)
    assert (under.phase, under.extra_deals) == ("deal", 0)


def test_five_extra_deals_in_a_row_at_the_most_then_first_is_shared() -> None:
    rules = table("hearts", tie_for_first="play_on")
    state = after_deal(rules, (28, 39, 57, 101), {1: "2H", 2: "QS"}, extra_deals=5, deal=20)
    result = rules.result(state)
    assert result is not None
    assert (result.reason, result.placings) == ("deal_cap", (1, 1, 3, 4))


def test_sixty_deals_in_all_at_the_most_then_the_lowest_wins() -> None:
    rules = table("hearts", end_score=300)
    state = after_deal(rules, (28, 30, 57, 101), {1: "2H", 2: "QS"}, deal=60)
    result = rules.result(state)
    assert result is not None
    assert (result.reason, result.placings) == ("deal_cap", (2, 1, 3, 4))
    assert after_deal(rules, (28, 30, 57, 101), {1: "2H", 2: "QS"}, deal=59).phase == "deal"
    tie = after_deal(table("hearts"), (28, 39, 57, 101), {1: "2H", 2: "QS"}, deal=60)
    assert tie.reason == "deal_cap"
    over = after_deal(table("hearts"), (28, 30, 57, 101), {1: "2H", 2: "QS"}, deal=60)
    assert over.reason == "target", "no cap stopped it"


def test_score_sign_and_standing_change_nothing_in_the_game() -> None:
    plain = table("hearts")
    for options in ({"score_sign": "minus"}, {"standing": "winner_only"}):
        rules = rules_for("hearts", 4, options)
        taken = {1: "2H", 2: "QS"}
        assert after_deal(rules, (94, 44, 32, 20), taken) == after_deal(plain, (94, 44, 32, 20), taken)
        assert view(rules, dealt(rules, {}), 0).options | options == view(rules, dealt(rules, {}), 0).options


def test_after_the_end_everything_is_refused_and_the_last_trick_is_kept() -> None:
    rules = table("hearts")
    state = after_deal(rules, (94, 44, 32, 20), {1: "2H", 2: "QS"})
    assert refusal(rules, state, Action("play", 0, card="2C")) == "game_over"
    assert refusal(rules, state, Action("deal", pack=rules.deck)) == "game_over"
    assert state.tricks[-1].cards == ("2C", "3C", "4C", "5C")


# --- finish -----------------------------------------------------------------------------------------------------------


def before_last_two(rules: Rules, taken: dict[int, str], hands: list[str], **fields: Any) -> State:
    state = ending(rules, {**taken, 0: taken.get(0, "")}, " ".join(hand.split()[0] for hand in hands), **fields)
    full = tuple(tuple(hand.split()) for hand in hands)
    gone = {card for hand in full for card in hand}
    tricks = tuple(
        type(t)(t.leader, tuple(card for card in t.cards if card not in gone), t.winner) for t in state.tricks
    )
    return State(**{**state.__dict__, "hands": full, "tricks": tricks})


def test_h30_finish_is_offered_to_the_lead_when_every_point_card_is_in_public_tricks() -> None:
    rules = table("hearts")
    state = before_last_two(rules, {1: "2H", 2: "QS"}, ["2C 3D", "4C 4D", "5C 5D", "6C 6D"])
    finish = Action("finish", 0)
    assert finish in rules.legal_actions(state, 0)
    finished = rules.apply(state, finish)
    out = play(rules, state, "2C 4C 5C 6C 6D 3D 4D 5D")
    assert finished.scores == out.scores == (12, 1, 13, 0)
    assert refusal(rules, play(rules, state, "2C"), Action("finish", 1)) == "not_decided", "between tricks only"
    assert refusal(rules, state, Action("finish", 1)) == "not_your_turn"


def test_finish_is_not_offered_while_a_point_card_is_held() -> None:
    rules = table("hearts")
    state = before_last_two(rules, {2: "QS"}, ["2C 3D", "2H 4D", "5C 5D", "6C 6D"])
    assert refusal(rules, state, Action("finish", 0)) == "not_decided"


def test_h30_finish_waits_for_the_jack_where_it_scores() -> None:
    hands = ["2C JD", "4C 4D", "5C 5D", "6C 6D"]
    with_jack = table("hearts", jack_of_diamonds="minus_ten")
    assert refusal(with_jack, before_last_two(with_jack, {2: "QS"}, hands), Action("finish", 0)) == "not_decided"
    without = table("hearts")
    assert refusal(without, before_last_two(without, {2: "QS"}, hands), Action("finish", 0)) == ""


def test_e32_a_point_card_in_the_kitty_blocks_finish() -> None:
    rules = table("hearts", 5, surplus="kitty")
    hands = ["3C 3D", "4C 4D", "5C 5D", "6C 6D", "7C 7D"]
    blocked = before_last_two(rules, {1: "2H"}, hands, kitty="2C KH", kitty_taker=2)
    assert refusal(rules, blocked, Action("finish", 0)) == "not_decided"
    free = before_last_two(rules, {1: "2H"}, hands, kitty="2C 2D", kitty_taker=2)
    assert refusal(rules, free, Action("finish", 0)) == ""


def test_finish_may_leave_the_shooter_a_choice() -> None:
    rules = table("hearts", moon="choose")
    state = before_last_two(rules, {1: EVERYTHING}, ["2C 3D", "4C 4D", "5C 5D", "6C 6D"])
    assert rules.due(rules.apply(state, Action("finish", 0))).phase == "moon"


def test_points_counters_shown_to_others_never_include_the_kitty() -> None:
    rules = table("hearts", 5, surplus="kitty")
    state = before_last_two(
        rules, {1: "2H"}, ["3C 3D", "4C 4D", "5C 5D", "6C 6D", "7C 7D"], kitty="KH QS", kitty_taker=2
    )
    for seat in (None, 0, 1, 2):
        shown = view(rules, state, seat)
        assert shown.points_taken[2] == 0
        assert shown.kitty == (("KH", "QS") if seat == 2 else None)


# --- the clock --------------------------------------------------------------------------------------------------------


def test_the_clock_plays_the_lowest_legal_card_and_passes_the_three_highest() -> None:
    rules = table("hearts")
    state = dealt(rules, {0: "2C 2D 2H 2S AC AD AH AS KC KD KH KS 3C"})
    assert rules.default_action(state, 0).cards == ("AD", "AH", "AS")
    off = table("hearts", passing="off", first_lead="dealer_left")
    state = dealt(off, {1: "2D 2S 2H 3C 4C 5C 6C 7C 8C 9C TC JC QC"}, dealer=0)
    assert off.default_action(state, 1).card == "2D"
    leading = State(**{**ending(off, {}, "AC KC QC JC").__dict__, "hands": (("2H", "2S", "3D"), *[("AC",)] * 3)})
    assert off.default_action(leading, 0).card == "2S", "rank first, then clubs, diamonds, spades, hearts"
