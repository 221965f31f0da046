"""Shapes of JSON values, written as types: what the type checker reads, a parser and a JSON Schema follow from them.

A message that comes in is a dataclass below `Incoming`, read by a `Reader`. What goes out is a TypedDict: at run time a
plain dict, with `schema_of` for its form. Knows pydantic, and nothing of games.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Generic, TypeVar, get_args, get_type_hints

from pydantic import ConfigDict, Discriminator, Field, GetCoreSchemaHandler, GetJsonSchemaHandler, Strict, TypeAdapter
from pydantic import ValidationError as Unfit
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from games.rules.lines import strict_json

Schema = dict[str, Any]
T = TypeVar("T")


# --- values -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Text:
    """Marks a `str`: its least and its greatest length in characters, and a pattern, which names its own ends.

    Half a surrogate pair is a character here, as it is in JSON and in Python; pydantic's own limits refuse it. Where it
    cannot be in the text anyway, `Field(pattern=…)` is ten times as fast to check.
    """

    pattern: str | None = None
    most: int | None = None
    least: int = 0

    def check(self, value: str) -> str:
        if len(value) < self.least or (self.most is not None and len(value) > self.most):
            raise ValueError("the length")
        if self.pattern is not None and (value.endswith("\n") or re.search(self.pattern, value) is None):
            raise ValueError("the pattern")
        return value

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.check, core_schema.str_schema(strict=True))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        words: list[tuple[str, Any]] = [("pattern", self.pattern), ("minLength", self.least), ("maxLength", self.most)]
        return {"type": "string", **{word: value for word, value in words if value}}


@dataclass(frozen=True, eq=False)
class Among:
    """Marks a `str` that is one of these. They are looked at anew for every parser and every schema that is made."""

    values: Iterable[str]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.literal_schema(list(self.values))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"type": "string", "enum": list(self.values)}


def between(least: int, most: int | None = None) -> Any:
    """Marks an `int` from `least` to `most`, both included. A bool is none, nor is a number with a point."""
    return Field(ge=least, le=most, strict=True)


Count = Annotated[int, Field(ge=0, strict=True)]
Amount = Annotated[float, Field(ge=0)]
Flag = Annotated[bool, Strict()]


# --- what comes in ----------------------------------------------------------------------------------------------------


class Malformed(Exception):
    """A frame that is no message of its socket."""


class Incoming:
    """A message that comes in: a frozen dataclass whose field `type` has its name. It takes no other keys."""

    __slots__ = ()
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")


class Reader(Generic[T]):
    """Reads the messages of one socket. `shapes` is a union of `Incoming`, told apart by `type`, or just one."""

    def __init__(self, shapes: Any, most_bytes: int) -> None:
        shape: Any = Annotated[shapes, Discriminator("type")] if get_args(shapes) else shapes
        adapter: TypeAdapter[T] = TypeAdapter(shape)
        self._fit: Callable[[object], T] = adapter.validator.validate_python
        self._most = most_bytes

    def read(self, text: str) -> T:
        """The message in a frame; raises Malformed."""
        if len(text) > self._most or len(text.encode(errors="replace")) > self._most:
            raise Malformed("too large")
        # Not pydantic's reader of JSON: that takes a key that comes twice, and NaN.
        try:
            return self._fit(strict_json(text))
        except Unfit:
            raise Malformed("no message") from None
        except (ValueError, RecursionError):
            raise Malformed("no JSON") from None


def tagged(shapes: object, key: str = "type") -> dict[str, Any]:
    """Name of a message to its shape, for a union of shapes (or the only one), each with its name as `key`."""
    return {get_args(get_type_hints(shape)[key])[0]: shape for shape in get_args(shapes) or (shapes,)}


# --- JSON Schema ------------------------------------------------------------------------------------------------------


class _Closed(GenerateJsonSchema):
    """Objects take no keys but their own, and every field of a message has to be there."""

    def typed_dict_schema(self, schema: core_schema.TypedDictSchema) -> JsonSchemaValue:
        return {**super().typed_dict_schema(schema), "additionalProperties": False}

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return {"anyOf": [{"type": "null"}, self.generate_inner(schema["schema"])]}

    def literal_schema(self, schema: core_schema.LiteralSchema) -> JsonSchemaValue:
        found = super().literal_schema(schema)
        return {"type": found["type"], "enum": [found["const"]]} if "const" in found else found

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        keys = self.generate_inner(schema["keys_schema"])
        names = {word: value for word, value in keys.items() if word != "type"}
        values = self.generate_inner(schema["values_schema"])
        return {"type": "object", **({"propertyNames": names} if names else {}), "additionalProperties": values}

    def field_is_required(self, field: Any, total: bool) -> bool:
        return field["type"] == "dataclass-field" or super().field_is_required(field, total)

    def sort(self, value: JsonSchemaValue, parent_key: str | None = None) -> JsonSchemaValue:
        return value


def schema_of(shape: Any) -> Schema:
    """The JSON Schema (draft 2020-12) of a shape, in one piece: without references, titles and descriptions."""
    found = TypeAdapter(shape).json_schema(schema_generator=_Closed)
    flat: Schema = _flat(found, found.get("$defs", {}))
    return flat


def schemas_of(shapes: dict[str, Any]) -> dict[str, Schema]:
    """Name of a message to its JSON Schema."""
    return {name: schema_of(shape) for name, shape in shapes.items()}


#: What pydantic writes into a schema beside what is checked, and the parts that are put where they are named.
_LEFT_OUT = ("$defs", "title", "description", "default")


def _flat(form: Any, parts: dict[str, Any]) -> Any:
    if isinstance(form, list):
        return [_flat(part, parts) for part in form]
    if not isinstance(form, dict):
        return form
    if "$ref" in form:
        return _flat(parts[form["$ref"].removeprefix("#/$defs/")], parts)
    flat = {}
    for word, value in form.items():
        if word == "properties":
            flat[word] = {key: _flat(part, parts) for key, part in value.items()}
        elif word not in _LEFT_OUT:
            flat[word] = _flat(value, parts)
    return flat
