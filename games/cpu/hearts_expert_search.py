"""Hearts: the search of the expert, compiled. Each card or pass is tried in the same sampled deals and played out.

World `w` of a decision has a generator of its own, made from the seed and `w`, for every playout in it and for the deal
of a pass, so that what is compared meets the same luck, and results do not depend on how the work is cut into batches.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from games.cpu.hearts_expert_engine import (
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
    play,
    shooter_of,
)
from games.cpu.hearts_expert_pass import pass_of
from games.cpu.hearts_expert_policy import Costs, outcome, play_out
from games.cpu.kernel import Generator, chance, compiled
from games.cpu.sampling import MOST_PLACES, Weights, deal

Flags = np.ndarray[Any, np.dtype[np.bool_]]

#: Rows of scratch, long enough for a position, a holder of each card and a slack of each set of places.
SCRATCH = (8, 8 + (1 << MOST_PLACES))


def scratch() -> Numbers:
    """Room in which the functions below work."""
    return np.zeros(SCRATCH, dtype=np.int64)


#: The arrays of `Hidden`, in its order.
HIDDEN = "int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], float32[:, ::1], int64"


@compiled("void(uint64[::1], uint64, int64)", inline=True, lean=True)
def enter_world(rng: Generator, seed: np.uint64, world: int) -> None:
    """Sets the generator for a world of a decision."""
    x = seed + np.uint64(world + 1) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    rng[0] = x if x else np.uint64(1)


@compiled(
    "void(int64[::1], int64[::1], float32[::1], float64[::1], int64[:, ::1], int64[::1], int64,"
    " int64, int64, int64[::1], boolean[::1], uint64, int64, int64, float64, int64, float64,"
    " float64[:, ::1], int64[::1], int64[:, ::1], uint64[::1])",
    lean=True,
)
def try_cards(
    table: Numbers,
    start: Numbers,
    costs: Costs,
    stakes: Floats,
    pool: Numbers,
    order: Numbers,
    places: int,
    seat: int,
    kitty_taker: int,
    cards: Numbers,
    alive: Flags,
    seed: np.uint64,
    first: int,
    last: int,
    noise: float,
    shooter: int,
    share: float,
    values: Floats,
    moons: Numbers,
    scratch: Numbers,
    rng: Generator,
) -> None:
    """Plays out the `alive` ones of these cards in worlds from `first` up to `last`.

    World `w` is the deal of `pool` at place `order[w]`, of so many `places`. `values` gets what each card is worth to
    the seat, by world and card, `moons` counts those that the seat shot. In a `share` of the worlds the seat `shooter`
    plays to shoot the moon. `kitty_taker` has a hidden kitty, or is NOBODY.
    """
    players = table[PLAYERS]
    position, found, change = scratch[3], scratch[4], scratch[5]
    for world in range(first, last):
        enter_world(rng, seed, world)
        hands = pool[order[world]]
        plan = shooter if share >= 1.0 or chance(rng) < share else NOBODY
        state = rng[0]
        for i in range(len(cards)):
            if not alive[i]:
                continue
            rng[0] = state
            for k in range(POSITION_SIZE):
                position[k] = start[k]
            for place in range(players - 1):
                position[HAND + (seat + 1 + place) % players] = hands[place]
            if places == players:  # the last place is the kitty
                kitty = hands[places - 1]
                position[KITTY] = kitty
                if kitty_taker != NOBODY:
                    position[TAKEN + kitty_taker] |= kitty
                    if kitty & table[PENALTY] and position[SOLE] != kitty_taker:
                        position[SOLE] = kitty_taker if position[SOLE] == NOBODY else SEVERAL
            play(table, position, cards[i])
            play_out(table, position, costs, found, rng, noise, plan)
            values[world, i] = outcome(table, position, stakes, change, seat)
            moons[i] += shooter_of(table, position) == seat


@compiled(
    f"void(int64[::1], int64, float32[::1], float64[::1], {HIDDEN}, int64, int64, int64, int64[::1], boolean[::1],"
    " uint64, int64, int64, float64, int64, float64[:, ::1], int64[::1], int64[:, ::1], uint64[::1],"
    " float64[:, ::1], int64[:, ::1])",
    lean=True,
)
def try_passes(
    table: Numbers,
    hand: int,
    costs: Costs,
    stakes: Floats,
    hidden_cards: Numbers,
    allowed: Numbers,
    room: Numbers,
    known: Numbers,
    slack: Numbers,
    weights: Weights,
    swaps: int,
    seat: int,
    opener: int,
    away: int,
    passes: Numbers,
    alive: Flags,
    seed: np.uint64,
    first: int,
    last: int,
    noise: float,
    shooter: int,
    values: Floats,
    moons: Numbers,
    scratch: Numbers,
    rng: Generator,
    pass_costs: Floats,
    pass_cards: Numbers,
) -> None:
    """The same for passes of three cards to the seat `away` to the left; the others pass by `pass_of`."""
    players = table[PLAYERS]
    places = len(room)
    hands, holder, work = scratch[0], scratch[1], scratch[2]
    position, found, change = scratch[3], scratch[4], scratch[5]
    before, given = scratch[6], scratch[7]
    for world in range(first, last):
        enter_world(rng, seed, world)
        deal(hidden_cards, allowed, room, known, slack, weights, swaps, rng, hands, holder, work)
        before[seat] = hand
        for place in range(players - 1):
            other = (seat + 1 + place) % players
            before[other] = hands[place]
            given[other] = pass_of(table, hands[place], pass_costs, pass_cards)
        kitty = hands[places - 1] if places == players else 0
        state = rng[0]
        for i in range(len(passes)):
            if not alive[i]:
                continue
            rng[0] = state
            for k in range(POSITION_SIZE):
                position[k] = 0
            given[seat] = passes[i]
            for other in range(players):
                giver = (other - away + players) % players
                position[HAND + other] = (before[other] & ~given[other]) | given[giver]
            position[FIRST], position[SOLE], position[KITTY] = 1, NOBODY, kitty
            position[TURN] = opener
            if table[LOW_CLUB]:
                lowest_card = -1
                for other in range(players):
                    own = position[HAND + other] & -position[HAND + other]
                    if lowest_card < 0 or own < lowest_card:
                        lowest_card, position[TURN] = own, other
            play_out(table, position, costs, found, rng, noise, shooter)
            values[world, i] = outcome(table, position, stakes, change, seat)
            moons[i] += shooter_of(table, position) == seat
