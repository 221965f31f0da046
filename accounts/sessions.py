"""Sockets live only as long as the session they were opened with.

A web process keeps its open sockets here by the digest of their session. When a session ends anywhere (log-out, log-out
elsewhere, a new password, a closed account), a row says so and a poke on the channel layer makes every process look at
the new rows. The poke says nothing itself, and a lost one is made up for by the look every two seconds.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any

from asgiref.sync import async_to_sync
from channels.db import database_sync_to_async
from channels.layers import get_channel_layer
from django.db import transaction
from django.utils import timezone

from accounts.models import SessionEnd

logger = logging.getLogger(__name__)

#: Every web process with a socket is in this group of the channel layer.
GROUP = "sessions"
POKE_TIMEOUT_S = 2.0
KEEP = timedelta(days=1)
#: Rows whose transaction took so long to commit are still found.
OVERLAP = timedelta(seconds=30)

#: Closes one socket.
Close = Callable[[], Awaitable[None]]


def digest(session_key: str | None) -> str:
    """What a session is known by outside the table of sessions; empty for none."""
    return hashlib.sha256(f"socket {session_key}".encode()).hexdigest() if session_key else ""


# --- telling ----------------------------------------------------------------------------------------------------------


def end(session_key: str | None) -> None:
    """A session is over: its sockets close after the commit."""
    _note(session_key, None)


def move(session_key: str | None, became: str | None) -> None:
    """A session goes on under a new key, as after logging in: its sockets stay, and end with the new one."""
    if session_key != became:
        _note(session_key, became)


def _note(session_key: str | None, became: str | None) -> None:
    if not session_key:
        return
    now = timezone.now()
    SessionEnd.objects.filter(at__lt=now - KEEP).delete()
    SessionEnd.objects.create(session=digest(session_key), became=digest(became), at=now)
    transaction.on_commit(_poke, robust=True)


def _poke() -> None:
    try:
        async_to_sync(_send)()
    except Exception as error:  # the look finds the row
        logger.warning("no poke for an ended session: %s", error.__class__.__name__)


async def _send() -> None:
    layer = get_channel_layer()
    if layer is not None:
        async with asyncio.timeout(POKE_TIMEOUT_S):
            await layer.group_send(GROUP, {"type": "session.ended"})


# --- hearing ----------------------------------------------------------------------------------------------------------


class Sockets:
    """The open sockets of this process by session. Lives on one event loop."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forgets all, e.g. between tests."""
        self.open: defaultdict[str, set[Close]] = defaultdict(set)
        self.since = timezone.now()

    def opened(self, session_key: str | None, close: Close) -> None:
        """A socket has opened. `close` is called once its session is over."""
        if not self.open:
            self.since = timezone.now()
        if session_key:
            self.open[digest(session_key)].add(close)

    def closed(self, close: Close) -> None:
        """A socket has closed."""
        for session in [session for session, closes in self.open.items() if close in closes]:
            self.open[session].discard(close)
            if not self.open[session]:
                del self.open[session]

    async def poked(self, _message: dict[str, Any]) -> None:
        """Some session has ended."""
        await self.look()

    async def look(self) -> None:
        """Closes the sockets of sessions that have ended of late.

        An end may be looked at twice: whoever was on his way in when the session ended is found the second time.
        """
        if not self.open:
            return
        now = timezone.now()
        for session, became in await _ends_since(self.since - OVERLAP):
            closes = self.open.pop(session, None)
            if closes and became:
                self.open[became] |= closes
            elif closes:
                await asyncio.gather(*(close() for close in closes), return_exceptions=True)
        self.since = now


@database_sync_to_async
def _ends_since(at: datetime) -> list[tuple[str, str]]:
    return list(SessionEnd.objects.filter(at__gte=at).order_by("pk").values_list("session", "became"))


sockets = Sockets()
