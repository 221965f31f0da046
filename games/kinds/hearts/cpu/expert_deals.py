"""Hearts: from sampled hands to positions that can be played out, compiled. For all that tries answers in deals."""

from __future__ import annotations

import numpy as np

from games.cpu.kernel import Generator, compiled
from games.cpu.sampling import MOST_PLACES
from games.kinds.hearts.cpu.expert_engine import (
    FIRST,
    HAND,
    KITTY,
    LOW_CLUB,
    NOBODY,
    PENALTY,
    PLAYERS,
    POSITION_SIZE,
    SEVERAL,
    SOLE,
    TAKEN,
    TURN,
    Floats,
    Numbers,
)
from games.kinds.hearts.cpu.expert_pass import pass_of

#: Rows of scratch, long enough for a position, a holder of each card and a slack of each set of places.
SCRATCH = (8, 8 + (1 << MOST_PLACES))
#: The arrays of `Hidden`, in its order, as compiled functions take them.
HIDDEN = "int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], float32[:, ::1], int64"


def scratch() -> Numbers:
    """Room in which compiled functions work."""
    return np.zeros(SCRATCH, dtype=np.int64)


@compiled("void(uint64[::1], uint64, int64)", inline=True, lean=True)
def enter_world(rng: Generator, seed: np.uint64, world: int) -> None:
    """Sets the generator for a world of a decision."""
    x = seed + np.uint64(world + 1) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    rng[0] = x if x else np.uint64(1)


@compiled("void(int64[::1], int64[::1], int64[::1], int64[::1], int64, int64)", inline=True, lean=True)
def lay_out(table: Numbers, start: Numbers, hands: Numbers, position: Numbers, seat: int, kitty_taker: int) -> None:
    """The position `start` with these hands of the others, in turn from the left, and after them the kitty or 0.

    `kitty_taker` has taken a kitty that nobody else has seen, or is NOBODY.
    """
    players = table[PLAYERS]
    for k in range(POSITION_SIZE):
        position[k] = start[k]
    for place in range(players - 1):
        position[HAND + (seat + 1 + place) % players] = hands[place]
    kitty = hands[players - 1]
    position[KITTY] = kitty
    if kitty and kitty_taker != NOBODY:
        position[TAKEN + kitty_taker] |= kitty
        if kitty & table[PENALTY] and position[SOLE] != kitty_taker:
            position[SOLE] = kitty_taker if position[SOLE] == NOBODY else SEVERAL


@compiled(
    "void(int64[::1], int64, int64[::1], int64, int64[::1], int64[::1], float64[:, ::1], int64[:, ::1])", lean=True
)
def others_pass(
    table: Numbers,
    hand: int,
    hands: Numbers,
    seat: int,
    before: Numbers,
    given: Numbers,
    pass_costs: Floats,
    pass_cards: Numbers,
) -> None:
    """Lays all hands out by seat in `before`, and in `given` what each of the others is thought to pass."""
    players = table[PLAYERS]
    before[seat] = hand
    for place in range(players - 1):
        other = (seat + 1 + place) % players
        before[other] = hands[place]
        given[other] = pass_of(table, hands[place], pass_costs, pass_cards)


@compiled("void(int64[::1], int64[::1], int64[::1], int64, int64[::1], int64, int64)", inline=True, lean=True)
def hand_over(
    table: Numbers, before: Numbers, given: Numbers, kitty: int, position: Numbers, away: int, opener: int
) -> None:
    """The position after all have passed what is `given` to the seat `away` to the left."""
    players = table[PLAYERS]
    for k in range(POSITION_SIZE):
        position[k] = 0
    for other in range(players):
        giver = (other - away + players) % players
        position[HAND + other] = (before[other] & ~given[other]) | given[giver]
    position[FIRST], position[SOLE], position[TURN], position[KITTY] = 1, NOBODY, opener, kitty
    if table[LOW_CLUB]:
        lowest_card = -1
        for other in range(players):
            own = position[HAND + other] & -position[HAND + other]
            if lowest_card < 0 or own < lowest_card:
                lowest_card, position[TURN] = own, other
