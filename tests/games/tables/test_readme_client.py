"""Whole games over real sockets, by a client written from games/tables/README.md alone."""

from __future__ import annotations

import ast
import asyncio
import os
import sys
from pathlib import Path

import pytest

from games import models
from games.rules.state import plain
from tests import factories
from tests.games.live_site import orm
from tests.games.processes import start_worker, web_process
from tests.games.tables import readme_client

pytestmark = [pytest.mark.usefixtures("site"), pytest.mark.slow]


def test_the_client_uses_nothing_of_the_site() -> None:
    tree = ast.parse(Path(readme_client.__file__).read_text())
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            found.add((node.module or "").partition(".")[0])
    assert found - set(sys.stdlib_module_names) == {"websockets"}


@pytest.mark.parametrize(("kind", "timer"), [("hearts", 0), ("spades", 30)])
async def test_a_client_written_from_the_readme_plays_a_whole_game_over_many_connections(kind: str, timer: int) -> None:
    worker = start_worker(os.environ["REDIS_URL"])
    try:
        with web_process() as (_, address):
            player = readme_client.Player(address, f"readme {kind}", breaks_every=5)
            await asyncio.to_thread(player.open_game, kind, timer)
            result = await asyncio.to_thread(player.play)
    finally:
        worker.terminate()
        await asyncio.to_thread(worker.wait, 20)
    row = await orm(lambda: models.Game.objects.get(pk=player.game))
    position = await orm(factories.position_of, player.game)
    # What it was shown is what the stored log says.
    assert (row.status, row.ply, row.result) == ("finished", player.ply, result)
    assert result["scores"] == list(position.state.scores)
    assert player.sheet == plain(position.state.sheet)
    # Broken lines cost it no event, and no answer was played twice.
    assert player.connections > 4
    assert {event["ply"] for event in player.events} == set(range(player.first_ply + 1, row.ply + 1))
    assert [event["ply"] for event in player.events] == sorted(event["ply"] for event in player.events)
    own = [entry for entry in await orm(factories.log_of, player.game) if entry.seat == 0]
    assert len(own) == player.answers
    assert {entry.cause for entry in own} == {"player"}
