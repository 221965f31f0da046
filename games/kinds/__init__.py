"""The games that are played here. A game is a folder in here and a line in `KINDS`; `kind` says what it registers."""

from __future__ import annotations

from functools import lru_cache

from games.kinds.hearts import HEARTS
from games.kinds.kind import Kind
from games.kinds.spades import SPADES
from games.rules import Options, Refused, Rules

#: Name of a kind: the kind.
KINDS: dict[str, Kind] = {kind.name: kind for kind in (HEARTS, SPADES)}
#: The same names in order, for schemas that are written before a kind of another package is registered.
NAMES: list[str] = list(KINDS)


def register(kind: Kind) -> None:
    """Adds a kind that is kept outside this folder, before the site serves anything. ValueError for a name in use."""
    if kind.name in KINDS:
        raise ValueError(f"there is a kind {kind.name} already")
    KINDS[kind.name] = kind
    NAMES.append(kind.name)


def options_for(kind: object, data: object) -> Options:
    """The options of a kind from a JSON object. Refused with a code and the field."""
    if not isinstance(kind, str) or kind not in KINDS:
        raise Refused("unknown_kind", field="kind")
    return KINDS[kind].options.from_json(data)


def rules_for(kind: object, players: object, options: object = None) -> Rules:
    """The rules of a table. `options` is a kind's options or a JSON object of them.

    Refused with a code and the field.
    """
    if not isinstance(options, Options):
        options = options_for(kind, {} if options is None else options)
    elif not isinstance(kind, str) or kind not in KINDS or not isinstance(options, KINDS[kind].options):
        raise Refused("unknown_kind", field="kind")
    options.check_players(players)
    assert isinstance(players, int)
    return _rules(str(kind), players, options)


@lru_cache(maxsize=256)
def _rules(kind: str, players: int, options: Options) -> Rules:
    return KINDS[kind].rules(players, options)
