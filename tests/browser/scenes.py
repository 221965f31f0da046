"""Positions that the table page has to show, each reached by the rules from a fixed shuffle. Seat 0 looks."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from games.kinds import rules_for
from games.rules import Action, Rules, State
from games.rules.state import evolve
from tests.games.rules.play import shuffled
from tests.games.rules.rig import ending

Until = Callable[[Rules, State], bool]


@dataclass(frozen=True)
class Scene:
    """A position: the table it is at, and how it comes about."""

    kind: str
    make: Callable[[Rules, random.Random], State]
    options: dict[str, Any] = field(default_factory=dict)
    players: int = 4
    seed: int = 5

    def state(self) -> State:
        """The position itself."""
        rules = rules_for(self.kind, self.players, self.options)
        return self.make(rules, random.Random(self.seed))


def opened(rules: Rules, dealer: int = 3) -> State:
    return rules.apply(rules.start(), Action("open", dealer=dealer))


def dealt(rules: Rules, rng: random.Random, **fields: Any) -> State:
    """The first deal, with fields of the state set before."""
    state = opened(rules)
    if fields:
        state = evolve(state, **fields)
    return rules.apply(state, Action("deal", pack=shuffled(rules, rng)))


def on(rules: Rules, state: State, rng: random.Random, until: Until) -> State:
    """Plays on as the clock would, until a position is reached."""
    for _ in range(2_000):
        if until(rules, state):
            return state
        due = rules.due(state)
        if not due.seats:
            state = rules.apply(state, Action("deal", pack=shuffled(rules, rng)))
            continue
        seat = due.seats[-1]
        action = rules.default_action(state, seat)
        if action.kind == "bid":
            action = Action("bid", seat, bid=2 + seat % 3)
        state = rules.apply(state, action)
    raise AssertionError("the position is not reached")


def asked(phase: str, tricks: int = 0, cards: int = 0) -> Until:
    """Seat 0 is asked in a phase, so many tricks into a deal, at least so many cards on the table."""
    return lambda rules, state: (
        state.phase == phase
        and 0 in rules.due(state).seats
        and len(state.tricks) >= tricks
        and len(state.trick) >= cards
    )


def reached(phase: str, tricks: int = 0, cards: int = 0, **fields: Any) -> Callable[[Rules, random.Random], State]:
    return lambda rules, rng: on(rules, dealt(rules, rng, **fields), rng, asked(phase, tricks, cards))


def waiting(rules: Rules, rng: random.Random) -> State:
    """The own pass is in, the others' not yet."""
    state = dealt(rules, rng)
    return rules.apply(state, rules.default_action(state, 0))


def received(rules: Rules, rng: random.Random) -> State:
    """Cards have been passed, and seat 0 plays to the first trick."""
    while True:
        state = on(rules, dealt(rules, rng), rng, asked("play"))
        if not state.tricks:
            return state


def over(rules: Rules, rng: random.Random) -> State:
    return on(rules, dealt(rules, rng), rng, lambda _, state: state.phase == "over")


def shooting(rules: Rules, rng: random.Random) -> State:
    """Everything is taken by seat 0, which is asked how the moon counts."""
    state = ending(rules, {}, "AC KC QC JC")
    for _ in range(rules.players):
        state = rules.apply(state, rules.default_action(state, rules.due(state).seats[0]))
    return state


SCENES: dict[str, Scene] = {
    "hearts_pass": Scene("hearts", reached("pass")),
    "hearts_call_off": Scene("hearts", reached("pass"), {"hold_deal": "skip", "skip_right": "one_each"}),
    "hearts_waiting": Scene("hearts", waiting),
    "hearts_received": Scene("hearts", received),
    "hearts_lead": Scene("hearts", lambda rules, rng: on(rules, dealt(rules, rng), rng, asked("play", 2))),
    "hearts_middle": Scene("hearts", reached("play", 5, 3)),
    "hearts_moon": Scene("hearts", shooting, {"moon": "choose"}),
    "hearts_over": Scene("hearts", over, {"end_score": 50, "tie_for_first": "shared"}),
    "spades_bid": Scene("spades", reached("bid"), seed=8),
    "spades_blind": Scene("spades", reached("blind", scores=(40, 210)), {"blind_nil": "yes"}),
    "spades_play": Scene("spades", reached("play", 4, 2)),
    "spades_late": Scene("spades", reached("play", 10, 1)),
    "spades_over": Scene("spades", over, {"target": 250}),
}
