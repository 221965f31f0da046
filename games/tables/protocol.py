"""The messages of a table's socket, a typed class each: what comes in is parsed by them, what goes out is built here.

`README.md` beside this file describes them; `told` has the views and events inside. A new message is a class, in the
union of its direction.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from games.log import refusals
from games.log.positions import Position, Step, Table, is_cpu
from games.rules import CODES, Action, Refused, story
from games.rules.state import plain
from games.rules.view import own_part, public_part
from games.shapes import Among, Count, Flag, Incoming, Malformed, Reader, Schema, Text, between, schemas_of, tagged
from games.tables import phrases
from games.tables.told import Card, Event, Own, Phase, Public, Row, Seat, Suit, View, WhyVoid

__all__ = ["Malformed"]

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


# --- what comes in ----------------------------------------------------------------------------------------------------

#: A client's own name for a message.
Name = Annotated[str, Field(pattern=f"^{ID.pattern}$", strict=True)]
Short = Annotated[str, Text(most=MOST_ASK)]
About = Annotated[str, Among(("stand_in", "void"))]


@dataclass(frozen=True, slots=True)
class Act(Incoming):
    """An answer to a question. `action` is still without its seat, which the session tells."""

    id: Name
    ask: Short
    action: dict[str, Any]
    type: Literal["act"] = "act"

    def action_of(self, seat: int) -> Action:
        """The action for this seat. Refused if it is not the form of one, or one of the dealer's."""
        if "seat" in self.action:
            raise Refused("bad_action", field="seat")
        return Action.from_json({**self.action, "seat": seat})


@dataclass(frozen=True, slots=True)
class Ping(Incoming):
    """A sign of life, with the ply the client holds."""

    ply: Annotated[int, between(0, 2**31 - 1)]
    type: Literal["ping"] = "ping"


@dataclass(frozen=True, slots=True)
class Back(Incoming):
    """A seat's owner takes it back from a stand-in."""

    id: Name
    type: Literal["back"] = "back"


@dataclass(frozen=True, slots=True)
class Rematch(Incoming):
    """The same table once more."""

    id: Name
    type: Literal["rematch"] = "rematch"


@dataclass(frozen=True, slots=True)
class Leave(Incoming):
    """A player goes: a CPU takes the seat at once, until its owner is back."""

    id: Name
    type: Literal["leave"] = "leave"


@dataclass(frozen=True, slots=True)
class Say(Incoming):
    """One of the phrases, for everybody at the table."""

    id: Name
    phrase: Short
    type: Literal["say"] = "say"


@dataclass(frozen=True, slots=True)
class Mute(Incoming):
    """Whether one wants to hear the player of another seat."""

    id: Name
    seat: Seat
    on: Flag
    type: Literal["mute"] = "mute"


@dataclass(frozen=True, slots=True)
class Vote(Incoming):
    """For or no longer for a CPU in an absent player's seat (`target`), or for ending without a result."""

    id: Name
    about: About
    target: Seat | None
    on: Flag
    type: Literal["vote"] = "vote"


@dataclass(frozen=True, slots=True)
class Nonce(Incoming):
    """What a player's browser gives to the deals before they are made, in hex."""

    id: Name
    nonce: Annotated[str, Text(most=MOST_NONCE)]
    type: Literal["nonce"] = "nonce"


Message = Act | Ping | Nonce | Back | Rematch | Leave | Say | Mute | Vote
#: Type of a message that comes in to its class.
INCOMING: dict[str, type[Incoming]] = tagged(Message)

_reader: Reader[Message] = Reader(Message, MOST_BYTES)


def parse(text: str) -> Message:
    """A message from a frame; raises Malformed."""
    return _reader.read(text)


# --- what goes out ----------------------------------------------------------------------------------------------------

#: How a seat is held.
Held = Literal["online", "away", "cpu", "stand_in"]
Rating = Annotated[str, Text(r"^\d{1,5}\??$")]


