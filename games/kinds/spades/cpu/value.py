"""What a deal of Spades is worth to a side, compiled: its chance to win the game with the scores that follow.

Far from the end of a game that is close to a line in the difference of the scores, with the price of the bags taken
off; near the target and the floor it is not, and then points count for what they win.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from games.cpu.kernel import compiled
from games.kinds.spades.cpu import kernel as k
from games.kinds.spades.cpu.kernel import Numbers, score

Floats = np.ndarray[Any, np.dtype[np.float64]]

#: What a side gains in a deal on average, and by how much the difference of two sides' gains varies.
GAIN = 50.0
SPREAD = 78.0
#: Bags that a side takes in a deal on average.
BAGS_A_DEAL = 1.3
FLOOR = -200
#: Where nothing can be won or lost any more, a point is worth so much.
TASTE = 1e-6
MOST_BAGS = 10


def _penalties() -> Floats:
    """At [half deals left, bags]: how often ten bags are reached from there on."""
    table = np.zeros((33, MOST_BAGS))
    for halves in range(len(table)):
        mean = BAGS_A_DEAL * halves / 2
        chance = math.exp(-mean)
        for more in range(60):
            for bags in range(MOST_BAGS):
                table[halves, bags] += chance * ((bags + more) // MOST_BAGS)
            chance *= mean / (more + 1)
    return table


PENALTIES = _penalties()


@compiled("float64(int64, int64, int64, int64, int64[::1])")
def winning(own: int, own_bags: int, theirs: int, their_bags: int, deal: Numbers) -> float:
    """The chance to win with these scores and bags after the deal."""
    target = deal[k.TARGET]
    top = max(own, theirs)
    over = top >= target or deal[k.LAST] or (deal[k.FLOOR] and min(own, theirs) <= FLOOR)
    if over and (own != theirs or deal[k.LAST]):
        return 1.0 if own > theirs else 0.0 if own < theirs else 0.5
    left = max((target - top) / GAIN, 0.4)
    difference = float(own - theirs)
    if deal[k.PENALTY]:
        halves = min(int(2.0 * left), len(PENALTIES) - 1)
        difference -= 100.0 * (PENALTIES[halves, own_bags] - PENALTIES[halves, their_bags])
    return 0.5 * math.erfc(-difference / (SPREAD * math.sqrt(2.0 * left)))


@compiled("float64(int64[::1], int64, int64[::1])")
def worth(deal: Numbers, side: int, scratch: Numbers) -> float:
    """The chance of the side to win after this deal, which has been played out."""
    score(deal, side, scratch)
    own, own_bags = deal[k.SCORES + side] + scratch[0], scratch[1]
    score(deal, 1 - side, scratch)
    theirs, their_bags = deal[k.SCORES + 1 - side] + scratch[0], scratch[1]
    return winning(own, own_bags, theirs, their_bags, deal) + TASTE * (own - theirs)


def point(table: Numbers, side: int) -> float:
    """What one point more is worth to the side at the scores now, as a chance to win; never nothing."""
    own, theirs = int(table[k.SCORES + side]), int(table[k.SCORES + 1 - side])
    bags = int(table[k.BAGS + side]) % MOST_BAGS, int(table[k.BAGS + 1 - side]) % MOST_BAGS
    gains = winning(own + 25, bags[0], theirs, bags[1], table) - winning(own - 25, bags[0], theirs, bags[1], table)
    return max(gains / 50.0, 1e-6)
