"""The messages of the queue's socket: strict parsing in, building out, their JSON Schema. README.md describes them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from games.rules.lines import strict_json
from ladder.queue.selectors import CheckNow, InviteNow, LadderNow, OwnNow
from ladder.queue.tickets import GAMES_NEEDED, Bar

MOST_BYTES = 512
MOST_NAME = 80
SLUG = re.compile(r"[-a-zA-Z0-9_]{1,50}")

#: Why something was refused.
CODES = (
    *("sign_up", "too_few_games", "locked", "running", "unknown_ladder", "closed", "waiting", "not_waiting"),
    *("checking", "no_check", "no_pairs", "yourself", "not_found", "declined", "too_far_apart", "no_invite"),
    *("partner_cannot", "too_fast", "unavailable"),
)
BARS = CODES[:4]


class Malformed(Exception):
    """A frame that is no message of this socket."""


@dataclass(frozen=True, slots=True)
class Message:
    """What a page wants: `kind` is the type, the other fields are what belongs to it."""

    kind: str
    ladder: str = ""
    cpu: bool = False
    name: str = ""
    by: int = 0


#: Type of a message to its keys.
KEYS: dict[str, tuple[str, ...]] = {
    "join": ("ladder", "cpu"),
    "leave": (),
    "consent": ("cpu",),
    "ready": (),
    "decline": (),
    "invite": ("ladder", "name"),
    "uninvite": (),
    "accept": ("by",),
    "refuse": ("by",),
    "ping": (),
}
_FORMS: dict[str, Callable[[Any], bool]] = {
    "ladder": lambda value: isinstance(value, str) and SLUG.fullmatch(value) is not None,
    "cpu": lambda value: isinstance(value, bool),
    "name": lambda value: isinstance(value, str) and 1 <= len(value) <= MOST_NAME and "\0" not in value,
    "by": lambda value: type(value) is int and 0 < value < 2**63,
}


def parse(text: str) -> Message:
    """A message from a frame; raises Malformed."""
    if len(text) > MOST_BYTES or len(text.encode(errors="replace")) > MOST_BYTES:
        raise Malformed("too large")
    try:
        data = strict_json(text)
    except (ValueError, RecursionError):
        raise Malformed("no JSON") from None
    if not isinstance(data, dict) or not isinstance(data.get("type"), str) or data["type"] not in KEYS:
        raise Malformed("no type")
    kind = data.pop("type")
    if set(data) != set(KEYS[kind]):
        raise Malformed("keys")
    for key, value in data.items():
        if not _FORMS[key](value):
            raise Malformed(key)
    return Message(kind, **data)


# --- out --------------------------------------------------------------------------------------------------------------


def queue(ladders: tuple[LadderNow, ...], own: OwnNow, now: datetime) -> dict[str, Any]:
    """The queue as one user sees it."""
    return {
        "type": "queue",
        "now": _ms(now),
        "ladders": {
            each.slug: {"open": each.is_open, "waiting": each.waiting, "playing": each.playing, "wait": each.wait_s}
            for each in ladders
        },
        "bar": None if own.bar is None else bar(own.bar),
        "ticket": None if own.ticket is None else own.ticket.to_json(now),
        "invited": [_invite(each) for each in own.invited],
        "inviting": None if own.inviting is None else _invite(own.inviting) | {"declined": own.inviting.is_declined},
    }


def bar(found: Bar) -> dict[str, Any]:
    """Why somebody may not queue, as it is sent."""
    said: dict[str, Any] = {"code": found.code}
    if found.games is not None:
        said |= {"games": found.games, "needed": GAMES_NEEDED}
    if found.until is not None:
        said["until"] = _ms(found.until)
    if found.game is not None:
        said["game"] = found.game
    return said


def _invite(found: InviteNow) -> dict[str, Any]:
    return {"by": found.by, "name": found.name, "ladder": found.ladder, "until": _ms(found.until)}


def check(found: CheckNow, now: datetime) -> dict[str, Any]:
    """Is the user there? Sent again whenever one of the others has said so."""
    return {
        "type": "check",
        "now": _ms(now),
        "until": _ms(found.until),
        "ladder": found.ladder,
        "ready": found.ready,
        "of": found.of,
        "cpu": found.has_cpu,
        "is_ready": found.is_ready,
    }


def seated(game: int) -> dict[str, Any]:
    return {"type": "seated", "game": game}


def refused(about: str, code: str, **details: Any) -> dict[str, Any]:
    """`about` is the type of the message that was not followed."""
    said = bar(Bar(code, **details)) if code in BARS else {"code": code}
    return {"type": "refused", "about": about, **said}


def pong(now: datetime) -> dict[str, Any]:
    return {"type": "pong", "now": _ms(now)}


def _ms(at: datetime) -> int:
    return round(at.timestamp() * 1000)


# --- their form -------------------------------------------------------------------------------------------------------

Schema = dict[str, Any]
_BOOL: Schema = {"type": "boolean"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_NUMBER: Schema = {"type": "number", "minimum": 0}
_SLUG: Schema = {"type": "string", "pattern": "^[-a-zA-Z0-9_]{1,50}$"}
_NAME: Schema = {"type": "string", "maxLength": 160}
_BAR: Schema = {"games": _COUNT, "needed": _COUNT, "until": _COUNT, "game": _COUNT}


def _object(keys: Schema, optional: Schema | None = None) -> Schema:
    properties = {**keys, **(optional or {})}
    return {"type": "object", "properties": properties, "required": list(keys), "additionalProperties": False}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


_INVITE: Schema = {"by": _COUNT, "name": _NAME, "ladder": _SLUG, "until": _COUNT}
_TICKET = _object(
    {
        "ladder": _SLUG,
        "waited": _NUMBER,
        "window": _or_null(_COUNT),
        "growth": _NUMBER,
        "opens_in": _NUMBER,
        "cpu": _BOOL,
        "cpu_in": _or_null(_NUMBER),
        "partner": _or_null(_NAME),
        "asked": _BOOL,
    }
)
_LADDER = _object({"open": _BOOL, "waiting": _COUNT, "playing": _COUNT, "wait": _or_null(_COUNT)})

#: Type of a message that goes out to its schema.
OUT: dict[str, Schema] = {
    "queue": _object(
        {
            "type": {"const": "queue"},
            "now": _COUNT,
            "ladders": {"type": "object", "additionalProperties": _LADDER},
            "bar": _or_null(_object({"code": {"enum": [*BARS]}}, _BAR)),
            "ticket": _or_null(_TICKET),
            "invited": {"type": "array", "items": _object(_INVITE)},
            "inviting": _or_null(_object({**_INVITE, "declined": _BOOL})),
        }
    ),
    "check": _object(
        {
            "type": {"const": "check"},
            "now": _COUNT,
            "until": _COUNT,
            "ladder": _SLUG,
            "ready": _COUNT,
            "of": _COUNT,
            "cpu": _BOOL,
            "is_ready": _BOOL,
        }
    ),
    "seated": _object({"type": {"const": "seated"}, "game": _COUNT}),
    "refused": _object({"type": {"const": "refused"}, "about": {"enum": [*KEYS]}, "code": {"enum": [*CODES]}}, _BAR),
    "pong": _object({"type": {"const": "pong"}, "now": _COUNT}),
}
_IN_KEYS: Schema = {
    "ladder": _SLUG,
    "cpu": _BOOL,
    "name": {"type": "string", "minLength": 1, "maxLength": MOST_NAME},
    "by": {"type": "integer", "minimum": 1},
}
#: Type of a message that comes in to its schema.
IN: dict[str, Schema] = {
    kind: _object({"type": {"const": kind}, **{key: _IN_KEYS[key] for key in keys}}) for kind, keys in KEYS.items()
}
