"""Hearts: the search of the expert, compiled. Each card or pass is tried in the same sampled deals and played out.

World `w` of a decision has a generator of its own, made from the seed and `w`, for every playout in it and for the deal
of a pass, so that what is compared meets the same luck, and results do not depend on how the work is cut into batches.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from games.cpu.kernel import Generator, chance, compiled
from games.cpu.sampling import Weights, deal
from games.kinds.hearts.cpu.expert_deals import HIDDEN, enter_world, hand_over, lay_out, others_pass
from games.kinds.hearts.cpu.expert_engine import NOBODY, PLAYERS, Floats, Numbers, play, shooter_of
from games.kinds.hearts.cpu.expert_policy import Costs, outcome, play_out

Flags = np.ndarray[Any, np.dtype[np.bool_]]


@compiled(
    "void(int64[::1], int64[::1], float32[::1], float64[::1], int64[:, ::1], int64[::1],"
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

    World `w` is the deal of `pool` at place `order[w]`. `values` gets what each card is worth to
    the seat, by world and card, `moons` counts those that the seat shot. In a `share` of the worlds the seat `shooter`
    plays to shoot the moon. `kitty_taker` has a hidden kitty, or is NOBODY.
    """
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
            lay_out(table, start, hands, position, seat, kitty_taker)
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
    hands, holder, work = scratch[0], scratch[1], scratch[2]
    position, found, change = scratch[3], scratch[4], scratch[5]
    before, given = scratch[6], scratch[7]
    for world in range(first, last):
        enter_world(rng, seed, world)
        hands[table[PLAYERS] - 1] = 0
        deal(hidden_cards, allowed, room, known, slack, weights, swaps, rng, hands, holder, work)
        others_pass(table, hand, hands, seat, before, given, pass_costs, pass_cards)
        state = rng[0]
        for i in range(len(passes)):
            if not alive[i]:
                continue
            rng[0] = state
            given[seat] = passes[i]
            hand_over(table, before, given, hands[table[PLAYERS] - 1], position, away, opener)
            play_out(table, position, costs, found, rng, noise, shooter)
            values[world, i] = outcome(table, position, stakes, change, seat)
            moons[i] += shooter_of(table, position) == seat
