"""What every socket of the site has: a rate of messages, a share of what its user may do, a bounded outbox, an end
with its session, and closing with a code.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.db import DatabaseError
from psycopg import Error as PsycopgError
from psycopg_pool import PoolTimeout

from accounts import limits
from accounts.sessions import GROUP as SESSIONS
from accounts.sessions import sockets
from games.tables import rates
from games.tables.pokes import pokes
from games.tables.protocol import CLOSE_NOT_SIGNED_IN, CLOSE_TOO_FAST, CLOSE_TOO_MANY, CLOSE_TOO_SLOW

logger = logging.getLogger(__name__)

#: Postgres cannot be reached, or does not answer in time.
UNAVAILABLE = (PsycopgError, PoolTimeout, DatabaseError, TimeoutError)
#: Messages a second that are read for long, and how many at once.
RATE = 10.0
BURST = 20.0
#: Messages over the rate that are refused before the socket is closed. In time they are forgotten, at this rate.
PATIENCE = 40
FORGETS = RATE / 10
#: Frames that may wait for a slow reader.
OUTBOX = 64

pokes.on("session", sockets.poked, sockets.look)


class Socket(AsyncWebsocketConsumer):
    """A browser's line: `opened` and `heard` are what each kind of socket adds."""

    #: Pokes come through the process's one channel; a channel for each socket costs a queue and a task more.
    channel_layer_alias = "none"

    async def dispatch(self, message: dict[str, Any]) -> None:
        """As in Channels 4.3, without its hop to the ORM's thread before every message: no connection is used here.

        Channels has no setting for it. A test shows that messages would wait for whatever that thread is busy with, and
        that those of Channels still do.
        """
        handler = getattr(self, message["type"].replace(".", "_"), None)
        if handler is None:
            raise ValueError(f"no handler for {message['type']}")
        await handler(message)

    async def connect(self) -> None:
        self.rate, self.patience = rates.Bucket(RATE, BURST), rates.Bucket(FORGETS, PATIENCE)
        self.outbox: asyncio.Queue[str] = asyncio.Queue(OUTBOX)
        self.closing = False
        self.share: rates.Share | None = None
        await self.accept()
        self.writer = asyncio.ensure_future(self._write())
        user = self.scope["user"]
        share = rates.share_of(user.pk if user.is_authenticated else _address_of(self.scope))
        if share.sockets >= settings.SOCKETS_PER_USER:
            await self._close(CLOSE_TOO_MANY)
            return
        if not share.readings.take():
            await self._close(CLOSE_TOO_FAST)
            return
        self.share = share
        share.sockets += 1
        await self._end_with_session()
        await self.opened()

    async def _end_with_session(self) -> None:
        """Logging out closes this socket, wherever that is done."""
        sockets.opened(self.scope["session"].session_key, self._close_not_signed_in)
        if SESSIONS not in pokes.groups:
            await pokes.join(SESSIONS)

    async def _forget_session(self) -> None:
        sockets.closed(self._close_not_signed_in)
        if not sockets.open:
            await pokes.leave(SESSIONS)

    async def _close_not_signed_in(self) -> None:
        await self._close(CLOSE_NOT_SIGNED_IN)

    async def opened(self) -> None:
        """The socket is open."""

    async def heard(self, text: str, within_rate: bool) -> None:
        """A frame has come; an empty text stands for one that is no text."""

    async def left(self) -> None:
        """The socket is closed."""

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if self.closing:
            return
        is_in_share = self.share is None or self.share.messages.take()
        within_rate = is_in_share and self.rate.take()
        if not within_rate and not self.patience.take():
            await self._close(CLOSE_TOO_FAST)
            return
        await self.heard(text_data if text_data is not None else "", within_rate)

    def _send(self, frame: str) -> None:
        """Queues a frame. A reader so slow that the outbox is full is let go: it can come back and read afresh."""
        if self.closing:
            return
        try:
            self.outbox.put_nowait(frame)
        except asyncio.QueueFull:
            self.closing = True
            asyncio.ensure_future(self.close(CLOSE_TOO_SLOW))  # noqa: RUF006 - the loop ends soon after

    async def _write(self) -> None:
        """Sends what is queued. A socket that has gone ends it, and nothing else."""
        try:
            while True:
                await self.send(text_data=await self.outbox.get())
        except asyncio.CancelledError:
            raise
        except Exception as error:
            logger.debug("a socket went away: %s", error.__class__.__name__)

    async def _close(self, code: int) -> None:
        self.closing = True
        await self.close(code)

    async def disconnect(self, code: int) -> None:
        self.closing = True
        if self.share is not None:
            self.share.sockets -= 1
            self.share = None
        if hasattr(self, "writer"):
            self.writer.cancel()
            await self.left()
        await self._forget_session()


def _address_of(scope: dict[str, Any]) -> str:
    """Where a socket comes from."""
    forwarded = dict(scope["headers"]).get(b"x-forwarded-for", b"").decode("latin-1")
    return limits.address_from(forwarded, (scope.get("client") or [None])[0])
