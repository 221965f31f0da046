"""Plays one game on the engine and on the naive implementation and compares every answer."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

from games.kinds import KINDS, rules_for
from games.rules import Refused, Rules, State
from games.rules.state import plain
from tests.games.rules.naive import Naive
from tests.games.rules.play import answer_at_random, dealers_action, samples

Setting = Mapping[str, str | int]

#: Arguments of `compare_game`.
Where = tuple[str, int, Setting, int]


class Disagreement(AssertionError):
    """The two implementations differ; the message has all that is needed to play the game again."""


def compare_game(
    kind: str, players: int, options: Setting, seed: int, *, most_deals: int = 60, share: float = 1.0
) -> int:
    """Plays a random game on both, for so many deals at the most; returns the actions.

    Legal actions, default and everything else are compared at this share of the plies; scores and result after every
    deal.
    """
    rng, where = random.Random(seed), (kind, players, options, seed)
    rules, naive = rules_for(kind, players, options), Naive(kind, players, dict(options))
    state = rules.start()
    _same(naive.deck, list(rules.deck), "deck", where, state)
    while True:
        due = rules.due(state)
        if due.phase in ("deal", "over"):
            _compare_scores(rules, state, naive, where)
        elif rng.random() < share:
            _compare(rules, state, naive, rng, where)
        if due.phase == "over" or (due.phase == "deal" and len(state.sheet) >= most_deals):
            return state.ply
        if due.dealer:
            action = dealers_action(rules, state, rng)
        else:
            action = answer_at_random(rules, state, rng.choice(due.seats), rng)
        state = rules.apply(state, action)
        naive.apply(action.to_json())


def _compare_scores(rules: Rules, state: State, naive: Any, where: Where) -> None:
    _same(naive.phase, state.phase, "phase", where, state)
    _same(list(naive.scores), list(state.scores), "scores", where, state)
    _same(list(naive.bags), list(state.bags), "bags", where, state)
    result = rules.result(state)
    _same(naive.result(), None if result is None else plain(result), "result", where, state)


def _compare(rules: Rules, state: State, naive: Any, rng: random.Random, where: Where) -> None:
    due = rules.due(state)
    _same(naive.asked(), list(due.seats), "seats asked", where, state)
    if due.phase == "open":
        return
    seat = rng.choice(due.seats)
    if due.phase != "pass" or rng.random() < 0.1:  # hundreds of triples, compared now and then
        ours = [action.to_json() for action in rules.legal_actions(state, seat)]
        _same(_sorted(naive.legal(seat)), _sorted(ours), f"legal actions of seat {seat}", where, state)
    if rng.random() < 0.2:
        _compare_the_rest(rules, state, naive, seat, where)


def _compare_the_rest(rules: Rules, state: State, naive: Any, seat: int, where: Where) -> None:
    """What is slow to ask of the naive implementation, or seldom goes wrong."""
    _same(naive.phase, state.phase, "phase", where, state)
    _same(naive.deal_number, state.deal, "deal", where, state)
    _same(naive.attempt, state.attempt, "attempt", where, state)
    _same(naive.dealer, state.dealer, "dealer", where, state)
    _same(naive.direction, rules.direction(state.deal), "direction", where, state)
    _same([list(hand) for hand in naive.hands], [list(hand) for hand in state.hands], "hands", where, state)
    if state.phase == "play":
        _same(naive.broken, state.broken, "broken", where, state)
        _same(naive.leader, state.leader, "leader", where, state)
    _same(naive.barred(seat), rules.barred(state, seat), f"barred cards of seat {seat}", where, state)
    _same(naive.default(seat), rules.default_action(state, seat).to_json(), f"default of seat {seat}", where, state)
    for other in set(range(rules.players)) - set(rules.due(state).seats):
        _same(naive.legal(other), [], f"legal actions of seat {other}, which is not asked", where, state)
        break


def _sorted(actions: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(actions, key=repr)


def _same(theirs: object, ours: object, what: str, where: Where, state: State) -> None:
    if theirs != ours:
        kind, players, options, seed = where
        raise Disagreement(
            f"{what}: engine {ours!r}, naive {theirs!r}\n"
            f"compare_game({kind!r}, {players}, {dict(options)!r}, {seed}) at ply {state.ply}: {state}"
        )


def grid(kind: str) -> dict[str, tuple[str | int, ...]]:
    """Every option with the values that are tried; of a whole number both ends, the default and one between."""
    return {option.name: samples(option) for option in KINDS[kind].options.declared()}


def allowed(kind: str, players: int, options: Setting) -> bool:
    """Whether a table accepts the options."""
    try:
        rules_for(kind, players, options)
    except Refused:
        return False
    return True


def pairs(kind: str, players: int) -> set[tuple[tuple[str, str | int], tuple[str, str | int]]]:
    """Every pair of values of two options that a table accepts, together with some values of the others."""
    found = set()
    for (one, one_values), (two, two_values) in combinations(grid(kind).items(), 2):
        for first in one_values:
            for second in two_values:
                if any(allowed(kind, players, {**extra, one: first, two: second}) for extra in _SUPPORTS):
                    found.add(((one, first), (two, second)))
    return found


#: What a value may need beside it to be accepted.
_SUPPORTS: tuple[Setting, ...] = ({}, {"jack_of_diamonds": "minus_ten"})


def covering(kind: str, players: int, seed: int) -> list[Setting]:
    """Option sets that together hold every pair of values: greedy, from random candidates."""
    rng, values = random.Random(seed), grid(kind)
    left = pairs(kind, players)
    chosen: list[Setting] = []
    while left:
        best: tuple[int, Setting] = (0, {})
        for _ in range(30):
            (one, first), (two, second) = rng.choice(tuple(left)) if len(left) < 200 else next(iter(left))
            candidate = {name: rng.choice(some) for name, some in values.items()} | {one: first, two: second}
            if allowed(kind, players, candidate):
                gain = sum(pair in left for pair in combinations(candidate.items(), 2))
                best = max(best, (gain, candidate), key=lambda scored: scored[0])
        chosen.append(best[1])
        left -= set(combinations(best[1].items(), 2))
    return chosen
