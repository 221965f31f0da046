"""CPU players of every kind: who answers a view at a level."""

from __future__ import annotations

import gc
import random

from games.cpu import LEVELS
from games.cpu.memory import Memory
from games.kinds import KINDS, rules_for
from games.kinds.kind import load
from games.rules import Action, View
from games.rules.view import Ask

#: How often a beginner does the next best thing without a thought.
CARELESS = 0.2
#: What an expert can be told to spend: never nothing, and never without end.
LEAST_BUDGET, MOST_BUDGET = 1.0, 1e7


def choose_action(view: View, level: str, rng: random.Random, budget: float | None = None) -> Action:
    """An answer to `view.ask`, always a legal one.

    A CPU never calls a deal off, and finishes one when it may. `budget` is what an expert may spend on its search, in
    playouts of a deal: the same view, level, budget and state of `rng` give the same answer. Without one an expert does
    as much as fits into a few milliseconds and is stopped by the clock, so the answer depends on that as well. One that
    is too small for every choice to be tried once, or no number at all, counts as the least that is needed. The other
    levels need no search. Raises ValueError for an unknown level or a view that asks nothing.
    """
    ask = view.ask
    if ask is None or level not in LEVELS:
        raise ValueError(f"nothing to choose for {level}")
    if ask.finish is not None:
        return Action("finish", view.seat, cards=ask.finish)
    kind = KINDS[view.kind]
    if level == "expert" and kind.expert is not None:
        expert = load(kind.expert)
        work = None if budget is None else min(MOST_BUDGET, max(LEAST_BUDGET, budget))  # of NaN: the least
        chosen: Action = expert.choose(view, rng, work)
        return chosen
    careless = level == "beginner" and rng.random() < CARELESS
    if careless and ask.phase == "play":
        return Action("play", view.seat, card=rng.choice(ask.cards))
    if careless and ask.phase in ("pass", "exchange"):
        return Action(ask.phase, view.seat, cards=tuple(rng.sample(ask.cards, ask.count)))
    rules = rules_for(view.kind, view.players, view.options)
    memory = Memory(view, rules, counting=level != "beginner")
    action = kind.choose(view, rules, memory, rng)
    return _misjudged(action, ask, rng) if careless and action.bid else action


def warm() -> None:
    """Compiles what the experts need, or loads it from the disk. For installations and for workers when they start.

    What is loaded by then is there for good. The collector of garbage is told so: going through all of it takes it some
    20 ms, in the middle of a decision as likely as not.
    """
    for kind in KINDS.values():
        if kind.expert is not None:
            load(kind.expert)
    gc.collect()
    gc.freeze()


def _misjudged(action: Action, ask: Ask, rng: random.Random) -> Action:
    """The bid, one trick off, but not a nil that nobody meant."""
    assert action.bid is not None
    bid = action.bid + rng.choice((-1, 1))
    return Action("bid", action.seat, bid=bid) if bid and bid in ask.bids else action
