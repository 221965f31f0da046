"""The players of tests/bench/ranked_hour.py: they queue, say that they are there, play at random, and misbehave.

Each is a coroutine with the cookie of an account. It knows nothing but what the two sockets send, and comes back after
every broken line, as a browser does. Times in here are those of the run: simulated seconds divided by the scale.
"""

from __future__ import annotations

import asyncio
import json
import random
import secrets
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Origin

LINE_LOST = (OSError, WebSocketException, TimeoutError)
#: How many of a hundred do what, beside playing.
TEMPERS = {
    "steady": 48,
    "leaver": 6,  # walks out of games for good
    "returner": 12,  # is away for a while, and takes the seat back
    "voider": 6,  # wants to end games without a result
    "decliner": 6,  # is not there, or says no, when asked
    "ghost": 6,  # closes the page while waiting
    "double": 6,  # queues in two pages at once
    "pair": 10,  # queues for Spades with a partner, if he will
}
#: Simulated seconds.
THINK_S = 3.0
REST_S = 8.0
PING_S = 12.0
STUCK_S = 300.0
MOST_CONNECTING = 24


@dataclass
class World:
    """What the players share: the site, the pace, what is counted."""

    port: int
    scale: float
    ladders: dict[str, str]  # slug to kind
    closing: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    waits: list[float] = field(default_factory=list)  # simulated seconds from joining until seated
    connecting: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MOST_CONNECTING))

    def now(self) -> float:
        """Simulated seconds."""
        return time.monotonic() * self.scale

    async def sleep(self, simulated_s: float) -> None:
        await asyncio.sleep(simulated_s / self.scale)

    async def line(self, path: str, cookie: str) -> ClientConnection:
        site = f"localhost:{self.port}"
        async with self.connecting:
            return await connect(
                f"ws://{site}{path}",
                origin=Origin(f"http://{site}"),
                additional_headers={"Cookie": f"sessionid={cookie}"},
                compression=None,
                ping_interval=None,
                open_timeout=10,
                close_timeout=1,
            )


async def _send(line: ClientConnection, **message: Any) -> None:
    await line.send(json.dumps(message))


class Person:
    """One account. `temper` is one of TEMPERS; `partner` the display name of whom a `pair` invites."""

    def __init__(self, world: World, number: int, cookie: str, temper: str, partner: str = "") -> None:
        self.world, self.number, self.cookie, self.temper, self.partner = world, number, cookie, temper, partner
        self.rng = random.Random(number)
        self.place = "resting"  # what he is doing, for whoever looks for somebody who is stuck
        self.since = world.now()

    def _is(self, place: str) -> None:
        self.place, self.since = place, self.world.now()

    async def live(self) -> None:
        """Games, one after the other, until the site closes for the day."""
        await self.world.sleep(self.rng.random() * 4 * REST_S)
        while True:
            try:
                game = await self._queue()
                if game is not None:
                    await self._game(game)
                elif self.world.closing:
                    self._is("home")
                    return
            except LINE_LOST:
                self.world.counts["lines lost"] += 1
                await asyncio.sleep(0.2 + self.rng.random() * 0.5)
                continue
            self._is("resting")
            await self.world.sleep(self.rng.random() * 2 * REST_S)

    # --- the queue ----------------------------------------------------------------------------------------------------

    async def _queue(self) -> int | None:
        """Waits for a seat; None if there is none to be had just now."""
        twice = self.temper == "double"
        lines = [await self.world.line("/ws/queue/", self.cookie) for _ in range(2 if twice else 1)]
        try:
            if twice:
                return await self._queue_twice(lines)
            return await Waiting(self, lines[0]).until_seated()
        finally:
            for line in lines:
                with suppress(*LINE_LOST):
                    await line.close()

    async def _queue_twice(self, lines: list[ClientConnection]) -> int | None:
        waiting = [asyncio.ensure_future(Waiting(self, line).until_seated()) for line in lines]
        try:
            done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            return next(iter(done)).result()
        finally:
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)

    # --- a game -------------------------------------------------------------------------------------------------------

    async def _game(self, game: int) -> None:
        self._is(f"game {game}")
        seat = Sitting(self, game)
        walks_out = self.temper == "leaver" and self.rng.random() < 0.5
        goes_away = self.temper == "returner" or (self.temper == "steady" and self.rng.random() < 0.05)
        limit = self.rng.randrange(2, 250) if walks_out or goes_away else None
        while True:
            try:
                line = await self.world.line(f"/ws/game/{game}/?v=1", self.cookie)
                try:
                    await seat.take_part(line, limit)
                finally:
                    with suppress(*LINE_LOST):
                        await line.close()
            except LINE_LOST:
                self.world.counts["lines lost"] += 1
                await asyncio.sleep(0.2 + self.rng.random() * 0.5)
                continue
            if seat.is_over:
                break
            if walks_out:
                self.world.counts["walked out"] += 1
                self._is("walked out")
                return
            self.world.counts["went away"] += 1
            self._is(f"away from {game}")
            await self.world.sleep(20 + self.rng.random() * 120)
            self._is(f"game {game}")
            limit = None
        self.world.counts["games seen to the end"] += 1


