"""The compiled Spades against the rules, on random games of every option, and deals sampled from views."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np

from games.cpu.kernel import CARD, PLACE, bits_of, cards_of, generator
from games.kinds.spades.cpu import kernel as k
from games.kinds.spades.cpu.deals import deals_of
from games.kinds.spades.cpu.ending import ENDING, MOST, ROWS, best_play
from games.kinds.spades.cpu.kernel import Numbers
from games.kinds.spades.cpu.policy import WEIGHED, play_out, rule_card
from games.kinds.spades.cpu.table import table_of
from games.kinds.spades.cpu.value import worth
from games.kinds.spades.cpu.weights import WEIGHTS
from games.rules import Action, Rules, State, view
from tests.games.rules.play import answer_at_random, random_game, random_rules


def plies(games: int, seed: str) -> Iterator[tuple[Rules, State, Action, State]]:
    """Random games of Spades under random options."""
    rng = random.Random(seed)
    for _ in range(games):
        rules = random_rules("spades", 4, rng)
        for before, action, after in random_game(rules, rng, answer_at_random):
            yield rules, before, action, after


def arrays(rules: Rules, state: State) -> tuple[Numbers, Numbers]:
    """All hands, and the public part as the seat on turn sees it."""
    hands = np.array([bits_of(hand) for hand in state.hands], np.int64)
    return hands, table_of(view(rules, state, state.turn))


def test_legal_cards_and_plays_are_those_of_the_rules() -> None:
    compared = 0
    for rules, before, action, after in plies(6, "spades kernel"):
        if before.phase != "play" or action.kind != "play" or before.turn is None or action.card is None:
            continue
        hands, deal = arrays(rules, before)
        assert cards_of(k.legal(int(hands[before.turn]), deal)) == tuple(rules.legal_cards(before))
        k.put(hands, deal, PLACE[action.card])
        compared += 1
        assert [cards_of(int(hand)) for hand in hands] == [tuple(hand) for hand in after.hands]
        assert tuple(deal[k.TAKEN : k.TAKEN + 4]) == rules.tricks_of(after)
        if after.phase == "play":
            assert (deal[k.LEADER] + deal[k.PLAYED]) % 4 == after.turn
            again = table_of(view(rules, after, after.turn))
            used = slice(k.TRICK, k.TRICK + int(deal[k.PLAYED]))
            assert list(deal[used]) == list(again[used])
            for name in (k.LEADER, k.PLAYED, k.BROKEN, k.SEEN):
                assert deal[name] == again[name]
            assert list(deal[k.VOIDS : k.VOIDS + 4]) == list(again[k.VOIDS : k.VOIDS + 4])
            if deal[k.PLAYED]:
                assert deal[k.BEST] == again[k.BEST]
    assert compared > 1000


def test_deals_score_as_the_rules_score_them() -> None:
    into, compared = np.zeros(2, np.int64), 0
    for rules, before, action, after in plies(30, "spades score"):
        if len(after.sheet) == len(before.sheet):
            continue
        hands, deal = arrays(rules, before)
        if action.kind == "finish":
            deal[k.TAKEN + (before.turn or 0)] += len(before.hands[before.turn or 0])
        else:
            k.put(hands, deal, PLACE[action.card or ""])
        for side in (0, 1):
            k.score(deal, side, into)
            assert into[0] == after.sheet[-1].change[side]
            if deal[k.PENALTY]:
                assert into[1] == after.bags[side]
        if after.phase == "over" and after.scores[0] != after.scores[1]:
            scratch = np.zeros(2, np.int64)
            assert round(worth(deal, 0, scratch)) == (after.scores[0] > after.scores[1])
        compared += 1
    assert compared > 40


def test_deals_played_out_by_rules_or_chance_are_legal_to_the_end() -> None:
    """Every card of a playout is one that the rules allow."""
    cards, costs, rng = np.zeros(WEIGHED, np.int64), np.zeros(WEIGHED), generator(4)
    for rules, before, _, _ in plies(3, "spades policy"):
        if before.phase != "play" or before.turn is None:
            continue
        hands, deal = arrays(rules, before)
        hand = int(hands[before.turn])
        card = rule_card(hand, k.legal(hand, deal), deal, WEIGHTS, cards, costs)
        assert CARD[int(card)] in rules.legal_cards(before)
        for noise in (0.0, 1.0):
            after, table = hands.copy(), deal.copy()
            play_out(after, table, noise, WEIGHTS, rng, cards, costs)
            assert not after.any()
            assert table[k.TAKEN : k.TAKEN + 4].sum() == 13


def by_trying(hands: Numbers, deal: Numbers, side: int) -> float:
    """What a position with open hands is worth, every line of play being looked at."""
    seat = int(deal[k.LEADER] + deal[k.PLAYED]) % 4
    if not hands[seat]:
        return worth(deal, side, np.zeros(2, np.int64))
    values = []
    for card in cards_of(k.legal(int(hands[seat]), deal)):
        after, table = hands.copy(), deal.copy()
        k.put(after, table, PLACE[card])
        values.append(by_trying(after, table, side))
    return max(values) if seat % 2 == side else min(values)


def test_the_last_tricks_are_solved_exactly() -> None:
    rows = np.zeros((ROWS, 4), np.int64), np.zeros((ROWS, k.SIZE), np.int64)
    scratch, solved, rng = np.zeros(2, np.int64), 0, random.Random(6)
    for rules, state, _, _ in plies(4, "spades ending"):
        left = len(state.hands[state.turn or 0])
        if state.phase != "play" or left > ENDING or rng.random() < (0.9 if left == ENDING else 0.5):
            continue
        hands, deal = arrays(rules, state)
        rows[0][0], rows[1][0] = hands, deal
        for side in (0, 1):
            exact = best_play(*rows, 0, side, -MOST, MOST, scratch)
            assert abs(exact - by_trying(hands, deal, side)) < 1e-9
        solved += 1
    assert solved > 60


def test_sampled_deals_fit_all_that_the_seat_knows() -> None:
    """Own hand, sizes of hands, suits in which a seat failed to follow, and the cards given in an exchange."""
    seen = 0
    rng = random.Random(5)
    for rules, state, _, _ in plies(12, "spades deals"):
        if state.phase not in ("bid", "exchange", "play") or rng.random() < 0.7:
            continue
        seat = rules.due(state).seats[0]
        known = deals_of(view(rules, state, seat))
        assert known is not None
        for hands in known.sample(8, 3):
            assert int(hands[seat]) == bits_of(state.hands[seat])
            assert [int(hand).bit_count() for hand in hands] == [len(hand) for hand in state.hands]
            assert int(np.bitwise_or.reduce(hands)) == sum(bits_of(hand) for hand in state.hands)
            for other in range(4):
                for suit in range(4):
                    if known.table[k.VOIDS + other] >> suit & 1:
                        assert not k.in_suit(int(hands[other]), suit)
            given = view(rules, state, seat).gave
            if given and state.phase == "play":
                left = bits_of(given) & ~int(known.table[k.SEEN])
                assert left & ~int(hands[(seat + 2) % 4]) == 0
        seen += 1
    assert seen > 150


def test_every_deal_that_is_possible_is_drawn_as_often() -> None:
    """A little ending with a void: three hidden cards each, counted over many samples."""
    rng = random.Random(11)
    rules = random_rules("spades", 4, rng, blind_nil="no")
    for state, _, _ in random_game(rules, rng, answer_at_random, top_hands=0.0):
        if state.phase == "play" and len(state.tricks) == 11 and not state.trick:
            break
    known = deals_of(view(rules, state, state.turn))
    assert known is not None
    known.heard[:] = -1
    known.cards.resize(0, refcheck=False)
    drawn: dict[tuple[int, ...], int] = {}
    number = 20_000
    for hands in known.sample(number, 9):
        key = tuple(int(hand) for hand in hands)
        drawn[key] = drawn.get(key, 0) + 1
    assert len(drawn) == int(known.ways[0, known.room[0], known.room[1]])
    assert max(drawn.values()) < 1.35 * number / len(drawn)
    assert min(drawn.values()) > 0.65 * number / len(drawn)
