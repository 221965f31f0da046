"""Spades, rule sentence by rule sentence.

E-numbers are the worked examples of the rules, S-numbers known faults of other programs.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest

from games.rules import DECK, Action, Rules, State, in_order, view
from games.rules.state import evolve
from tests.games.rules.rig import dealt, legal, play, refusal, spades_deal, table, why_not


def bid(rules: Rules, state: State, bids: str) -> State:
    """The state after these bids, from the seat on turn on."""
    for number in bids.split():
        state = rules.apply(state, Action("bid", state.turn, bid=int(number)))
    return state


def in_play(rules: Rules, hands: dict[int, str], *, dealer: int = 3, bids: str = "3 3 3 3") -> State:
    """A deal with these hands after the bidding; seat 0 leads where the dealer's left does."""
    return bid(rules, dealt(rules, hands, dealer=dealer), bids)


def scored(bids: str, tricks: str, *, options: dict[str, Any] | None = None, **fields: Any) -> tuple[int, int]:
    """What side 0 scores for the deal, and the bags it then has."""
    state = spades_deal(table("spades", **(options or {})), bids, tricks, **fields)
    return state.sheet[-1].change[0], state.bags[0]


# --- deal and bids ----------------------------------------------------------------------------------------------------


def test_four_players_thirteen_cards_and_the_deal_moves_left() -> None:
    rules = table("spades")
    state = dealt(rules, {}, dealer=1)
    assert [len(hand) for hand in state.hands] == [13] * 4
    assert state.dealer == 1
    over = spades_deal(rules, "3 3 3 3", "4 3 3 3")
    assert rules.next_deal(over)[2] == 1


def test_bids_go_from_the_dealers_left_in_turn_from_0_to_13_with_no_cap_on_the_sum() -> None:
    rules = table("spades")
    state = dealt(rules, {}, dealer=1)
    assert (state.phase, state.turn) == ("bid", 2)
    assert [a.bid for a in rules.legal_actions(state, 2)] == list(range(14))
    assert refusal(rules, state, Action("bid", 3, bid=3)) == "not_your_turn"
    assert refusal(rules, state, Action("bid", 2, bid=14)) == "bid_out_of_range"
    assert refusal(rules, state, Action("bid", 2, bid=-1)) == "bid_out_of_range"
    assert rules.ask_id(state, 2) == "1.0.bid.1"
    state = bid(rules, state, "13 13 13 13")
    assert (state.phase, state.turn, state.bids) == ("play", 2, (13, 13, 13, 13))


# --- play -------------------------------------------------------------------------------------------------------------


def test_first_lead_dealer_left_any_card_but_a_spade() -> None:
    rules = table("spades", first_lead="dealer_left")
    state = in_play(rules, {0: "2C 5D 7H 9S"})
    assert state.turn == 0
    assert {"2C", "5D", "7H"} <= set(legal(rules, state).split())
    assert why_not(rules, state, "9S") == "spades_not_broken"


def test_first_lead_club_two_must_be_led_by_its_holder_even_after_bidding_nil() -> None:
    rules = table("spades", first_lead="club_two")
    state = in_play(rules, {2: "2C 3C"}, bids="3 3 0 3")
    assert (state.turn, legal(rules, state)) == (2, "2C")
    assert why_not(rules, state, "3C") == "must_lead_opening_card"


def test_s03_spades_may_not_be_led_before_they_are_broken() -> None:
    rules = table("spades")
    state = in_play(rules, {0: "2C AS"})
    assert why_not(rules, state, "AS") == "spades_not_broken"


def test_s02_a_hand_of_spades_may_lead_one_and_that_breaks_them() -> None:
    rules = table("spades")
    spades = "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS"
    state = in_play(rules, {0: spades})
    assert legal(rules, state) == spades
    assert play(rules, state, "2S").broken


def test_s01_after_a_ruff_spades_may_be_led() -> None:
    rules = table("spades")
    state = in_play(rules, {0: "AC 2D KS", 1: "2C", 2: "3C", 3: "2S 3S 4S 5S 6S 7S 2H 3H 4H 5H 6H 7H 8H"})
    state = play(rules, state, "AC 2C 3C 2S")
    assert (state.broken, state.turn) == (True, 3)
    assert {"3S", "2H"} <= set(legal(rules, state).split())