class Waiting:
    """One page that looks at the queue, and waits in it."""

    def __init__(self, person: Person, line: ClientConnection) -> None:
        self.person, self.line, self.world = person, line, person.world
        self.joined_at: float | None = None
        self.pinged_at = 0.0

    async def until_seated(self) -> int | None:
        """The game, or None: barred, declined, gone, or the day is over."""
        invited = False
        while True:
            message = await self._hear()
            if message["type"] == "seated":
                if self.joined_at is not None:
                    self.world.waits.append(self.world.now() - self.joined_at)
                self.world.counts["seated"] += 1
                return int(message["game"])
            if message["type"] == "check" and not message["is_ready"]:
                if not await self._answer_check():
                    return None
            elif message["type"] == "refused":
                self.world.refusals[f"queue {message['about']}: {message['code']}"] += 1
                if message["code"] not in ("waiting", "not_waiting", "unavailable", "checking", "no_check"):
                    invited = True  # whoever cannot be a partner: alone, then
            elif message["type"] == "queue":
                if message["bar"] is not None:
                    return await self._barred(message["bar"])
                if self.world.closing:
                    if message["ticket"] is not None:
                        await _send(self.line, type="leave")
                    return None
                if message["ticket"] is not None:
                    await self._wait_on()
                    if self.person.temper == "ghost" and self.person.rng.random() < 0.02:
                        self.world.counts["ghosts"] += 1
                        await self.line.close()
                        await self.world.sleep(25)
                        return None
                elif self.joined_at is not None:
                    self.world.counts["tickets lost"] += 1
                    return None
                elif message["invited"]:
                    await _send(self.line, type="accept", by=message["invited"][0]["by"])
                elif self.person.temper == "pair" and self.person.partner and not invited:
                    invited = True
                    slug = next(slug for slug, kind in self.world.ladders.items() if kind == "spades")
                    await _send(self.line, type="invite", ladder=slug, name=self.person.partner)
                elif message["inviting"] is None or message["inviting"]["declined"]:
                    await self._join()

    async def _hear(self) -> dict[str, Any]:
        """The next message; a sign of life whenever nothing comes."""
        while True:
            try:
                async with asyncio.timeout(max(1.0, 6 / self.world.scale)):
                    found: dict[str, Any] = json.loads(await self.line.recv())
                    return found
            except TimeoutError:
                await _send(self.line, type="ping")
                if self.world.closing and self.joined_at is None:
                    raise

    async def _join(self) -> None:
        self.joined_at = self.world.now()
        self.person._is("queue")
        slug = self.person.rng.choice(sorted(self.world.ladders))
        await _send(self.line, type="join", ladder=slug, cpu=self.person.rng.random() < 0.6)

    async def _wait_on(self) -> None:
        if self.joined_at is None:
            self.joined_at = self.world.now()
            self.person._is("queue")
        if time.monotonic() - self.pinged_at > 1:
            self.pinged_at = time.monotonic()
            await _send(self.line, type="ping")

    async def _answer_check(self) -> bool:
        self.world.counts["asked"] += 1
        if self.person.temper == "decliner" and self.person.rng.random() < 0.3:
            self.world.counts["declined"] += 1
            if self.person.rng.random() < 0.5:
                await _send(self.line, type="decline")
            else:
                await self.world.sleep(18)  # says nothing
            return False
        await self.world.sleep(self.person.rng.random() * 3)
        await _send(self.line, type="ready")
        return True

    async def _barred(self, bar: dict[str, Any]) -> int | None:
        if bar["code"] == "running" and self.person.place != "walked out":
            return int(bar["game"])
        self.world.counts[f"barred: {bar['code']}"] += 1
        await self.world.sleep(10)
        if bar["code"] == "running":
            self.person._is("walked out")
        return None


