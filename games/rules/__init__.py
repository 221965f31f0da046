"""The rules engine: pure, standard library only, the core that every other part rests on. It knows no game by name.

    rules = games.kinds.rules_for("hearts", 4, {"end_score": 50})
    state = rules.apply(rules.start(), Action("open", dealer=0))

`README.md` in this folder describes the rules followed, every option, and the referee (`python -m games.rules`).
"""

from __future__ import annotations

from games.rules.cards import DECK, in_order
from games.rules.engine import Rules
from games.rules.options import Option, Options, Value
from games.rules.refusals import CODES, Refused
from games.rules.state import REASONS, Action, Due, Result, State, state_from_json
from games.rules.view import Event, View, story, view

#: Raised when a fix changes what recorded actions mean; see "Versions" in README.md.
RULES_VERSION = 1

__all__ = [
    "CODES",
    "DECK",
    "REASONS",
    "RULES_VERSION",
    "Action",
    "Due",
    "Event",
    "Option",
    "Options",
    "Refused",
    "Result",
    "Rules",
    "State",
    "Value",
    "View",
    "in_order",
    "state_from_json",
    "story",
    "view",
]
