"""The latest position of each game in this process, and who is told when it moves on.

Filled only from rows that are committed: a position cached before a commit that fails would poison its ply.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable

from games.log import store
from games.log.positions import Position, Step, Table, fold, start, walk

logger = logging.getLogger(__name__)

MOST_GAMES = 2_000

Listener = Callable[[Table, list[Step]], None]

_known: OrderedDict[int, tuple[Table, Position]] = OrderedDict()
_listeners: list[Listener] = []


class NoSuchGame(Exception):
    """There is no game with this id."""


def listen(listener: Listener) -> None:
    """Calls the listener with the steps of every game that moves on in this process."""
    _listeners.append(listener)


async def position_of(game_id: int) -> tuple[Table, Position]:
    """The latest position known here, which may be behind what is stored. Raises NoSuchGame."""
    if game_id in _known:
        _known.move_to_end(game_id)
        return _known[game_id]
    return await refresh(game_id)


async def refresh(game_id: int) -> tuple[Table, Position]:
    """The position as stored now; reads only what is new. Raises NoSuchGame."""
    if game_id in _known:
        table, position = _known[game_id]
        entries = await store.entries_since(game_id, position.ply)
        moved_on(table, walk(table, position, entries))
        return _known.get(game_id, (table, position))
    table_read = await store.table_of(game_id)
    if table_read is None:
        raise NoSuchGame(game_id)
    position = fold(table_read, await store.entries_since(game_id, 0), start(table_read))
    if game_id not in _known:  # another task may have read it meanwhile
        _remember(table_read, position)
    return _known[game_id]


async def reseat(game_id: int) -> Table | None:
    """The table as stored now: a guest who has logged in holds his seat under another id."""
    table = await store.table_of(game_id)
    if table is not None and game_id in _known:
        _known[game_id] = (table, _known[game_id][1])
    return table


def moved_on(table: Table, steps: list[Step]) -> None:
    """Committed steps of a game. Those that are known already are left out; a gap makes the game be read afresh."""
    if not steps:
        return
    known = _known.get(table.game_id)
    if known is not None:
        steps = [step for step in steps if step.after.ply > known[1].ply]
        if not steps:
            return
        if steps[0].before.ply != known[1].ply:
            forget(table.game_id)
            return
    _remember(table, steps[-1].after)
    for listener in _listeners:
        try:
            listener(table, steps)
        except Exception:  # the steps are stored: whoever could not be told reads them again
            logger.exception("the news of game %s went wrong", table.game_id)


def forget(game_id: int) -> None:
    """Drops what is known of a game."""
    _known.pop(game_id, None)


def forget_all() -> None:
    """Drops everything, e.g. between tests."""
    _known.clear()


def _remember(table: Table, position: Position) -> None:
    _known[table.game_id] = (table, position)
    _known.move_to_end(table.game_id)
    while len(_known) > MOST_GAMES:
        _known.popitem(last=False)
