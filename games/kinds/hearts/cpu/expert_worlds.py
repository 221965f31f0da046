"""Hearts: the deals that a decision is tried in, as likely as the cards played so far make them.

A pool of deals is drawn that fit what is certain and lean towards what `hearts_expert_guesses` says. Each is played
through from the first lead: a card that another seat has played is as likely as its cost in the tables of
`hearts_expert_policy` makes it, among the cards that the seat could have played from that hand. The worlds of the
decision are drawn from the pool by the product.
"""

from __future__ import annotations

import math

import numpy as np

from games.cpu.kernel import Generator, compiled, lowest
from games.cpu.sampling import MOST_PLACES, Weights, deal
from games.kinds.hearts.cpu.expert_deals import HIDDEN, enter_world, scratch
from games.kinds.hearts.cpu.expert_engine import (
    DECK,
    FIRST,
    HAND,
    NOBODY,
    PLAYED,
    PLAYERS,
    POSITION_SIZE,
    SIZE,
    SOLE,
    TRICK,
    TURN,
    Floats,
    Numbers,
    legal,
    play,
)
from games.kinds.hearts.cpu.expert_policy import Costs, distinct, exits_of, marks, worth_of_trick
from games.kinds.hearts.cpu.expert_tables import costs_of
from games.kinds.hearts.cpu.expert_view import Seen

#: By how many points a card has to cost more to be played e times as seldom, and how often any card is played: what
#: makes the cards most likely that normal players, experts and rule players have really played.
HEAT, ANY = 1.0, 0.1
#: How much of the story is believed: all of it would leave few deals of a pool, and the search little to average over.
TRUST = 0.5
#: A pool has so many deals at most, and at least; it takes this share of the work of a decision.
LARGEST_POOL, SMALLEST_POOL, POOL_SHARE = 512, 16, 6
#: Multiples of it are spread evenly over 0 to 1, wherever one stops.
GOLDEN = (5**0.5 - 1) / 2


@compiled("float64(int64[::1], int64[::1], float32[::1], int64[::1], int64)", lean=True)
def chance_of(table: Numbers, position: Numbers, costs: Costs, found: Numbers, played: int) -> float:
    """How likely the seat on turn plays this card."""
    cards = legal(table, position)
    hand = position[HAND + position[TURN]]
    out = table[DECK] & ~(position[PLAYED] | hand)
    left = distinct(cards, out | position[TRICK])
    if left & (left - 1) == 0:
        return 1.0
    worth = worth_of_trick(table, position)
    exits = exits_of(hand, out) if position[SIZE] else 0
    number = marks(table, position, out, worth, exits, played, found)
    own = 0.0
    for i in range(number):
        own += costs[found[i]]
    total, options = 0.0, 0
    while left:
        place = lowest(left)
        left &= left - 1
        number = marks(table, position, out, worth, exits, place, found)
        cost = 0.0
        for i in range(number):
            cost += costs[found[i]]
        total += math.exp(min(20.0, (own - cost) / HEAT))
        options += 1
    return (1.0 - ANY) / max(1.0, total) + ANY / options


@compiled("float64(int64[::1], int64[::1], int64, int64, float32[::1], int64[::1], int64[::1])", lean=True)
def story(
    table: Numbers, plays: Numbers, opener: int, seat: int, costs: Costs, position: Numbers, found: Numbers
) -> float:
    """The logarithm of how likely the seats but this one have played these cards, from the hands in `position`."""
    position[FIRST], position[SOLE], position[TURN] = 1, NOBODY, opener
    total = 0.0
    for i in range(len(plays)):
        if position[TURN] != seat:
            total += math.log(chance_of(table, position, costs, found, plays[i]))
        play(table, position, plays[i])
    return total


@compiled(
    f"void(int64[::1], int64[::1], float32[::1], {HIDDEN}, int64, int64[::1], int64, int64[::1],"
    " uint64, int64[:, ::1], float64[::1], int64[:, ::1], uint64[::1])",
    lean=True,
)
def fill(
    table: Numbers,
    start: Numbers,
    costs: Costs,
    hidden_cards: Numbers,
    allowed: Numbers,
    room: Numbers,
    known: Numbers,
    slack: Numbers,
    weights: Weights,
    swaps: int,
    seat: int,
    plays: Numbers,
    opener: int,
    played: Numbers,
    seed: np.uint64,
    pool: Numbers,
    logs: Floats,
    scratch: Numbers,
    rng: Generator,
) -> None:
    """Fills `pool` with deals, and `logs` with the logarithm of how likely each makes the story."""
    players = table[PLAYERS]
    hands, holder, work = scratch[0], scratch[1], scratch[2]
    position, found = scratch[3], scratch[4]
    for number in range(len(pool)):
        enter_world(rng, seed, number)
        deal(hidden_cards, allowed, room, known, slack, weights, swaps, rng, hands, holder, work)
        for place in range(len(room)):
            pool[number, place] = hands[place]
        for k in range(POSITION_SIZE):
            position[k] = 0
        position[HAND + seat] = start[HAND + seat] | played[seat]
        for place in range(players - 1):
            other = (seat + 1 + place) % players
            position[HAND + other] = hands[place] | played[other]
        logs[number] = story(table, plays, opener, seat, costs, position, found)


class Worlds:
    """The worlds of a decision: world `w` is the deal of `pool` at place `order[w]`.

    A deal has the hands of the others in turn from the left, and after them the kitty, or 0.
    """

    def __init__(self, seen: Seen, seed: int, work: float, number: int) -> None:
        """So many worlds, from a pool as large as the work of the decision allows."""
        self.size = int(max(SMALLEST_POOL, min(LARGEST_POOL, work / POOL_SHARE)))
        self.pool, logs = np.zeros((self.size, MOST_PLACES), dtype=np.int64), np.zeros(self.size)
        h = seen.hidden
        fill(
            seen.table, seen.position, costs_of(seen.table),
            h.cards, h.allowed, h.room, h.known, h.slack, h.weights, h.swaps,
            seen.seat, seen.plays, seen.opener, seen.played, np.uint64(seed),
            self.pool, logs, scratch(), np.ones(1, dtype=np.uint64),
        )  # fmt: skip
        likely = np.cumsum(np.exp(TRUST * (logs - logs.max())))
        spots = (np.arange(number) * GOLDEN + 0.5) % 1.0
        self.order = np.searchsorted(likely / likely[-1], spots).clip(max=self.size - 1)
