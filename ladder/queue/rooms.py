"""The sockets of this process that look at the queue, each told of every change that concerns it.

A poke says that something has changed; the queue is read once for all who look here. What no poke has told is found by
a look every two seconds. Whoever waits is told every few seconds even so, and answers with a ping: a page that is not
in sight may not count time by itself, but it hears its socket.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Container, Iterable, Mapping
from datetime import datetime
from typing import Any

from channels.db import database_sync_to_async
from django.conf import settings
from django.utils import timezone

from games.log import wakeups
from games.tables.pokes import pokes
from games.tables.protocol import text
from ladder.queue import protocol, tickets
from ladder.queue.selectors import OwnNow, QueueNow, bars_of
from ladder.queue.tickets import Bar, scaled

logger = logging.getLogger(__name__)

#: The queue is read at most so often, however much happens in it, in seconds.
PAUSE_S = 0.2
#: Where time is shortened, looks come so much more often; one in so many seconds is enough.
LOOK_PAUSE_S = 0.4
#: How many wait and play changes with everybody who comes or goes; all are told of that at most so often, in seconds.
NUMBERS_S = 2.0
#: Whoever waits is told at least so often, in seconds.
PULSE_S = 4.0
#: Why somebody may not queue is looked at anew so often, in seconds, where time or a game may have changed it.
BARS_EVERY_S = 10.0

#: Takes one frame for a socket; never blocks, never raises.
Send = Callable[[str], None]

_NOBODY = OwnNow(Bar("sign_up"))


class QueueHub:
    """Who looks at the queue here. Lives on one event loop."""

    def __init__(self) -> None:
        self._reset()

    def _reset(self) -> None:
        self.sockets: dict[Send, int | None] = {}  # to the user's id
        self.bars: dict[int, Bar | None] = {}
        self.unsure: set[int] = set()  # users whose bar is to be read anew
        self.told: dict[int | None, tuple[Any, OwnNow]] = {}  # user to the numbers and what is his own, as last told
        self.now: QueueNow | None = None
        self.coming: dict[Send, int | None] = {}  # sockets that have not been told anything yet
        self.welcome: asyncio.Task[None] | None = None  # which tells them
        self.heard_of: set[int] = set()  # users who gave a sign of life that is not stored yet
        self.reading = asyncio.Lock()  # what is read first is told first
        self.task: asyncio.Task[None] | None = None
        self.numbers: Any = None  # how busy the ladders are, as everybody is to know
        self.numbers_at = self.pulsed_at = self.bars_read_at = self.looked_at = float("-inf")

    async def stop(self) -> None:
        """Forgets everybody, e.g. between tests."""
        tasks = [task for task in (self.task, self.welcome) if task is not None]
        self._reset()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def join(self, send: Send, user_id: int | None) -> None:
        """Lets a socket look at the queue and tells it how that stands.

        The group is joined before the rows are read: what happens in between is poked for. After a restart everybody
        comes at once, so all who come while one read is made wait for the next one together.
        """
        self.sockets[send] = self.coming[send] = user_id
        if user_id is not None:
            self.heard_of.add(user_id)
        await pokes.start()
        await pokes.join(wakeups.QUEUE_GROUP)
        if self.welcome is None:
            self.welcome = asyncio.ensure_future(self._welcome())
            self.welcome.add_done_callback(_report)
        await asyncio.shield(self.welcome)

    async def _welcome(self) -> None:
        """Tells everybody who has come how the queue stands."""
        async with self.reading:
            coming, self.coming, self.welcome = self.coming, {}, None
            await self._store_signs_of_life()
            await self._read({user_id for user_id in coming.values() if user_id is not None} - set(self.bars))
            self._tell(but=coming)
            at, numbers = timezone.now(), self._numbers()
            for send, user_id in coming.items():
                if send not in self.sockets:
                    continue  # it has left meanwhile
                own = self._own(user_id)
                self.told[user_id] = (numbers, own)
                for frame in self._frames(own, None, at):
                    send(frame)

    def note_seen(self, user_id: int) -> None:
        """A page of this user has given a sign of life. It is stored with those of the others, in a moment."""
        self.heard_of.add(user_id)

    async def _store_signs_of_life(self) -> None:
        heard_of, self.heard_of = self.heard_of, set()
        if heard_of:
            await database_sync_to_async(tickets.note_seen)(heard_of)

    async def leave(self, send: Send) -> None:
        """Takes a socket away."""
        user_id = self.sockets.pop(send, None)
        self.coming.pop(send, None)
        if user_id not in self.sockets.values():
            self.told.pop(user_id, None)
            if user_id is not None:
                self.bars.pop(user_id, None)
        if not self.sockets:
            self.now = None
            await pokes.leave(wakeups.QUEUE_GROUP)

    async def refresh(self, users: Iterable[int] = ()) -> None:
        """Reads the queue, and why these users may not queue, and tells whoever sees it otherwise than before."""
        async with self.reading:
            await self._store_signs_of_life()
            here = {*users, *self.unsure} & set(self.bars)
            self.unsure = set()
            await self._read(here)
            self._tell()

    async def _read(self, users: Iterable[int]) -> None:
        had_tickets = set(self.now.tickets) & set(self.bars) if self.now is not None else set()
        self.now, bars = await _read(set(users), had_tickets)
        self.bars |= bars

    # --- telling ------------------------------------------------------------------------------------------------------

    def _numbers(self) -> Any:
        """How busy the ladders are, as of now or of a moment ago."""
        now, loop_time = None if self.now is None else self.now.ladders, asyncio.get_running_loop().time()
        if now != self.numbers and loop_time - self.numbers_at >= scaled(NUMBERS_S, at_least=0.5).total_seconds():
            self.numbers, self.numbers_at = now, loop_time
        return self.numbers

    def _own(self, user_id: int | None) -> OwnNow:
        if user_id is None or self.now is None:
            return _NOBODY
        return self.now.own(user_id, self.bars.get(user_id))

    def _tell(self, *, but: Container[Send] = ()) -> None:
        """Tells every user whose part has changed; in time, whoever waits even so. All his pages are told the same."""
        at, numbers = timezone.now(), self._numbers()
        loop_time = asyncio.get_running_loop().time()
        pulses = loop_time - self.pulsed_at >= scaled(PULSE_S, at_least=0.8).total_seconds()
        if pulses:
            self.pulsed_at = loop_time
        made: dict[tuple[OwnNow, OwnNow | None], list[str]] = {}
        frames_of: dict[int | None, list[str]] = {}
        for user_id in set(self.sockets.values()):
            if user_id is not None and user_id not in self.bars:
                continue  # on his way in
            own = self._own(user_id)
            before = self.told.get(user_id)
            if before == (numbers, own) and not (pulses and own.ticket):
                continue
            self.told[user_id] = (numbers, own)
            earlier = before[1] if before else None
            if (own, earlier) not in made:
                made[own, earlier] = self._frames(own, earlier, at)
            frames_of[user_id] = made[own, earlier]
        for send, user_id in list(self.sockets.items()):
            for frame in frames_of.get(user_id, ()) if send not in but else ():
                send(frame)

    def _frames(self, own: OwnNow, earlier: OwnNow | None, at: datetime) -> list[str]:
        """What a user is told. A seat that he already had when he came is no news."""
        assert self.now is not None
        messages: list[Mapping[str, object]] = [protocol.queue(self.now.ladders, own, at)]
        if own.check is not None and (earlier is None or earlier.check != own.check):
            messages.append(protocol.check(own.check, at))
        game = own.bar.game if own.bar else None
        if game is not None and earlier is not None and game != (earlier.bar.game if earlier.bar else None):
            messages.append(protocol.seated(game))
        return [text(message) for message in messages]

    # --- pokes --------------------------------------------------------------------------------------------------------

    async def poked(self, message: dict[str, Any]) -> None:
        """Something has changed in the queue."""
        self.soon(message.get("users", ()))

    def soon(self, users: Iterable[int]) -> None:
        """Has the queue read and told in a moment; once, however much happens until then."""
        self.unsure |= set(users)
        if self.sockets and self.task is None:
            self.task = asyncio.ensure_future(self._soon())
            self.task.add_done_callback(_report)

    async def _soon(self) -> None:
        await asyncio.sleep(scaled(PAUSE_S, at_least=0.1).total_seconds())
        self.task = None  # what changes from now on is read once more
        await self.refresh()

    async def look(self) -> None:
        """Finds what no poke has told, and what time alone has changed."""
        loop_time = asyncio.get_running_loop().time()
        if not self.sockets or loop_time - self.looked_at < LOOK_PAUSE_S:
            return
        self.looked_at = loop_time
        users: list[int] = []
        if loop_time - self.bars_read_at >= BARS_EVERY_S / settings.TIME_SCALE:
            self.bars_read_at = loop_time
            users = [user for user, bar in self.bars.items() if bar is not None and bar.code != "sign_up"]
        await self.refresh(users)


def _report(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and task.exception() is not None:  # the next look reads it again
        logger.warning("the queue was not told: %s", task.exception().__class__.__name__)


@database_sync_to_async
def _read(users: set[int], had_tickets: set[int]) -> tuple[QueueNow, dict[int, Bar | None]]:
    """The queue, and the bars of these users and of those whose tickets are gone: they may have a seat."""
    now = QueueNow()
    return now, bars_of(users | (had_tickets - set(now.tickets)))


hub = QueueHub()
pokes.on("queue", hub.poked, hub.look)
