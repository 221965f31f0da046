"""The form of a record: its type, the JSON Schema that follows from it and is published, and a reader of that schema.

The reader knows just the words that the schema uses; a test holds it to another implementation of JSON Schema. It is
there for its sentences, which say in the reader's language what is wrong and where.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from games.kinds import NAMES
from games.rules import DECK, REASONS
from games.shapes import Among, Flag, Schema, Text, between, schema_of

FORMAT = "moonshot-game"
VERSION: Literal[1] = 1
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


# --- the shape --------------------------------------------------------------------------------------------------------

_SLUG = r"^[a-z0-9_-]+$"
_NAME = r"^[^\u0000-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff]*$"

Kind = Annotated[str, Among(NAMES)]
Card = Annotated[str, Among(DECK)]
Seat = Annotated[int, between(0, 6)]
Ply = Annotated[int, between(1, MOST_ENTRIES)]
Code = Annotated[str, Text(r"^[0-9A-Z-]+$", 24)]
Slug = Annotated[str, Text(_SLUG, 50)]
Level = Annotated[str, Text(_SLUG, 16)]
Word = Annotated[str, Text(_SLUG, 20)]
Nonce = Annotated[str, Text(r"^([0-9a-f]{2}){0,32}$", 64)]
OptionName = Annotated[str, Text("^[a-z0-9_]{1,40}$")]
OptionValue = Annotated[str, Text(r"^\w+$", 40)] | Annotated[int, between(0, 1_000_000)]


class Preset(TypedDict):
    """The preset that a game was played by."""

    slug: Slug
    version: Annotated[int, between(1, 1_000_000)]


class Holder(TypedDict):
    """Who had a seat: a person's name, or a CPU player's with its level."""

    name: Annotated[str, Text(_NAME, 160)]
    cpu: Level | None


class Fork(TypedDict):
    """Up to the entry `ply` the log is that of a game with another code."""

    ply: Ply
    code: Code


class Data(TypedDict, total=False):
    """What an entry of the log says; which keys belong to which kind is no matter of form."""

    dealer: Seat
    pack: Annotated[list[Card], Field(max_length=52)]
    cards: Annotated[list[Card], Field(max_length=26)]
    card: Card
    bid: Annotated[int, between(0, 13)]
    blind: Flag
    choice: Annotated[str, Among(("add", "subtract"))]
    by: Word
    seconds: Annotated[float, Field(ge=0, le=10_000_000)]
    reason: Word


class Row(TypedDict):
    """An entry of the log. `at` is in ms since 1970."""

    ply: Ply
    seat: Seat | None
    kind: Annotated[str, Among(ENTRY_KINDS)]
    ask: Annotated[str, Text(r"^([0-9]+\.[0-9]+\.[a-z]+\.[0-9]+)?$", 40)]
    data: Data
    cause: Annotated[str, Among(("dealer", "player", "cpu", "timeout"))]
    at: Annotated[int, between(0, MOST_MS)]


class Result(TypedDict):
    """How the game ended: the place of each seat, the score of each side, the reason."""

    placings: Annotated[list[Annotated[int, between(1, 7)]], Field(max_length=7)]
    scores: Annotated[list[Annotated[int, between(-1_000_000, 1_000_000)]], Field(max_length=7)]
    reason: Annotated[str, Among(REASONS)]


class Record(TypedDict):
    """A game that is over, as a document. `games/README.md` says what the keys mean; `timer_s` is in seconds."""

    format: Annotated[str, Among((FORMAT,))]
    version: Literal[1]
    kind: Kind
    players: Annotated[int, between(2, 7)]
    options: dict[OptionName, OptionValue]
    rules_version: Annotated[int, between(1, 1_000)]
    preset: Preset | None
    timer_s: Annotated[int, between(0, 32_767)]
    seats: Annotated[list[Holder], Field(max_length=7)]
    code: Code
    commitment: Annotated[str, Text(r"^[0-9a-f]{64}$", 64)] | None
    secret: Annotated[str, Text(r"^([0-9a-f]{2}){16,64}$", 128)] | None
    nonces: Annotated[list[Nonce], Field(max_length=7)]
    forks: NotRequired[Annotated[list[Fork], Field(max_length=100)]]  # only of a game played on from another one
    log: Annotated[list[Row], Field(max_length=MOST_ENTRIES)]
    result: Result | None


#: What a record is, as a JSON Schema (draft 2020-12).
SCHEMA: Schema = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "A finished game of Moonshot",
    **schema_of(Record),
}
SCHEMA["properties"]["kind"]["enum"] = NAMES  # the list itself, which kinds that are registered later are added to


# --- holding a document to it -----------------------------------------------------------------------------------------

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


def fault(schema: Schema, value: Any, where: str = "") -> BadRecord | None:
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


def _fault_of_object(schema: Schema, value: dict[str, Any], where: str) -> BadRecord | None:
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
