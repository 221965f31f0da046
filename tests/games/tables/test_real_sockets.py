"""The site's own web process at real sockets: readers that stop, floods, a Redis that forgets."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import random
import socket
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import psutil
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin

from accounts.models import User
from tests import factories
from tests.games.live_site import PATIENCE_S, broker, cookie_of, move_elsewhere, orm, play, play_until
from tests.games.processes import web_process

pytestmark = [pytest.mark.usefixtures("site"), pytest.mark.slow]


class Web:
    """A web process, and sockets at its tables."""

    def __init__(self, process: psutil.Process, address: str) -> None:
        self.process, self.address = process, address
        self.host, self.port = urlsplit(address).hostname or "", urlsplit(address).port or 0

    async def sit(self, game_id: int, user: User | None, since: int | None = None) -> ClientConnection:
        assert user is not None
        query = "?v=1" if since is None else f"?v=1&since={since}"
        return await connect(
            f"ws://{self.host}:{self.port}/ws/game/{game_id}/{query}",
            origin=Origin(self.address),
            additional_headers={"Cookie": f"sessionid={await orm(cookie_of, user)}"},
            max_queue=None,
            open_timeout=PATIENCE_S,  # it may still be starting
            ping_interval=None,
        )

    async def raw(self, game_id: int, user: User | None) -> socket.socket:
        """A socket that has shaken hands and reads nothing more."""
        assert user is not None
        cookie = await orm(cookie_of, user)
        line = socket.socket()
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        line.settimeout(20)
        lines = [
            f"GET /ws/game/{game_id}/?v=1 HTTP/1.1",
            f"Host: {self.host}:{self.port}",
            f"Origin: {self.address}",
            f"Cookie: sessionid={cookie}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}",
            "Sec-WebSocket-Version: 13",
        ]

        def shake_hands() -> bytes:
            line.connect((self.host, self.port))
            line.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
            return line.recv(12)

        assert b" 101" in await asyncio.to_thread(shake_hands)
        return line

    def memory(self) -> int:
        return int(self.process.memory_info().rss)


@pytest.fixture
async def web(site: None) -> AsyncIterator[Web]:
    with web_process() as (process, address):
        yield Web(process, address)


async def ply_of(line: ClientConnection) -> int:
    """The ply of the next news."""
    while True:
        message = json.loads(await asyncio.wait_for(line.recv(), PATIENCE_S))
        if message["type"] == "news":
            return int(message["ply"])


async def reach(line: ClientConnection, ply: int) -> None:
    while await ply_of(line) < ply:
        pass


def read_to_the_end(line: socket.socket) -> bytes:
    """What still comes, until the server has cut the line."""
    seen = b""
    with contextlib.suppress(ConnectionResetError):
        while more := line.recv(1 << 20):
            seen += more
    return seen


async def test_a_reader_who_stops_is_let_go_with_little_kept_for_him_and_the_others_hear_everything(web: Web) -> None:
    game = await orm(factories.game, 4, options={"end_score": 300})
    other = await web.sit(game.id, game.users[1])
    await reach(other, 2)
    before = web.memory()
    line = await web.raw(game.id, game.users[0])
    try:
        rng = random.Random("a long game")
        for ply in range(300, 1_300, 200):
            position = await play_until(game.id, lambda position, ply=ply: position.ply >= ply, rng=rng)  # type: ignore[misc]
            await reach(other, position.ply)
        # Of some MB of frames he was kept what fits the line and the outbox, and then cut off.
        assert len(await asyncio.to_thread(read_to_the_end, line)) < 1_500_000
    finally:
        line.close()
    assert web.memory() - before < 25_000_000
    # He can come back and read afresh.
    again = await web.sit(game.id, game.users[0], since=position.ply - 1)
    await reach(again, position.ply)
    await again.close()
    await other.close()


@pytest.mark.parametrize(
    ("frame", "codes"),
    [
        ('{"type":"ping","ply":2}', (4429,)),
        ('{"type":"act","id":"a","ask":"q","action":{"kind":"play","card":"2C"}}', (4429,)),
        ('{"type":"back","id":"a"}', (4429,)),
        ("garbage", (4400, 4429)),
        ("x" * 2_000_000, (1009,)),
    ],
    ids=["pings", "acts", "backs", "garbage", "2 MB"],
)
async def test_a_flood_ends_as_documented_and_leaves_nothing_behind(
    frame: str, codes: tuple[int, ...], web: Web
) -> None:
    game = await orm(factories.game, 4)
    other = await web.sit(game.id, game.users[1])
    await reach(other, 2)
    before = web.memory()
    for _ in range(3):
        line = await web.sit(game.id, game.users[0])
        with contextlib.suppress(ConnectionClosed):
            for _ in range(5_000):
                await line.send(frame)
                await asyncio.sleep(0)  # reads what has come, as any client does; or a cut line takes the code with it
        answers: list[dict[str, Any]] = []
        with contextlib.suppress(ConnectionClosed):
            while True:
                answers.append(json.loads(await asyncio.wait_for(line.recv(), PATIENCE_S)))
        assert line.close_code in codes
        # Of the thousands it took less than a hundred.
        assert sum(message["type"] in ("pong", "refused", "ack") for message in answers) <= 100
        ply = await move_elsewhere(game.id, poke=True)
        await reach(other, ply)
    assert web.memory() - before < 50_000_000
    await other.close()


async def test_flushall_during_play_makes_no_table_of_a_web_process_deaf(web: Web) -> None:
    games = [await orm(factories.game, 4) for _ in range(3)]
    lines = {game.id: [await web.sit(game.id, user) for user in game.users] for game in games}
    for group in lines.values():
        await asyncio.gather(*[reach(line, 2) for line in group])
    client = broker()
    for number in range(3):
        await asyncio.to_thread(client.flushdb)
        for game in games:
            await play(game.id)
            await asyncio.gather(*[reach(line, 3 + number) for line in lines[game.id]])
    client.close()
    # Two tabs of one user get the same stream; whoever comes back gets what he missed.
    game = games[0]
    tabs = [await web.sit(game.id, game.users[2], since=3) for _ in range(2)]
    told = [json.loads(await asyncio.wait_for(tab.recv(), PATIENCE_S)) for tab in tabs]
    assert [{event["ply"] for event in news["events"]} for news in told] == [{4, 5}] * 2
    await play(game.id)
    following = []
    for tab in tabs:
        while (message := json.loads(await asyncio.wait_for(tab.recv(), PATIENCE_S)))["type"] != "news":
            pass
        following.append((message["ply"], message["events"], message["view"]))
    assert following[0] == following[1]
    for line in (*tabs, *[line for group in lines.values() for line in group]):
        await line.close()
