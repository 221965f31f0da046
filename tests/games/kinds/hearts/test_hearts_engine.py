"""The compiled rules of Hearts against `games.rules`, on random games of every table and option."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest

from games.cpu.kernel import ALL, PLACE, bits_of, cards_of, generator
from games.kinds.hearts.cpu import expert_engine as engine
from games.kinds.hearts.cpu.expert_engine import Numbers, table_of
from games.kinds.hearts.options import HeartsOptions
from games.kinds.hearts.rules import Hearts
from games.rules import Rules, State
from games.rules.state import evolve
from tests.games.rules.play import random_game, random_rules

at_every_table = pytest.mark.parametrize("players", HeartsOptions.PLAYERS)


def deals(players: int, games: int = 4) -> Iterator[tuple[Rules, list[State]]]:
    """The states of each deal from its first lead to the last before it is scored."""
    rng = random.Random(f"engine {players}")
    for _ in range(games):
        rules, states = random_rules("hearts", players, rng), []
        for before, _, after in random_game(rules, rng):
            if before.phase == "play":
                states.append(before)
                if after.phase != "play":
                    yield rules, [*states, after]
                    states = []


def position_of(rules: Rules, state: State) -> Numbers:
    """The position at the first lead of a deal."""
    position = np.zeros(engine.POSITION_SIZE, dtype=np.int64)
    for seat in range(rules.players):
        position[engine.HAND + seat] = bits_of(state.hands[seat])
    position[engine.FIRST], position[engine.SOLE] = 1, engine.NOBODY
    position[engine.TURN], position[engine.KITTY] = state.mover, bits_of(state.kitty)
    return position


@at_every_table
def test_legal_cards_turns_tricks_and_scores_are_those_of_the_rules(players: int) -> None:
    played = 0
    for rules, states in deals(players):
        assert isinstance(rules, Hearts)
        table, position = table_of(rules), position_of(rules, states[0])
        for before, after in pairwise(states):
            assert engine.legal(table, position) == bits_of(rules.legal_cards(before))
            assert position[engine.TURN] == before.turn
            assert position[engine.BROKEN] == before.broken
            if not before.trick:
                assert engine.decided(table, position) == rules.is_decided(evolve(before, kitty=())) or before.kitty
            gone = bits_of(before.hands[before.mover]) & ~bits_of(after.hands[before.mover])
            if not gone:  # the deal was finished early
                break
            engine.play(table, position, gone.bit_length() - 1)
            played += 1
            for seat in range(players):
                haul = bits_of(rules.haul(after, seat))
                assert position[engine.TAKEN + seat] == haul
        last = states[-1]
        shooter = rules.shooter(last)
        assert engine.shooter_of(table, position) == (engine.NOBODY if shooter is None else shooter)
        change = np.zeros(8, dtype=np.int64)
        for how, name in ((engine.ADD, "add"), (engine.SUBTRACT, "subtract")):
            if rules.options.moon in (name, "choose") or shooter is None:
                engine.score(table, position, engine.shooter_of(table, position), how, change)
                assert tuple(change[:players]) == rules.score(last, name).change
    assert played > 250


@at_every_table
def test_who_is_void_and_who_alone_has_points_is_kept(players: int) -> None:
    for rules, states in deals(players, games=1):
        table, position = table_of(rules), position_of(rules, states[0])
        voids: list[set[int]] = [set() for _ in range(players)]
        for before, after in pairwise(states):
            gone = bits_of(before.hands[before.mover]) & ~bits_of(after.hands[before.mover])
            if not gone:
                break
            place = gone.bit_length() - 1
            if before.trick and PLACE[before.trick[0]] >> 4 != place >> 4:
                voids[before.mover].add(PLACE[before.trick[0]] >> 4)
            engine.play(table, position, place)
            assert isinstance(rules, Hearts)
            points = [bool(bits_of(rules.haul(after, seat)) & engine.POINT_BITS) for seat in range(players)]
            sole = points.index(True) if sum(points) == 1 else engine.SEVERAL if any(points) else engine.NOBODY
            assert position[engine.SOLE] == sole
            for seat in range(players):
                assert position[engine.VOIDS + seat] == sum(1 << suit for suit in voids[seat])


@at_every_table
def test_random_playouts_take_each_card_once_and_score_as_card_by_card(players: int) -> None:
    """The quick loop against the same chance played by the general functions: as many points a seat, as far as luck."""
    rng, number = random.Random(players), 3000
    for rules, states in deals(players, games=1):
        table, start = table_of(rules), position_of(rules, states[0])
        position, lot = start.copy(), generator(1)
        engine.play_at_random(table, position, lot)
        hauls = [int(position[engine.TAKEN + seat]) for seat in range(players)]
        assert sum(hauls) & int(table[engine.DECISIVE]) == table[engine.DECISIVE]
        assert sum(haul.bit_count() for haul in hauls) == sum(hauls).bit_count()
        quick, slow = np.zeros(8, dtype=np.int64), np.zeros(8, dtype=np.int64)
        engine.random_playouts(table, start, number, lot, position, quick)
        for _ in range(number // 10):
            position[:] = start
            while position[engine.SIZE] or not engine.decided(table, position):
                cards = cards_of(engine.legal(table, position))
                engine.play(table, position, PLACE[rng.choice(cards)])
            shooter = engine.shooter_of(table, position)
            engine.score(table, position, shooter, engine.ADD, change := np.zeros(8, dtype=np.int64))
            jacks = [10 * (int(position[engine.TAKEN + s]) >> engine.JACK & 1) for s in range(players)]
            slow[:players] += change[:players] + np.array(jacks) * table[engine.JACK_SCORES]
        assert np.abs(quick / number - slow / (number // 10)).max() < 2.0
        break


def test_every_card_has_its_bit() -> None:
    rules = next(deals(4, games=1))[0]
    assert table_of(rules)[engine.DECK] == ALL
