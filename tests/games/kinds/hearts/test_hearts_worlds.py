"""The worlds of the Hearts expert: they fit what is certain, and lean towards what the cards played so far tell."""

from __future__ import annotations

import random

import numpy as np
import pytest

from games.cpu.kernel import PLACE, bits_of
from games.kinds.hearts.cpu.expert_engine import DECK, HAND, PLAYED, TRICK, legal
from games.kinds.hearts.cpu.expert_policy import distinct
from games.kinds.hearts.cpu.expert_tables import costs_of
from games.kinds.hearts.cpu.expert_view import Seen, see
from games.kinds.hearts.cpu.expert_worlds import Worlds, chance_of
from games.kinds.hearts.options import HeartsOptions
from games.rules import Action, Rules, State, view
from tests.games.cpu.test_planted import hold_deal
from tests.games.rules.play import answer_at_random, random_game, random_rules
from tests.games.rules.rig import dealt, table

NUMBER = 400


def seen_by(rules: Rules, state: State, seat: int) -> Seen:
    seen = see(view(rules, state, seat), rules)
    assert seen is not None
    return seen


def share(worlds: Worlds, place: int, card: str) -> float:
    """In which share of the worlds the hand at this place holds a card."""
    return float((worlds.pool[worlds.order, place] >> PLACE[card] & 1).mean())


@pytest.mark.parametrize("players", HeartsOptions.PLAYERS)
def test_every_world_deals_the_hidden_cards_and_nothing_else(players: int) -> None:
    rng, tried = random.Random(f"worlds {players}"), 0
    for _ in range(3):
        rules = random_rules("hearts", players, rng)
        for state, _, _ in random_game(rules, rng, answer_at_random):
            if state.phase != "play" or rng.random() > 0.1:
                continue
            seat = rules.due(state).seats[0]
            seen, seen_view = seen_by(rules, state, seat), view(rules, state, seat)
            worlds, tried = Worlds(seen, 3, 600, 50), tried + 1
            hidden = int(seen.table[DECK]) & ~int(seen.position[PLAYED] | seen.position[HAND + seat])
            hidden &= ~bits_of(seen_view.kitty or ())
            sizes = [state.hands[(seat + 1 + i) % players] for i in range(players - 1)]
            for deal in worlds.pool[worlds.order]:
                hands = [int(hand) for hand in deal[:players]]
                assert sum(hands) == hidden
                assert [hand.bit_count() for hand in hands][: players - 1] == [len(hand) for hand in sizes]
    assert tried > 5


def test_the_chances_of_the_cards_of_a_seat_add_up() -> None:
    rng, tried = random.Random(4), 0
    found = np.zeros(16, dtype=np.int64)
    for _ in range(2):
        rules = random_rules("hearts", 4, rng)
        for state, _, _ in random_game(rules, rng, answer_at_random):
            if state.phase != "play":
                continue
            seat = rules.due(state).seats[0]
            seen = seen_by(rules, state, seat)
            position = seen.position
            out = int(seen.table[DECK]) & ~int(position[PLAYED] | position[HAND + seat])
            options = distinct(legal(seen.table, position), out | int(position[TRICK]))
            places = [place for place in range(64) if options >> place & 1]
            total = sum(chance_of(seen.table, position, costs_of(seen.table), found, place) for place in places)
            assert total == pytest.approx(1.0, abs=1e-3)
            tried += len(places) > 1
    assert tried > 50


def test_who_did_not_throw_the_queen_when_it_could_hardly_holds_her() -> None:
    hands = {
        0: "5C 2D 3D 4D 5D 6D 7D 2H 3H 4H 2S 3S 4S",
        1: "9C TC 8D 9D TD JD QD 8H 9H TH 5S 6S 7S",
        2: "KD AD KH AH QH JH 7H 6H 5H QS JS TS 9S",
        3: "KC AC QC JC 2C 3C 4C 6C 7C 8C KS AS 8S",
    }
    rules, state = hold_deal(hands, "5C 9C KD KC")  # seat 2 has no club, and throws the king of diamonds
    worlds = Worlds(seen_by(rules, state, 3), 1, 3000, NUMBER)
    queen = [share(worlds, place, "QS") for place in range(3)]  # of seats 0, 1 and 2
    assert sum(queen) == pytest.approx(1.0)
    assert queen[2] < 0.15


def test_who_was_passed_to_has_passed_the_queen_and_high_cards_on() -> None:
    rules = table("hearts", passing="always_left")
    state = dealt(rules, {0: "2C 3C 4C 5C 2D 3D 4D 2H 3H 4H 2S 3S 4S"})
    for seat in range(4):
        given = ("2H", "3H", "4H") if seat == 0 else state.hands[seat][:3]
        state = rules.apply(state, Action("pass", seat, cards=given))
    worlds = Worlds(seen_by(rules, state, 0), 1, 3000, NUMBER)
    for card in ("QS", "AD", "KD"):  # of the left neighbour and the one beyond
        assert share(worlds, 0, card) < 0.75 * share(worlds, 1, card)


def test_who_ducked_low_is_thought_to_have_nothing_between() -> None:
    hands = {
        0: "9C 2C 2D 3D 4D 5D 6D 7D 2H 3H 4H 2S 3S",
        1: "3C TD JD QD KD AD 8H 9H TH JH 5S 6S 7S",
        2: "8C JC 8D 9D 5H 6H 7H QH KH AH QS JS TS",
        3: "TC QC KC AC 4C 5C 6C 7C AS KS 9S 8S 4S",
    }
    rules, state = hold_deal(hands, "9C 3C")
    worlds = Worlds(seen_by(rules, state, 2), 1, 3000, NUMBER)
    for card in ("5C", "6C", "7C"):  # of seats 3 and 1
        assert share(worlds, 2, card) < 0.7 * share(worlds, 0, card)


def test_the_same_seed_gives_the_same_worlds() -> None:
    rules, state = hold_deal({0: "JS 2C", 1: "QS"}, "JS QS")
    seen = seen_by(rules, state, 2)
    one, two, other = (Worlds(seen, seed, 900, 30) for seed in (5, 5, 6))
    assert one.size == 150
    assert (one.pool[one.order] == two.pool[two.order]).all()
    assert not (one.pool[one.order] == other.pool[other.order]).all()
