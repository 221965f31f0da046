"""What is missing or wrong in the record of a kind. Pure; the site's system checks tell it by name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

from games.kinds.kind import Kind, load
from games.rules import Options, Rules
from games.rules.cards import DECK, SUITS
from games.verify.kind import Check

MOST_NAME = 16  # characters of the database's columns
MOST_PLAYERS = range(2, 8)
#: What a module of rules pages has to have.
RULEBOOK = ("SENTENCES", "all_terms", "house_rules_told", "rules_page", "words_page")


def faults_of(kind: Kind) -> Iterator[str]:
    """A sentence without its stop for each thing that is missing or wrong."""
    if not re.fullmatch(rf"[a-z][a-z_]{{0,{MOST_NAME - 1}}}", kind.name):
        yield f"its name {kind.name!r} is not 1 to {MOST_NAME} small letters"
    yield from (f"it has no {name}" for name in ("label", "pitch", "broken") if not getattr(kind, name))
    if "%(rules)s" not in kind.pitch:
        yield "its pitch has no place for %(rules)s"
    if kind.suit not in SUITS:
        yield f"its suit {kind.suit!r} is none of {' '.join(SUITS)}"
    if not kind.picture or not set(kind.picture) <= set(DECK):
        yield f"its picture {' '.join(kind.picture)!r} is not of cards"
    yield from _of_rules(kind)
    yield from _of_modules(kind)
    yield from _of_check(kind)


def _of_rules(kind: Kind) -> Iterator[str]:
    rules_class: Any = kind.rules  # whatever was put there
    options_class: Any = kind.options
    if not (isinstance(rules_class, type) and issubclass(rules_class, Rules)):
        yield "its rules are no class of Rules"
        return
    if not (isinstance(options_class, type) and issubclass(options_class, Options)):
        yield "its options are no class of Options"
        return
    if kind.rules.kind != kind.name:
        yield f"its rules call themselves {kind.rules.kind!r}"
    players = kind.options.PLAYERS
    if not players or not set(players) <= set(MOST_PLAYERS):
        yield f"its numbers of players {players} are not within {MOST_PLAYERS.start} to {MOST_PLAYERS.stop - 1}"
        return
    if not set(kind.solo_players) <= set(players):
        yield f"one person may play at {kind.solo_players}, which are not all among its players {players}"
    declared = {option.name: option for option in kind.options.declared()}
    limit = declared.get(kind.limit_option)
    if limit is None or limit.type != "whole":
        yield f"its limit {kind.limit_option!r} is no option that is a whole number"
    for number in players:
        rules = kind.rules(number, kind.options())
        if rules.sides != len({kind.side(seat) for seat in range(number)}):
            yield f"its rules have {rules.sides} sides at {number} players, which is not what its seats score for"


def _of_check(kind: Kind) -> Iterator[str]:
    check: Any = kind.check  # whatever was put there
    options_class: Any = kind.options
    if not (isinstance(options_class, type) and issubclass(options_class, Options)):
        return
    if not (isinstance(check, type) and issubclass(check, Check)):
        yield "its check is no class of Check"
    elif {*check.OPTIONS, *check.UNREAD} != {option.name for option in kind.options.declared()}:
        yield "its check names other options than are declared"


def _of_modules(kind: Kind) -> Iterator[str]:
    for name in ("expert", "mistakes"):
        module = getattr(kind, name)
        if module is not None and not _is_there(module):
            yield f"there is no module {module}, which it names as its {name}"
    if not _is_there(kind.rulebook):
        yield f"there is no module {kind.rulebook}, which it names as its rulebook"
        return
    rulebook = load(kind.rulebook)
    missing = [name for name in RULEBOOK if not hasattr(rulebook, name)]
    yield from (f"its rulebook has no {name}" for name in missing)
    if "SENTENCES" in missing:
        return
    for option in kind.options.declared():
        told = rulebook.SENTENCES.get(option.name, {})
        wanted = {value.value for value in option.values} or {""}
        yield from (f"its rulebook has no sentence for {option.name} = {value!r}" for value in wanted - set(told))


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False
