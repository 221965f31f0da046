"""The messages of a table's socket: strict parsing in, building out. README.md describes them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from games import refusals
from games.positions import Position, Step, Table, is_cpu
from games.rules import CODES, KINDS, REASONS, Action, Refused, story
from games.rules.engine import ANSWERS
from games.rules.state import plain
from games.rules.view import own_part, public_part

VERSION = 1
MOST_BYTES = 1_024
ID = re.compile(r"[A-Za-z0-9-]{1,64}")
MOST_ASK = 40

CLOSE_MALFORMED = 4400
CLOSE_NOT_SIGNED_IN = 4401
CLOSE_NO_GAME = 4404
CLOSE_TOO_SLOW = 4408
CLOSE_TOO_FAST = 4429
CLOSE_UNAVAILABLE = 4503


class Malformed(Exception):
    """A frame that is no message of this protocol."""


@dataclass(frozen=True, slots=True)
class Act:
    """An answer to a question. `action` is still without its seat, which the session tells."""

    id: str
    ask: str
    action: dict[str, Any]

    def action_of(self, seat: int) -> Action:
        """The action for this seat. Refused if it is not the form of one, or one of the dealer's."""
        if "seat" in self.action:
            raise Refused("bad_action", field="seat")
        return Action.from_json({**self.action, "seat": seat})


@dataclass(frozen=True, slots=True)
class Ping:
    """A sign of life, with the ply the client holds."""

    ply: int


@dataclass(frozen=True, slots=True)
class Back:
    """A seat's owner takes it back from a stand-in."""

    id: str


@dataclass(frozen=True, slots=True)
class Rematch:
    """The same table once more."""

    id: str


Message = Act | Ping | Back | Rematch

_SHAPES: dict[str, tuple[type[Any], tuple[str, ...]]] = {
    "act": (Act, ("id", "ask", "action")),
    "ping": (Ping, ("ply",)),
    "back": (Back, ("id",)),
    "rematch": (Rematch, ("id",)),
}


def parse(text: str) -> Message:
    """A message from a frame; raises Malformed."""
    if len(text) > MOST_BYTES or len(text.encode(errors="replace")) > MOST_BYTES:
        raise Malformed("too large")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise Malformed("no JSON") from None
    if not isinstance(data, dict) or not isinstance(data.get("type"), str) or data["type"] not in _SHAPES:
        raise Malformed("no type")
    shape, keys = _SHAPES[data.pop("type")]
    if set(data) != set(keys):
        raise Malformed("keys")
    if "id" in data and not (isinstance(data["id"], str) and ID.fullmatch(data["id"])):
        raise Malformed("id")
    if "ask" in data and not (isinstance(data["ask"], str) and len(data["ask"]) <= MOST_ASK):
        raise Malformed("ask")
    if "action" in data and not isinstance(data["action"], dict):
        raise Malformed("action")
    if "ply" in data and not (type(data["ply"]) is int and 0 <= data["ply"] < 2**31):
        raise Malformed("ply")
    message: Message = shape(**data)
    return message


#: What a message leaves out of a view, since the page knows it or is told it apart.
_LEFT_OUT = ("options", "tricks", "sheet")
_ENCODER = json.JSONEncoder(separators=(",", ":"))


# --- out --------------------------------------------------------------------------------------------------------------


def news(
    table: Table,
    steps: list[Step],
    position: Position,
    seat: int | None,
    *,
    whole: bool,
    now_ms: int,
    seats: Sequence[str] = (),
) -> dict[str, Any]:
    """What one viewer is told after some steps. `whole`: with the score sheet, as on connecting.

    `seats` says how each seat is held.
    """
    scored = whole or any(len(step.after.state.sheet) > len(step.before.state.sheet) for step in steps)
    message = {
        "type": "news",
        "ply": position.ply,
        "seat": seat,
        "events": _told(table, steps, seat),
        "view": {**public_json(table, position), **own_json(table, position, seat)},
        "clock": clock(table, position, now_ms),
        "seats": list(seats),
    }
    if scored:
        message["sheet"] = plain(position.state.sheet)
    return message


