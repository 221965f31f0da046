"""How this process hears of what others did: one channel on the layer, joined to the groups that somebody here wants.

A poke says only that something changed; whoever handles it reads the rows. It may be lost, so whoever wants pokes also
gives a `look`, which is called every two seconds and after Redis was away.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from channels.layers import get_channel_layer
from django.conf import settings
from redis.exceptions import RedisError

from games.log import wakeups

logger = logging.getLogger(__name__)

LOOK_S = 2.0
RETRY_S = 1.0

#: Takes a message of the layer, e.g. {"type": "game.moved", "game": 17, "ply": 42}.
Handle = Callable[[dict[str, Any]], Awaitable[None]]
Look = Callable[[], Awaitable[None]]


class Pokes:
    """The one channel of this process. Lives on one event loop."""

    def __init__(self) -> None:
        self.handlers: dict[str, Handle] = {}
        self.looks: list[Look] = []
        self._reset()

    def _reset(self) -> None:
        self.groups: set[str] = set()
        self.channel = ""
        self.opening = asyncio.Lock()  # of the channel
        self.tasks: list[asyncio.Task[None]] = []

    def on(self, topic: str, handle: Handle, look: Look) -> None:
        """Has messages whose type begins with the topic handled, e.g. "game" for "game.moved"."""
        self.handlers[topic] = handle
        self.looks.append(look)

    async def start(self) -> None:
        """Begins to listen; harmless when it has begun."""
        await self._open_channel()
        if not self.tasks:
            self.tasks = [asyncio.ensure_future(each()) for each in (self._listen, self._look, wakeups.send_pokes)]

    async def stop(self) -> None:
        """Forgets every group and ends what runs, e.g. between tests."""
        running = self.tasks
        self._reset()
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def join(self, group: str) -> None:
        """Wants the pokes of a group. Without Redis there are none until it is back; `look` serves meanwhile."""
        self.groups.add(group)
        await self._group("group_add", group)

    async def leave(self, group: str) -> None:
        """Wants them no more."""
        self.groups.discard(group)
        await self._group("group_discard", group)

    async def _open_channel(self) -> None:
        """Opens the one channel: sockets that come together must not open two, since one is listened to."""
        layer = get_channel_layer()
        async with self.opening:
            if self.channel or layer is None:
                return
            try:
                async with asyncio.timeout(wakeups.SEND_TIMEOUT_S):
                    self.channel = await layer.new_channel()
            except Exception as error:
                logger.warning("no channel: %s", error.__class__.__name__)

    async def _group(self, verb: str, group: str) -> bool:
        layer = get_channel_layer()
        if layer is None or not self.channel:
            return False
        try:
            async with asyncio.timeout(wakeups.SEND_TIMEOUT_S):
                await getattr(layer, verb)(group, self.channel)
        except Exception as error:
            logger.warning("%s failed: %s", verb, error.__class__.__name__)
            return False
        return True

    async def _listen(self) -> None:
        """Takes pokes for as long as the process lives."""
        while True:
            layer = get_channel_layer()
            try:
                if layer is None or not self.channel:
                    await asyncio.sleep(RETRY_S)
                    continue
                message = await layer.receive(self.channel)
                handle = self.handlers.get(message["type"].partition(".")[0])
                if handle is not None:
                    await handle(message)
            except asyncio.CancelledError:
                raise
            except (RedisError, OSError) as error:
                logger.warning("no pokes: %s", error.__class__.__name__)
                await asyncio.sleep(RETRY_S)
            except Exception:  # one bad message must not make the whole process deaf
                logger.exception("a poke went wrong")
                await asyncio.sleep(RETRY_S)

    async def _look(self) -> None:
        """Every two seconds: what no poke has told, because Redis was away. The layer does not say when it is back."""
        while True:
            await asyncio.sleep(LOOK_S / settings.TIME_SCALE)
            try:
                await self._open_channel()
                await self._join_groups()
                for look in self.looks:
                    await look()
            except asyncio.CancelledError:
                raise
            except Exception as error:
                logger.warning("no look at what changed: %s", error.__class__.__name__)

    async def _join_groups(self) -> None:
        """Joins the groups that could not be joined; costs nothing for the others."""
        for group in list(self.groups):
            if not await self._group("group_add", group):
                return  # nor would the next, and each try takes its time


pokes = Pokes()
