"""Deals that the hidden cards may be, compiled: sampled without a rejection, fitted to the bids, weighed by the plays.

A deal is drawn evenly among all that agree with the cards and voids that are known: the ways to share out each suit are
counted first, and drawn from. Then cards are swapped between seats, so that hands fit what their seats bid. At last the
deal is played over by the rules of `spades_policy`: hands with which a seat would have played otherwise weigh less.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from games.cpu.kernel import Generator, any_of, below, chance, compiled
from games.kinds.spades.cpu import kernel as k
from games.kinds.spades.cpu.hands import fit
from games.kinds.spades.cpu.kernel import NO_CARDS, ONE, Numbers, above, in_suit, legal, put, under
from games.kinds.spades.cpu.policy import WEIGHED, weigh
from games.kinds.spades.cpu.value import Floats

Hands = np.ndarray[Any, np.dtype[np.int64]]  # a row of four hands for each deal

#: How many swaps are tried for each deal, and for the first one.
SWAPS = 16
FIRST_SWAPS = 80
#: A new deal is drawn after so many.
RESTART = 8
#: Plays by cost: a card that costs so many points more is played e times less often; of a card between those that were
#: tried; and how often any card is played. Chosen so that the true deal of games played out weighs most against others.
WAVER, BETWEEN, LOOSE = 5.0, 0.3, 0.1
#: Players are not all alike: likelihoods are taken to this power.
TRUST = 0.7


def _choose() -> Floats:
    table = np.zeros((14, 14))
    for n in range(14):
        for r in range(n + 1):
            table[n, r] = math.comb(n, r)
    return table


CHOOSE = _choose()


@compiled("void(int64[::1], int64[::1], int64[::1], int64[::1], float64[:, :, ::1])")
def count_ways(sizes: Numbers, room: Numbers, voids: Numbers, others: Numbers, ways: Floats) -> None:
    """At [suit, room of the first, of the second]: in how many ways this suit and those after it can be shared out.

    `sizes` is how many cards of each suit are hidden, `room` how many of them each of three seats holds.
    """
    ways[:] = 0.0
    ways[4, 0, 0] = 1.0
    after = 0
    for suit in range(3, -1, -1):
        size = sizes[suit]
        bit = ONE << suit
        most0 = 0 if voids[others[0]] & bit else size
        most1 = 0 if voids[others[1]] & bit else size
        open2 = not voids[others[2]] & bit
        for a in range(room[0] + 1):
            for b in range(room[1] + 1):
                if a + b > after + size or after + size - a - b > room[2]:
                    continue
                total = 0.0
                for x in range(min(a, most0) + 1):
                    for y in range(min(b, most1, size - x) + 1):
                        if x + y < size and not open2:
                            continue
                        total += CHOOSE[size, x] * CHOOSE[size - x, y] * ways[suit + 1, a - x, b - y]
                ways[suit, a, b] = total
        after += size


@compiled("int64(int64, int64, uint64[::1])", inline=True)
def some_of(cards: int, number: int, rng: Generator) -> int:
    """So many random cards of the set."""
    drawn = NO_CARDS
    for _ in range(number):
        card = any_of(rng, cards & ~drawn)
        drawn |= ONE << card
    return drawn


@compiled("void(int64, int64[::1], int64[::1], int64[::1], int64[::1], float64[:, :, ::1], uint64[::1], int64[::1])")
def draw_deal(
    hidden: int,
    sizes: Numbers,
    room: Numbers,
    voids: Numbers,
    others: Numbers,
    ways: Floats,
    rng: Generator,
    into: Numbers,
) -> None:
    """Shares the hidden cards out among the three other seats, each way being as likely."""
    a, b = room[0], room[1]
    for seat in others:
        into[seat] = 0
    for suit in range(4):
        size, bit = sizes[suit], ONE << suit
        most0 = 0 if voids[others[0]] & bit else size
        most1 = 0 if voids[others[1]] & bit else size
        open2 = not voids[others[2]] & bit
        left = chance(rng) * ways[suit, a, b]
        first, second = -1, 0
        for x in range(min(a, most0) + 1):
            for y in range(min(b, most1, size - x) + 1):
                if x + y < size and not open2:
                    continue
                share = CHOOSE[size, x] * CHOOSE[size - x, y] * ways[suit + 1, a - x, b - y]
                if share == 0.0:
                    continue
                first, second = x, y  # the last one, should rounding leave something
                left -= share
                if left < 0.0:
                    break
            if left < 0.0:
                break
        cards = in_suit(hidden, suit)
        mine = some_of(cards, first, rng)
        into[others[0]] |= mine
        theirs = some_of(cards & ~mine, second, rng)
        into[others[1]] |= theirs
        into[others[2]] |= cards & ~mine & ~theirs
        a -= first
        b -= second


@compiled("void(int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], float64[::1], int64, uint64[::1])")
def fit_bids(
    hands: Numbers,
    played: Numbers,
    heard: Numbers,
    voids: Numbers,
    others: Numbers,
    fits: Floats,
    swaps: int,
    rng: Generator,
) -> None:
    """Swaps cards between seats, so that deals come up as often as they fit the bids heard (-1: none)."""
    for seat in others:
        fits[seat] = fit(hands[seat] | played[seat], heard[seat]) if heard[seat] >= 0 else 0.0
    for _ in range(swaps):
        i = below(rng, 3)
        one, two = others[i], others[(i + 1) % 3]
        if hands[one] == 0 or hands[two] == 0 or (heard[one] < 0 and heard[two] < 0):
            continue
        give, take = any_of(rng, hands[one]), any_of(rng, hands[two])
        if voids[two] >> (give >> 4) & 1 or voids[one] >> (take >> 4) & 1:
            continue
        moved = (ONE << give) | (ONE << take)
        new_one, new_two = hands[one] ^ moved, hands[two] ^ moved
        fit_one = fit(new_one | played[one], heard[one]) if heard[one] >= 0 else 0.0
        fit_two = fit(new_two | played[two], heard[two]) if heard[two] >= 0 else 0.0
        gain = fit_one + fit_two - fits[one] - fits[two]
        if gain >= 0.0 or chance(rng) < math.exp(gain):
            hands[one], hands[two] = new_one, new_two
            fits[one], fits[two] = fit_one, fit_two


@compiled("boolean(int64, int64, int64)", inline=True)
def alike(one: int, other: int, out: int) -> bool:
    """Whether two cards of a hand are the same to play: of one suit, with none of `out` between them."""
    if one >> 4 != other >> 4:
        return False
    return not out & above(min(one, other)) & under(max(one, other))


@compiled("float64(int64, int64, int64, int64[::1], float64[::1])", inline=True)
def share_of(card: int, out: int, number: int, tried: Numbers, costs: Floats) -> float:
    """How often the card is played, when `number` cards have been tried and come to these costs."""
    least = costs[0]
    for i in range(1, number):
        least = min(least, costs[i])
    total, own = 0.0, -1.0
    for i in range(number):
        chance_of = math.exp((least - costs[i]) / WAVER)
        total += chance_of
        if alike(tried[i], card, out):
            own = max(own, chance_of)
    if own < 0.0:  # a card between those that were tried
        own = BETWEEN * total / number
    return (1.0 - LOOSE) * own / total + LOOSE / number


@compiled(
    "float64(int64[::1], int64[::1], int64[::1], int64, int64[::1], int64[::1], float64[::1], int64[::1], float64[::1])"
)
def likelihood(
    hands: Numbers,
    played: Numbers,
    cards: Numbers,
    me: int,
    full: Numbers,
    deal: Numbers,
    rules: Floats,
    tried: Numbers,
    costs: Floats,
) -> float:
    """How likely the others' plays so far are if these are the hands now, but for a constant.

    `played` is what each seat has played and `cards` all of that in order. `deal` is the public part as trick one
    began and is played over; `full` is scratch.
    """
    full[:] = hands | played
    total = 1.0
    for card in cards:
        seat = (deal[k.LEADER] + deal[k.PLAYED]) & 3
        if seat != me:
            may = legal(full[seat], deal)
            if may & (may - 1):
                out = k.between(full[seat], deal)
                number = weigh(full[seat], may, deal, rules, tried, costs)
                total *= share_of(card, out, number, tried, costs)
        put(full, deal, card)
    return total**TRUST


@compiled(
    "void(int64[:, ::1], float64[::1], int64, int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1],"
    " int64[::1], float64[:, :, ::1], int64[::1], int64[::1], int64, float64[::1], uint64[::1])"
)
def sample(
    worlds: Hands,
    weights: Floats,
    hidden: int,
    sizes: Numbers,
    room: Numbers,
    known: Numbers,
    played: Numbers,
    heard: Numbers,
    others: Numbers,
    voids: Numbers,
    ways: Floats,
    start: Numbers,
    cards: Numbers,
    me: int,
    rules: Floats,
    rng: Generator,
) -> None:
    """Fills `worlds` with deals and `weights` with how likely the plays are in each, 1 on average."""
    hands, fits = np.zeros(4, np.int64), np.zeros(4)
    full, deal = np.zeros(4, np.int64), np.zeros(k.SIZE, np.int64)
    tried, costs = np.zeros(WEIGHED, np.int64), np.zeros(WEIGHED)
    fixed = known | played
    total = 0.0
    for i in range(len(worlds)):
        if i % RESTART == 0:
            draw_deal(hidden, sizes, room, voids, others, ways, rng, hands)
            fit_bids(hands, fixed, heard, voids, others, fits, FIRST_SWAPS, rng)
        else:
            fit_bids(hands, fixed, heard, voids, others, fits, SWAPS, rng)
        worlds[i] = hands | known
        deal[:] = start
        weights[i] = (
            likelihood(worlds[i], played, cards, me, full, deal, rules, tried, costs) if len(cards) > 0 else 1.0
        )
        total += weights[i]
    weights *= len(worlds) / total


@compiled("void(int64[:, ::1], float64[::1], int64[:, ::1], uint64[::1])")
def pick(worlds: Hands, weights: Floats, into: Hands, rng: Generator) -> None:
    """Deals in the numbers that their weights call for, in random order, so that each weighs the same."""
    number = len(into)
    step = weights.sum() / number
    mark, total, world = chance(rng) * step, weights[0], 0
    for i in range(number):
        while total < mark and world < len(worlds) - 1:
            world += 1
            total += weights[world]
        into[i] = worlds[world]
        mark += step
    for i in range(number - 1, 0, -1):
        j = below(rng, i + 1)
        for seat in range(4):
            into[i, seat], into[j, seat] = into[j, seat], into[i, seat]