def _events(table: Table, step: Step, seat: int | None) -> list[dict[str, Any]]:
    entry = step.entry
    action = entry.action
    if action is None:
        return [{"event": entry.kind, "seat": entry.seat, "ply": entry.ply, **entry.data}]
    told = story(table.rules, step.before.state, action, step.after.state, seat)
    return [{**event.to_json(), "ply": entry.ply} | _by(entry.cause, event.kind) for event in told]


def _by(cause: str, event: str) -> dict[str, str]:
    """That a CPU answered because the time was up is told with the answer."""
    return {"by": "timeout"} if cause == "timeout" and event in ("played", "answered", "bid", "moon_chosen") else {}


def public_json(table: Table, position: Position) -> dict[str, Any]:
    """The part of a view that everybody is told alike, as it is sent: with the ply of the log, and one trick only."""
    part = public_part(table.rules, position.state)
    tricks = part["tricks"]
    data = {name: plain(value) for name, value in part.items() if name not in _LEFT_OUT}
    return {**data, "ply": position.ply, "last_trick": plain(tricks[-1]) if tricks else None}


def own_json(table: Table, position: Position, seat: int | None) -> dict[str, Any]:
    """The part of a view that one viewer alone is told."""
    return {name: plain(value) for name, value in own_part(table.rules, position.state, seat).items()}


class Edition:
    """The news of some steps for all viewers at once: what they share is made and encoded a single time."""

    def __init__(
        self, table: Table, steps: list[Step], position: Position, *, now_ms: int, seats: Sequence[str]
    ) -> None:
        self.table, self.steps, self.position = table, steps, position
        self.scored = any(len(step.after.state.sheet) > len(step.before.state.sheet) for step in steps)
        shared = {"clock": clock(table, position, now_ms), "seats": list(seats)}
        if self.scored:
            shared["sheet"] = plain(position.state.sheet)
        self.shared = text(shared)[1:-1]
        self.public = text(public_json(table, position))[1:-1]

    def text(self, seat: int | None) -> str:
        """The frame for one viewer: the same message as `news` builds, with its keys in another order."""
        told = {"type": "news", "ply": self.position.ply, "seat": seat, "events": _told(self.table, self.steps, seat)}
        own = text(own_json(self.table, self.position, seat))[1:-1]
        return f'{text(told)[:-1]},{self.shared},"view":{{{self.public},{own}}}}}'


def _told(table: Table, steps: list[Step], seat: int | None) -> list[dict[str, Any]]:
    """The events of some steps, as one viewer is told of them."""
    return [event for step in steps for event in _events(table, step, seat)]


def clock(table: Table, position: Position, now_ms: int) -> dict[str, Any]:
    """The time on the server, and until when each asked human may answer."""
    due = {
        str(seat): round(asked.due_at.timestamp() * 1000)
        for seat, asked in position.asks.items()
        if asked.due_at is not None and not is_cpu(table, position, seat)
    }
    return {"now": now_ms, "due": due, "limit": table.limit_s(position.state.phase)}


def ack(name: str, ply: int) -> dict[str, Any]:
    return {"type": "ack", "id": name, "ply": ply}


def refused(name: str, said: dict[str, object]) -> dict[str, Any]:
    return {"type": "refused", "id": name, **said}


def pong(ply: int, now_ms: int) -> dict[str, Any]:
    return {"type": "pong", "ply": ply, "now": now_ms}


def presence(seats: list[str]) -> dict[str, Any]:
    return {"type": "presence", "seats": seats}


def rematch(game_id: int) -> dict[str, Any]:
    return {"type": "rematch", "game": game_id}


def text(message: dict[str, Any]) -> str:
    """A message as one frame. In ASCII, since half a surrogate pair in somebody's input cannot be sent back else."""
    return _ENCODER.encode(message)


# --- what goes out, as JSON Schema ------------------------------------------------------------------------------------

Schema = dict[str, Any]

