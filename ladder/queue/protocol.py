"""The messages of the queue's socket, a typed class each: what comes in is parsed by them, what goes out is built here.

`ladder/README.md` describes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, Required

from pydantic import AfterValidator, Field
from typing_extensions import TypedDict

from games.shapes import (
    Among,
    Amount,
    Count,
    Flag,
    Incoming,
    Malformed,
    Reader,
    Schema,
    Text,
    between,
    schemas_of,
    tagged,
)
from ladder.queue.selectors import CheckNow, InviteNow, LadderNow, OwnNow
from ladder.queue.tickets import GAMES_NEEDED, Bar

__all__ = ["Malformed"]

MOST_BYTES = 512
MOST_NAME = 80

#: Why something was refused.
CODES = (
    *("sign_up", "too_few_games", "locked", "running", "unknown_ladder", "closed", "waiting", "not_waiting"),
    *("checking", "no_check", "no_pairs", "yourself", "not_found", "declined", "too_far_apart", "no_invite"),
    *("partner_cannot", "too_fast", "unavailable"),
)
BARS = CODES[:4]

Slug = Annotated[str, Field(pattern="^[-a-zA-Z0-9_]{1,50}$", strict=True)]
Name = Annotated[str, Text(most=160)]
User = Annotated[int, between(1, 2**63 - 1)]


def _without_nul(name: str) -> str:
    """A name that is typed: no database takes NUL."""
    if "\0" in name:
        raise ValueError("NUL")
    return name


Typed = Annotated[str, Text(most=MOST_NAME, least=1), AfterValidator(_without_nul)]


# --- what comes in ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Join(Incoming):
    """To wait for a game of a ladder. `cpu`: whether a CPU player will do in the end."""

    ladder: Slug
    cpu: Flag
    type: Literal["join"] = "join"


@dataclass(frozen=True, slots=True)
class Leave(Incoming):
    """To wait no longer."""

    type: Literal["leave"] = "leave"


@dataclass(frozen=True, slots=True)
class Consent(Incoming):
    """Whether a CPU player will do after all."""

    cpu: Flag
    type: Literal["consent"] = "consent"


@dataclass(frozen=True, slots=True)
class Ready(Incoming):
    """The user is there."""

    type: Literal["ready"] = "ready"


@dataclass(frozen=True, slots=True)
class Decline(Incoming):
    """The user will not sit down now."""

    type: Literal["decline"] = "decline"


@dataclass(frozen=True, slots=True)
class Invite(Incoming):
    """To ask somebody, by name, to queue as partners."""

    ladder: Slug
    name: Typed
    type: Literal["invite"] = "invite"


@dataclass(frozen=True, slots=True)
class Uninvite(Incoming):
    """To take an invitation back."""

    type: Literal["uninvite"] = "uninvite"


@dataclass(frozen=True, slots=True)
class Accept(Incoming):
    """To queue with the user who has asked."""

    by: User
    type: Literal["accept"] = "accept"


@dataclass(frozen=True, slots=True)
class Refuse(Incoming):
    """Not to."""

    by: User
    type: Literal["refuse"] = "refuse"


@dataclass(frozen=True, slots=True)
class Ping(Incoming):
    """A sign of life."""

    type: Literal["ping"] = "ping"


Message = Join | Leave | Consent | Ready | Decline | Invite | Uninvite | Accept | Refuse | Ping
#: Type of a message that comes in to its class.
INCOMING: dict[str, type[Incoming]] = tagged(Message)

_reader: Reader[Message] = Reader(Message, MOST_BYTES)


def parse(text: str) -> Message:
    """A message from a frame; raises Malformed."""
    return _reader.read(text)


# --- what goes out ----------------------------------------------------------------------------------------------------

# Times are in ms since 1970, durations in seconds.


class OfLadder(TypedDict):
    """How busy a ladder is: people who wait and who play, and how long one has waited of late."""

    open: Flag
    waiting: Count
    playing: Count
    wait: Count | None


class Named(TypedDict, total=False):
    """What a code names: `ladder/README.md` says which."""

    games: Count
    needed: Count
    until: Count
    game: Count


class Barred(Named):
    """Why somebody may not queue."""

    code: Required[Annotated[str, Among(BARS)]]


class OfTicket(TypedDict):
    """A ticket as its owner sees it; `ladder/README.md` says what each key means."""

    ladder: Slug
    waited: Amount
    window: Count | None
    growth: Amount
    opens_in: Amount
    cpu: Flag
    cpu_in: Amount | None
    partner: Name | None
    asked: Flag


class Invited(TypedDict):
    """An invitation to queue as partners, with the number and the name of the other one."""

    by: Count
    name: Name
    ladder: Slug
    until: Count


class Inviting(Invited):
    """The same to the one who asks."""

    declined: Flag


class Queue(TypedDict):
    """The queue as one user sees it."""

    type: Literal["queue"]
    now: Count
    ladders: dict[str, OfLadder]
    bar: Barred | None
    ticket: OfTicket | None
    invited: list[Invited]
    inviting: Inviting | None


class Check(TypedDict):
    """Is the user there? Sent again whenever one of the others has said so."""

    type: Literal["check"]
    now: Count
    until: Count
    ladder: Slug
    ready: Count
    of: Count
    cpu: Flag
    is_ready: Flag


class Seated(TypedDict):
    """The user has a seat in a game."""

    type: Literal["seated"]
    game: Count


class Refusal(Named):
    """The message of the type `about` was not followed."""

    type: Required[Literal["refused"]]
    about: Required[Annotated[str, Among(INCOMING)]]
    code: Required[Annotated[str, Among(CODES)]]


class Pong(TypedDict):
    """The answer to a ping."""

    type: Literal["pong"]
    now: Count


#: Type of a message that goes out to its shape.
OUTGOING: dict[str, Any] = tagged(Queue | Check | Seated | Refusal | Pong)


def schemas_in() -> dict[str, Schema]:
    """Type of a message that comes in to its JSON Schema."""
    return schemas_of(INCOMING)


def schemas_out() -> dict[str, Schema]:
    """The same of those that go out."""
    return schemas_of(OUTGOING)


def queue(ladders: tuple[LadderNow, ...], own: OwnNow, now: datetime) -> Queue:
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
        "inviting": None if own.inviting is None else {**_invite(own.inviting), "declined": own.inviting.is_declined},
    }


def bar(found: Bar) -> Barred:
    return {"code": found.code, **_named(found)}


def _named(found: Bar) -> Named:
    said: Named = {}
    if found.games is not None:
        said |= {"games": found.games, "needed": GAMES_NEEDED}
    if found.until is not None:
        said["until"] = _ms(found.until)
    if found.game is not None:
        said["game"] = found.game
    return said


def _invite(found: InviteNow) -> Invited:
    return {"by": found.by, "name": found.name, "ladder": found.ladder, "until": _ms(found.until)}


def check(found: CheckNow, now: datetime) -> Check:
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


def seated(game: int) -> Seated:
    return {"type": "seated", "game": game}


def refused(about: str, code: str, **details: Any) -> Refusal:
    """`details` are what `Bar` has beside its code; other codes name nothing."""
    named: Named = _named(Bar(code, **details)) if code in BARS else {}
    return {"type": "refused", "about": about, "code": code, **named}


def pong(now: datetime) -> Pong:
    return {"type": "pong", "now": _ms(now)}


def _ms(at: datetime) -> int:
    return round(at.timestamp() * 1000)
