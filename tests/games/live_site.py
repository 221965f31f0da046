"""The live site in async tests: calls of the ORM, play through the services, moves of another process, browsers."""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import random
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any, ParamSpec, TypeVar

import redis
from channels.db import database_sync_to_async
from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.test import Client

from accounts.models import User
from config.asgi import application
from games.log import live, services, store, wakeups
from games.log.positions import Position, Step, Table, fold, start
from games.rules import Action
from tests import factories

P = ParamSpec("P")
R = TypeVar("R")

#: Longer than anything here takes; a test that waits so long has failed.
PATIENCE_S = 30.0
ORIGIN = b"http://localhost"

_ids = itertools.count(1)


async def orm(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Calls what uses the ORM, from async code."""
    found: R = await database_sync_to_async(function)(*args, **kwargs)
    return found


class Clock:
    """The time as the site sees it: it stands until it is put forward."""

    def __init__(self) -> None:
        self.at = datetime.now(UTC)

    def now(self) -> datetime:
        return self.at

    def forward(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


# --- play -------------------------------------------------------------------------------------------------------------


def new_id() -> str:
    """A client's name for an action, used by nobody else."""
    return f"act-{next(_ids)}"


async def play(
    game_id: int,
    seat: int | None = None,
    action: Action | None = None,
    *,
    client_id: str | None = None,
    rng: random.Random | None = None,
) -> services.Receipt:
    """One answer through the one door: of the first seat asked, and what the clock would play, unless given."""
    table, position = await live.refresh(game_id)
    seat = factories.asked_seat(position) if seat is None else seat
    if action is None and rng is not None:
        action = factories.random_answer(table, position, seat, rng)
    return await services.submit_action(
        game_id=game_id,
        seat=seat,
        ask=position.asks[seat].id,
        action=action or factories.answer(table, position, seat),
        cause="cpu" if table.holders[seat].user_id is None or seat in position.stand_ins else "player",
        client_id=client_id,
    )


async def play_until(
    game_id: int, reached: Callable[[Position], bool], *, rng: random.Random | None = None, most: int = 3_000
) -> Position:
    """Everybody answers until the game is where the test needs it."""
    for _ in range(most):
        position = (await live.refresh(game_id))[1]
        if reached(position):
            return position
        await play(game_id, rng=rng)
    raise AssertionError("the game never got there")


def is_over(position: Position) -> bool:
    return position.state.phase == "over"


def in_phase(phase: str) -> Callable[[Position], bool]:
    return lambda position: position.state.phase == phase


async def move_elsewhere(game_id: int, seat: int | None = None, action: Action | None = None, *, poke: bool) -> int:
    """An answer as another process stores it: this one hears of it through the poke, or not at all. Its ply."""
    found = await store.table_of(game_id)
    assert found is not None
    position = fold(found, await store.entries_since(game_id, 0), start(found))
    seat = factories.asked_seat(position) if seat is None else seat
    steps = await steps_of(found, position, seat, action or factories.answer(found, position, seat))
    assert await store.commit(game_id, position.ply, [step.entry for step in steps], steps[-1].after)
    if poke:
        await wakeups.moved(found, position, steps[-1].after)
    return steps[-1].after.ply


async def steps_of(table: Table, position: Position, seat: int, action: Action) -> list[Step]:
    """What a player's answer leads to, without storing it."""
    ask = position.asks[seat].id
    return await services._steps(table, position, seat, ask, action, "player", None, datetime.now(UTC))


async def eventually(check: Callable[[], Any], *, within_s: float = PATIENCE_S) -> Any:
    """The first true answer of a check, asked again and again."""
    end = time.monotonic() + within_s
    while True:
        found = check()
        value = await found if isinstance(found, Awaitable) else found
        if value:
            return value
        assert time.monotonic() < end, "it did not happen in time"
        await asyncio.sleep(0.01)


# --- the broker -------------------------------------------------------------------------------------------------------


def broker() -> redis.Redis:
    """The Redis that Celery's queues are in."""
    return redis.Redis.from_url(settings.REDIS_URL)


#: Name, arguments, keywords.
Task = tuple[str, list[Any], dict[str, Any]]


def queued(queue: str) -> list[Task]:
    """The tasks that wait in a queue, the oldest first."""
    client = broker()
    try:
        found: Any = client.lrange(queue, 0, -1)
    finally:
        client.close()
    return [_task(raw) for raw in reversed(found)]


def take(queue: str) -> Task | None:
    """Takes the oldest task from a queue, if there is one."""
    client = broker()
    try:
        found: Any = client.rpop(queue)
    finally:
        client.close()
    return None if found is None else _task(found)


def _task(raw: bytes) -> Task:
    message = json.loads(raw)
    args, kwargs, _ = json.loads(base64.b64decode(message["body"]))
    return message["headers"]["task"], args, kwargs


# --- browsers ---------------------------------------------------------------------------------------------------------


class Closed(Exception):
    """The server has closed the socket."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def cookie_of(user: User) -> str:
    """The session cookie of a user who is signed in."""
    client = Client()
    client.force_login(user)
    return client.cookies["sessionid"].value


class Browser:
    """A page at a table: its socket, every frame it was sent, and what it holds."""

    #: Those that the test has opened; closed at its end.
    opened: list[Browser] = []

    def __init__(self, game_id: int, user: User | None, *, origin: bytes = ORIGIN) -> None:
        self.game_id, self.user, self.origin = game_id, user, origin
        self.frames: list[dict[str, Any]] = []
        self.held: dict[str, Any] = {}  # the latest news
        self.line: WebsocketCommunicator | None = None

    async def open(self, since: int | None = None) -> Browser:
        """Connects and takes the first news. Raises Closed."""
        await self.connect(since)
        await self.until("news")
        return self

    async def connect(self, since: int | None = None, query: str = "") -> bool:
        """Whether the server accepts the connection."""
        headers = [(b"origin", self.origin), (b"host", b"localhost")]
        if self.user is not None:
            headers.append((b"cookie", f"sessionid={await orm(cookie_of, self.user)}".encode()))
        query = query or ("?v=1" if since is None else f"?v=1&since={since}")
        self.line = WebsocketCommunicator(application, f"/ws/game/{self.game_id}/{query}", headers)
        Browser.opened.append(self)
        accepted, _ = await self.line.connect(timeout=PATIENCE_S)
        return bool(accepted)

    async def close(self) -> None:
        """Closes the tab."""
        if self.line is not None:
            line, self.line = self.line, None
            if not line.future.done():
                await line.disconnect(timeout=PATIENCE_S)

    @property
    def ply(self) -> int:
        return int(self.held["ply"])

    @property
    def view(self) -> dict[str, Any]:
        view: dict[str, Any] = self.held["view"]
        return view

    @property
    def ask(self) -> dict[str, Any]:
        """The question to this seat."""
        ask: dict[str, Any] = self.view["ask"]
        return ask

    @property
    def news(self) -> list[dict[str, Any]]:
        """All news so far."""
        return [frame for frame in self.frames if frame["type"] == "news"]

    async def next(self) -> dict[str, Any]:
        """The next frame. Raises Closed."""
        assert self.line is not None
        output = await asyncio.wait_for(self.line.output_queue.get(), PATIENCE_S)
        if output["type"] == "websocket.close":
            raise Closed(output.get("code", 1000))
        message: dict[str, Any] = json.loads(output["text"])
        self.frames.append(message)
        if message["type"] == "news" and message["ply"] >= self.held.get("ply", -1):
            self.held = message
        return message

    async def until(self, kind: str, **wanted: Any) -> dict[str, Any]:
        """The next frame of this type with these values. Raises Closed."""
        while True:
            message = await self.next()
            if message["type"] == kind and all(message.get(key) == value for key, value in wanted.items()):
                return message

    async def reach(self, ply: int) -> dict[str, Any]:
        """Takes news until those of a ply are held."""
        while self.held.get("ply", -1) < ply:
            await self.next()
        return self.held

    async def closed(self) -> int:
        """The code that the server closes with."""
        try:
            while True:
                await self.next()
        except Closed as closed:
            return closed.code

    def waiting(self) -> int:
        """How many frames have come and were not taken."""
        assert self.line is not None
        return int(self.line.output_queue.qsize())

    async def settle(self) -> None:
        """Takes what comes until nothing comes any more."""
        while self.waiting() or not await self._is_quiet():
            await self.next()

    async def _is_quiet(self) -> bool:
        await asyncio.sleep(0.1)
        return not self.waiting()

    async def has(self, kind: str) -> bool:
        """Whether a frame of this type is among those that have come so far."""
        while self.waiting():
            await self.next()
        return any(frame["type"] == kind for frame in self.frames)

    async def send(self, message: object) -> None:
        """Sends one frame: a text as it is, all else as JSON."""
        assert self.line is not None
        await self.line.send_to(text_data=message if isinstance(message, str) else json.dumps(message))

    async def act(self, action: dict[str, Any], *, ask: str | None = None, name: str | None = None) -> dict[str, Any]:
        """Answers, to the question held unless given. The server's word on it: `ack` or `refused`."""
        name = name or new_id()
        await self.send({"type": "act", "id": name, "ask": self.ask["id"] if ask is None else ask, "action": action})
        return await self.word_on(name)

    async def word_on(self, name: str) -> dict[str, Any]:
        """The `ack` or `refused` of a message."""
        while True:
            message = await self.next()
            if message["type"] in ("ack", "refused") and message["id"] == name:
                return message

    async def answer(self, rng: random.Random | None = None) -> dict[str, Any]:
        """Gives an answer that the question offers, as a page that knows no rules does."""
        return await self.act(answer_from(self.view, rng or random.Random(0)))

    async def ping(self, ply: int | None = None) -> dict[str, Any]:
        """A sign of life with the ply held; the `pong`."""
        await self.send({"type": "ping", "ply": self.ply if ply is None else ply})
        return await self.until("pong")


def answer_from(view: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """An answer made from a view alone."""
    ask = view["ask"]
    phase = ask["phase"]
    if phase in ("pass", "exchange"):
        return {"kind": phase, "cards": rng.sample(ask["cards"], ask["count"])}
    if phase == "blind":
        return {"kind": "blind", "blind": rng.random() < 0.5}
    if phase == "bid":
        return {"kind": "bid", "bid": rng.choice(ask["bids"][1:5])}
    if phase == "moon":
        return {"kind": "moon", "choice": rng.choice(sorted(ask["tables"]))}
    return {"kind": "play", "card": rng.choice(ask["cards"])}


async def sit(game: factories.Seated) -> list[Browser]:
    """A browser for every user of a game, in order of seats, each told where the game stands."""
    return [await Browser(game.id, user).open() for user in game.users if user is not None]