_INT: Schema = {"type": "integer"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_SEAT: Schema = {"type": "integer", "minimum": 0, "maximum": 6}
_BOOL: Schema = {"type": "boolean"}
_TEXT: Schema = {"type": "string"}
_NULL: Schema = {"type": "null"}
_CARD: Schema = {"type": "string", "pattern": "^[2-9TJQKA][CDHS]$"}


def _either(*schemas: Schema) -> Schema:
    return {"anyOf": list(schemas)}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _among(*values: str) -> Schema:
    return {"enum": list(values)}


def _object(keys: dict[str, Schema], *, optional: tuple[str, ...] = ()) -> Schema:
    """An object with these keys, all of them but the optional ones, and no others."""
    required = [key for key in keys if key not in optional]
    return {"type": "object", "properties": keys, "required": required, "additionalProperties": False}


def _message(name: str, keys: dict[str, Schema], *, optional: tuple[str, ...] = ()) -> Schema:
    return _object({"type": {"const": name}, **keys}, optional=optional)


def _event(name: str, seat: Schema, keys: dict[str, Schema], *, optional: tuple[str, ...] = ()) -> Schema:
    return _object({"event": {"const": name}, "seat": seat, "ply": _COUNT, **keys}, optional=optional)


_CARDS = _list(_CARD)
_HIDDEN = _either(_CARDS, _NULL)  # null to those who may not see them
_SEAT_OR_NONE = _either(_SEAT, _NULL)
_DIRECTION = _either(_among("left", "right", "across", "opponent", "hold"), _NULL)
_LINE = _object({"side": _SEAT, "what": _TEXT, "amount": _INT, "seat": _SEAT_OR_NONE})
_ROW = _object(
    {"deal": _COUNT, "lines": _list(_LINE), "change": _list(_INT), "scores": _list(_INT), "bags": _list(_INT)}
)
_RESULT = _object({"placings": _list(_COUNT), "scores": _list(_INT), "reason": _among(*REASONS)})
_TRICK = _object({"leader": _SEAT, "cards": _CARDS, "winner": _SEAT})
_ASK = _object(
    {
        "id": _TEXT,
        "phase": _among(*ANSWERS),
        "count": _COUNT,
        "cards": _CARDS,
        "barred": {"type": "object", "propertyNames": _CARD, "additionalProperties": _among(*CODES)},
        "bids": _list(_COUNT),
        "skip": _BOOL,
        "finish": _HIDDEN,
        "tables": {"type": "object", "propertyNames": _among("add", "subtract"), "additionalProperties": _list(_INT)},
    }
)
_VIEW = _object(
    {
        "kind": _among(*KINDS),
        "players": _COUNT,
        "seat": _SEAT_OR_NONE,
        "ply": _COUNT,
        "phase": _among(*ANSWERS),
        "deal": _COUNT,
        "attempt": _COUNT,
        "dealer": _SEAT_OR_NONE,
        "direction": _DIRECTION,
        "hand": _HIDDEN,
        "hand_counts": _list(_COUNT),
        "asked": _list(_SEAT),
        "answered": _list(_SEAT),
        "gave": _HIDDEN,
        "received": _HIDDEN,
        "skips_left": _list(_BOOL),
        "blinds": _list(_either(_BOOL, _NULL)),
        "bids": _list(_either(_COUNT, _NULL)),
        "leader": _SEAT_OR_NONE,
        "turn": _SEAT_OR_NONE,
        "trick": _CARDS,
        "last_trick": _either(_TRICK, _NULL),
        "tricks_taken": _list(_COUNT),
        "points_taken": _list(_INT),
        "broken": _BOOL,
        "kitty_count": _COUNT,
        "kitty_taker": _SEAT_OR_NONE,
        "kitty": _HIDDEN,
        "finisher": _SEAT_OR_NONE,
        "shown": _HIDDEN,
        "scores": _list(_INT),
        "bags": _list(_INT),
        "extra_deals": _COUNT,
        "ask": _either(_ASK, _NULL),
        "result": _either(_RESULT, _NULL),
    }
)
_BY: dict[str, Schema] = {"by": {"const": "timeout"}}

#: Every event: those of the rules, then those of the site.
EVENTS: dict[str, Schema] = {
    "opened": _event("opened", _NULL, {"dealer": _SEAT}),
    "dealt": _event(
        "dealt",
        _NULL,
        {
            "deal": _COUNT,
            "attempt": _COUNT,
            "dealer": _SEAT,
            "direction": _DIRECTION,
            "hand": _HIDDEN,
            "hand_counts": _list(_COUNT),
            "kitty_count": _COUNT,
        },
    ),
    "called_off": _event("called_off", _SEAT, {"deal": _COUNT}),
    "answered": _event(
        "answered",
        _SEAT,
        {
            "phase": _among("pass", "exchange", "blind"),
            "cards": _HIDDEN,
            "blind": _either(_BOOL, _NULL),
            **_BY,
        },
        optional=("cards", "blind", "by"),
    ),
    "handed_over": _event(
        "handed_over",
        _NULL,
        {
            "phase": _among("pass", "exchange"),
            "direction": _DIRECTION,
            "seats": _list(_SEAT),
            "gave": _HIDDEN,
            "received": _HIDDEN,
        },
    ),
    "blind_shown": _event("blind_shown", _NULL, {"blinds": _list(_either(_BOOL, _NULL))}),
    "hand_shown": _event("hand_shown", _SEAT, {"hand": _CARDS}),
    "bid": _event("bid", _SEAT, {"bid": _COUNT, **_BY}, optional=("by",)),
    "played": _event("played", _SEAT, {"card": _CARD, **_BY}, optional=("by",)),
    "broken": _event("broken", _SEAT, {"card": _CARD}),
    "trick_taken": _event("trick_taken", _SEAT, {"cards": _CARDS, "leader": _SEAT}),
    "kitty_taken": _event("kitty_taken", _SEAT, {"count": _COUNT, "cards": _HIDDEN}),
    "finished": _event("finished", _SEAT, {"cards": _CARDS}),
    "moon_shot": _event("moon_shot", _SEAT, {}),
    "moon_chosen": _event("moon_chosen", _SEAT, {"choice": _among("add", "subtract"), **_BY}, optional=("by",)),
    "deal_scored": _event("deal_scored", _NULL, {"score": _ROW, "kitty": _CARDS}),
    "game_over": _event("game_over", _NULL, {"result": _RESULT}),
    "stand_in": _event("stand_in", _SEAT, {}),
    "back": _event("back", _SEAT, {}),
    "outage": _event("outage", _NULL, {"seconds": {"type": "number", "minimum": 0}}),
}
_SEATS = _list(_among("online", "away", "cpu", "stand_in"))
_NAME: Schema = {"type": "string", "pattern": f"^{ID.pattern}$"}

#: Type of a message to its schema: every message that goes out.
SCHEMA: dict[str, Schema] = {
    "news": _message(
        "news",
        {
            "ply": _COUNT,
            "seat": _SEAT_OR_NONE,
            "events": _list(_either(*EVENTS.values())),
            "view": _VIEW,
            "clock": _object(
                {
                    "now": _COUNT,
                    "due": {"type": "object", "propertyNames": {"pattern": "^[0-6]$"}, "additionalProperties": _COUNT},
                    "limit": _either({"type": "number"}, _NULL),
                }
            ),
            "seats": _SEATS,
            "sheet": _list(_ROW),
        },
        optional=("sheet",),
    ),
    "ack": _message("ack", {"id": _NAME, "ply": _COUNT}),
    "refused": _message(
        "refused",
        {
            "id": _either(_NAME, {"const": ""}),  # a ping has none
            "code": _among(*CODES, *refusals.CODES),
            "field": _TEXT,
            "card": _either(_CARD, _NULL),
            "suit": _among(*"CDHS"),
            "count": _COUNT,
            "phase": _among(*ANSWERS),
        },
        optional=("field", "card", "suit", "count", "phase"),
    ),
    "pong": _message("pong", {"ply": _COUNT, "now": _COUNT}),
    "presence": _message("presence", {"seats": _SEATS}),
    "rematch": _message("rematch", {"game": _COUNT}),
}
