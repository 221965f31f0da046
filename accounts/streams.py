"""Long answers that are sent while they are made, so that no process ever holds the whole."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from channels.db import database_sync_to_async


async def sent(parts: Iterator[bytes]) -> AsyncIterator[bytes]:
    """The parts as a web server on an event loop takes them.

    Each is made in the thread of the ORM, which has its connection only meanwhile: a slow reader holds none. So what
    makes them has to keep no cursor open between two of them.
    """
    following = database_sync_to_async(lambda: next(parts, None))
    while (part := await following()) is not None:
        yield part
