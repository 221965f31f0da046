"""Commits that share a statement when many moves come at once: each has its own outcome, and none waits for another's
row.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from django.utils import timezone

from games import models
from games.log import live, services, store
from games.log.positions import Entry, Step, Table, walk
from tests import factories
from tests.games.live_site import orm

pytestmark = pytest.mark.usefixtures("site")

GAMES = 12


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many writes went together, each time."""
    sizes: list[int] = []
    commit_many = store.commit_many

    async def noted(writes: list[Any]) -> set[int]:
        sizes.append(len(writes))
        return await commit_many(writes)

    monkeypatch.setattr(store, "commit_many", noted)
    return sizes


async def opened(count: int = GAMES) -> list[int]:
    """Fresh games of Hearts, which all seats are to pass in."""
    return [(await orm(factories.game)).id for _ in range(count)]


async def step_of(game_id: int, name: str) -> tuple[Table, list[Step]]:
    """The pass of seat 0, not stored yet."""
    table, position = await live.position_of(game_id)
    action = factories.answer(table, position, 0)
    ask, said = position.asks[0].id, services.said(action)
    entry = Entry(position.ply + 1, 0, action.kind, ask, said, "player", name, timezone.now())
    return table, walk(table, position, [entry])


def commit(table: Table, steps: list[Step]) -> Any:
    return store.commit(table.game_id, steps[0].before.ply, [step.entry for step in steps], steps[-1].after)


async def test_moves_that_come_together_are_all_stored(shared: list[int]) -> None:
    moves = [await step_of(game_id, "one") for game_id in await opened()]
    assert await asyncio.gather(*(commit(*move) for move in moves)) == [True] * GAMES
    assert max(shared) > GAMES // 2
    for table, steps in moves:
        log = await orm(factories.log_of, table.game_id)
        assert log[-1] == steps[-1].entry
        stored = await orm(models.Game.objects.get, pk=table.game_id)
        assert (stored.ply, stored.asks) == (steps[-1].after.ply, store.asks_json(steps[-1].after))


async def test_each_has_its_own_outcome(shared: list[int]) -> None:
    moves = [await step_of(game_id, "one") for game_id in await opened()]
    late, again = moves[-1], moves[-2]
    assert await commit(*late)
    assert await commit(*again)
    live.forget(again[0].game_id)
    table, position = await live.position_of(again[0].game_id)
    entry = Entry(position.ply + 1, 0, "back", "", {}, "player", "one", timezone.now())
    moves[-2] = table, walk(table, position, [entry])  # another entry under the same name
    found = await asyncio.gather(*(commit(*move) for move in moves), return_exceptions=True)
    assert found[:-2] == [True] * (GAMES - 2)
    assert isinstance(found[-2], store.ClientIdTaken)
    assert found[-1] is False
    assert shared


async def test_a_locked_game_holds_up_no_other(shared: list[int]) -> None:
    moves = [await step_of(game_id, "one") for game_id in await opened()]
    locked = moves[-1][0].game_id
    async with (await store.pool()).connection() as link, link.transaction():
        await link.execute("select 1 from games_game where id = %s for update", (locked,))
        commits = [asyncio.ensure_future(commit(*move)) for move in moves]
        async with asyncio.timeout(2):
            assert await asyncio.gather(*commits[:-1]) == [True] * (GAMES - 1)
        assert not commits[-1].done()
    assert await commits[-1]
    assert shared


async def test_of_two_moves_to_a_game_at_once_one_is_stored(shared: list[int]) -> None:
    games = await opened(4)
    moves = [await step_of(game_id, name) for name in ("one", "two", "three") for game_id in games]
    found = await asyncio.gather(*(commit(*move) for move in moves))
    assert sum(found) == len(games)
    for game_id in games:
        assert len(await orm(factories.log_of, game_id)) == 3


async def test_seats_that_answer_together_are_all_acknowledged() -> None:
    games = await opened(5)
    answers = []
    for game_id in games:
        table, position = await live.position_of(game_id)
        for seat, asked in position.asks.items():
            action = factories.answer(table, position, seat)
            answers.append((game_id, seat, asked.id, action))
    receipts = await asyncio.gather(
        *(
            services.submit_action(
                game_id=game_id, seat=seat, ask=ask, action=action, cause="player", client_id=f"s{seat}"
            )
            for game_id, seat, ask, action in answers
        )
    )
    assert sorted(receipt.ply for receipt in receipts) == sorted([3, 4, 5, 6] * len(games))


async def test_a_mover_who_leaves_takes_nobody_along(shared: list[int]) -> None:
    moves = [await step_of(game_id, "one") for game_id in await opened()]
    commits = [asyncio.ensure_future(commit(*move)) for move in moves]
    await asyncio.sleep(0)
    for place in (0, 5):  # one that is on its way by itself, one that waits
        commits[place].cancel()
    found = await asyncio.gather(*commits, return_exceptions=True)
    assert [isinstance(each, asyncio.CancelledError) for each in found].count(True) == 2
    assert found.count(True) == GAMES - 2
    assert await commit(*await step_of((await opened(1))[0], "one"))
