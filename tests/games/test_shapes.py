"""Shapes: from a type follow a parser that takes nothing else, and a JSON Schema that says the same."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired

import pytest
from jsonschema import Draft202012Validator
from typing_extensions import TypedDict

from games.shapes import Among, Count, Flag, Incoming, Malformed, Reader, Text, between, schema_of, tagged

Colour = Annotated[str, Among(("red", "black"))]


@dataclass(frozen=True, slots=True)
class Paint(Incoming):
    """Three ways to hold a value to something."""

    colour: Colour
    what: Annotated[str, Text("^[a-z]+$", most=4, least=2)]
    seat: Annotated[int, between(0, 6)] | None
    type: Literal["paint"] = "paint"


@dataclass(frozen=True, slots=True)
class Stop(Incoming):
    """A message without keys."""

    type: Literal["stop"] = "stop"


@dataclass(frozen=True, slots=True)
class Say(Incoming):
    """The only message of a socket."""

    what: Annotated[str, Text(most=2)]
    type: Literal["say"]


READER: Reader[Paint | Stop] = Reader(Paint | Stop, 100)
PAINT: dict[str, Any] = {"type": "paint", "colour": "red", "what": "card", "seat": 3}


class Inner(TypedDict):
    """A part."""

    on: Flag


class Outer(TypedDict):
    """With everything that a schema is made from."""

    type: Literal["outer"]
    parts: list[Inner]
    own: Inner | None
    due: dict[Annotated[str, Text("^[0-6]$")], Count]
    more: NotRequired[Colour]


def test_a_message_is_read_as_its_class() -> None:
    assert READER.read(json.dumps(PAINT)) == Paint("red", "card", 3)
    assert READER.read(json.dumps({**PAINT, "seat": None})) == Paint("red", "card", None)
    assert READER.read('{"type": "stop"}') == Stop()
    assert tagged(Paint | Stop) == {"paint": Paint, "stop": Stop}
    assert tagged(Stop) == {"stop": Stop}


WRONG: dict[str, list[Any]] = {
    "colour": ["blue", None, ["red"], 1],
    "what": ["a", "abcde", "A b", "ab\n", "a\ud800", 7, None],
    "seat": [-1, 7, 1.0, True, "1", 10**40],
    "type": ["Paint", "stop", None, ["paint"], {}],
    "more": [1],
}


@pytest.mark.parametrize("change", [{key: value} for key, values in WRONG.items() for value in values], ids=ascii)
def test_nothing_else_is_read_and_the_schema_says_so(change: dict[str, Any]) -> None:
    with pytest.raises(Malformed):
        READER.read(json.dumps(PAINT | change))
    schema = Draft202012Validator(schema_of(Paint))
    assert schema.is_valid(PAINT)
    if change not in ({"seat": 1.0}, {"what": "ab\n"}):  # in JSON Schema 1.0 is whole; and Python's $ is a line's end
        assert not schema.is_valid(PAINT | change)


@pytest.mark.parametrize("key", PAINT)
def test_every_key_has_to_be_there(key: str) -> None:
    short = {name: value for name, value in PAINT.items() if name != key}
    with pytest.raises(Malformed):
        READER.read(json.dumps(short))
    assert not Draft202012Validator(schema_of(Paint)).is_valid(short)


@pytest.mark.parametrize(
    "frame",
    [
        *("", "[]", "null", "{", "{}", '{"type": "stop", "type": "stop"}', '{"type": "stop"}' + " " * 90, "[" * 90),
        '{"type": "paint", "colour": "red", "what": "card", "seat": NaN}',
    ],
)
def test_what_is_no_json_object_of_the_right_size_is_malformed(frame: str) -> None:
    with pytest.raises(Malformed):
        READER.read(frame)


def test_half_a_surrogate_pair_is_one_character() -> None:
    reader: Reader[Say] = Reader(Say, 100)
    assert reader.read('{"type": "say", "what": "\\ud800a"}').what == "\ud800a"
    with pytest.raises(Malformed):
        reader.read('{"type": "say", "what": "\\ud800ab"}')


def test_a_schema_is_closed_and_in_one_piece() -> None:
    part: dict[str, Any] = {"type": "object", "properties": {"on": {"type": "boolean"}}, "required": ["on"]}
    part |= {"additionalProperties": False}
    assert schema_of(Outer) == {
        "type": "object",
        "properties": {
            "type": {"type": "string", "enum": ["outer"]},
            "parts": {"type": "array", "items": part},
            "own": {"anyOf": [{"type": "null"}, part]},
            "due": {
                "type": "object",
                "propertyNames": {"pattern": "^[0-6]$"},
                "additionalProperties": {"type": "integer", "minimum": 0},
            },
            "more": {"type": "string", "enum": ["red", "black"]},
        },
        "required": ["type", "parts", "own", "due"],
        "additionalProperties": False,
    }


def test_the_values_of_a_list_are_those_that_it_has_when_a_schema_is_made() -> None:
    names = ["hearts"]
    shape = Annotated[str, Among(names)]
    assert schema_of(shape)["enum"] == ["hearts"]
    names.append("whist")
    assert schema_of(shape)["enum"] == ["hearts", "whist"]
