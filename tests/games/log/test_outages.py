"""Time that is given back after an outage: to every game once, however often whoever does it dies."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from games import models
from games.log import live, outages, services, store
from games.tables import tasks
from tests import factories
from tests.games.live_site import Clock, in_phase, is_over, orm, play, play_until

pytestmark = pytest.mark.usefixtures("site")


@pytest.fixture(autouse=True)
def _another_process() -> None:
    outages._given.clear()


async def outage(clock: Clock, seconds: float, *, ago: float = 0) -> None:
    """An outage that ended some seconds ago."""
    to_at = clock.now() - timedelta(seconds=ago)
    row = models.Outage(part="sweep", from_at=to_at - timedelta(seconds=seconds), to_at=to_at)
    await orm(row.save)


async def given(game_id: int) -> list[float]:
    """The seconds that a game was given back, by its log."""
    return [entry.data["seconds"] for entry in await orm(factories.log_of, game_id) if entry.kind == "outage"]


async def give_back(clock: Clock) -> None:
    await outages.give_back(clock.now())


async def test_c12_an_outage_moves_every_running_clock_and_is_noted_in_the_log(clock: Clock) -> None:
    game = await orm(factories.game, 2, 2, timer_s=30)
    _, before = await live.refresh(game.id)
    clock.forward(20)
    await outage(clock, 12.3456)
    await give_back(clock)
    entry = (await orm(factories.log_of, game.id))[-1]
    assert (entry.kind, entry.seat, entry.cause, entry.data["seconds"]) == ("outage", None, "dealer", 12.346)
    row, after = await orm(lambda: game.row), await orm(factories.position_of, game.id)
    longer = [(after.asks[seat].due_at, before.asks[seat].due_at) for seat in (0, 1)]
    assert all(new and old and (new - old).total_seconds() == 12.346 for new, old in longer)
    assert [after.asks[seat] for seat in (2, 3)] == [before.asks[seat] for seat in (2, 3)]
    # What is stored without folding is what folding gives.
    assert (row.asks, row.deadline_at) == (store.asks_json(after), after.deadline_at)
    assert (await live.refresh(game.id))[1] == after


@pytest.mark.parametrize("kind", ["hearts", "spades"])
@pytest.mark.parametrize("seconds", [0.2, 31.0, 4_000.0])
async def test_what_is_stored_is_what_folding_gives_in_every_phase(kind: str, seconds: float, clock: Clock) -> None:
    options = {"blind_nil": "yes"} if kind == "spades" else {"moon": "choose"}
    game = await orm(factories.game, 3, 1, kind=kind, options=options, timer_s=30)
    for number in range(30):
        clock.forward(0.7654321)
        if number == 4:
            await services.stand_in(game_id=game.id, seat=1)
        if number == 9:
            await services.back(game_id=game.id, seat=1, client_id="back")
        await play(game.id)
        clock.forward(3.1234567)
        await outage(clock, seconds)
        await give_back(clock)
        row, position = await orm(lambda: game.row), await orm(factories.position_of, game.id)
        assert (row.ply, row.asks, row.deadline_at) == (
            position.ply,
            store.asks_json(position),
            position.deadline_at,
        )


async def test_nothing_is_noted_where_no_users_clock_ran(clock: Clock) -> None:
    untimed, timed = await orm(factories.game, 2, 2), await orm(factories.game, 1, 3, timer_s=30)
    over = await orm(factories.game, 4, options=factories.SHORT, code=factories.ONE_DEAL, timer_s=30)
    await play(timed.id, 0)  # CPUs alone are asked now
    await play_until(over.id, is_over)
    await outage(clock, 5)
    await give_back(clock)
    assert [await given(game.id) for game in (untimed, timed, over)] == [[], [], []]


async def test_a_question_that_was_asked_after_the_outage_gets_nothing_however_late_it_is_looked_at(
    clock: Clock,
) -> None:
    game = await orm(factories.game, 4, timer_s=30)
    await play_until(game.id, in_phase("play"))
    clock.forward(5)
    await outage(clock, 5)
    clock.forward(1)
    await play(game.id)  # the next question opens a second later
    await give_back(clock)
    assert await given(game.id) == []


async def test_a_sweep_that_dies_in_the_middle_is_continued_by_the_next_and_no_game_gets_it_twice(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outages, "MOST_GAMES", 2)
    games = [await orm(factories.game, 4, timer_s=30) for _ in range(7)]
    before = [(await live.refresh(game.id))[1].deadline_at for game in games]
    clock.forward(10)
    await outage(clock, 8)
    commit, done = store.commit_many, 0

    async def die_after_two(writes: list[store.Write]) -> set[int]:
        nonlocal done
        if done == 2:
            raise store.OperationalError("killed")
        done += 1
        return await commit(writes)

    monkeypatch.setattr(store, "commit_many", die_after_two)
    with pytest.raises(store.OperationalError):
        await give_back(clock)
    assert sum([len(await given(game.id)) for game in games]) == 4
    monkeypatch.setattr(store, "commit_many", commit)
    for _ in range(3):
        clock.forward(2)
        live.forget_all()
        outages._given.clear()  # as in a process that has just been started
        await give_back(clock)
    assert [await given(game.id) for game in games] == [[8.0]] * 7
    after = [(await live.refresh(game.id))[1].deadline_at for game in games]
    assert {(new - old).total_seconds() for new, old in zip(after, before, strict=True) if new and old} == {8.0}


async def test_a_sweep_that_dies_while_it_notes_an_outage_leaves_it_to_the_next(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = await orm(factories.game, 4, timer_s=30)
    await tasks._sweep()
    clock.forward(20)
    run = store._run

    async def die(link: Any, query: str, params: Any) -> Any:
        if "insert into games_heartbeat" in query:
            raise store.OperationalError("killed")
        return await run(link, query, params)

    monkeypatch.setattr(store, "_run", die)
    with pytest.raises(store.OperationalError):
        await tasks._sweep()
    assert not await orm(models.Outage.objects.exists)
    monkeypatch.setattr(store, "_run", run)
    await tasks._sweep()
    await tasks._sweep()
    assert await orm(models.Outage.objects.count) == 1
    assert await given(game.id) == [20.0]


async def test_a_game_that_moves_on_meanwhile_is_given_its_time_all_the_same(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = [await orm(factories.game, 4, timer_s=30) for _ in range(3)]
    clock.forward(10)
    await outage(clock, 8)
    commit = store.commit_many

    async def too_late(writes: list[store.Write]) -> set[int]:
        monkeypatch.setattr(store, "commit_many", commit)
        await play(games[1].id, 2)
        return await commit(writes)

    monkeypatch.setattr(store, "commit_many", too_late)
    await give_back(clock)
    assert [await given(game.id) for game in games] == [[8.0]] * 3


async def test_many_games_take_few_statements(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    games = [await orm(factories.game, 4, timer_s=30) for _ in range(40)]
    clock.forward(10)
    await outage(clock, 8)
    run, statements = store._run, 0

    async def count(link: Any, query: str, params: Any) -> Any:
        nonlocal statements
        statements += 1
        return await run(link, query, params)

    monkeypatch.setattr(store, "_run", count)
    await give_back(clock)
    assert statements < 8
    monkeypatch.undo()
    assert [await given(game.id) for game in games] == [[8.0]] * 40


@pytest.mark.parametrize(
    ("spans", "seconds"),
    [
        ([], 0),
        ([(0, 10)], 10),
        ([(0, 10), (5, 15)], 15),
        ([(5, 15), (0, 10)], 15),
        ([(0, 10), (2, 3)], 10),
        ([(0, 1), (5, 6)], 2),
        ([(0, 10), (0, 10)], 10),
    ],
)
def test_seconds_in_several_spans_count_once(spans: list[tuple[int, int]], seconds: float) -> None:
    start = datetime.fromisoformat("2026-01-01T00:00:00+00:00")
    found = [(start + timedelta(seconds=a), start + timedelta(seconds=b)) for a, b in spans]
    assert outages.covered(found) == seconds
