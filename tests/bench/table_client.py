"""The players of tests/bench/tables.py: four sockets a table, random answers, one move in flight at each table.

A WebSocket client by hand, because a library's takes more time for a frame than the server does. A move's time is from
its sending until all four sockets hold its ply.
"""

from __future__ import annotations

import asyncio
import base64
import json
import random
import re
from collections import Counter, deque
from collections.abc import Iterator
from typing import Any

#: The site acts on ten messages a second from a connection, twenty after a pause. Players keep a little below that.
RATE, BURST = 9.5, 18.0
RESEND_S = 0.2
CONNECTING = 40  # sockets that open at the same time
CONNECT_S = 60.0

PLY = re.compile(rb'\{"type":"news","ply":(\d+)')
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10


class Failure(Exception):
    """The server does not do its part. The message is one line."""


class Seat(asyncio.Protocol):
    """One socket of one player."""

    def __init__(self, table: Table, number: int) -> None:
        self.table, self.number = table, number
        self.ply = 0  # held
        self.ask: dict[str, Any] | None = None
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.tokens, self.filled_at = BURST, 0.0
        self._upgraded = False
        self._bytes = bytearray()
        self._transport: asyncio.Transport | None = None

    async def connect(self, port: int, session: str) -> None:
        """Returns when the first news is here."""
        transport, _ = await asyncio.get_running_loop().create_connection(lambda: self, "127.0.0.1", port)
        self._transport = transport
        lines = [
            f"GET /ws/game/{self.table.game}/?v=1 HTTP/1.1",
            f"Host: 127.0.0.1:{port}",
            f"Origin: http://127.0.0.1:{port}",
            f"Cookie: sessionid={session}",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {base64.b64encode(random.randbytes(16)).decode()}",
        ]
        transport.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        async with asyncio.timeout(CONNECT_S):
            await self.ready

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def send(self, payload: bytes, opcode: int = TEXT) -> None:
        """Sends one frame, masked with zeros: a valid mask that costs nothing."""
        assert self._transport is not None
        size = len(payload)
        head = (
            bytes([0x80 | opcode, 0x80 | size]) if size < 126 else bytes([0x80 | opcode, 0xFE, size >> 8, size & 255])
        )
        self._transport.write(head + bytes(4) + payload)

    def wait_s(self, now: float) -> float:
        """Takes the right to send one message; returns how long to wait for it."""
        self.tokens, self.filled_at = min(BURST, self.tokens + (now - self.filled_at) * RATE), now
        self.tokens -= 1
        return max(0.0, -self.tokens / RATE)

    # --- what the loop calls ------------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        self._bytes += data
        try:
            if not self._upgraded:
                self._read_head()
            for opcode, payload in self._frames():
                self._take(opcode, payload)
        except Failure as failure:
            self._fail(str(failure))

    def connection_lost(self, error: Exception | None) -> None:
        self._fail(f"a socket was lost: {error or 'closed'}")

    # --- frames -------------------------------------------------------------------------------------------------------

    def _read_head(self) -> None:
        end = self._bytes.find(b"\r\n\r\n")
        if end < 0:
            return
        if b" 101 " not in self._bytes[:20]:
            raise Failure(f"no socket: {self._bytes.splitlines()[0].decode(errors='replace')}")
        del self._bytes[: end + 4]
        self._upgraded = True

    def _frames(self) -> Iterator[tuple[int, bytes]]:
        """The whole frames that have come; servers do not mask theirs."""
        data, at = self._bytes, 0
        while self._upgraded and len(data) >= at + 2:
            size, start = data[at + 1], at + 2
            if size > 125:
                wide = 2 if size == 126 else 8
                start += wide
                size = int.from_bytes(data[at + 2 : start], "big")
            if len(data) < start + size:
                break
            opcode = data[at]
            if not opcode & 0x80:
                raise Failure("a frame in parts")
            at = start + size
            yield opcode & 15, bytes(data[start:at])
        del data[:at]

    def _take(self, opcode: int, payload: bytes) -> None:
        if opcode == PING:
            self.send(payload, PONG)
        elif opcode == CLOSE:
            raise Failure(f"closed with {int.from_bytes(payload[:2], 'big')}")
        elif found := PLY.match(payload):
            self.ply = int(found[1])
            self.ask = None
            if b'"ask":{' in payload:
                self.ask = json.loads(payload)["view"]["ask"]
            if not self.ready.done():
                self.ready.set_result(None)
            self.table.heard()
        elif payload.startswith(b'{"type":"refused"'):
            self.table.refused(json.loads(payload)["code"])

    def _fail(self, reason: str) -> None:
        if not self.ready.done():
            self.ready.set_exception(Failure(reason))
        self.table.players.fail(reason)


