"""The search of the Spades expert, compiled: every card that may be played, in every sampled deal, played out by rules."""

from __future__ import annotations

import math

import numpy as np

from games.cpu import spades_kernel as k
from games.cpu.kernel import compiled
from games.cpu.spades_kernel import Numbers, put
from games.cpu.spades_policy import WEIGHED, play_out
from games.cpu.spades_value import Floats, worth
from games.cpu.spades_worlds import Hands

#: How often any card is played instead of that of the rules.
NOISE = 0.06


@compiled("void(int64[:, ::1], int64[::1], int64[::1], boolean[::1], int64, int64, int64, float64[::1], float64[:, ::1])")
def try_cards(
    worlds: Hands, table: Numbers, cards: Numbers, tried: Numbers, side: int, first: int, last: int,
    weights: Floats, values: Floats
) -> None:
    """Values at [world, card] for the worlds from first to last and the cards that are to be tried.

    The same chance plays out each card of a world.
    """
    hands, deal, scratch = np.zeros(4, np.int64), np.zeros(k.SIZE, np.int64), np.zeros(2, np.int64)
    rng = np.zeros(1, np.uint64)
    tried_cards, costs = np.zeros(WEIGHED, np.int64), np.zeros(WEIGHED)
    for world in range(first, last):
        for i in range(len(cards)):
            if not tried[i]:
                continue
            hands[:] = worlds[world]
            deal[:] = table
            rng[0] = np.uint64(0x9E3779B97F4A7C15) * np.uint64(world + 1)
            put(hands, deal, cards[i])
            play_out(hands, deal, NOISE, weights, rng, tried_cards, costs)
            values[world, i] = worth(deal, side, scratch)


@compiled("int64(float64[:, ::1], float64[::1], boolean[::1], int64, float64)")
def drop_losers(values: Floats, weights: Floats, tried: Numbers, worlds: int, errors: float) -> int:
    """Takes cards off that are worse than the best by so many standard errors; returns the best."""
    number = values.shape[1]
    total = 0.0
    for world in range(worlds):
        total += weights[world]
    best, most = -1, -1e9
    for i in range(number):
        if tried[i]:
            mean = 0.0
            for world in range(worlds):
                mean += weights[world] * values[world, i]
            if mean / total > most:
                best, most = i, mean / total
    for i in range(number):
        if not tried[i] or i == best:
            continue
        mean = 0.0
        for world in range(worlds):
            mean += weights[world] * (values[world, best] - values[world, i])
        mean /= total
        squares = 0.0
        for world in range(worlds):
            off = values[world, best] - values[world, i] - mean
            squares += weights[world] * weights[world] * off * off
        if mean > errors * math.sqrt(squares) / total + 1e-12:
            tried[i] = False
    return best
