"""CPU players. They see views only: what a person in their seat would see, and nothing else."""

from __future__ import annotations

import random

from games.cpu import hearts, spades, spades_bid
from games.cpu.memory import Memory
from games.rules import Action, View, rules_for

#: From weak to strong.
LEVELS = ("beginner", "normal")
#: How often a beginner plays any card that may be played.
CARELESS = 0.2


def choose_action(view: View, level: str, rng: random.Random, budget: float | None = None) -> Action:
    """An answer to `view.ask`, always a legal one, the same for the same view, level and state of `rng`.

    `budget` is seconds; the levels so far take far less than any. Raises ValueError if the view asks nothing.
    """
    ask = view.ask
    if ask is None or level not in LEVELS:
        raise ValueError(f"nothing to choose for {level}")
    if ask.finish is not None:
        return Action("finish", view.seat, cards=ask.finish)
    if level == "beginner" and ask.phase == "play" and rng.random() < CARELESS:
        return Action("play", view.seat, card=rng.choice(ask.cards))
    if view.kind == "spades" and ask.phase != "play":
        return spades_bid.choose_before_play(view, rng)
    rules = rules_for(view.kind, view.players, view.options)
    memory = Memory(view, rules, counting=level != "beginner")
    if view.kind == "spades":
        return spades.choose_play(view, memory)
    return hearts.choose(view, rules, memory)
