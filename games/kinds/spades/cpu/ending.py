"""The last tricks of a deal of Spades, exact: with all hands open, what it is worth if both sides play their best."""

from __future__ import annotations

import numpy as np

from games.cpu.kernel import compiled, lowest
from games.kinds.spades.cpu import kernel as k
from games.kinds.spades.cpu.kernel import ONE, Flags, Numbers, above, legal, put, under
from games.kinds.spades.cpu.value import Floats, worth
from games.kinds.spades.cpu.worlds import Hands

#: With so few cards in hand a deal is solved and not played out.
ENDING = 3
#: Rows that `best_play` needs: one for each card, and one for the end.
ROWS = 4 * ENDING + 1
MOST = 1e9


@compiled("int64(int64, int64)", inline=True)
def one_of_each(may: int, others: int) -> int:
    """Of each run of cards with none of the others between them, the lowest."""
    found, rest = may, may
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        lower = may & under(card)
        if lower:
            # the next lower card of the hand, and what lies between
            below = lower
            while below & (below - 1):
                below &= below - 1
            if not others & under(card) & above(lowest(below)):
                found &= ~(ONE << card)
    return found


@compiled("float64(int64[:, ::1], int64[:, ::1], int64, int64, float64, float64, int64[::1])")
def best_play(hands: Hands, deals: Hands, row: int, side: int, low: float, high: float, scratch: Numbers) -> float:
    """What the position in a row is worth to the side; that row and those after it are scratch.

    Exact if it lies between `low` and `high`; a bound on the right side of them otherwise.
    """
    deal = deals[row]
    while True:  # where there is no choice, in place
        seat = (deal[k.LEADER] + deal[k.PLAYED]) & 3
        hand = hands[row, seat]
        if hand == 0:
            return worth(deal, side, scratch)
        rest = legal(hand, deal)
        if rest & (rest - 1):
            others = (hands[row, 0] | hands[row, 1] | hands[row, 2] | hands[row, 3]) & ~hand
            for i in range(deal[k.PLAYED]):
                others |= ONE << deal[k.TRICK + i]
            rest = one_of_each(rest, others)
            if rest & (rest - 1):
                break
        put(hands[row], deal, lowest(rest))
    ours = seat & 1 == side
    best = -MOST if ours else MOST
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        hands[row + 1] = hands[row]
        deals[row + 1] = deal
        put(hands[row + 1], deals[row + 1], card)
        value = best_play(hands, deals, row + 1, side, low, high, scratch)
        if ours:
            best = max(best, value)
            low = max(low, best)
        else:
            best = min(best, value)
            high = min(high, best)
        if low >= high:
            break
    return best


@compiled("void(int64[:, ::1], int64[::1], int64[::1], boolean[::1], int64, int64, int64, float64[:, ::1])")
def solve_cards(
    worlds: Hands, table: Numbers, cards: Numbers, tried: Flags, side: int, first: int, last: int, values: Floats
) -> None:
    """Values at [world, card] for the worlds from first to last and the cards that are to be tried."""
    hands, deals = np.zeros((ROWS, 4), np.int64), np.zeros((ROWS, k.SIZE), np.int64)
    scratch = np.zeros(2, np.int64)
    for world in range(first, last):
        for i in range(len(cards)):
            if tried[i]:
                hands[0] = worlds[world]
                deals[0] = table
                put(hands[0], deals[0], cards[i])
                values[world, i] = best_play(hands, deals, 0, side, -MOST, MOST, scratch)
