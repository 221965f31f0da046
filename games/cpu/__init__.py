"""CPU players. They see views only: what a person in their seat would see, and nothing else."""

from __future__ import annotations

import importlib
import random

from games.cpu import hearts, spades
from games.cpu.memory import Memory
from games.rules import Action, Rules, View, rules_for
from games.rules.view import Ask

#: From weak to strong.
LEVELS = ("beginner", "normal", "expert")
#: How often a beginner does the next best thing without a thought.
CARELESS = 0.2


def choose_action(view: View, level: str, rng: random.Random, budget: float | None = None) -> Action:
    """An answer to `view.ask`, always a legal one, the same for the same view, level and state of `rng`.

    A CPU never calls a deal off, and finishes one when it may. `budget` is seconds; these levels need a few
    milliseconds at most and do not look at it. Raises ValueError for an unknown level or a view that asks nothing.
    """
    ask = view.ask
    if ask is None or level not in LEVELS:
        raise ValueError(f"nothing to choose for {level}")
    if ask.finish is not None:
        return Action("finish", view.seat, cards=ask.finish)
    rules = rules_for(view.kind, view.players, view.options)
    if level == "expert":
        return _expert(view, rules, rng, budget)
    careless = level == "beginner" and rng.random() < CARELESS
    if careless and ask.phase == "play":
        return Action("play", view.seat, card=rng.choice(ask.cards))
    if careless and ask.phase in ("pass", "exchange"):
        return Action(ask.phase, view.seat, cards=tuple(rng.sample(ask.cards, ask.count)))
    memory = Memory(view, rules, counting=level != "beginner")
    if view.kind == "hearts":
        return hearts.choose(view, rules, memory)
    action = spades.choose(view, memory, rng)
    return _misjudged(action, ask, rng) if careless and action.bid else action


def _expert(view: View, rules: Rules, rng: random.Random, budget: float | None) -> Action:
    """The answer of the compiled search, loaded when it is first asked for."""
    action: Action = importlib.import_module(f"games.cpu.{view.kind}_expert").choose(view, rules, rng, budget)
    return action


def _misjudged(action: Action, ask: Ask, rng: random.Random) -> Action:
    """The bid, one trick off, but not a nil that nobody meant."""
    assert action.bid is not None
    bid = action.bid + rng.choice((-1, 1))
    return Action("bid", action.seat, bid=bid) if bid and bid in ask.bids else action
