"""Two at once: one is stored, both get a true word on it, and a failure after or during the commit spoils nothing."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Coroutine
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from games import models
from games.log import live, services, store, wakeups
from games.log.positions import Entry, Position, Step, Table
from games.log.refusals import Rejected
from games.rules import Action, Refused
from games.tables import tasks
from tests import factories
from tests.games.live_site import in_phase, is_over, orm, play, play_until, sit, steps_of

pytestmark = pytest.mark.usefixtures("site")

RACES = 20


def submit(
    game_id: int, seat: int, ask: str, action: Action, name: str | None = None, cause: str = "player"
) -> Coroutine[Any, Any, services.Receipt]:
    return services.submit_action(game_id=game_id, seat=seat, ask=ask, action=action, cause=cause, client_id=name)


async def outcome(work: Coroutine[Any, Any, services.Receipt]) -> int | str:
    """The ply that was acknowledged, or the code of the refusal."""
    try:
        return (await work).ply
    except (Rejected, Refused) as refused:
        return refused.code


async def race(*works: Coroutine[Any, Any, services.Receipt]) -> list[int | str]:
    return list(await asyncio.gather(*[outcome(work) for work in works]))


def race_in_threads(*works: Coroutine[Any, Any, services.Receipt]) -> list[int | str]:
    """Each on a loop, a pool and a thread of its own, as processes have them; all start at once."""
    found: list[int | str] = [""] * len(works)
    gate = threading.Barrier(len(works))

    async def enter(number: int, work: Coroutine[Any, Any, services.Receipt]) -> None:
        try:
            await store.pool()
            await asyncio.to_thread(gate.wait, 10)
            found[number] = await outcome(work)
        finally:
            await store.close_pool()

    threads = [threading.Thread(target=asyncio.run, args=(enter(*pair),)) for pair in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def two_answers(position: Position, table: Table, seat: int) -> tuple[Action, Action]:
    """Two different answers to one question."""
    legal = table.rules.legal_actions(position.state, seat)
    return legal[0], legal[-1]


async def contested(game_id: int) -> tuple[Table, Position, int]:
    """The next question of a game that has at least two answers; others are answered."""
    while True:
        table, position = await live.refresh(game_id)
        seat = factories.asked_seat(position)
        if len(table.rules.legal_actions(position.state, seat)) > 1:
            return table, position, seat
        await play(game_id)


def check_one_stored(log: list[Entry], ply: int, found: list[int | str], refusals: set[str]) -> None:
    """One of several answers was stored at this ply; the others were told so."""
    assert [entry.ply for entry in log] == list(range(1, len(log) + 1))
    assert found.count(ply) == 1
    assert {word for word in found if word != ply} <= refusals


# --- two answers to one question --------------------------------------------------------------------------------------


async def test_n14_of_two_answers_to_one_question_the_first_wins_in_twenty_races_of_tasks() -> None:
    game = await orm(factories.game, 4)
    for number in range(RACES):
        table, position, seat = await contested(game.id)
        ask = position.asks[seat].id
        one, two = two_answers(position, table, seat)
        found = await race(
            submit(game.id, seat, ask, one, f"a-{number}"), submit(game.id, seat, ask, two, f"b-{number}")
        )
        log = await orm(factories.log_of, game.id)
        check_one_stored(log, position.ply + 1, found, {"stale"})
        stored = log[position.ply]
        assert stored.action == (one if found[0] == stored.ply else two)
        assert (await live.position_of(game.id))[1] == await orm(factories.position_of, game.id)


async def test_n14_of_two_answers_to_one_question_the_first_wins_in_twenty_races_of_threads() -> None:
    game = await orm(factories.game, 4)
    for number in range(RACES):
        table, position, seat = await contested(game.id)
        ask = position.asks[seat].id
        one, two = two_answers(position, table, seat)
        found = await asyncio.to_thread(
            race_in_threads,
            submit(game.id, seat, ask, one, f"a-{number}"),
            submit(game.id, seat, ask, two, f"b-{number}"),
        )
        log = await orm(factories.log_of, game.id)
        check_one_stored(log, position.ply + 1, found, {"stale"})
        live.forget_all()  # shared by the threads here, not by processes


async def test_a_player_his_clock_and_his_stand_in_at_once_are_one_answer() -> None:
    game = await orm(factories.game, 4, timer_s=30)
    for _ in range(5):
        table, position, seat = await contested(game.id)
        ask = position.asks[seat].id
        one, two = two_answers(position, table, seat)
        found = await race(
            submit(game.id, seat, ask, one),
            submit(game.id, seat, ask, two, cause="timeout"),
            submit(game.id, seat, ask, two, cause="cpu"),
        )
        # The seat is its owner's and in time: the two others have no say.
        assert found == [position.ply + 1, "stale", "stale"]


async def test_everybody_who_passes_at_once_is_stored_once_and_in_some_order() -> None:
    game = await orm(factories.game, 4)
    table, position = await live.refresh(game.id)
    passes = [factories.answer(table, position, seat) for seat in range(4)]
    works = [submit(game.id, seat, position.asks[seat].id, passes[seat], f"p-{seat}") for seat in range(4)]
    # In processes of their own they know nothing of each other.
    found = await asyncio.to_thread(race_in_threads, *works)
    assert sorted(map(str, found)) == ["3", "4", "5", "6"]
    live.forget_all()
    position = await orm(factories.position_of, game.id)
    assert (position.state.phase, position.ply) == ("play", 6)
    assert [position.state.given[seat] for seat in range(4)] == [action.cards for action in passes]


async def test_a_deal_that_is_called_off_and_passed_at_once_is_one_of_both() -> None:
    game = await orm(factories.game, 4, options={"skip_right": "one_each"})
    table, position = await live.refresh(game.id)
    ask = position.asks[0].id
    found = await asyncio.to_thread(
        race_in_threads,
        submit(game.id, 0, ask, Action("skip", 0)),
        submit(game.id, 1, ask, Action("skip", 1)),
        submit(game.id, 2, ask, factories.answer(table, position, 2)),
    )
    log = await orm(factories.log_of, game.id)
    # A pass before the call is dropped with the deal; after it, it is stale. Never two calls.
    assert [entry.kind for entry in log].count("skip") == 1
    assert [word for word in found[:2] if word == "stale"] == ["stale"]
    assert [entry.ply for entry in log] == list(range(1, len(log) + 1))


# --- one answer twice -------------------------------------------------------------------------------------------------


async def test_n12_the_same_name_from_two_connections_at_once_is_played_once_and_acknowledged_twice() -> None:
    game = await orm(factories.game, 4)
    for number in range(RACES):
        table, position, seat = await contested(game.id)
        action, _ = two_answers(position, table, seat)
        work = [submit(game.id, seat, position.asks[seat].id, action, f"same-{number}") for _ in range(3)]
        assert await race(*work) == [position.ply + 1] * 3
        assert (await live.refresh(game.id))[1].ply == position.ply + 1


async def test_n12_the_same_name_from_two_processes_at_once_is_played_once_and_acknowledged_twice() -> None:
    game = await orm(factories.game, 4)
    for number in range(5):
        table, position, seat = await contested(game.id)
        action, _ = two_answers(position, table, seat)
        work = [submit(game.id, seat, position.asks[seat].id, action, f"same-{number}") for _ in range(3)]
        assert await asyncio.to_thread(race_in_threads, *work) == [position.ply + 1] * 3
        live.forget_all()


async def test_n12_the_same_name_with_two_answers_at_once_is_one_answer() -> None:
    game = await orm(factories.game, 4)
    for number in range(5):
        table, position, seat = await contested(game.id)
        ask = position.asks[seat].id
        works = [submit(game.id, seat, ask, action, f"n-{number}") for action in two_answers(position, table, seat)]
        found = await race(*works)
        check_one_stored(await orm(factories.log_of, game.id), position.ply + 1, found, {"id_reused"})


async def test_the_last_card_of_a_game_twice_at_once_ends_it_once() -> None:
    game = await orm(factories.game, 4, options=factories.SHORT, code=factories.ONE_DEAL)
    position = await play_until(game.id, lambda position: position.ply == 57)
    seat = factories.asked_seat(position)
    action = factories.answer((await live.refresh(game.id))[0], position, seat)
    ask = position.asks[seat].id
    found = await race(*[submit(game.id, seat, ask, action, "last") for _ in range(3)])
    assert found == [58, 58, 58]
    assert (await orm(lambda: game.row)).status == "finished"
    assert is_over(await orm(factories.position_of, game.id))


async def test_r14_an_owner_who_comes_back_while_his_stand_in_thinks_plays_himself() -> None:
    game = await orm(factories.game, 4, timer_s=30)
    for _ in range(RACES):
        table, position, seat = await contested(game.id)
        await services.stand_in(game_id=game.id, seat=seat)
        ask = position.asks[seat].id
        one, two = two_answers(position, table, seat)
        found = await race(
            services.back(game_id=game.id, seat=seat, client_id=f"back-{position.ply}"),
            submit(game.id, seat, ask, one, cause="cpu"),
        )
        entries = (await orm(factories.log_of, game.id))[position.ply + 1 :]
        # Either the CPU was first, or its answer came to a seat that has its owner.
        expected = ["back"] if found[1] == "stale" else [one.kind, "back"]
        assert [entry.kind for entry in entries if entry.kind != "deal"] == expected
        if found[1] == "stale":
            assert isinstance(await outcome(submit(game.id, seat, ask, two)), int)


# --- what fails around a commit ---------------------------------------------------------------------------------------


async def test_a_stored_move_whose_wake_ups_fail_is_acknowledged_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    game = await orm(factories.game, 4)

    async def fail(*_: object) -> None:
        raise RuntimeError("no Redis")

    monkeypatch.setattr(wakeups, "moved", fail)
    assert (await play(game.id, 0, client_id="mine")).ply == 3
    assert (await play(game.id, 1)).ply == 4
    assert (await orm(lambda: game.row)).ply == 4


async def test_a_stored_move_whose_room_fails_is_acknowledged_and_others_are_still_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = await orm(factories.game, 4)
    told: list[int] = []

    def fail(table: Table, steps: list[Step]) -> None:
        raise RuntimeError("a room")

    def listen(table: Table, steps: list[Step]) -> None:
        told.append(steps[-1].after.ply)

    monkeypatch.setattr(live, "_listeners", [fail, listen])
    assert (await play(game.id, 0)).ply == 3
    assert told == [3]


async def test_a_socket_whose_room_fails_still_gets_its_ack(monkeypatch: pytest.MonkeyPatch) -> None:
    game = await orm(factories.game, 4)
    browsers = await sit(game)

    def fail(*_: object) -> None:
        raise RuntimeError("a room")

    monkeypatch.setattr("games.tables.rooms.Room.told", fail)
    reply = await browsers[0].answer()
    assert (reply["type"], reply["ply"]) == ("ack", 3)
    monkeypatch.undo()
    # Those who were not told find it by themselves.
    await browsers[1].ping()
    await browsers[1].reach(3)


async def test_a_commit_that_fails_leaves_no_position_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    game = await orm(factories.game, 4)
    table, position = await live.refresh(game.id)
    ask, action = position.asks[0].id, factories.answer(table, position, 0)
    commit = store.commit

    async def lose_the_connection(*args: Any) -> bool:
        raise store.OperationalError("the connection is lost")

    monkeypatch.setattr(store, "commit", lose_the_connection)
    with pytest.raises(store.OperationalError):
        await submit(game.id, 0, ask, action, "mine")
    assert (await live.position_of(game.id))[1] == position
    monkeypatch.setattr(store, "commit", commit)
    assert (await submit(game.id, 0, ask, action, "mine")).ply == 3
    assert (await live.position_of(game.id))[1] == await orm(factories.position_of, game.id)


async def test_a_commit_whose_answer_is_lost_is_found_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    game = await orm(factories.game, 4)
    table, position = await live.refresh(game.id)
    commit = store.commit

    async def lose_the_answer(*args: Any) -> bool:
        assert await commit(*args)
        raise store.OperationalError("the connection is lost")

    monkeypatch.setattr(store, "commit", lose_the_answer)
    work = (game.id, 0, position.asks[0].id, factories.answer(table, position, 0), "mine")
    with pytest.raises(store.OperationalError):
        await submit(*work)
    monkeypatch.undo()
    assert (await submit(*work)).ply == 3
    assert await orm(factories.kinds_of, game.id) == ["open", "deal", "pass"]


#: Ends every other connection to this database, as a restart of Postgres does.
CUT = b"""select count(pg_terminate_backend(pid)) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()"""


def cut_connections() -> int:
    with connection.cursor() as cursor:
        cursor.execute(CUT.decode())
        return int(cursor.fetchone()[0])


async def test_a_connection_that_died_while_idle_costs_no_move() -> None:
    game = await orm(factories.game, 4)
    await play(game.id, 0)
    assert await orm(cut_connections) >= 1
    assert (await play(game.id, 1)).ply == 4


async def test_a_page_is_served_after_the_connections_of_the_orm_have_died() -> None:
    game = await orm(factories.game, 1, 3)
    client = Client()
    user = game.users[0]
    assert user is not None
    await orm(client.force_login, user)
    assert (await orm(client.get, "/")).status_code == 200
    # Cut from outside the pool, so that it keeps the dead ones.
    found = await store.pool()
    async with found.connection() as link:
        await link.execute(CUT)
    assert (await orm(client.get, f"/game/{game.id}/")).status_code == 200


async def test_a_page_waits_once_however_many_connections_of_the_orm_have_died() -> None:
    everybody = threading.Barrier(6)

    def use() -> None:
        try:
            models.Game.objects.count()
            everybody.wait(10)  # each holds a connection of its own until all have one
        finally:
            connection.close()

    await asyncio.gather(*[asyncio.to_thread(use) for _ in range(6)])
    found = await store.pool()
    async with found.connection() as link:
        await link.execute(CUT)
    # With a pause for each of them the pool gives up before it has found a living one.
    assert (await orm(Client().get, "/")).status_code == 200


async def test_a_game_can_end_after_the_connections_of_the_orm_have_died() -> None:
    game = await orm(factories.game, 4, options=factories.SHORT, code=factories.ONE_DEAL)
    other = await orm(factories.game, 4, options=factories.SHORT, code=factories.ONE_DEAL)
    # The thread that ends games has a connection from here on, if it keeps one.
    await play_until(other.id, is_over)
    await play_until(game.id, lambda position: position.ply == 57)
    found = await store.pool()
    async with found.connection() as link:
        await link.execute(CUT)
    assert (await play(game.id)).ply == 58
    assert (await orm(lambda: game.row)).status == "finished"


async def test_a_stale_position_is_read_again_and_never_written_over() -> None:
    game = await orm(factories.game, 4)
    table, old = await live.refresh(game.id)
    for seat in range(3):
        await play(game.id, seat)
    # As another process would still see it.
    live._known[game.id] = (table, old)
    await play(game.id, 3)
    position = await orm(factories.position_of, game.id)
    assert (position.ply, position.state.phase) == (6, "play")
    assert (await live.position_of(game.id))[1] == position


async def test_a_gap_in_what_is_heard_makes_the_game_be_read_afresh() -> None:
    game = await orm(factories.game, 4)
    table, position = await live.refresh(game.id)
    first = await steps_of(table, position, 0, factories.answer(table, position, 0))
    second = await steps_of(table, first[-1].after, 1, factories.answer(table, position, 1))
    live.moved_on(table, second)
    assert game.id not in live._known
    assert (await live.position_of(game.id))[1] == position


async def test_only_so_many_games_are_kept_in_mind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MOST_GAMES", 3)
    games = [await orm(factories.game, 4) for _ in range(4)]
    for game in games[:3]:
        await live.position_of(game.id)
    await live.position_of(games[0].id)
    await live.position_of(games[3].id)
    assert set(live._known) == {games[0].id, games[2].id, games[3].id}


async def test_many_hands_play_whole_games_at_once_and_every_log_is_whole() -> None:
    games = [await orm(factories.game, 4, options=factories.SHORT, code=factories.ONE_DEAL) for _ in range(3)]

    async def hand(game_id: int, number: int) -> None:
        rng = random.Random(number)
        while True:
            table, position = await live.refresh(game_id)
            if is_over(position):
                return
            seat = rng.choice(sorted(position.asks))
            await outcome(submit(game_id, seat, position.asks[seat].id, factories.answer(table, position, seat)))

    await asyncio.gather(*[hand(game.id, number) for game in games for number in range(3)])
    for game in games:
        log = await orm(factories.log_of, game.id)
        assert [entry.ply for entry in log] == list(range(1, 59))
        assert is_over(await orm(factories.position_of, game.id))


async def test_two_workers_with_the_same_cpu_turn_play_once() -> None:
    game = await orm(factories.game, 1, 3)
    await asyncio.gather(*[tasks._cpu_turn(game.id, seat, "1.0.pass.0", False) for seat in (1, 2, 3, 1, 2, 3)])
    assert sorted(entry.seat or 0 for entry in await orm(factories.log_of, game.id) if entry.kind == "pass") == [
        1,
        2,
        3,
    ]
    await play(game.id, 0)
    assert in_phase("play")((await live.refresh(game.id))[1])
