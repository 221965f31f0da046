"""Answers that are sent while they are made, read whole."""

from __future__ import annotations

from typing import Any

import pytest
from asgiref.sync import async_to_sync


def whole(answer: Any) -> bytes:
    """All that a streamed answer sends.

    The connection stays open meanwhile, as Django's own client has it: the transaction of the test lives in it.
    """

    async def collect() -> bytes:
        return b"".join([part async for part in answer.streaming_content])

    assert answer.streaming
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("channels.db.close_old_connections", lambda: None)
        return async_to_sync(collect)()