def test_s04_the_led_suit_must_be_followed_before_a_spade_may_be_played() -> None:
    rules = table("spades")
    state = play(rules, in_play(rules, {0: "2D", 1: "3D 4D AS"}), "2D")
    assert why_not(rules, state, "AS") == "must_follow_suit"
    assert set(legal(rules, state).split()) <= {card for card in rules.deck if card[1] == "D"}


def test_trick_one_lets_a_void_seat_ruff_or_discard() -> None:
    rules = table("spades")
    state = play(rules, in_play(rules, {0: "2D", 1: "2C 3C 4C 5C 6C 7C 8C 9C TC 2S 3S 4S 5S"}), "2D")
    assert len(legal(rules, state).split()) == 13


@pytest.mark.parametrize(
    ("cards", "winner"),
    [
        ("9D TD 2D 3D", 1),
        ("TD 9D KC 3D", 0),
        ("AD 2S 3S KD", 2),
        ("AD AC AH 2D", 0),
        ("2S AS KD QS", 1),
    ],
)
def test_s05_the_highest_trump_or_else_the_highest_card_of_the_led_suit_wins(cards: str, winner: int) -> None:
    assert table("spades").winner(0, cards.split()) == winner


def test_s06_the_winner_of_a_trick_leads_the_next() -> None:
    rules = table("spades")
    state = in_play(rules, {0: "2D", 1: "TD", 2: "9D", 3: "3D"})
    state = play(rules, state, "2D TD 9D 3D")
    assert (state.turn, state.leader) == (1, 1)


# --- scoring ----------------------------------------------------------------------------------------------------------


def test_e19_contract_5_with_7_tricks_is_52_and_two_bags() -> None:
    assert scored("3 3 2 3", "4 3 3 3") == (52, 2)


def test_a_missed_contract_costs_ten_a_trick_bid_and_gives_no_bags() -> None:
    assert scored("4 2 2 2", "3 4 2 4") == (-60, 0)


def test_a_made_nil_is_worth_100_and_the_partners_contract_stands_alone() -> None:
    assert scored("0 3 4 3", "0 4 4 5") == (140, 0)


def test_e20_a_failed_nil_never_helps_the_contract_and_its_tricks_are_bags() -> None:
    assert scored("0 5 2 5", "1 6 1 5") == (-100 - 20 + 1, 1)


def test_a_failed_nils_tricks_are_bags_beside_a_made_contract() -> None:
    assert scored("0 4 3 4", "2 4 4 3") == (-100 + 30 + 1 + 2, 3)


def test_s18_two_nils_each_on_its_own_and_every_trick_a_bag() -> None:
    assert scored("0 5 0 5", "3 5 0 5") == (-100 + 3 + 100, 3)
    assert scored("0 5 0 5", "0 7 0 6") == (200, 0)
    assert scored("0 5 0 5", "2 5 1 5") == (-200 + 3, 3)


def test_e21_s09_ten_bags_cost_a_hundred_and_the_rest_is_carried() -> None:
    assert scored("2 4 2 4", "4 3 3 3", bags=(9, 0)) == (40 + 3 - 100, 2)


def test_s08_the_tenth_bag_counts() -> None:
    assert scored("2 4 2 4", "3 4 2 4", bags=(9, 0)) == (40 + 1 - 100, 0)
    assert scored("2 4 2 4", "3 4 2 4", bags=(8, 0)) == (41, 9)


def test_e22_s07_s12_several_tens_in_one_deal_each_cost_a_hundred() -> None:
    assert scored("0 1 1 0", "0 1 12 0", bags=(9, 0)) == (-79, 0)


def test_s10_bags_are_their_own_counter_whatever_the_score() -> None:
    assert scored("1 4 1 4", "5 4 4 0", scores=(-37, 0), bags=(3, 0)) == (20 + 7 - 100, 0)


def test_bag_penalty_no_still_scores_each_bag() -> None:
    assert scored("2 4 2 4", "4 3 3 3", options={"bag_penalty": "no"}, bags=(9, 0)) == (43, 12)


def test_s16_the_sides_are_scored_apart() -> None:
    state = spades_deal(table("spades"), "0 3 3 3", "1 4 5 3")
    assert state.sheet[-1].change == (-100 + 30 + 2 + 1, 61)