class Clock(TypedDict):
    """The server's time and until when each asked human may answer, in ms since 1970; the limit is in seconds."""

    now: Count
    due: dict[Annotated[str, Text("^[0-6]$")], Count]
    limit: float | None


class News(TypedDict):
    """What has happened, and what the viewer knows now."""

    type: Literal["news"]
    ply: Count
    seat: Seat | None
    events: list[Event]
    view: View
    clock: Clock
    seats: list[Held]
    sheet: NotRequired[list[Row]]
    void: NotRequired[WhyVoid]
    version: NotRequired[Count]


class Opening(TypedDict):
    """The cards are being prepared: what the server has promised about them, before it knows any nonce."""

    type: Literal["opening"]
    commitment: Annotated[str, Text("^[0-9a-f]{64}$")]


class Ack(TypedDict):
    """A message was taken."""

    type: Literal["ack"]
    id: Name
    ply: Count


class Refusal(TypedDict):
    """A message was not taken, with what the code names. A ping has an empty `id`."""

    type: Literal["refused"]
    id: Name | Literal[""]
    code: Annotated[str, Among([*CODES, *refusals.CODES])]
    field: NotRequired[str]
    card: NotRequired[Card | None]
    suit: NotRequired[Suit]
    count: NotRequired[Count]
    phase: NotRequired[Phase]


class Pong(TypedDict):
    """The answer to a ping."""

    type: Literal["pong"]
    ply: Count
    now: Count


class Presence(TypedDict):
    """How each seat is held."""

    type: Literal["presence"]
    seats: list[Held]


class Said(TypedDict):
    """A player has said a phrase."""

    type: Literal["said"]
    seat: Seat
    phrase: Annotated[str, Among(sorted(phrases.KEYS))]


class Muted(TypedDict):
    """The seats that this viewer does not hear."""

    type: Literal["muted"]
    seats: list[Seat]


class Tally(TypedDict):
    """How a vote stands: what about, the seats for it, how many it takes."""

    about: About
    target: Seat | None
    seats: list[Seat]
    needed: Count


class Votes(TypedDict):
    """All votes that anybody is for."""

    type: Literal["votes"]
    votes: list[Tally]


class Following(TypedDict):
    """A rematch was opened."""

    type: Literal["rematch"]
    game: Count


class Change(TypedDict):
    """What a rating was before the game and is after it, as people read ratings."""

    before: Rating
    after: Rating
    change: Annotated[str, Text(r"^(0|[+−]\d+\.\d\d)$")]


class Rated(TypedDict):
    """A ranked game was rated: for each seat that has a rating, what that is."""

    type: Literal["rated"]
    seats: list[Change | None]


class Ready(TypedDict):
    """Which seats have agreed to a rematch, of how many at the party; `changed`: its rules or seats differ."""

    type: Literal["ready"]
    seats: list[Seat]
    of: Count
    changed: Flag


Told = (
    News
    | Opening
    | Ack
    | Refusal
    | Pong
    | Presence
    | Said
    | Muted
    | Votes
    | Following
    | Rated
    | Ready
)  # fmt: skip
#: Type of a message that goes out to its shape.
OUTGOING: dict[str, Any] = tagged(Told)


def schemas() -> dict[str, Schema]:
    """Type of a message that goes out to its JSON Schema."""
    return schemas_of(OUTGOING)


#: What a message leaves out of a view, since the page knows it or is told it apart.
_LEFT_OUT = ("options", "tricks", "sheet")
_ENCODER = json.JSONEncoder(separators=(",", ":"))


