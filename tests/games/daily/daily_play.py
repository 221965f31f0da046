"""A game of a daily deal, played to its end: the CPUs as workers play them, the human always by the same rule."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from games.log import live, services, store
from games.tables import tasks


async def play_out(game_id: int, *, fallback: bool = False) -> None:
    """`fallback`: as if every task had been lost so often that the sweep has lost patience."""
    while True:
        table, position = await live.refresh(game_id)
        if position.is_over:
            return
        for seat, asked in sorted(position.asks.items()):
            if table.holders[seat].user_id is None:
                await tasks._cpu_turn(game_id, seat, asked.id, fallback)
            else:
                action = table.rules.default_action(position.state, seat)
                await services.submit_action(game_id=game_id, seat=seat, ask=asked.id, action=action, cause="player")


async def log_of(game_id: int) -> list[list[Any]]:
    """What happened, without names and times."""
    return [[entry.seat, entry.kind, entry.ask, entry.data] for entry in await store.entries_since(game_id, 0)]


async def _main(game_id: int) -> None:
    await play_out(game_id)
    sys.stdout.write(json.dumps(await log_of(game_id)))
    await store.close_pool()


def main(game_id: int) -> None:
    """In a process of its own, in which Django is ready: plays, and writes the log to the standard output."""
    asyncio.run(_main(game_id))