def test_s14_blind_nil_made_beside_a_failed_nil_is_the_sum_of_two_results() -> None:
    assert scored("blind 5 nil 4", "0 6 2 5") == (200 - 100 + 2, 2)
    assert scored("blind 5 4 4", "1 5 4 3") == (-200 + 40 + 1, 1)


def test_s29_nil_is_worth_100_and_blind_nil_200_everywhere() -> None:
    lines = spades_deal(table("spades"), "blind 5 nil 4", "0 6 2 5").sheet[-1].lines
    assert {line.what: line.amount for line in lines if line.side == 0} == {
        "blind_nil": 200,
        "failed_nil": -100,
        "bags": 2,
    }


# --- the end ----------------------------------------------------------------------------------------------------------


def ended(
    bids: str, tricks: str, scores: tuple[int, int], options: dict[str, Any] | None = None, deal: int = 5
) -> State:
    return spades_deal(table("spades", **(options or {})), bids, tricks, scores=scores, deal=deal)


def test_e23_s21_the_higher_score_wins_and_equal_scores_play_on() -> None:
    won = ended("3 3 3 3", "4 3 3 3", (450, 470))  # +61, +60
    assert (won.scores, won.reason) == ((511, 530), "target")
    result = table("spades").result(won)
    assert result is not None
    assert result.placings == (2, 1, 2, 1)
    tied = ended("3 3 3 3", "4 3 3 3", (450, 451))
    assert (tied.scores, tied.phase) == ((511, 511), "deal")


def test_s22_bag_points_count_towards_the_target() -> None:
    state = ended("4 3 5 3", "4 3 3 3", (0, 0))
    assert state.phase == "deal"
    assert ended("2 2 2 3", "4 3 3 3", (457, 0)).scores[0] == 500
    assert ended("2 2 2 3", "4 3 3 3", (457, 0)).reason == "target"
    assert ended("2 2 2 3", "4 3 3 3", (456, 0)).phase == "deal"


def test_s23_s31_e31_a_tie_over_the_target_is_played_on_even_if_both_fall_below_it() -> None:
    state = ended("6 6 6 6", "4 3 3 3", (600, 580))  # -120 each
    assert (state.scores, state.phase) == ((480, 460), "deal")


def test_e24_the_floor_ends_the_game_for_the_higher_score() -> None:
    state = ended("3 3 2 3", "2 4 2 5", (-150, 0))
    assert (state.scores[0], state.reason) == (-200, "floor")
    result = table("spades").result(state)
    assert result is not None
    assert result.placings == (2, 1, 2, 1)


def test_floor_no_lets_the_game_go_on_below_minus_200() -> None:
    assert ended("3 3 2 3", "2 4 2 5", (-150, 0), {"floor": "no"}).phase == "deal"
    assert ended("3 3 2 3", "2 4 2 5", (-149, 0)).phase == "deal"


def test_floor_and_target_are_looked_at_after_contract_nil_and_bags() -> None:
    state = spades_deal(table("spades"), "2 4 2 4", "4 3 3 3", scores=(480, 0), bags=(9, 0), deal=3)
    assert (state.scores[0], state.phase) == (423, "deal"), "480 + 43 would be enough but for the bags"


def test_equal_scores_at_the_floor_play_on() -> None:
    state = ended("6 6 6 6", "4 3 3 3", (-100, -100))
    assert (state.scores, state.phase) == ((-220, -220), "deal")


def test_e26_s19_the_running_total_is_tested_not_the_deal() -> None:
    state = ended("1 5 1 5", "2 5 3 3", (495, 0))
    assert (state.scores[0], state.reason) == (518, "target")


def test_target_option_is_the_score_to_reach() -> None:
    assert ended("3 3 3 3", "4 3 3 3", (189, 0), {"target": 250}).reason == "target"
    assert ended("3 3 3 3", "4 3 3 3", (188, 0), {"target": 250}).phase == "deal"


def test_s20_sixty_deals_at_the_most_then_the_higher_score_wins_and_equal_is_a_draw() -> None:
    rules = table("spades")
    state = ended("3 3 3 3", "4 3 3 3", (10, 0), deal=60)
    assert state.reason == "deal_cap"
    draw = ended("3 3 3 3", "4 3 3 3", (10, 11), deal=60)
    result = rules.result(draw)
    assert result is not None
    assert (result.reason, result.placings) == ("deal_cap", (1, 1, 1, 1))
    assert ended("3 3 3 3", "4 3 3 3", (10, 11), deal=59).phase == "deal"
    assert ended("3 3 3 3", "4 3 3 3", (450, 0), deal=60).reason == "target", "no cap stopped it"


