"""The messages of the sockets of a party and of the list of parties, a typed class each. README.md describes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypedDict

from games.cpu import LEVELS
from games.shapes import Among, Count, Flag, Incoming, Malformed, Reader, Schema, Text, schemas_of, tagged
from games.tables.told import Kind

__all__ = ["Malformed"]

MOST_BYTES = 256

CLOSE_NO_PARTY = 4404


# --- what comes in ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ping(Incoming):
    """A sign of life. All writes are forms, so that it is all there is."""

    type: Literal["ping"]


_reader: Reader[Ping] = Reader(Ping, MOST_BYTES)


def parse(text: str) -> Ping:
    """A message from a frame; raises Malformed."""
    return _reader.read(text)


# --- what goes out ----------------------------------------------------------------------------------------------------


Status = Literal["first", "playing", "between", "closed"]


class Sitting(TypedDict):
    """Who has a seat at a party."""

    name: Annotated[str, Text(most=160)]
    host: Flag
    here: Flag
    ready: Flag


class State(TypedDict):
    """A party as anybody may see it. `timer` is in seconds; `fixed` is the number of players the host has fixed."""

    code: Annotated[str, Text("^[A-Z0-9]{6}$")]
    kind: Kind
    preset: str
    options: dict[str, str | int]
    players: Count
    fixed: Count | None
    capacity: Count
    timer: Count
    cpu_level: Annotated[str, Among(LEVELS)]
    may_watch: Flag
    listed: Flag
    revision: Count
    status: Status
    game: Count | None
    seats: Annotated[list[Sitting | None], Field(min_length=2, max_length=7)]


class Party(State):
    """How a party is now."""

    type: Literal["party"]


class Lobby(TypedDict):
    """The parties that are listed, and their list as a page shows it."""

    type: Literal["lobby"]
    parties: list[State]
    html: str


class Pong(TypedDict):
    """The answer to a ping."""

    type: Literal["pong"]


#: Type of a message that goes out to its shape.
OUTGOING: dict[str, Any] = tagged(Party | Lobby | Pong)


def schemas() -> dict[str, Schema]:
    """Type of a message that goes out to its JSON Schema."""
    return schemas_of(OUTGOING)


def party(state: State) -> Party:
    return {"type": "party", **state}


def lobby(states: list[State], html: str) -> Lobby:
    return {"type": "lobby", "parties": states, "html": html}


def pong() -> Pong:
    return {"type": "pong"}
