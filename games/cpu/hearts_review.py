"""Hearts: what became of each of several answers in the same sampled deals, compiled. For looking back at a game.

As the search of the expert, which asks for the worth alone, but with what there is to tell about each end.
"""

from __future__ import annotations

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
    QUEEN,
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
from games.cpu.hearts_expert_search import HIDDEN, enter_world
from games.cpu.kernel import Generator, chance, compiled
from games.cpu.sampling import Weights, deal

#: What is told of an end: its worth to the seat, the points it gets, whether it took the queen of spades, and whether
#: it shot the moon (1) or another seat did (-1).
WORTH, POINTS, LADY, SHOT = range(4)
FACTS = 4
#: What is answered: a card to play, or a pass.
CARD, PASS = range(2)


@compiled("void(int64[::1], int64[::1], float64[::1], int64[::1], int64, float64[::1])", inline=True, lean=True)
def tell(table: Numbers, position: Numbers, stakes: Floats, change: Numbers, seat: int, facts: Floats) -> None:
    """Notes the facts of a deal that is decided."""
    facts[WORTH] = outcome(table, position, stakes, change, seat)
    facts[POINTS] = change[seat]
    facts[LADY] = (position[TAKEN + seat] >> QUEEN) & 1
    shooter = shooter_of(table, position)
    facts[SHOT] = 1.0 if shooter == seat else 0.0 if shooter == NOBODY else -1.0


@compiled("void(int64[::1], int64[::1], int64[::1], int64[::1], int64, int64)", inline=True, lean=True)
def lay_out(table: Numbers, start: Numbers, hands: Numbers, position: Numbers, seat: int, kitty_taker: int) -> None:
    """A position with the sampled hands; what is left over of them is the kitty."""
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


@compiled("void(int64[::1], int64[::1], int64[::1], int64[::1], int64, int64)", inline=True, lean=True)
def hand_over(table: Numbers, before: Numbers, given: Numbers, position: Numbers, away: int, opener: int) -> None:
    """The position after all have passed what is `given` to the seat `away` to the left."""
    players = table[PLAYERS]
    for k in range(POSITION_SIZE):
        position[k] = 0
    for other in range(players):
        giver = (other - away + players) % players
        position[HAND + other] = (before[other] & ~given[other]) | given[giver]
    position[FIRST], position[SOLE], position[TURN] = 1, NOBODY, opener
    if table[LOW_CLUB]:
        lowest_card = -1
        for other in range(players):
            own = position[HAND + other] & -position[HAND + other]
            if lowest_card < 0 or own < lowest_card:
                lowest_card, position[TURN] = own, other


@compiled(
    f"void(int64[::1], int64[::1], float32[::1], float64[::1], {HIDDEN}, int64, int64, int64, int64, int64,"
    " int64[::1], uint64, int64, int64, float64, float64[:, :, ::1], int64[:, ::1], uint64[::1],"
    " float64[:, ::1], int64[:, ::1])",
    lean=True,
)
def review(
    table: Numbers,
    start: Numbers,
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
    kitty_taker: int,
    what: int,
    opener: int,
    away: int,
    answers: Numbers,
    seed: np.uint64,
    worlds: int,
    shooter: int,
    share: float,
    facts: Floats,
    scratch: Numbers,
    rng: Generator,
    pass_costs: Floats,
    pass_cards: Numbers,
) -> None:
    """Plays each answer out in so many worlds; `facts` at [world, answer] get what became of it.

    Answers are the places of cards, or sets of three cards to pass to the seat `away` to the left, after which `opener`
    leads. The seat `shooter` plays for the moon in a `share` of the worlds.
    """
    players = table[PLAYERS]
    hands, holder, work = scratch[0], scratch[1], scratch[2]
    position, found, change = scratch[3], scratch[4], scratch[5]
    before, given = scratch[6], scratch[7]
    for world in range(worlds):
        enter_world(rng, seed, world)
        hands[players - 1] = 0
        deal(hidden_cards, allowed, room, known, slack, weights, swaps, rng, hands, holder, work)
        if what == PASS:
            before[seat] = start[HAND + seat]
            for place in range(players - 1):
                other = (seat + 1 + place) % players
                before[other] = hands[place]
                given[other] = pass_of(table, hands[place], pass_costs, pass_cards)
        plan = shooter if share >= 1.0 or chance(rng) < share else NOBODY
        state = rng[0]
        for i in range(len(answers)):
            rng[0] = state
            if what == PASS:
                given[seat] = answers[i]
                hand_over(table, before, given, position, away, opener)
                position[KITTY] = hands[players - 1]
            else:
                lay_out(table, start, hands, position, seat, kitty_taker)
                play(table, position, answers[i])
            play_out(table, position, costs, found, rng, 0.0, plan)
            tell(table, position, stakes, change, seat, facts[world, i])