def test_s25_the_dealer_follows_from_the_log_alone() -> None:
    rules = table("spades")
    state = ended("3 3 3 3", "4 3 3 3", (0, 0), deal=1)
    assert dealt(rules, {}, before=state).dealer == 1


def test_s27_the_last_trick_and_its_winner_are_kept_at_the_end() -> None:
    state = ended("3 3 3 3", "4 3 3 3", (450, 0))
    assert len(state.tricks) == 13
    assert view(table("spades"), state, None).tricks[-1] == state.tricks[-1]


# --- blind nil --------------------------------------------------------------------------------------------------------


def behind(gap: int = 100, **options: Any) -> tuple[Rules, State]:
    """A deal with blind nil in which side 1 is behind by so much; seat 0 has dealt, seat 1 holds the two of clubs."""
    rules = table("spades", blind_nil="yes", **options)
    state = rules.apply(rules.start(), Action("open", dealer=0))
    return rules, dealt(rules, {0: "AS", 1: "2C"}, before=evolve(state, scores=(0, -gap)))


def test_e25_blind_nil_yes_asks_both_players_of_the_side_behind_before_their_cards_are_seen() -> None:
    rules, state = behind()
    assert (state.phase, rules.due(state).seats) == ("blind", (1, 3))
    assert [view(rules, state, seat).hand is None for seat in range(4)] == [False, True, False, True]
    one = rules.apply(state, Action("blind", 1, blind=False))
    assert view(rules, one, 1).hand is None, "nobody asked sees a card before all asked have answered"
    assert view(rules, one, 3).blinds == ()
    both = rules.apply(one, Action("blind", 3, blind=True))
    assert view(rules, both, 1).hand == both.hands[1]
    assert view(rules, both, 0).blinds == (None, False, None, True)


def test_blind_nil_needs_a_gap_of_100_at_the_start_of_the_deal_and_the_option() -> None:
    assert behind(99)[1].phase == "bid"
    rules = table("spades", blind_nil="no")
    state = rules.apply(rules.start(), Action("open", dealer=0))
    assert dealt(rules, {}, before=evolve(state, scores=(0, -300))).phase == "bid"


def test_blind_bidders_are_passed_over_in_the_bidding() -> None:
    rules, state = behind()
    state = rules.apply(state, Action("blind", 1, blind=True))
    assert refusal(rules, state, Action("blind", 1, blind=False)) == "already_answered"
    assert refusal(rules, state, Action("blind", 0, blind=False)) == "not_your_turn"
    state = rules.apply(state, Action("blind", 3, blind=False))
    assert (state.phase, state.turn) == ("bid", 2)
    assert rules.ask_id(state, 2) == "1.0.bid.2"
    state = bid(rules, state, "3 0")
    assert (state.turn, state.bids) == (0, (None, 0, 3, 0)), "an ordinary nil after seeing the hand is possible"
    assert bid(rules, state, "4").phase == "exchange"


def exchanging() -> tuple[Rules, State]:
    rules, state = behind()
    for seat, blind in ((1, True), (3, False)):
        state = rules.apply(state, Action("blind", seat, blind=blind))
    return rules, bid(rules, state, "3 4 3")


def test_a_blind_bidder_and_the_partner_swap_two_cards_hidden_until_both_chose() -> None:
    rules, state = exchanging()
    assert (state.phase, rules.due(state).seats) == ("exchange", (1, 3))
    one, three = state.hands[1][:2], state.hands[3][:2]
    assert refusal(rules, state, Action("exchange", 1, cards=one[:1])) == "wrong_count"
    assert refusal(rules, state, Action("exchange", 0, cards=state.hands[0][:2])) == "not_your_turn"
    assert len(rules.legal_actions(state, 1)) == 78
    half = rules.apply(state, Action("exchange", 1, cards=one))
    assert view(rules, half, 3).received is None
    assert view(rules, half, 3).answered == (1,)
    done = rules.apply(half, Action("exchange", 3, cards=three))
    assert done.phase == "play"
    assert set(one) <= set(done.hands[3])
    assert set(three) <= set(done.hands[1])
    assert view(rules, done, 1).received == three
    assert view(rules, done, 0).received is None


