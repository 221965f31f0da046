"""What is missing or wrong in the record of a kind. Pure; the site's system checks tell it by name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

from games.kinds.kind import Kind, Words, load
from games.kinds.preset import Preset
from games.rules import Options, Refused, Rules
from games.rules.cards import DECK, SUITS
from games.verify.codes import ALPHABET, Table
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
    words: Any = kind.words  # whatever was put there
    choose: Any = kind.choose
    if not isinstance(words, Words):
        yield "its words are no Words"
    if not callable(choose):
        yield "its choose is no function"
    yield from _of_rules(kind)
    options_class: Any = kind.options  # whatever was put there
    if isinstance(options_class, type) and issubclass(options_class, Options):
        yield from _of_modules(kind)
        yield from _of_check(kind)
        yield from _of_presets(kind)


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
    if kind.full_limit <= 0:
        yield f"its limit of a whole game {kind.full_limit} is not above 0"
    for number in players:
        rules = kind.rules(number, kind.options())
        if rules.sides != len({kind.side(seat) for seat in range(number)}):
            yield f"its rules have {rules.sides} sides at {number} players, which is not what its seats score for"


def _of_check(kind: Kind) -> Iterator[str]:
    check: Any = kind.check  # whatever was put there
    if not (isinstance(check, type) and issubclass(check, Check)):
        yield "its check is no class of Check"
        return
    if {*check.OPTIONS, *check.UNREAD} != {option.name for option in kind.options.declared()}:
        yield "its check names other options than are declared"
    if kind.highest_wins == check.IS_LOWEST_FIRST:
        yield "its check has another order of places than it says itself"
    rules_class: Any = kind.rules
    strange = [row.character for row in check.ROWS if len(row.character) != 1 or row.character not in ALPHABET]
    yield from (f"its game codes cannot begin with {character!r}" for character in strange)
    if not (isinstance(rules_class, type) and issubclass(rules_class, Rules)):
        return
    for number in set(kind.options.PLAYERS) & set(MOST_PLAYERS):
        options = kind.options().to_json()
        fitting = [row for row in check.ROWS if row.players == number and row.options.items() <= options.items()]
        if not fitting:
            yield f"its check has no row for the pack of {number} players"
        elif Table(fitting[-1].character, kind.name, *fitting[-1][1:]).deck != kind.rules(number, kind.options()).deck:
            yield f"its check has another pack for {number} players than its rules"


def _of_presets(kind: Kind) -> Iterator[str]:
    slugs = [preset.slug for preset in kind.presets]
    for preset in kind.presets:
        yield from (f"its preset {preset.slug!r} {fault}" for fault in _of_preset(kind, preset))
    for field, slug in (("play_now", kind.play_now), ("daily", kind.daily)):
        if slugs and slug not in slugs:
            yield f"none of its presets is {slug!r}, which it names as its {field}"


def _of_preset(kind: Kind, preset: Preset) -> Iterator[str]:
    if not preset.slug or not preset.name:
        yield "has no slug or no name"
    if preset.kind != kind.name:
        yield f"is of the kind {preset.kind!r}"
    if preset.ranked is not None and preset.ranked not in preset.players:
        yield f"is ranked at {preset.ranked} players, which are not among its own"
    try:
        options = kind.options.from_json(preset.options)
        for number in preset.players:
            options.check_players(number)
    except Refused as refused:
        yield f"is refused: {refused.code} of {refused.details.get('field')}"


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


def _is_there(module: object) -> bool:
    try:
        return isinstance(module, str) and bool(module) and find_spec(module) is not None
    except (ModuleNotFoundError, ValueError):
        return False