def news(
    table: Table,
    steps: list[Step],
    position: Position,
    seat: int | None,
    *,
    whole: bool,
    now_ms: int,
    seats: Sequence[Held] = (),
) -> News:
    """What one viewer is told after some steps. `whole`: with the version and the score sheet, as on connecting.

    `seats` says how each seat is held.
    """
    scored = whole or any(len(step.after.state.sheet) > len(step.before.state.sheet) for step in steps)
    message: News = {
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


def _events(table: Table, step: Step, seat: int | None) -> list[Event]:
    entry = step.entry
    action = entry.action
    found: Any
    if action is None:
        said = {
            key: value for key, value in entry.data.items() if key != "outage"
        }  # which one it was is nobody's matter
        found = {"event": entry.kind, "seat": entry.seat, "ply": entry.ply, **said}
        return [found]
    told = story(table.rules, step.before.state, action, step.after.state, seat)
    found = [{**event.to_json(), "ply": entry.ply} | _by(entry.cause, event.kind) for event in told]
    events: list[Event] = found
    return events


def _by(cause: str, event: str) -> dict[str, str]:
    """That a CPU answered because the time was up is told with the answer."""
    return {"by": "timeout"} if cause == "timeout" and event in ("played", "answered", "bid", "moon_chosen") else {}


def public_json(table: Table, position: Position) -> Public:
    """The part of a view that everybody is told alike, as it is sent: with the ply of the log, and one trick only."""
    part = public_part(table.rules, position.state)
    tricks = part["tricks"]
    data: Any = {name: plain(value) for name, value in part.items() if name not in _LEFT_OUT}
    if position.void:
        data |= {"asked": [], "turn": None}
    data["ply"], data["last_trick"] = position.ply, plain(tricks[-1]) if tricks else None
    public: Public = data
    return public


def own_json(table: Table, position: Position, seat: int | None) -> Own:
    """The part of a view that one viewer alone is told."""
    data: Any = {name: plain(value) for name, value in own_part(table.rules, position.state, seat).items()}
    own: Own = data | {"ask": None} if position.void else data
    return own


class Edition:
    """The news of some steps for all viewers at once: what they share is made and encoded a single time."""

    def __init__(
        self, table: Table, steps: list[Step], position: Position, *, now_ms: int, seats: Sequence[Held]
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


def _told(table: Table, steps: list[Step], seat: int | None) -> list[Event]:
    """The events of some steps, as one viewer is told of them."""
    return [event for step in steps for event in _events(table, step, seat)]


def clock(table: Table, position: Position, now_ms: int) -> Clock:
    """The time on the server, and until when each asked human may answer."""
    due = {
        str(seat): round(asked.due_at.timestamp() * 1000)
        for seat, asked in position.asks.items()
        if asked.due_at is not None and not is_cpu(table, position, seat)
    }
    return {"now": now_ms, "due": due, "limit": table.limit_s(position.state.phase)}


def opening(commitment: str) -> Opening:
    return {"type": "opening", "commitment": commitment}


def ack(name: str, ply: int) -> Ack:
    return {"type": "ack", "id": name, "ply": ply}


def refused(name: str, said: Mapping[str, object]) -> Refusal:
    """`said` is what `Refused` or `Rejected` has as JSON: the code, and what it names."""
    message: Any = {"type": "refused", "id": name, **said}
    refusal: Refusal = message
    return refusal


def pong(ply: int, now_ms: int) -> Pong:
    return {"type": "pong", "ply": ply, "now": now_ms}


def presence(seats: list[Held]) -> Presence:
    return {"type": "presence", "seats": seats}


def said(seat: int, phrase: str) -> Said:
    return {"type": "said", "seat": seat, "phrase": phrase}


def muted(seats: list[int]) -> Muted:
    return {"type": "muted", "seats": seats}


def votes(standing: list[Tally]) -> Votes:
    return {"type": "votes", "votes": standing}


def rated(seats: Sequence[Change | None]) -> Rated:
    return {"type": "rated", "seats": list(seats)}


def rematch(game_id: int) -> Following:
    return {"type": "rematch", "game": game_id}


def ready(seats: list[int], of: int, *, changed: bool) -> Ready:
    return {"type": "ready", "seats": seats, "of": of, "changed": changed}


def text(message: Mapping[str, object]) -> str:
    """A message as one frame. In ASCII, since half a surrogate pair in somebody's input cannot be sent back else."""
    return _ENCODER.encode(message)
