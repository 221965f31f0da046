"""The form of a record: a JSON Schema that is published, and the little that is needed to hold a document to it.

The reader knows just the words that the schema uses; a test holds it to another implementation of JSON Schema.
"""

from __future__ import annotations

import re
from typing import Any

from games.kinds import NAMES
from games.rules import DECK, REASONS

FORMAT = "moonshot-game"
VERSION = 1
MOST_BYTES = 4_000_000
MOST_ENTRIES = 20_000
MOST_MS = 253_402_300_000_000  # the last day that a date can name

#: Kinds of an entry: those of the rules, then those of the site.
ENTRY_KINDS = (
    *("open", "deal", "pass", "skip", "blind", "bid", "exchange", "play", "moon", "finish"),
    *("stand_in", "back", "outage", "void"),
)


def _(text: str) -> str:
    """Marks a text for translation and leaves it as it is."""
    return text


class BadRecord(ValueError):
    """A text is no record of a game. The message is one sentence that says where and why.

    `text` is its English with places for `values`, to be translated where it is shown; a value may be another of these.
    """

    def __init__(self, text: str, **values: object) -> None:
        super().__init__(text, values)
        self.text, self.values = text, values

    def __str__(self) -> str:
        return self.text % self.values


def _whole(least: int, most: int) -> dict[str, Any]:
    return {"type": "integer", "minimum": least, "maximum": most}


def _text(pattern: str, most: int = 200) -> dict[str, Any]:
    return {"type": "string", "pattern": pattern, "maxLength": most}


def _either(one: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [{"type": "null"}, one]}


def _list(items: dict[str, Any], most: int) -> dict[str, Any]:
    return {"type": "array", "items": items, "maxItems": most}


def _object(properties: dict[str, Any], *, optional: bool = False, but: tuple[str, ...] = ()) -> dict[str, Any]:
    needed: dict[str, Any] = {} if optional else {"required": [name for name in properties if name not in but]}
    return {"type": "object", "properties": properties, "additionalProperties": False, **needed}


_CARD = {"type": "string", "enum": list(DECK)}
_SEAT = _whole(0, 6)
_SLUG = r"^[a-z0-9_-]+$"
_NAME = r"^[^\u0000-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff]*$"
_DATA = _object(
    {
        "dealer": _SEAT,
        "pack": _list(_CARD, 52),
        "cards": _list(_CARD, 26),
        "card": _CARD,
        "bid": _whole(0, 13),
        "blind": {"type": "boolean"},
        "choice": {"type": "string", "enum": ["add", "subtract"]},
        "by": _text(_SLUG, 20),
        "seconds": {"type": "number", "minimum": 0, "maximum": 10_000_000},
        "reason": _text(_SLUG, 20),
    },
    optional=True,
)
_ENTRY = _object(
    {
        "ply": _whole(1, MOST_ENTRIES),
        "seat": _either(_SEAT),
        "kind": {"type": "string", "enum": list(ENTRY_KINDS)},
        "ask": _text(r"^([0-9]+\.[0-9]+\.[a-z]+\.[0-9]+)?$", 40),
        "data": _DATA,
        "cause": {"type": "string", "enum": ["dealer", "player", "cpu", "timeout"]},
        "at": _whole(0, MOST_MS),
    }
)

