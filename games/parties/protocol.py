"""The messages of the sockets of a party and of the list of parties. README.md describes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from games.cpu import LEVELS
from games.kinds import NAMES
from games.rules.lines import strict_json
from games.tables import schema

MOST_BYTES = 256

CLOSE_NO_PARTY = 4404

_NAME = {"type": "string", "maxLength": 160}
_COUNT = {"type": "integer", "minimum": 0}
_NONE = {"type": "null"}
_BOOL = {"type": "boolean"}


def _object(keys: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": keys, "required": list(keys), "additionalProperties": False}


_SITTING = _object({"name": _NAME, "host": _BOOL, "here": _BOOL, "ready": _BOOL})
_PARTY = {
    "code": {"type": "string", "pattern": "^[A-Z0-9]{6}$"},
    "kind": {"enum": NAMES},
    "preset": {"type": "string"},
    "options": {"type": "object", "additionalProperties": {"type": ["string", "integer"]}},
    "players": _COUNT,
    "fixed": {"anyOf": [_COUNT, _NONE]},
    "capacity": _COUNT,
    "timer": _COUNT,
    "cpu_level": {"enum": [*LEVELS]},
    "may_watch": _BOOL,
    "listed": _BOOL,
    "revision": _COUNT,
    "status": {"enum": ["first", "playing", "between", "closed"]},
    "game": {"anyOf": [_COUNT, _NONE]},
    "seats": {"type": "array", "items": {"anyOf": [_SITTING, _NONE]}, "minItems": 2, "maxItems": 7},
}

#: Type of a message to its schema: every message that goes out.
SCHEMA: dict[str, schema.Schema] = {
    "party": _object({"type": {"const": "party"}, **_PARTY}),
    "lobby": _object(
        {"type": {"const": "lobby"}, "parties": {"type": "array", "items": _object(_PARTY)}, "html": {"type": "string"}}
    ),
    "pong": _object({"type": {"const": "pong"}}),
}


class Malformed(Exception):
    """A frame that is no message of these sockets."""


@dataclass(frozen=True, slots=True)
class Ping:
    """A sign of life."""


def parse(text: str) -> Ping:
    """A message from a frame; raises Malformed. All writes are forms, so that a sign of life is all there is."""
    if len(text) > MOST_BYTES or len(text.encode(errors="replace")) > MOST_BYTES:
        raise Malformed("too large")
    try:
        data = strict_json(text)
    except (ValueError, RecursionError):
        raise Malformed("no JSON") from None
    if data != {"type": "ping"}:
        raise Malformed("no message")
    return Ping()


def party(state: dict[str, Any]) -> dict[str, Any]:
    return {"type": "party", **state}


def lobby(states: list[dict[str, Any]], html: str) -> dict[str, Any]:
    return {"type": "lobby", "parties": states, "html": html}


def pong() -> dict[str, Any]:
    return {"type": "pong"}
