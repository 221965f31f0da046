"""The rules of Hearts and Spades: pure, standard library only, the core that every other part rests on.

    rules = rules_for("hearts", 4, {"end_score": 50})
    state = rules.apply(rules.start(), Action("open", dealer=0))

`README.md` in this folder describes the rules followed, every option, and the referee (`python -m games.rules`).
"""

from __future__ import annotations

from functools import lru_cache

from games.rules.cards import DECK, in_order
from games.rules.engine import Rules
from games.rules.hearts import Hearts
from games.rules.hearts_options import HeartsOptions
from games.rules.options import Option, Options, Value
from games.rules.refusals import CODES, Refused
from games.rules.spades import Spades
from games.rules.spades_options import SpadesOptions
from games.rules.state import REASONS, Action, Due, Result, State, state_from_json
from games.rules.view import Event, View, story, view

#: Raised when a fix changes what recorded actions mean; see "Versions" in README.md.
RULES_VERSION = 1

#: Name of a kind: its rules class and its options class.
KINDS: dict[str, tuple[type[Rules], type[Options]]] = {
    "hearts": (Hearts, HeartsOptions),
    "spades": (Spades, SpadesOptions),
}

__all__ = [
    "CODES",
    "DECK",
    "KINDS",
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
    "options_for",
    "rules_for",
    "state_from_json",
    "story",
    "view",
]


def options_for(kind: object, data: object) -> Options:
    """The options of a kind from a JSON object. Refused with a code and the field."""
    if not isinstance(kind, str) or kind not in KINDS:
        raise Refused("unknown_kind", field="kind")
    return KINDS[kind][1].from_json(data)


def rules_for(kind: object, players: object, options: object = None) -> Rules:
    """The rules of a table. `options` is a kind's options or a JSON object of them.

    Refused with a code and the field.
    """
    if not isinstance(options, Options):
        options = options_for(kind, {} if options is None else options)
    elif not isinstance(kind, str) or kind not in KINDS or not isinstance(options, KINDS[kind][1]):
        raise Refused("unknown_kind", field="kind")
    options.check_players(players)
    assert isinstance(players, int)
    return _rules(str(kind), players, options)


@lru_cache(maxsize=256)
def _rules(kind: str, players: int, options: Options) -> Rules:
    return KINDS[kind][0](players, options)
