"""The search of the Spades expert, compiled: every card that may be played, in sampled deals, played out by rules."""

from __future__ import annotations

import math

import numpy as np

from games.cpu.kernel import compiled
from games.kinds.spades.cpu import kernel as k
from games.kinds.spades.cpu.kernel import Flags, Numbers, put
from games.kinds.spades.cpu.policy import WEIGHED, play_out
from games.kinds.spades.cpu.value import Floats, worth
from games.kinds.spades.cpu.worlds import Hands

#: How often any card is played instead of that of the rules.
NOISE = 0.01


@compiled(
    "void(int64[:, ::1], int64[::1], int64[::1], boolean[::1], int64, int64, int64, float64[::1], float64[:, ::1])"
)
def try_cards(
    worlds: Hands,
    table: Numbers,
    cards: Numbers,
    tried: Flags,
    side: int,
    first: int,
    last: int,
    weights: Floats,
    values: Floats,
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


@compiled("void(float64[:, ::1], boolean[::1], int64, float64, float64[::1], float64[::1], float64[::1])")
def judge(
    values: Floats, tried: Flags, played: int, doubt: float, guesses: Floats, means: Floats, errors: Floats
) -> None:
    """What each choice is worth, and how far it may be off against the best of those tried.

    What was played out is joined with what was guessed beforehand, which may be off by `doubt`.
    """
    number = values.shape[1]
    middle = np.zeros(played)
    alive = 0
    for i in range(number):
        if tried[i]:
            alive += 1
            for deal in range(played):
                middle[deal] += values[deal, i]
    middle /= alive
    best = -1
    for i in range(number):
        if not tried[i]:
            means[i] = -1e9
            continue
        mean, square = 0.0, 0.0
        for deal in range(played):
            off = values[deal, i] - middle[deal]
            mean += off
            square += off * off
        mean /= played
        error = max(square / played - mean * mean, 0.0) / played if played > 1 else 1e9
        trust = doubt * doubt / (doubt * doubt + error) if doubt > 0.0 else 1.0
        means[i] = trust * mean + (1.0 - trust) * guesses[i]
        if best < 0 or means[i] > means[best]:
            best = i
    for i in range(number):
        if not tried[i]:
            continue
        mean, square = 0.0, 0.0
        for deal in range(played):
            off = values[deal, best] - values[deal, i]
            mean += off
            square += off * off
        mean /= played
        errors[i] = math.sqrt(max(square / played - mean * mean, 0.0) / played)
