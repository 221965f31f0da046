"""What hands of Spades are good for, as tables by suit: tricks, the odds of a nil, how well a bid heard fits a hand.

The estimates are those of `spades_bid`, looked up by the thirteen bits of a suit so that they cost next to nothing in a
sampled deal.
"""

from __future__ import annotations

import math

import numpy as np

from games.cpu.kernel import SUIT, compiled, count
from games.kinds.spades.cpu import bid
from games.kinds.spades.cpu.value import Floats

NEVER = -30.0  # log odds


def _tables() -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """By the bits of a suit: tricks of a side suit, tricks of spades, odds of a nil for each; and for short suits."""
    size = SUIT + 1
    side, trumps, nil_side, nil_trumps = np.zeros(size), np.zeros(size), np.zeros(size), np.zeros(size)
    for bits in range(size):
        held = [strength for strength in range(13) if bits >> strength & 1]
        side[bits] = bid.side_tricks(held)
        trumps[bits] = bid.spade_tricks(held)
        nil_side[bits] = bid.nil_side(held)
        nil_trumps[bits] = bid.nil_spades(held) if bid.nil_possible(held) else NEVER
    short = np.zeros((14, 14))
    for number in range(len(bid.SHORT)):
        for spades in range(14):
            short[number, spades] = bid.SHORT[number][min(spades, 5)]
    return side, trumps, nil_side, nil_trumps, short


SIDE, TRUMPS, NIL_SIDE, NIL_TRUMPS, SHORT = _tables()

#: How far bids lie from the estimate of the hand, and by how much they vary.
BID_SHIFT = -0.25
BID_SPREAD = 1.0
#: From which odds nil is bid, and how sharply.
NIL_FROM = 0.75
NIL_SHARP = 1.5


@compiled("float64(int64)", inline=True)
def tricks_of(hand: int) -> float:
    """About how many tricks the hand takes."""
    spades = (hand >> 48) & SUIT
    number = count(spades)
    tricks = TRUMPS[spades]
    for suit in range(3):
        mine = (hand >> (suit << 4)) & SUIT
        tricks += SIDE[mine] + SHORT[count(mine), number]
    return tricks


@compiled("float64(int64)", inline=True)
def nil_odds(hand: int) -> float:
    """The log odds of a nil."""
    odds = NIL_TRUMPS[(hand >> 48) & SUIT]
    for suit in range(3):
        odds += NIL_SIDE[(hand >> (suit << 4)) & SUIT]
    return bid.NIL_EVEN + odds


@compiled("float64(int64, int64)")
def fit(hand: int, heard: int) -> float:
    """The logarithm of how likely a bid is with a hand, but for a constant."""
    odds = (nil_odds(hand) - NIL_FROM) * NIL_SHARP
    if heard == 0:
        return -math.log1p(math.exp(-odds)) if odds > NEVER else odds
    off = (tricks_of(hand) + BID_SHIFT - heard) / BID_SPREAD
    return -0.5 * off * off - math.log1p(math.exp(odds))
