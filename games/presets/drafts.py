"""Presets as they are to be: held to the option declarations before anything is written, and their JSON form.

A draft is what the admin's form makes of its fields and an import of its file, so both are judged by the same rules.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NoReturn

from django.utils.translation import gettext as _

from games.kinds import KINDS, options_for
from games.presets.words import Setting, refusal_sentence
from games.rules import Option, Options, Refused

FORMAT = "moonshot-presets"
FORMAT_VERSION = 1
#: A file of thousands of presets is far below it.
MOST_BYTES = 2_000_000
MOST_ORDER = 32_767

_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_MOST_CHARS = {"slug": 50, "name": 80, "name_ja": 80, "note": 300, "note_ja": 300}


class BadPresets(Exception):
    """A preset, or a file of presets, is not accepted. `place` says where, `sentence` why, to whoever wrote it."""

    def __init__(self, place: str, sentence: str) -> None:
        super().__init__(f"{place}: {sentence}" if place else sentence)
        self.place = place
        self.sentence = sentence


@dataclass(frozen=True, slots=True)
class Draft:
    """A preset and its current version as they are to be. Made by `checked` it is one that can be stored."""

    slug: str
    kind: str
    players: tuple[int, ...]
    name: str
    name_ja: str = ""
    note: str = ""
    note_ja: str = ""
    order: int = 0
    is_active: bool = True
    ranked_players: int | None = None
    options: Mapping[str, Setting] | None = None
    choices: Mapping[str, Sequence[Setting]] | None = None

    def to_json(self) -> dict[str, Any]:
        """Everything, in a fixed order."""
        data = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return data | {"players": list(self.players), "options": dict(self.options or {})}


def checked(draft: Draft, place: str = "") -> Draft:
    """The draft in its one form: options as differences from the defaults, lists in order. Raises BadPresets."""

    def bad(key: str, sentence: str) -> NoReturn:
        raise BadPresets(".".join(part for part in (place, key) if part), sentence)

    for name, most in _MOST_CHARS.items():
        text: Any = getattr(draft, name)
        if not isinstance(text, str):
            bad(name, _("This has to be a text."))
        if len(text) > most:
            bad(name, _("This has more than %(most)s characters.") % {"most": most})
        if any(unicodedata.category(char) in ("Cc", "Cs") for char in text):
            bad(name, _("This has a character that cannot be shown."))
    if not _SLUG.fullmatch(draft.slug):
        bad("slug", _("A short name has small letters, digits and single hyphens only, such as hearts-short."))
    if not draft.name.strip():
        bad("name", _("A preset needs an English name."))
    kind: Any = draft.kind
    if not isinstance(kind, str) or kind not in KINDS:
        bad("kind", _("There is no such game here."))
    for name, type_ in (("is_active", bool), ("order", int)):
        if type(getattr(draft, name)) is not type_:
            bad(name, _("This has the wrong type of value."))
    if not 0 <= draft.order <= MOST_ORDER:
        bad("order", _("This has to be a number from 0 to %(most)s.") % {"most": MOST_ORDER})
    players = _players(draft, bad)
    options = _options(draft, players, bad)
    if draft.ranked_players is not None and (
        type(draft.ranked_players) is not int or draft.ranked_players not in players
    ):
        bad("ranked_players", _("It can be ranked only at one of its own numbers of players."))
    return replace(draft, players=players, options=options.differences(), choices=_choices(draft, options, bad))


def _players(draft: Draft, bad: Any) -> tuple[int, ...]:
    players: Any = draft.players
    if not isinstance(players, list | tuple) or not players or any(type(number) is not int for number in players):
        bad("players", _("This has to be a list of numbers of players."))
    if len(set(players)) < len(players):
        bad("players", _("A number of players is named twice."))
    return tuple(sorted(players))


def _options(draft: Draft, players: Sequence[int], bad: Any) -> Options:
    data: Any = {} if draft.options is None else draft.options
    if not isinstance(data, Mapping):
        bad("options", _("This has to be an object of options."))
    try:
        options = options_for(draft.kind, data)
        for number in players:
            options.check_players(number)
    except Refused as refused:
        field = str(refused.details["field"])
        bad("players" if field == "players" else f"options.{field}", refusal_sentence(draft.kind, refused, data))
    return options


def _choices(draft: Draft, options: Options, bad: Any) -> dict[str, list[Setting]] | None:
    """What a table may change, in the order of the declarations; every offered value is one of its option."""
    choices: Any = draft.choices
    if choices is None:
        return None
    if not isinstance(choices, Mapping):
        bad("choices", _("This has to be an object of options, or null."))
    for name, values in choices.items():
        try:
            option = options.option(name)
            if not isinstance(values, list | tuple) or not values:
                bad(f"choices.{option.name}", _("This has to be a list of values."))
            for value in values:
                option.check(value)
        except Refused as refused:
            field = str(refused.details["field"])
            bad(f"choices.{field}", refusal_sentence(draft.kind, refused, {}))
        if len(set(values)) < len(values):
            bad(f"choices.{name}", _("A value is named twice."))
        if getattr(options, name) not in values:
            bad(f"choices.{name}", _("The preset's own value has to be among those that a table may choose."))
    return {o.name: _ordered(o, choices[o.name]) for o in options.declared() if o.name in choices}


def _ordered(option: Option, values: Sequence[Setting]) -> list[Setting]:
    """Values in the order of the declaration, numbers from the lowest."""
    known = [allowed.value for allowed in option.values]
    return sorted(values, key=lambda value: known.index(str(value)) if known else int(value))


# --- files ------------------------------------------------------------------------------------------------------------


def to_text(drafts: Iterable[Draft]) -> str:
    """A file of presets: the same presets give the same bytes, in whatever order they come."""
    presets = [draft.to_json() for draft in sorted(drafts, key=lambda draft: draft.slug)]
    data = {"format": FORMAT, "version": FORMAT_VERSION, "presets": presets}
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def from_bytes(raw: bytes) -> list[Draft]:
    """The presets of a file, all of them checked. Raises BadPresets with the place of the first fault."""
    if len(raw) > MOST_BYTES:
        raise BadPresets("", _("The file is larger than %(most)s bytes.") % {"most": MOST_BYTES})
    try:
        data = json.loads(raw.decode("utf-8-sig"), object_pairs_hook=_once, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise BadPresets(_("byte %(number)s") % {"number": error.start + 1}, _("This is not UTF-8 text.")) from None
    except json.JSONDecodeError as error:
        place = _("line %(line)s, column %(column)s") % {"line": error.lineno, "column": error.colno}
        raise BadPresets(place, _("This is not JSON.")) from None
    except (RecursionError, ValueError):
        raise BadPresets("", _("This is not JSON that can be read here.")) from None
    _check_keys(data, "", ("format", "version", "presets"))
    if data["format"] != FORMAT:
        raise BadPresets("format", _("This is not a file of presets."))
    if data["version"] != FORMAT_VERSION or type(data["version"]) is not int:
        raise BadPresets("version", _("This file was written by another version of the site."))
    if not isinstance(data["presets"], list):
        raise BadPresets("presets", _("This has to be a list of presets."))
    drafts: list[Draft] = []
    for index, item in enumerate(data["presets"]):
        place = f"presets[{index}]"
        _check_keys(item, place, tuple(entry.name for entry in fields(Draft)))
        if item["options"] is None:
            raise BadPresets(f"{place}.options", _("This has to be an object of options."))
        draft = checked(Draft(**item), place)
        if any(draft.slug == other.slug for other in drafts):
            raise BadPresets(f"{place}.slug", _("This short name is in the file twice."))
        drafts.append(draft)
    return drafts


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, in which no key may come twice: which of the two was meant cannot be told."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _value in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise BadPresets(twice[:64], _("This key comes twice in one object."))
    return found


def _no_constant(text: str) -> NoReturn:
    raise BadPresets(text, _("This is not JSON."))


def _check_keys(data: Any, place: str, keys: tuple[str, ...]) -> None:
    """Raises BadPresets unless the data is an object with exactly these keys."""
    if not isinstance(data, dict):
        raise BadPresets(place, _("This has to be an object."))
    for key in data:
        if key not in keys:
            raise BadPresets(".".join(part for part in (place, key[:64]) if part), _("There is no such key."))
    for key in keys:
        if key not in data:
            raise BadPresets(".".join(part for part in (place, key) if part), _("This key is missing."))