def test_two_blind_partners_do_not_swap() -> None:
    rules, state = behind()
    for seat in (1, 3):
        state = rules.apply(state, Action("blind", seat, blind=True))
    state = bid(rules, state, "3 4")
    assert (state.phase, state.bids) == ("play", (4, 0, 3, 0))


def test_nobody_blind_means_an_ordinary_deal() -> None:
    rules, state = behind()
    for seat in (3, 1):
        state = rules.apply(state, Action("blind", seat, blind=False))
    assert (state.phase, state.turn) == ("bid", 1)
    assert bid(rules, state, "0 3 3 3").phase == "play"


def test_club_two_is_looked_for_after_the_exchange() -> None:
    rules, state = behind(first_lead="club_two")
    for seat, blind in ((1, True), (3, False)):
        state = rules.apply(state, Action("blind", seat, blind=blind))
    state = bid(rules, state, "3 4 3")
    state = rules.apply(state, Action("exchange", 1, cards=("2C", state.hands[1][1])))
    state = rules.apply(state, Action("exchange", 3, cards=state.hands[3][-2:]))
    assert (state.turn, legal(rules, state)) == (3, "2C")


# --- finish -----------------------------------------------------------------------------------------------------------


def late(hands: list[str], bids: tuple[int, ...] = (3, 3, 3, 3)) -> tuple[Rules, State]:
    """Seat 0 on lead with few cards left; all cards that nobody holds have been played."""
    rules = table("spades")
    state = spades_deal(rules, "3 3 3 3", "4 3 3 3")
    held = [tuple(hand.split()) for hand in hands]
    gone = [card for card in rules.deck if not any(card in hand for hand in held)]
    trick = state.tricks[0]
    tricks = tuple(type(trick)(1, tuple(gone[i : i + 4]), 1) for i in range(0, len(gone), 4))
    fields = {"phase": "play", "hands": tuple(held), "tricks": tricks, "bids": bids, "turn": 0, "leader": 0}
    return rules, evolve(state, **fields, sheet=(), scores=(0, 0), bags=(0, 0), reason=None)


def test_finish_is_offered_to_a_hand_that_wins_every_trick_in_any_order() -> None:
    rules, state = late(["AD KS AS", "2D 3D QS", "2H 3H 4H", "5H 6H 7H"])
    assert refusal(rules, state, Action("finish", 0, cards=state.hands[0])) == "not_decided", "the queen could ruff"
    rules, state = late(["AD KS AS", "2D 3D 4D", "2H 3H 4H", "5H 6H 7H"])
    finish = Action("finish", 0, cards=state.hands[0])
    assert finish in rules.legal_actions(state, 0)
    after = rules.apply(state, finish)
    assert rules.tricks_of(after) == (3, 10, 0, 0)
    assert after.sheet[-1].change == (-60, 64)


def test_finish_by_high_trumps_alone_whatever_else_is_out() -> None:
    rules, state = late(["QS KS AS", "2D JS TS", "AH 3H 4H", "AC 6H 7H"])
    assert refusal(rules, state, Action("finish", 0, cards=state.hands[0])) == ""
    rules, state = late(["JS KS AS", "2D QS TS", "AH 3H 4H", "AC 6H 7H"])
    assert refusal(rules, state, Action("finish", 0, cards=state.hands[0])) == "not_decided"


def test_finish_shows_the_whole_hand_and_takes_the_tricks_a_nil_bidders_too() -> None:
    rules, state = late(["QS KS AS", "2D JS TS", "AH 3H 4H", "AC 6H 7H"], bids=(0, 3, 0, 3))
    assert refusal(rules, state, Action("finish", 0, cards=("QS", "KS"))) == "wrong_proof"
    assert refusal(rules, state, Action("finish", 0)) == "wrong_proof"
    assert refusal(rules, state, Action("finish", 1, cards=state.hands[1])) == "not_your_turn"
    after = rules.apply(state, Action("finish", 0, cards=("AS", "QS", "KS")))
    assert {(line.what, line.amount) for line in after.sheet[-1].lines if line.side == 0} == {
        ("failed_nil", -100),
        ("nil", 100),
        ("bags", 3),
    }