class Table:
    """Four seats and the move that is on its way."""

    def __init__(self, players: Players, game: int, rng: random.Random) -> None:
        self.players, self.game, self.rng = players, game, rng
        self.seats = [Seat(self, number) for number in range(4)]
        self.is_over = False
        self._loop = asyncio.get_running_loop()
        self._name = 0
        self._frame: tuple[Seat, bytes] | None = None
        self._sent_at = 0.0
        self._awaited = 0  # the ply that all four are to hold
        self._moves = False  # a move is on its way, or waits for the rate
        self._late: deque[float] = deque()  # ticks that came while a move was on its way

    def start(self) -> None:
        """Plays the first move: at once, or at a random moment of the first second."""
        if self.players.gap_s:
            self._tick(self._loop.time() + self.rng.random() * self.players.gap_s)
        else:
            self._move(None)

    def _tick(self, at: float) -> None:
        self._loop.call_at(at, self._ticked, at)

    def _ticked(self, at: float) -> None:
        if self.players.stopped:
            return
        self._tick(at + self.players.gap_s)
        if self._moves:
            self._late.append(at)
        else:
            self._move(None)

    def _move(self, since: float | None) -> None:
        """Sends a random answer to an open question. `since`: when the move was due, if that has passed."""
        seat = next((seat for seat in self.seats if seat.ask is not None), None)
        if seat is None or seat.ask is None:
            self.is_over = True
            return
        self._moves = True
        self._name += 1
        asked = seat.ask
        message = {"type": "act", "id": f"m{self._name}", "ask": asked["id"], "action": self._answer(asked)}
        self._frame = seat, json.dumps(message, separators=(",", ":")).encode()
        self._awaited = seat.ply + 1
        wait = seat.wait_s(self._loop.time())
        if wait:
            self.players.held_back += 1
            self._loop.call_later(wait, self._send, since)
        else:
            self._send(since)

    def _send(self, since: float | None) -> None:
        if self._frame is not None and not self.players.stopped:
            self._sent_at = self._loop.time() if since is None else since
            self._frame[0].send(self._frame[1])

    def _answer(self, ask: dict[str, Any]) -> dict[str, Any]:
        phase = ask["phase"]
        if phase == "play":
            return {"kind": "play", "card": self.rng.choice(ask["cards"])}
        if phase == "moon":
            return {"kind": "moon", "choice": "add"}
        return {"kind": phase, "cards": self.rng.sample(ask["cards"], ask["count"])}

    def heard(self) -> None:
        """A seat has news: if it is the last of the four, the move is done."""
        if not self._moves or min(seat.ply for seat in self.seats) < self._awaited or self.players.stopped:
            return
        now = self._loop.time()
        self.players.moves.append((now, now - self._sent_at))
        self._moves, self._frame = False, None
        if self._late:
            self._move(self._late.popleft())
        elif not self.players.gap_s:
            self._move(None)

    def refused(self, code: str) -> None:
        """Nothing has changed: the same is sent again after a moment, and the time goes on."""
        self.players.refusals[code] += 1
        self._loop.call_later(RESEND_S, self._send, self._sent_at)

    def waiting(self, now: float) -> list[float]:
        """How long the moves that are due have waited so far."""
        sent = [self._sent_at] if self._moves and self._frame is not None else []
        return [now - at for at in (*sent, *self._late)]


class Players:
    """Everybody at all tables. `gap_s` is the time between two moves of a table; 0: the next as soon as possible."""

    def __init__(self, tables: list[dict[str, Any]], gap_s: float) -> None:
        self.gap_s = gap_s
        self.moves: list[tuple[float, float]] = []  # when all four had it, and the seconds since it was sent
        self.held_back = 0  # moves that waited for the rate limit
        self.refusals: Counter[str] = Counter()
        self.stopped = False
        self.failure: str | None = None
        self._sessions = [table["sessions"] for table in tables]
        self.tables = [Table(self, table["game"], random.Random(number)) for number, table in enumerate(tables)]

    async def connect(self, port: int) -> None:
        """Takes every seat; raises Failure."""
        turns = asyncio.Semaphore(CONNECTING)

        async def take(seat: Seat, session: str) -> None:
            async with turns:
                await seat.connect(port, session)

        pairs = [
            (seat, session)
            for table, sessions in zip(self.tables, self._sessions, strict=True)
            for seat, session in zip(table.seats, sessions, strict=True)
        ]
        await asyncio.gather(*(take(*pair) for pair in pairs))

    def start(self) -> None:
        for table in self.tables:
            table.start()

    def stop(self) -> None:
        """Leaves every table."""
        self.stopped = True
        for table in self.tables:
            for seat in table.seats:
                seat.close()

    def fail(self, reason: str) -> None:
        if not self.stopped and self.failure is None:
            self.failure = reason

    def times(self, from_at: float, to_at: float) -> list[float]:
        """The times of the moves that were done between two moments, in seconds; at a fixed pace those still on their
        way count as well, with what they have waited: they would be left out of a server that falls behind.
        """
        times = [taken for done_at, taken in self.moves if from_at <= done_at < to_at]
        if self.gap_s:
            times += [waited for table in self.tables for waited in table.waiting(to_at)]
        return sorted(times)
