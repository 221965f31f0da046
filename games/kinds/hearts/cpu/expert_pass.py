"""Hearts: what another player is thought to pass. Compiled; the costs are those of `hearts_pass`, by suit.

Costs of suits add up, so the best three cards are found suit by suit: the cheapest way to give none, one, two or three
cards of each, then the cheapest sum that gives three in all.
"""

from __future__ import annotations

import numpy as np

from games.cpu.kernel import DIAMONDS, HEARTS, SPADES, compiled, count
from games.kinds.hearts.cpu import passing as hearts_pass
from games.kinds.hearts.cpu.expert_engine import DECK, JACK, JACK_BIT, JACK_SCORES, QUEEN_BIT, Floats, Numbers, lane

SIDE_LENGTH = np.array(hearts_pass.SIDE_LENGTH)
SIDE_SHARE = np.array(hearts_pass.SIDE_SHARE)
HEARTS_LENGTH = np.array(hearts_pass.HEARTS_LENGTH)
HEARTS_SHARE = np.array(hearts_pass.HEARTS_SHARE)
QUEEN_KEPT = np.array(hearts_pass.QUEEN_KEPT)
TOP_KEPT = np.array(hearts_pass.TOP_KEPT)
QUEEN_GIVEN, LOW_SPADE = hearts_pass.QUEEN_GIVEN, hearts_pass.LOW_SPADE
JACK_KEPT, JACK_CATCHER = hearts_pass.JACK_KEPT, hearts_pass.JACK_CATCHER


@compiled("float64(int64[::1], int64, int64, int64, int64)", lean=True)
def cost_of(table: Numbers, suit: int, kept: int, given: int, out: int) -> float:
    """The cost of keeping these cards of a suit and giving those, when the rest of it, `out`, lies elsewhere."""
    number = count(kept)
    if suit == SPADES:
        low = count(kept & (QUEEN_BIT - 1))
        cost = LOW_SPADE * low
        if kept & QUEEN_BIT:
            return cost + QUEEN_KEPT[min(number - 1, 5)]
        cost += TOP_KEPT[min(low, 4)] * (number - low)
        return cost + (QUEEN_GIVEN if given & QUEEN_BIT else 0.0)
    cost = HEARTS_LENGTH[min(number, 5)] if suit == HEARTS else SIDE_LENGTH[min(number, 5)]
    elsewhere = count(out)
    left, i = kept, 0
    while left and i < 5:
        bit = left & -left
        left ^= bit
        share = count(out & (bit - 1)) / elsewhere if elsewhere else 1.0
        cost += share * (HEARTS_SHARE[i] if suit == HEARTS else SIDE_SHARE[i])
        i += 1
    if suit == DIAMONDS and table[JACK_SCORES]:
        if kept & JACK_BIT:
            cost += JACK_KEPT
        cost += JACK_CATCHER * count(kept & ~((2 << JACK) - 1))
    return cost


@compiled("int64(int64[::1], int64, float64[:, ::1], int64[:, ::1])", lean=True)
def pass_of(table: Numbers, hand: int, costs: Floats, cards: Numbers) -> int:
    """The three cards that a player is thought to pass from this hand. Scratch: `costs` and `cards`, each 4 by 4."""
    for suit in range(4):
        for number in range(4):
            costs[suit, number], cards[suit, number] = 1e9, 0
    for suit in range(4):
        mine = hand & lane(suit)
        out = table[DECK] & lane(suit) & ~mine
        costs[suit, 0] = cost_of(table, suit, mine, 0, out)
        first = mine
        while first:
            one = first & -first
            first ^= one
            cost = cost_of(table, suit, mine ^ one, one, out)
            if cost < costs[suit, 1]:
                costs[suit, 1], cards[suit, 1] = cost, one
            second = first
            while second:
                two = one | (second & -second)
                second &= second - 1
                cost = cost_of(table, suit, mine ^ two, two, out)
                if cost < costs[suit, 2]:
                    costs[suit, 2], cards[suit, 2] = cost, two
                third = second
                while third:
                    three = two | (third & -third)
                    third &= third - 1
                    cost = cost_of(table, suit, mine ^ three, three, out)
                    if cost < costs[suit, 3]:
                        costs[suit, 3], cards[suit, 3] = cost, three
    best, cheapest = 0, 1e18
    for c in range(4):
        for d in range(4 - c):
            for h in range(4 - c - d):
                s = 3 - c - d - h
                cost = costs[0, c] + costs[1, d] + costs[2, h] + costs[3, s]
                if cost < cheapest:
                    cheapest, best = cost, cards[0, c] | cards[1, d] | cards[2, h] | cards[3, s]
    return best
