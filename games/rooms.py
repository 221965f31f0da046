"""One room per process and game: the sockets at a table, told of everything once.

A room hears of a commit of this process at once, and of others through one poke on the channel layer; then it reads the
new rows, builds one message for each seat with a socket (and one for spectators), encodes each once and hands it out.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from channels.layers import get_channel_layer
from django.conf import settings
from django.utils import timezone

from games import live, protocol, store, wakeups
from games.positions import Position, Step, Table, start, walk

logger = logging.getLogger(__name__)

#: Events are told to a client that is at most so many entries behind; else the view alone.
MOST_EVENTS = 200
#: Somebody who was not heard of for so long is away, in seconds. Browsers ping every 15.
AWAY_S = 40
HEARTBEAT_S = 2.0
RETRY_S = 1.0

#: Takes one frame for a socket; never blocks, never raises.
Send = Callable[[str], None]


class Room:
    """The sockets of this process at one table."""

    def __init__(self, table: Table, position: Position) -> None:
        self.table = table
        self.position = position  # what the sockets have been told
        self.sockets: dict[Send, int | None] = {}  # to the viewer's seat

    def told(self, steps: list[Step]) -> None:
        """Sends the news of some steps to every socket."""
        steps = [step for step in steps if step.after.ply > self.position.ply]
        if not steps:
            return
        self.position = steps[-1].after
        now = now_ms()
        texts: dict[int | None, str] = {}
        for send, seat in list(self.sockets.items()):
            if seat not in texts:
                message = protocol.news(self.table, steps, self.position, seat, whole=False, now_ms=now)
                texts[seat] = protocol.text(message)
            send(texts[seat])

    def broadcast(self, message: dict[str, Any]) -> None:
        """Sends one message to every socket."""
        frame = protocol.text(message)
        for send in list(self.sockets):
            send(frame)


class Hub:
    """The rooms of this process, and its one channel on the layer. Lives on one event loop."""

    def __init__(self) -> None:
        self.rooms: dict[int, Room] = {}
        self.channel = ""
        self.tasks: list[asyncio.Task[None]] = []

    async def join(self, game_id: int, send: Send, user_id: int | None, since: int | None) -> int | None:
        """Seats a socket at a table and sends it the news. Returns its seat. Raises NoSuchGame.

        The group is joined before the log is read: what happens in between is poked for.
        """
        await self._start()
        room = self.rooms.get(game_id)
        if room is None:
            await self._group("group_add", game_id)
            table, position = await live.refresh(game_id)
            room = self.rooms.setdefault(game_id, Room(table, position))
        else:
            await live.refresh(game_id)  # a poke may have been lost
        seat = room.table.seat_of(user_id)
        if seat is None:
            await self._close_if_empty(game_id)
            raise live.NoSuchGame(game_id)
        steps = await self._missed(room, since)
        message = protocol.news(room.table, steps, room.position, seat, whole=True, now_ms=now_ms())
        send(protocol.text(message))
        room.sockets[send] = seat
        return seat

    async def _missed(self, room: Room, since: int | None) -> list[Step]:
        """The steps after what a client holds, if that is not too far back."""
        position = room.position
        if since is None or not position.ply - MOST_EVENTS <= since < position.ply:
            return []
        entries = await store.entries_since(room.table.game_id, 0)
        steps = walk(room.table, start(room.table), entries)
        return [step for step in steps if since < step.after.ply <= position.ply]

    async def resend(self, game_id: int, send: Send, since: int) -> None:
        """The news for a socket that is behind."""
        room = self.rooms.get(game_id)
        if room is None or send not in room.sockets:
            return
        steps = await self._missed(room, since)
        message = protocol.news(room.table, steps, room.position, room.sockets[send], whole=True, now_ms=now_ms())
        send(protocol.text(message))

    async def leave(self, game_id: int, send: Send) -> None:
        """Takes a socket from its table."""
        room = self.rooms.get(game_id)
        if room is not None:
            room.sockets.pop(send, None)
            await self._close_if_empty(game_id)

    async def _close_if_empty(self, game_id: int) -> None:
        if game_id in self.rooms and not self.rooms[game_id].sockets:
            del self.rooms[game_id]
            await self._group("group_discard", game_id)

    async def presence(self, game_id: int) -> None:
        """Tells a table who is there."""
        room = self.rooms.get(game_id)
        if room is not None:
            room.broadcast(protocol.presence(await seats_of(room.table, room.position)))

    def heard(self, table: Table, steps: list[Step]) -> None:
        """A game moved on in this process."""
        room = self.rooms.get(table.game_id)
        if room is None:
            return
        if steps[0].before.ply > room.position.ply:
            task = asyncio.ensure_future(self._catch_up(table.game_id))
            self.tasks.append(task)
            task.add_done_callback(self.tasks.remove)
            return
        room.told(steps)
        if any(step.entry.kind in ("stand_in", "back") for step in steps):
            task = asyncio.ensure_future(self.presence(table.game_id))
            self.tasks.append(task)
            task.add_done_callback(self.tasks.remove)

    async def _catch_up(self, game_id: int) -> None:
        """Reads what a room has not been told yet."""
        room = self.rooms.get(game_id)
        if room is None:
            return
        position = room.position
        steps = walk(room.table, position, await store.entries_since(game_id, position.ply))
        live.moved_on(room.table, steps)
        room.told(steps)

    # --- the layer ----------------------------------------------------------------------------------------------------

    async def _start(self) -> None:
        if not self.tasks:
            self.tasks = [asyncio.ensure_future(self._listen()), asyncio.ensure_future(self._beat())]
        layer = get_channel_layer()
        if not self.channel and layer is not None:
            try:
                self.channel = await layer.new_channel()
            except Exception as error:
                logger.warning("no channel: %s", error.__class__.__name__)

    async def _group(self, verb: str, game_id: int) -> None:
        """Joins or leaves a table's group; without Redis the sockets of this process are served all the same."""
        layer = get_channel_layer()
        if layer is None or not self.channel:
            return
        try:
            async with asyncio.timeout(wakeups.SEND_TIMEOUT_S):
                await getattr(layer, verb)(wakeups.group(game_id), self.channel)
        except Exception as error:
            logger.warning("%s failed: %s", verb, error.__class__.__name__)

    async def _listen(self) -> None:
        """Takes pokes for as long as the process lives."""
        while True:
            layer = get_channel_layer()
            try:
                if layer is None or not self.channel:
                    await asyncio.sleep(RETRY_S)
                    continue
                message = await layer.receive(self.channel)
                await self._poked(message)
            except asyncio.CancelledError:
                raise
            except Exception:  # one bad message must not make every table of the process deaf
                logger.exception("a poke went wrong")
                await asyncio.sleep(RETRY_S)

    async def _poked(self, message: dict[str, Any]) -> None:
        game_id = message["game"]
        room = self.rooms.get(game_id)
        if room is None:
            return
        if message["type"] == "game.moved":
            if message["ply"] > room.position.ply:
                await live.refresh(game_id)
                await self._catch_up(game_id)
        elif message["type"] == "game.rematch":
            room.broadcast(protocol.rematch(message["following"]))
        elif message["type"] == "game.presence":
            await self.presence(game_id)

    async def _beat(self) -> None:
        """Notes that a web process lives, so that an outage can be told from an idle evening."""
        while True:
            try:
                await store.beat("web", timezone.now())
            except asyncio.CancelledError:
                raise
            except Exception as error:
                logger.warning("no heartbeat: %s", error.__class__.__name__)
            await asyncio.sleep(HEARTBEAT_S / settings.TIME_SCALE)

    async def read_all(self) -> None:
        """Joins every group again and reads every game: after a reconnect, pokes may have been lost."""
        for game_id in list(self.rooms):
            await self._group("group_add", game_id)
            await self._catch_up(game_id)


hub = Hub()
live.listen(hub.heard)


async def read_afresh(*_: object) -> None:
    """Called by the channel layer when it is connected to Redis again."""
    await hub.read_all()


async def seats_of(table: Table, position: Position) -> list[str]:
    """How each seat is held: online, away, cpu or stand_in."""
    seen = await store.seen_at(table.game_id)
    late = timezone.now() - timedelta(seconds=AWAY_S / settings.TIME_SCALE)
    found = []
    for seat, holder in enumerate(table.holders):
        at = seen[seat]
        if holder.user_id is None:
            found.append("cpu")
        elif seat in position.stand_ins:
            found.append("stand_in")
        else:
            found.append("online" if at is not None and at > late else "away")
    return found


def now_ms() -> int:
    """The server's clock, in ms since 1970."""
    return round(time.time() * 1000)
