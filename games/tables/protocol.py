"""The messages of a table's socket: strict parsing in, building out. README.md describes them, `schema` their form."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from games.log.positions import Position, Step, Table, is_cpu
from games.rules import Action, Refused, story
from games.rules.lines import strict_json
from games.rules.state import plain
from games.rules.view import own_part, public_part

VERSION = 1
MOST_BYTES = 1_024
ID = re.compile(r"[A-Za-z0-9-]{1,64}")
MOST_ASK = 40
MOST_NONCE = 64  # characters

CLOSE_MALFORMED = 4400
CLOSE_NOT_SIGNED_IN = 4401
CLOSE_NO_GAME = 4404
CLOSE_TOO_SLOW = 4408
CLOSE_TOO_MANY = 4409
CLOSE_VERSION = 4426
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


@dataclass(frozen=True, slots=True)
class Leave:
    """A player goes: a CPU takes the seat at once, until he is back."""

    id: str


@dataclass(frozen=True, slots=True)
class Say:
    """One of the phrases, for everybody at the table."""

    id: str
    phrase: str


@dataclass(frozen=True, slots=True)
class Mute:
    """Whether one wants to hear the player of another seat."""

    id: str
    seat: int
    on: bool


@dataclass(frozen=True, slots=True)
class Vote:
    """For or no longer for a CPU in an absent player's seat (`target`), or for ending without a result."""

    id: str
    about: str
    target: int | None
    on: bool


@dataclass(frozen=True, slots=True)
class Nonce:
    """What a player's browser gives to the deals before they are made, in hex."""

    id: str
    nonce: str


Message = Act | Ping | Nonce | Back | Rematch | Leave | Say | Mute | Vote

_SHAPES: dict[str, tuple[type[Any], tuple[str, ...]]] = {
    "act": (Act, ("id", "ask", "action")),
    "ping": (Ping, ("ply",)),
    "nonce": (Nonce, ("id", "nonce")),
    "back": (Back, ("id",)),
    "rematch": (Rematch, ("id",)),
    "leave": (Leave, ("id",)),
    "say": (Say, ("id", "phrase")),
    "mute": (Mute, ("id", "seat", "on")),
    "vote": (Vote, ("id", "about", "target", "on")),
}


def _is_seat(value: Any) -> bool:
    return type(value) is int and 0 <= value <= 6


#: Key of a message to whether its value has the right form.
_FORMS: dict[str, Callable[[Any], bool]] = {
    "id": lambda value: isinstance(value, str) and ID.fullmatch(value) is not None,
    "ask": lambda value: isinstance(value, str) and len(value) <= MOST_ASK,
    "action": lambda value: isinstance(value, dict),
    "ply": lambda value: type(value) is int and 0 <= value < 2**31,
    "nonce": lambda value: isinstance(value, str) and len(value) <= MOST_NONCE,
    "phrase": lambda value: isinstance(value, str) and len(value) <= MOST_ASK,
    "seat": _is_seat,
    "target": lambda value: value is None or _is_seat(value),
    "about": lambda value: value in ("stand_in", "void"),
    "on": lambda value: isinstance(value, bool),
}


def parse(text: str) -> Message:
    """A message from a frame; raises Malformed."""
    if len(text) > MOST_BYTES or len(text.encode(errors="replace")) > MOST_BYTES:
        raise Malformed("too large")
    try:
        data = strict_json(text)
    except (ValueError, RecursionError):
        raise Malformed("no JSON") from None
    if not isinstance(data, dict) or not isinstance(data.get("type"), str) or data["type"] not in _SHAPES:
        raise Malformed("no type")
    shape, keys = _SHAPES[data.pop("type")]
    if set(data) != set(keys):
        raise Malformed("keys")
    for key, value in data.items():
        if not _FORMS[key](value):
            raise Malformed(key)
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
    """What one viewer is told after some steps. `whole`: with the version and the score sheet, as on connecting.

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
    if position.void:
        message["void"] = position.void
    if whole:
        message["version"] = VERSION
    return message


def _events(table: Table, step: Step, seat: int | None) -> list[dict[str, Any]]:
    entry = step.entry
    action = entry.action
    if action is None:
        said = {
            key: value for key, value in entry.data.items() if key != "outage"
        }  # which one it was is nobody's matter
        return [{"event": entry.kind, "seat": entry.seat, "ply": entry.ply, **said}]
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
    if position.void:
        data |= {"asked": [], "turn": None}
    return {**data, "ply": position.ply, "last_trick": plain(tricks[-1]) if tricks else None}


def own_json(table: Table, position: Position, seat: int | None) -> dict[str, Any]:
    """The part of a view that one viewer alone is told."""
    data = {name: plain(value) for name, value in own_part(table.rules, position.state, seat).items()}
    return data | {"ask": None} if position.void else data


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
        if position.void:
            shared["void"] = position.void
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


def opening(commitment: str) -> dict[str, Any]:
    """The cards are being prepared: what the server has promised about them, before it knows any nonce."""
    return {"type": "opening", "commitment": commitment}


def ack(name: str, ply: int) -> dict[str, Any]:
    return {"type": "ack", "id": name, "ply": ply}


def refused(name: str, said: dict[str, object]) -> dict[str, Any]:
    return {"type": "refused", "id": name, **said}


def pong(ply: int, now_ms: int) -> dict[str, Any]:
    return {"type": "pong", "ply": ply, "now": now_ms}


def presence(seats: list[str]) -> dict[str, Any]:
    return {"type": "presence", "seats": seats}


def said(seat: int, phrase: str) -> dict[str, Any]:
    return {"type": "said", "seat": seat, "phrase": phrase}


def muted(seats: list[int]) -> dict[str, Any]:
    """The seats that this viewer does not hear."""
    return {"type": "muted", "seats": seats}


def votes(standing: list[dict[str, object]]) -> dict[str, Any]:
    """All votes that anybody is for: what about, the seats for it, how many it takes."""
    return {"type": "votes", "votes": standing}


def rated(seats: Sequence[Mapping[str, str] | None]) -> dict[str, Any]:
    """For each seat that has a rating: what it was before the game and is after it, as people read ratings."""
    return {"type": "rated", "seats": list(seats)}


def rematch(game_id: int) -> dict[str, Any]:
    return {"type": "rematch", "game": game_id}


def ready(seats: list[int], of: int, *, changed: bool) -> dict[str, Any]:
    return {"type": "ready", "seats": seats, "of": of, "changed": changed}


def text(message: dict[str, Any]) -> str:
    """A message as one frame. In ASCII, since half a surrogate pair in somebody's input cannot be sent back else."""
    return _ENCODER.encode(message)
