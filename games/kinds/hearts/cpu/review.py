"""Hearts: what became of each of several answers in the same sampled deals, compiled. For looking back at a game.

As the search of the expert, which asks for the worth alone, but with what there is to tell about each end.
"""

from __future__ import annotations

import numpy as np

from games.cpu.kernel import Generator, chance, compiled
from games.cpu.sampling import Weights, deal
from games.kinds.hearts.cpu.expert_deals import HIDDEN, enter_world, hand_over, lay_out, others_pass
from games.kinds.hearts.cpu.expert_engine import HAND, NOBODY, PLAYERS, QUEEN, TAKEN, Floats, Numbers, play, shooter_of
from games.kinds.hearts.cpu.expert_policy import Costs, outcome, play_out

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
    hands, holder, work = scratch[0], scratch[1], scratch[2]
    position, found, change = scratch[3], scratch[4], scratch[5]
    before, given = scratch[6], scratch[7]
    for world in range(worlds):
        enter_world(rng, seed, world)
        hands[table[PLAYERS] - 1] = 0
        deal(hidden_cards, allowed, room, known, slack, weights, swaps, rng, hands, holder, work)
        if what == PASS:
            others_pass(table, start[HAND + seat], hands, seat, before, given, pass_costs, pass_cards)
        plan = shooter if share >= 1.0 or chance(rng) < share else NOBODY
        state = rng[0]
        for i in range(len(answers)):
            rng[0] = state
            if what == PASS:
                given[seat] = answers[i]
                hand_over(table, before, given, hands[table[PLAYERS] - 1], position, away, opener)
            else:
                lay_out(table, start, hands, position, seat, kitty_taker)
                play(table, position, answers[i])
            play_out(table, position, costs, found, rng, 0.0, plan)
            tell(table, position, stakes, change, seat, facts[world, i])