class Sitting:
    """A seat at one game, over as many lines as it takes."""

    def __init__(self, person: Person, game: int) -> None:
        self.person, self.game, self.world = person, game, person.world
        self.is_over = False
        self.answers = 0
        self.nonce = secrets.token_hex(16)
        self.ply, self.pinged_at = 0, 0.0
        self.votes = False
        self.takes_back = False  # asked for the seat, and not yet heard that it is his again

    async def take_part(self, line: ClientConnection, limit: int | None) -> None:
        """Until the game is over, the line breaks, or so many questions were answered."""
        answered, self.takes_back = "", False
        while not self.is_over and (limit is None or self.answers < limit):
            if time.monotonic() - self.pinged_at > PING_S / self.world.scale:
                self.pinged_at = time.monotonic()
                await _send(line, type="ping", ply=self.ply)
            try:
                async with asyncio.timeout(PING_S / self.world.scale):
                    message = json.loads(await line.recv())
            except TimeoutError:
                continue
            kind = message["type"]
            if kind == "opening":
                await _send(line, type="nonce", id=self._name(), nonce=self.nonce)
            elif kind == "refused":
                self.world.refusals[f"game: {message['code']}"] += 1
                if message["code"] in ("busy", "unavailable", "too_fast"):
                    answered, self.takes_back = "", False
                    await asyncio.sleep(0.2)
                    await _send(line, type="ping", ply=0)
            elif kind == "votes":
                await self._vote(line, message["votes"])
            elif kind == "news":
                answered = await self._news(line, message, answered)

    async def _news(self, line: ClientConnection, news: dict[str, Any], answered: str) -> str:
        """Answers, if asked for the first time; the id of the question that was answered last."""
        view, self.ply = news["view"], news["ply"]
        if "void" in news or view["phase"] == "over":
            self.is_over = True
            return answered
        if news["seats"][news["seat"]] == "stand_in":
            if not self.takes_back:
                self.takes_back = True
                self.world.counts["taken back"] += 1
                await _send(line, type="back", id=self._name())
            return answered
        self.takes_back = False
        ask = view["ask"]
        if ask is None or ask["id"] == answered:
            return answered
        think_s = self.person.rng.expovariate(1 / THINK_S)
        if self.person.rng.random() < 0.002:
            think_s += 45  # the clock answers for him
        await self.world.sleep(min(think_s, 60))
        await _send(line, type="act", id=self._name(), ask=ask["id"], action=self._action(ask))
        self.answers += 1
        if self.person.temper == "voider" and self.answers == 3:
            self.votes = True
            await _send(line, type="vote", id=self._name(), about="void", target=None, on=True)
        return str(ask["id"])

    async def _vote(self, line: ClientConnection, votes: list[dict[str, Any]]) -> None:
        """Whoever hears that somebody wants no result agrees, or not, once."""
        if not self.votes and any(vote["about"] == "void" and vote["seats"] for vote in votes):
            self.votes = True
            if self.person.rng.random() < 0.7:
                await _send(line, type="vote", id=self._name(), about="void", target=None, on=True)

    def _name(self) -> str:
        return secrets.token_hex(8)

    def _action(self, ask: dict[str, Any]) -> dict[str, Any]:
        phase, rng = ask["phase"], self.person.rng
        if phase in ("pass", "exchange"):
            return {"kind": phase, "cards": rng.sample(ask["cards"], ask["count"])}
        if phase == "blind":
            return {"kind": "blind", "blind": False}
        if phase == "bid":
            return {"kind": "bid", "bid": rng.choice(ask["bids"][1:5])}
        if phase == "moon":
            return {"kind": "moon", "choice": rng.choice(sorted(ask["tables"]))}
        return {"kind": "play", "card": rng.choice(ask["cards"])}


def stuck(people: list[Person], now: float) -> list[Person]:
    """Those who have waited in the queue for longer than anybody should."""
    return [person for person in people if person.place == "queue" and now - person.since > STUCK_S]