#: What a record is, as a JSON Schema (draft 2020-12).
SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "A finished game of Moonshot",
    **_object(
        {
            "format": {"type": "string", "enum": [FORMAT]},
            "version": {"type": "integer", "enum": [VERSION]},
            "kind": {"type": "string", "enum": NAMES},
            "players": _whole(2, 7),
            "options": {
                "type": "object",
                "propertyNames": {"pattern": "^[a-z0-9_]{1,40}$"},
                "additionalProperties": {"anyOf": [_text(_SLUG, 40) | {"pattern": r"^\w+$"}, _whole(0, 1_000_000)]},
            },
            "rules_version": _whole(1, 1_000),
            "preset": _either(_object({"slug": _text(_SLUG, 50), "version": _whole(1, 1_000_000)})),
            "timer_s": _whole(0, 32_767),
            "seats": _list(_object({"name": _text(_NAME, 160), "cpu": _either(_text(_SLUG, 16))}), 7),
            "code": _text(r"^[0-9A-Z-]+$", 24),
            "commitment": _either(_text(r"^[0-9a-f]{64}$", 64)),
            "secret": _either(_text(r"^([0-9a-f]{2}){16,64}$", 128)),
            "nonces": _list(_text(r"^([0-9a-f]{2}){0,32}$", 64), 7),
            "forks": _list(_object({"ply": _whole(1, MOST_ENTRIES), "code": _text(r"^[0-9A-Z-]+$", 24)}), 100),
            "log": _list(_ENTRY, MOST_ENTRIES),
            "result": _either(
                _object(
                    {
                        "placings": _list(_whole(1, 7), 7),
                        "scores": _list(_whole(-1_000_000, 1_000_000), 7),
                        "reason": {"type": "string", "enum": list(REASONS)},
                    }
                )
            ),
        },
        but=("forks",),  # only of a game that was played on from another one
    ),
}

#: What the whole is called where something is wrong with it.
DOCUMENT = "document"
_TYPES: dict[str, tuple[type[Any], ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def fault(schema: dict[str, Any], value: Any, where: str = "") -> BadRecord | None:
    """The first thing about a value that its schema does not allow; None if there is none."""
    place = where or DOCUMENT
    if "anyOf" in schema:
        found = [fault(choice, value, where) for choice in schema["anyOf"]]
        return None if None in found else found[-1]
    name: str = schema["type"]
    if not isinstance(value, _TYPES[name]) or (isinstance(value, bool) and name != "boolean"):
        return BadRecord(_("%(place)s has to be of the type %(type)s."), place=place, type=name)
    if "enum" in schema and value not in schema["enum"]:
        return BadRecord(_("%(place)s has a value that is not known."), place=place)
    if name == "object":
        return _fault_of_object(schema, value, where)
    if name == "array":
        if len(value) > schema["maxItems"]:
            return BadRecord(_("%(place)s has more than %(most)s entries."), place=place, most=schema["maxItems"])
        each = (fault(schema["items"], item, f"{place} {number}") for number, item in enumerate(value, 1))
        return next(filter(None, each), None)
    if name == "string" and (
        len(value) > schema.get("maxLength", len(value)) or not _matches(schema.get("pattern"), value)
    ):
        return BadRecord(_("%(place)s is a text that cannot stand there."), place=place)
    if name in ("integer", "number") and "minimum" in schema and not schema["minimum"] <= value <= schema["maximum"]:
        return BadRecord(
            _("%(place)s is not from %(least)s to %(most)s."),
            place=place,
            least=schema["minimum"],
            most=schema["maximum"],
        )
    return None


def _fault_of_object(schema: dict[str, Any], value: dict[str, Any], where: str) -> BadRecord | None:
    place = where or DOCUMENT
    for key in schema.get("required", ()):
        if key not in value:
            return BadRecord(_("%(place)s has no %(key)s."), place=place, key=key)
    known, other = schema.get("properties", {}), schema["additionalProperties"]
    for key, item in value.items():
        inner = known.get(key, other)
        if inner is False or not _matches(schema.get("propertyNames", {}).get("pattern"), key):
            return BadRecord(_("%(place)s has the key %(key)s, which is not known."), place=place, key=ascii(key)[:40])
        if found := fault(inner, item, f"{where}.{key}" if where else key):
            return found
    return None


def _matches(pattern: str | None, text: str) -> bool:
    """As other readers of JSON Schema take a pattern: its end is that of the text; for Python it may be a line's."""
    return pattern is None or (re.search(pattern, text) is not None and not text.endswith("\n"))
