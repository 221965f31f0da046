"""One room per process and game: the sockets at a table, told of everything once.

A room hears of a commit of this process at once, and of others through one poke on the channel layer; then it reads the
new rows, builds one message for each seat with a socket (and one for spectators), encodes each once and hands it out.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone

from games.log import live, store, wakeups
from games.log.positions import Position, Step, Table, start, walk
from games.tables import protocol
from games.tables.pokes import pokes

logger = logging.getLogger(__name__)

#: Events are told to a client that is at most so many entries behind; else the view alone.
MOST_EVENTS = 200
#: Somebody who was not heard of for so long is away, in seconds. Browsers ping every 15.
AWAY_S = 40
HEARTBEAT_S = 2.0

#: Takes one frame for a socket; never blocks, never raises.
Send = Callable[[str], None]


class Room:
    """The sockets of this process at one table."""

    def __init__(self, table: Table, position: Position, seen: list[datetime | None]) -> None:
        self.table = table
        self.position = position  # what the sockets have been told
        self.seen = seen  # when each seat's user was last heard of
        self.shown: list[protocol.Held] = []  # how the seats are held, as last told
        self.sockets: dict[Send, int | None] = {}  # to the viewer's seat
        self.muted: dict[int, list[int]] = {}  # seat to the seats it does not hear

    def news(self, steps: list[Step], seat: int | None, *, whole: bool) -> str:
        """The frame that brings one viewer to where the room is."""
        message = protocol.news(
            self.table, steps, self.position, seat, whole=whole, now_ms=now_ms(), seats=self.seats()
        )
        return protocol.text(message)

    def seats(self) -> list[protocol.Held]:
        """How each seat is held."""
        late = timezone.now() - timedelta(seconds=AWAY_S / settings.TIME_SCALE)
        found: list[protocol.Held] = []
        for seat, holder in enumerate(self.table.holders):
            at = self.seen[seat]
            if holder.user_id is None:
                found.append("cpu")
            elif seat in self.position.stand_ins:
                found.append("stand_in")
            else:
                found.append("online" if at is not None and at > late else "away")
        return found

    def told(self, steps: list[Step]) -> None:
        """Sends the news of some steps to every socket."""
        steps = [step for step in steps if step.after.ply > self.position.ply]
        if not steps:
            return
        self.position = steps[-1].after
        self.shown = self.seats()
        edition = protocol.Edition(self.table, steps, self.position, now_ms=now_ms(), seats=self.shown)
        texts: dict[int | None, str] = {}
        for send, seat in list(self.sockets.items()):
            if seat not in texts:
                texts[seat] = edition.text(seat)
            send(texts[seat])

    def tell_presence(self) -> None:
        """Tells every socket how the seats are held."""
        self.shown = self.seats()
        self.broadcast(protocol.presence(self.shown))

    def tell_muted(self, seat: int) -> None:
        """Tells a seat in all its tabs whom it does not hear."""
        frame = protocol.text(protocol.muted(self.muted.get(seat, [])))
        for send, viewer in list(self.sockets.items()):
            if viewer == seat:
                send(frame)

    def said(self, seat: int, phrase: str) -> None:
        """Passes a phrase on to everybody who wants to hear that seat."""
        frame = protocol.text(protocol.said(seat, phrase))
        for send, viewer in list(self.sockets.items()):
            if viewer is None or seat not in self.muted.get(viewer, ()):
                send(frame)

    def broadcast(self, message: Mapping[str, object]) -> None:
        """Sends one message to every socket."""
        frame = protocol.text(message)
        for send in list(self.sockets):
            send(frame)


class Hub:
    """The rooms of this process. Lives on one event loop."""

    def __init__(self) -> None:
        self._reset()

    def _reset(self) -> None:
        self.rooms: dict[int, Room] = {}
        self.joining: Counter[int] = Counter()  # sockets on their way into a room
        self.tasks: list[asyncio.Task[None]] = []
        self.catching_up: set[asyncio.Task[None]] = set()

    async def stop(self) -> None:
        """Forgets every room and ends what runs, e.g. between tests."""
        await pokes.stop()
        running = [*self.tasks, *self.catching_up]
        self._reset()
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def join(
        self, game_id: int, send: Send, user_id: int | None, since: int | None, code: str = ""
    ) -> int | None:
        """Seats a socket at a table and sends it the news. Returns its seat. Raises NoSuchGame.

        `code`: of the party that whoever only watches has come from.

        The group is joined before the log is read: what happens in between is poked for.
        """
        await self.start()
        self.joining[game_id] += 1  # the room stays, though its last socket may leave meanwhile
        try:
            room = await self._room(game_id)
            seat = room.table.seat_of(user_id)
            if seat is None and user_id is not None:
                await self._reseat(room)
                seat = room.table.seat_of(user_id)
            if seat is None and not room.table.is_open_to(code, is_over=room.position.is_over):
                raise live.NoSuchGame(game_id)
            steps = await self._missed(room, since)
            send(room.news(steps, seat, whole=True))
            room.sockets[send] = seat
            if room.position.is_open:
                send(protocol.text(protocol.opening(room.table.commitment)))
            if seat is not None and room.muted.get(seat):
                send(protocol.text(protocol.muted(room.muted[seat])))
        finally:
            self.joining[game_id] -= 1
            await self._close_if_empty(game_id)
        return seat

    async def _room(self, game_id: int) -> Room:
        """The room of a game, told of everything that is stored."""
        if game_id not in self.rooms:
            await pokes.join(wakeups.group(game_id))
            table, position = await live.refresh(game_id)
            found = await store.glance([game_id])
            room = Room(table, position, found[0][2])
            room.muted = await store.muted_of(game_id)
            return self.rooms.setdefault(game_id, room)
        room = self.rooms[game_id]
        _, position = await live.refresh(game_id)  # a poke may have been lost
        if position.ply > room.position.ply:
            await self._catch_up(game_id)
        return room

    async def _reseat(self, room: Room) -> None:
        """Reads who holds the seats: that may have changed since the room was opened, and a poke may have been lost."""
        room.table = await live.reseat(room.table.game_id) or room.table

    async def _missed(self, room: Room, since: int | None) -> list[Step]:
        """The steps after what a client holds, if that is not too far back."""
        while True:
            position = room.position
            if since is None or not position.ply - MOST_EVENTS <= since < position.ply:
                return []
            entries = await store.entries_since(room.table.game_id, 0)
            if room.position.ply == position.ply:  # else the others were told of something while this was read
                break
        steps = walk(room.table, start(room.table), entries)
        return [step for step in steps if since < step.after.ply <= position.ply]

    async def resend(self, game_id: int, send: Send, since: int) -> None:
        """The news for a socket that is behind."""
        room = self.rooms.get(game_id)
        if room is None or send not in room.sockets:
            return
        await self._room(game_id)
        steps = await self._missed(room, since)
        if send in room.sockets:
            send(room.news(steps, room.sockets[send], whole=True))

    async def leave(self, game_id: int, send: Send) -> None:
        """Takes a socket from its table."""
        room = self.rooms.get(game_id)
        if room is not None:
            room.sockets.pop(send, None)
            await self._close_if_empty(game_id)

    async def _close_if_empty(self, game_id: int) -> None:
        room = self.rooms.get(game_id)
        if self.joining[game_id] or (room is not None and room.sockets):
            return
        self.rooms.pop(game_id, None)
        del self.joining[game_id]
        await pokes.leave(wakeups.group(game_id))

    def seen(self, game_id: int, seat: int, at: datetime) -> None:
        """Somebody at this seat was heard of."""
        if game_id in self.rooms:
            self.rooms[game_id].seen[seat] = at

    async def presence(self, game_id: int) -> None:
        """Tells a table who is there."""
        for _, _, seen in await store.glance([game_id]):
            if game_id in self.rooms:
                self.rooms[game_id].seen = seen
                self.rooms[game_id].tell_presence()

    def heard(self, table: Table, steps: list[Step]) -> None:
        """A game moved on in this process."""
        room = self.rooms.get(table.game_id)
        if room is None:
            return
        if steps[0].before.ply > room.position.ply:
            task = asyncio.ensure_future(self._catch_up(table.game_id))
            self.catching_up.add(task)
            task.add_done_callback(self._caught_up)
            return
        room.told(steps)

    def _caught_up(self, task: asyncio.Task[None]) -> None:
        self.catching_up.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:  # the next poke or ping finds it
            logger.warning("a table was not told: %s", error.__class__.__name__)

    async def _catch_up(self, game_id: int) -> None:
        """Reads what a room has not been told yet."""
        room = self.rooms.get(game_id)
        if room is None:
            return
        position = room.position
        steps = walk(room.table, position, await store.entries_since(game_id, position.ply))
        live.moved_on(room.table, steps)
        room.told(steps)

    async def start(self) -> None:
        """Begins to listen, and to note that this process lives; harmless when it has begun."""
        await pokes.start()
        if not self.tasks:
            self.tasks = [asyncio.ensure_future(self._beat())]

    async def poked(self, message: dict[str, Any]) -> None:
        """Something happened at a table of this process."""
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
        elif message["type"] == "game.ready":
            room.broadcast(protocol.ready(message["seats"], message["of"], changed=message["changed"]))
        elif message["type"] == "game.rated":
            room.broadcast(protocol.rated(message["seats"]))
        elif message["type"] == "game.seated":
            await self._reseat(room)
        elif message["type"] == "game.said":
            room.said(message["seat"], message["phrase"])
        elif message["type"] == "game.votes":
            room.broadcast(protocol.votes(message["votes"]))
        elif message["type"] == "game.muted":
            room.muted = await store.muted_of(game_id)
            room.tell_muted(message["seat"])
        elif message["type"] == "game.presence" and message.get("told") != pokes.channel:
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

    async def look(self) -> None:
        """Finds games that have moved on, and users who are not heard of any more."""
        if not self.rooms:
            return
        for game_id, ply, seen in await store.glance(list(self.rooms)):
            room = self.rooms.get(game_id)
            if room is None:
                continue
            room.seen = seen
            if ply > room.position.ply:
                await self._catch_up(game_id)
            elif room.seats() != room.shown:
                room.tell_presence()


hub = Hub()
live.listen(hub.heard)
pokes.on("game", hub.poked, hub.look)


def now_ms() -> int:
    """The server's clock, in ms since 1970."""
    return round(time.time() * 1000)
