"""What other apps say about games that may end without a result. This app asks; it does not know who answers.

Where nobody answers nothing changes: a table may vote as often as it likes, a CPU stands in for whoever is away, and an
outage only moves the clocks.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from channels.db import database_sync_to_async
from django.dispatch import Signal

from games.hooks import long_outage, never_played, void_vote
from games.log import store
from games.log.positions import Entry, Position, Table


async def may_vote(table: Table, seat: int) -> bool:
    """Whether the player of a seat may be for ending this game without a result."""
    said = await _ask(void_vote, game_id=table.game_id, user_id=table.holders[seat].user_id)
    return False not in said


async def ends_for(table: Table, position: Position, seat: int) -> bool:
    """Whether a game ends here because this seat, which a CPU would now get, has never acted by itself.

    Only before trick one of the first deal is complete; later, or after one act of its own, it is played on.
    """
    if table.is_solo or position.state.deal != 1 or position.state.tricks or position.is_over:
        return False
    if has_acted(await store.entries_since(table.game_id, 0), seat):
        return False
    return True in await _ask(never_played, game_id=table.game_id, user_id=table.holders[seat].user_id)


def has_acted(entries: list[Entry], seat: int) -> bool:
    """Whether the player of a seat has answered any question himself."""
    return any(entry.seat == seat and entry.cause == "player" and entry.action is not None for entry in entries)


def entry_for(position: Position, seat: int, cause: str, now: datetime) -> Entry:
    """The end of a game whose player of this seat never came."""
    return Entry(position.ply + 1, seat, "void", "", {"reason": "absent"}, cause, None, now)


async def ended_by_outage(to_at: datetime) -> set[int]:
    """The running games that cannot go on after a long outage that was over at this moment."""
    return {game_id for said in await _ask(long_outage, to_at=to_at) for game_id in said or ()}


async def _ask(signal: Signal, **about: Any) -> list[Any]:
    send: Callable[[], list[tuple[Any, Any]]] = lambda: signal.send(None, **about)  # noqa: E731
    return [answer for _, answer in await database_sync_to_async(send)()]