def wins_all_for_certain(rules: Rules, state: State) -> bool:
    """Whether the leader wins every remaining trick: every deal of the unseen cards that fits, every line of play."""
    leader, hand = state.mover, state.hands[state.mover]
    unseen = [card for card in rules.deck if card not in rules.public_cards(state) and card not in hand]
    voids: dict[int, set[str]] = {seat: set() for seat in range(4)}
    for trick in state.tricks:
        for place, card in enumerate(trick.cards):
            if card[1] != trick.cards[0][1]:
                voids[(trick.leader + place) % 4].add(trick.cards[0][1])
    others = [seat for seat in range(4) if seat != leader]
    for hands in hands_from(unseen, others, len(hand), voids):
        dealt_out = evolve(state, hands=tuple(hands.get(seat, hand) for seat in range(4)))
        if not wins_every_line(rules, dealt_out, leader):
            return False
    return True


def hands_from(
    cards: list[str], seats: list[int], size: int, voids: dict[int, set[str]]
) -> Iterator[dict[int, tuple[str, ...]]]:
    """Every way to give so many of the cards to each seat."""
    if not seats:
        yield {}
        return
    for chosen in combinations([card for card in cards if card[1] not in voids[seats[0]]], size):
        for rest in hands_from([card for card in cards if card not in chosen], seats[1:], size, voids):
            yield {seats[0]: in_order(chosen), **rest}


def wins_every_line(rules: Rules, state: State, leader: int) -> bool:
    if state.sheet:
        return True
    for card in rules.legal_cards(state):
        after = rules.apply(state, Action("play", state.turn, card=card))
        if len(after.tricks) > len(state.tricks) and after.tricks[-1].winner != leader:
            return False
        if not wins_every_line(rules, after, leader):
            return False
    return True


def test_finish_is_offered_exactly_where_every_deal_and_every_line_wins() -> None:
    """Two tricks before the end, against everything that could be. Random deals, led by hands with high cards."""
    rules, rng = table("spades"), random.Random(2)
    offered = 0
    for _ in range(250):
        state = rules.apply(rules.start(), Action("open", dealer=rng.randrange(4)))
        state = rules.apply(state, Action("deal", pack=tuple(rng.sample(DECK, 52))))
        state = bid(rules, state, "3 3 3 3")
        while len(state.tricks) < 11:
            low = sorted(rules.legal_cards(state), key=lambda card: "23456789TJQKA".index(card[0]))
            state = rules.apply(state, Action("play", state.turn, card=low[0]))
        is_offered = rules.finish(state) is not None
        assert is_offered == wins_all_for_certain(rules, state), state
        offered += is_offered
    assert 30 < offered < 220


def test_finish_sees_that_whoever_has_the_last_spade_must_follow() -> None:
    rules, state = late(["AC AS", "2S 3C", "4C 5C", "6C 7C"])
    assert refusal(rules, state, Action("finish", 0, cards=state.hands[0])) == ""
    rules, state = late(["AC AS", "2S 3D", "4C 5C", "6C 7C"])
    assert refusal(rules, state, Action("finish", 0, cards=state.hands[0])) == "not_decided"


def test_finish_between_tricks_only() -> None:
    rules, state = late(["QS KS AS", "2D JS TS", "AH 3H 4H", "AC 6H 7H"])
    led = play(rules, state, "AS JS AH AC")
    assert refusal(rules, led, Action("finish", 0, cards=led.hands[0])) == ""
    assert refusal(rules, play(rules, state, "AS"), Action("finish", 1, cards=state.hands[1])) == "not_decided"


# --- the clock --------------------------------------------------------------------------------------------------------


def test_the_clock_bids_aces_and_kings_and_at_least_one() -> None:
    rules = table("spades")
    state = dealt(rules, {1: "AC KD KS 2C 3C 4C 5C 6C 7C 8C 9C TC JC"}, dealer=0)
    assert rules.default_action(state, 1).bid == 3
    state = dealt(rules, {1: "QC 2C 3C 4C 5C 6C 7C 8C 9C TC JC 2D 3D"}, dealer=0)
    assert rules.default_action(state, 1).bid == 1


def test_the_clock_is_never_blind_and_exchanges_the_two_lowest() -> None:
    rules, state = behind()
    assert rules.default_action(state, 1) == Action("blind", 1, blind=False)
    rules, state = exchanging()
    lowest = sorted(state.hands[1], key=lambda card: ("23456789TJQKA".index(card[0]), "CDSH".index(card[1])))[:2]
    assert set(rules.default_action(state, 1).cards) == set(lowest)
