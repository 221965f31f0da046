"""Spades: what became of each of several answers in the same sampled deals, compiled. For looking back at a game.

As the search of the expert, which asks for the worth alone, but with what there is to tell about each end.
"""

from __future__ import annotations

import numpy as np

from games.cpu.kernel import compiled
from games.kinds.spades.cpu import kernel as k
from games.kinds.spades.cpu.kernel import Numbers, put, score
from games.kinds.spades.cpu.policy import WEIGHED, play_out
from games.kinds.spades.cpu.search import NOISE as CARD_NOISE
from games.kinds.spades.cpu.trial import NOISE as BID_NOISE
from games.kinds.spades.cpu.trial import answer_on
from games.kinds.spades.cpu.value import Floats, worth
from games.kinds.spades.cpu.worlds import Hands

#: What is told of an end: its worth to the side, the points of both sides, whether the own nil was made (0 without one)
#: and whether the side made its contract.
WORTH, POINTS, THEIRS, NIL, CONTRACT = range(5)
FACTS = 5
#: What is answered: a card to play, or what `spades_trial` names.
CARD = 0


@compiled("void(int64[::1], int64, int64[::1], float64[::1])")
def tell(deal: Numbers, me: int, scratch: Numbers, facts: Floats) -> None:
    """Notes the facts of a deal that has been played out."""
    side, partner = me & 1, (me + 2) & 3
    facts[WORTH] = worth(deal, side, scratch)
    score(deal, side, scratch)
    facts[POINTS] = scratch[0]
    score(deal, 1 - side, scratch)
    facts[THEIRS] = scratch[0]
    facts[NIL] = 1.0 if deal[k.BIDS + me] == 0 and deal[k.TAKEN + me] == 0 else 0.0
    contract, counted = np.int64(0), np.int64(0)
    for seat in (me, partner):
        if deal[k.BIDS + seat] > 0:
            contract += deal[k.BIDS + seat]
            counted += deal[k.TAKEN + seat]
    facts[CONTRACT] = 1.0 if counted >= contract else 0.0


@compiled("void(int64[:, ::1], int64[::1], int64, int64, int64[::1], uint64, float64[::1], float64[:, :, ::1])")
def review(
    worlds: Hands,
    table: Numbers,
    me: int,
    what: int,
    answers: Numbers,
    seed: np.uint64,
    weights: Floats,
    facts: Floats,
) -> None:
    """Plays each answer out in every world; `facts` at [world, answer] get what became of it.

    Answers are places of cards, bids, sets of two cards, or 0 and 1 for no and yes to a blind nil. The same chance
    plays out each answer of a world.
    """
    hands, deal, scratch = np.zeros(4, np.int64), np.zeros(k.SIZE, np.int64), np.zeros(2, np.int64)
    rng = np.zeros(1, np.uint64)
    tried, costs = np.zeros(WEIGHED, np.int64), np.zeros(WEIGHED)
    noise = CARD_NOISE if what == CARD else BID_NOISE
    for world in range(len(worlds)):
        for i in range(len(answers)):
            hands[:] = worlds[world]
            deal[:] = table
            state = seed ^ (np.uint64(0x9E3779B97F4A7C15) * np.uint64(world + 1))
            rng[0] = state if state else np.uint64(1)
            if what == CARD:
                put(hands, deal, answers[i])
            else:
                answer_on(hands, deal, me, what, answers[i])
            play_out(hands, deal, noise, weights, rng, tried, costs)
            tell(deal, me, scratch, facts[world, i])
