"""The log in Postgres: compare-and-swap, what its constraints and triggers refuse, and SQL that fits the models."""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import DatabaseError, IntegrityError, connection, transaction

from games import models
from games.log import live, services, store
from games.log.positions import Entry, Position
from tests import factories
from tests.games.live_site import Clock, orm, play, steps_of

pytestmark = pytest.mark.usefixtures("site")

GRACE = timedelta(seconds=1)


async def next_steps(game_id: int, seat: int = 0) -> tuple[Position, list[Entry], Position]:
    """An answer that has not been stored: the position before, its entries, the position after."""
    table, position = await live.refresh(game_id)
    steps = await steps_of(table, position, seat, factories.answer(table, position, seat))
    return position, [step.entry for step in steps], steps[-1].after


# --- compare-and-swap -------------------------------------------------------------------------------------------------


async def test_a_commit_at_the_right_ply_stores_log_and_columns_together() -> None:
    game = await orm(factories.game, 4, timer_s=30)
    before, entries, after = await next_steps(game.id)
    assert await store.commit(game.id, before.ply, entries, after)
    row = await orm(lambda: game.row)
    assert (row.ply, row.asks, row.deadline_at) == (after.ply, store.asks_json(after), after.deadline_at)
    assert (await orm(factories.log_of, game.id))[2:] == entries
    assert await store.entries_since(game.id, before.ply) == entries


async def test_a_commit_is_false_and_writes_nothing_once_somebody_else_has_moved() -> None:
    game = await orm(factories.game, 4)
    before, entries, after = await next_steps(game.id, 0)
    _, others, others_after = await next_steps(game.id, 1)
    assert await store.commit(game.id, before.ply, others, others_after)
    assert not await store.commit(game.id, before.ply, entries, after)
    assert not await store.commit(game.id, before.ply - 1, entries, after)
    assert not await store.commit(game.id, before.ply + 5, entries, after)
    assert (await orm(factories.log_of, game.id))[2:] == others
    assert (await orm(lambda: game.row)).asks == store.asks_json(others_after)


async def test_a_commit_never_leaves_a_gap_in_the_log() -> None:
    game = await orm(factories.game, 4)
    before, entries, after = await next_steps(game.id)
    ahead = [replace(entry, ply=entry.ply + 5) for entry in entries]
    assert not await store.commit(game.id, before.ply + 5, ahead, replace(after, ply=after.ply + 5))
    assert not await store.commit(game.id, before.ply - 1, ahead, replace(after, ply=after.ply + 5))
    assert await orm(factories.kinds_of, game.id) == ["open", "deal"]
    assert (await orm(lambda: game.row)).ply == 2


async def test_commits_of_many_games_at_once_each_get_their_own_answer() -> None:
    # More than have a statement of their own: the others share one.
    games = [await orm(factories.game, 4, timer_s=30) for _ in range(24)]
    late, named = games[7], games[13]
    await play(named.id, 0, client_id="taken")
    found = [await next_steps(game.id, 1) for game in games]
    await play(late.id, 0)
    plies = {game.id: before.ply for game, (before, _, _) in zip(games, found, strict=True)}

    async def store_one(game: factories.Seated, before: Position, entries: list[Entry], after: Position) -> object:
        if game is named:
            entries = [replace(entry, seat=0, client_id="taken") for entry in entries]
        try:
            return await store.commit(game.id, before.ply, entries, after)
        except store.ClientIdTaken:
            return "taken"

    answers = await asyncio.gather(*[store_one(game, *steps) for game, steps in zip(games, found, strict=True)])
    assert answers == [False if game is late else "taken" if game is named else True for game in games]
    for game, (_, entries, after) in zip(games, found, strict=True):
        row = await orm(getattr, game, "row")
        if game not in (late, named):
            assert (row.ply, row.asks, row.deadline_at) == (after.ply, store.asks_json(after), after.deadline_at)
            assert (await orm(factories.log_of, game.id))[plies[game.id] :] == entries
        else:
            assert row.ply == 3


async def test_two_commits_to_one_game_among_many_at_once_are_one() -> None:
    games = [await orm(factories.game, 4) for _ in range(8)]
    works = []
    for game in games:
        for seat in range(3):
            before, entries, after = await next_steps(game.id, seat)
            works.append(store.commit(game.id, before.ply, entries, after))
    answers = await asyncio.gather(*works)
    assert [sum(answers[number : number + 3]) for number in range(0, len(answers), 3)] == [1] * len(games)
    for game in games:
        assert len(await orm(factories.log_of, game.id)) == 3


async def test_a_row_that_somebody_holds_delays_its_own_game_alone() -> None:
    held, *free = [await orm(factories.game, 4) for _ in range(12)]
    found = [(game, await next_steps(game.id)) for game in (held, *free)]
    async with (await store.pool()).connection() as link, link.transaction():
        await link.execute(b"select 1 from games_game where id = %s for update", (held.id,))
        works = {
            game.id: asyncio.ensure_future(store.commit(game.id, before.ply, entries, after))
            for game, (before, entries, after) in found
        }
        async with asyncio.timeout(5):
            assert all([await works[game.id] for game in free])
        assert not works[held.id].done()
    assert await works[held.id]


@pytest.mark.parametrize("status", ["finished", "void", "open"])
async def test_a_game_that_is_not_running_takes_no_entries(status: str) -> None:
    game = await orm(factories.game, 4)
    before, entries, after = await next_steps(game.id)
    await orm(lambda: models.Game.objects.filter(pk=game.id).update(status=status))
    assert not await store.commit(game.id, before.ply, entries, after)
    assert await orm(factories.kinds_of, game.id) == ["open", "deal"]


async def test_a_commit_to_a_game_that_is_not_there_is_false() -> None:
    game = await orm(factories.game, 4)
    before, entries, after = await next_steps(game.id)
    assert not await store.commit(game.id + 10**6, before.ply, entries, after)


async def test_a_commit_whose_log_is_ahead_of_its_game_row_is_false_and_leaves_the_row() -> None:
    # The row is derived. If it ever were behind, the log's unique plies still keep one entry for each.
    game = await orm(factories.game, 4)
    before, entries, after = await next_steps(game.id)
    assert await store.commit(game.id, before.ply, entries, after)
    await orm(lambda: models.Game.objects.filter(pk=game.id).update(ply=before.ply))
    assert not await store.commit(game.id, before.ply, entries, after)
    assert (await orm(lambda: game.row)).ply == before.ply
    assert len(await orm(factories.log_of, game.id)) == 3


async def test_a_clients_name_is_taken_once_for_each_seat() -> None:
    game = await orm(factories.game, 4)
    await play(game.id, 0, client_id="mine")
    _, entries, after = await next_steps(game.id, 1)
    named = [replace(entry, seat=0, client_id="mine") for entry in entries]
    with pytest.raises(store.ClientIdTaken):
        await store.commit(game.id, 3, named, after)
    row = await orm(lambda: game.row)
    assert (row.ply, len(await orm(factories.log_of, game.id))) == (3, 3)
    await play(game.id, 1, client_id="mine")
    # Entries without a name do not stand in each other's way.
    await play(game.id, 2)
    await play(game.id, 3)


async def test_a_move_clears_the_claims_of_the_sweep(clock: Clock) -> None:
    game = await orm(factories.game, 4, timer_s=30)
    clock.forward(120)
    assert await store.claim_overdue(clock.now(), GRACE) == [(game.id, 1)]
    await play(game.id, 0)
    row = await orm(lambda: game.row)
    assert (row.claims, row.claimed_until) == (0, None)
    assert row.moved_at is not None


# --- claims -----------------------------------------------------------------------------------------------------------


async def test_a_claimed_game_is_left_alone_for_a_while_and_then_found_again(clock: Clock) -> None:
    game = await orm(factories.game, 4, timer_s=30)
    await orm(factories.game, 4)  # without a limit: never overdue
    assert await store.claim_overdue(clock.now(), GRACE) == []
    clock.forward(60.5)
    assert await store.claim_overdue(clock.now(), GRACE) == []  # within the grace
    clock.forward(1)
    assert await store.claim_overdue(clock.now(), GRACE) == [(game.id, 1)]
    assert await store.claim_overdue(clock.now(), GRACE) == []
    clock.forward(store.CLAIM_S + 0.1)
    assert await store.claim_overdue(clock.now(), GRACE) == [(game.id, 2)]


async def test_claims_are_counted_no_further_than_the_column_can_hold(clock: Clock) -> None:
    game = await orm(factories.game, 4, timer_s=30)
    await orm(lambda: models.Game.objects.filter(pk=game.id).update(claims=32_767))
    clock.forward(120)
    # One more would be out of range, and the sweep would fail for every game.
    assert [game_id for game_id, _ in await store.claim_overdue(clock.now(), GRACE)] == [game.id]


# --- the log is append-only -------------------------------------------------------------------------------------------


def raw(statement: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "update games_action set data = '{}'",
        "update games_action set created_at = now()",
        "update games_action set ply = ply + 100",
        "delete from games_action",
        "set local moonshot.truncate = 'off'; truncate games_action",
        "set local moonshot.truncate = 'off'; truncate games_game cascade",
        "set local moonshot.purge = 'no'; delete from games_action",
        "set local moonshot.purge = 'on'; update games_action set data = '{}'",
        "set local moonshot.purge = 'on'; set local moonshot.truncate = 'off'; truncate games_action",
        "delete from games_game",
    ],
)
async def test_the_log_refuses_raw_sql_that_changes_or_removes_an_entry(statement: str) -> None:
    game = await orm(factories.game, 4)
    before = await orm(factories.log_of, game.id)
    with pytest.raises(DatabaseError):
        await orm(raw, statement)
    assert await orm(factories.log_of, game.id) == before


async def test_the_log_refuses_the_orm_too() -> None:
    game = await orm(factories.game, 4)
    before = await orm(factories.log_of, game.id)

    def save() -> None:
        row = models.Action.objects.filter(game_id=game.id).latest("ply")
        row.data = {}
        row.save()

    def update_or_create() -> None:
        models.Action.objects.update_or_create(game_id=game.id, ply=2, defaults={"kind": "open"})

    for change in (
        save,
        update_or_create,
        lambda: models.Action.objects.filter(game_id=game.id).update(seat=1),
        lambda: models.Action.objects.filter(game_id=game.id).delete(),
        lambda: models.Game.objects.get(pk=game.id).delete(),
    ):
        with pytest.raises(DatabaseError):
            await orm(change)
        assert await orm(factories.log_of, game.id) == before


async def test_a_purge_deletes_within_its_own_transaction_only() -> None:
    game = await orm(factories.game, 4)
    await orm(raw, "set local moonshot.purge = 'on'; delete from games_action")
    assert await orm(factories.log_of, game.id) == []
    other = await orm(factories.game, 4)
    with pytest.raises(DatabaseError):
        await orm(raw, "delete from games_action")
    assert len(await orm(factories.log_of, other.id)) == 2


def add(game_id: int, ply: int, seat: int | None = None, client_id: str | None = None) -> None:
    models.Action.objects.create(
        game_id=game_id,
        ply=ply,
        seat=seat,
        kind="back",
        cause="player",
        client_id=client_id,
        created_at=datetime.now(UTC),
    )


async def test_a_game_has_each_ply_once_and_each_name_of_a_seat_once() -> None:
    one, two = await orm(factories.game, 4), await orm(factories.game, 4)
    with pytest.raises(IntegrityError):
        await orm(add, one.id, 2)
    await orm(add, one.id, 3, 0, "mine")
    with pytest.raises(IntegrityError):
        await orm(add, one.id, 4, 0, "mine")
    for game_id, ply, seat, name in ((one.id, 4, 1, "mine"), (two.id, 3, 0, "mine"), (one.id, 5, 0, None)):
        await orm(add, game_id, ply, seat, name)
    await orm(add, one.id, 6, 0, None)


async def test_r18_a_seat_has_one_holder_and_a_user_one_seat() -> None:
    game = await orm(factories.game, 2, 2)
    player = models.Player.objects
    user = await orm(factories.user)
    for fields in (
        {"seat": 0, "user": user},  # the seat is taken
        {"seat": 4, "user": game.users[0]},  # he sits already
        {"seat": 4},  # neither user nor CPU
        {"seat": 4, "user": user, "cpu_level": "normal"},  # both
    ):
        with pytest.raises(IntegrityError):
            await orm(player.create, game_id=game.id, **fields)


@pytest.mark.parametrize("players", [0, 1, 8])
async def test_a_game_has_two_to_seven_players(players: int) -> None:
    with pytest.raises(IntegrityError):
        await orm(lambda: models.Game.objects.create(kind="hearts", players=players, options={}, rules_version=1))


# --- reading ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [(3, 0, 2, 1), (2, 3, 1, 0)])
async def test_r07_a_seat_is_found_by_its_number_in_whatever_order_the_rows_lie(order: tuple[int, ...]) -> None:
    assert order in set(permutations(range(4)))
    game = await orm(factories.game, 3, 1)
    before = await orm(factories.table_of, game.id)

    def shuffle_rows() -> None:
        rows = {player.seat: player for player in models.Player.objects.filter(game_id=game.id)}
        models.Player.objects.filter(game_id=game.id).delete()
        for seat in order:
            rows[seat].pk = None
            rows[seat].save(force_insert=True)

    await orm(shuffle_rows)
    table = await store.table_of(game.id)
    assert table == before
    assert table is not None
    assert [table.seat_of(user.pk) for user in game.users if user] == [0, 1, 2]
    assert await orm(factories.table_of, game.id) == table
    ((_, ply, seen),) = await store.glance([game.id])
    assert (ply, [at is None for at in seen]) == (2, [False, False, False, True])


async def test_a_table_that_does_not_exist_is_none() -> None:
    assert await store.table_of(10**9) is None
    assert await store.table_of(10**30) is None  # more than a bigint
    assert await store.entries_since(10**9, 0) == []
    assert await store.glance([]) == []


async def test_entries_come_in_order_from_any_ply_on_and_as_they_were_stored() -> None:
    game = await orm(factories.game, 4)
    for number in range(8):
        await play(game.id, client_id=f"n-{number}")
    log = await orm(factories.log_of, game.id)
    for ply in (0, 1, 5, 10, 99):
        assert await store.entries_since(game.id, ply) == log[ply:]
    entry = await store.entry_by_client_id(game.id, 0, "n-0")
    assert entry == log[2]
    assert await store.entry_by_client_id(game.id, 1, "n-0") is None


async def test_the_seed_is_read_from_the_secret_alone() -> None:
    game = await orm(factories.game, 4)
    secret = await orm(lambda: models.GameSecret.objects.get(game_id=game.id))
    assert await store.seed_of(game.id) == secret.code


async def test_time_goes_through_postgres_to_the_microsecond() -> None:
    # Else a position folded afresh would differ from the one that was played.
    game = await orm(factories.game, 4, timer_s=30)
    await play(game.id, 0)
    live_position = (await live.position_of(game.id))[1]
    live.forget_all()
    assert (await live.refresh(game.id))[1] == live_position


# --- SQL and models ---------------------------------------------------------------------------------------------------


def statements() -> list[str]:
    """The SQL texts of games.log.store."""
    tree = ast.parse(inspect.getsource(store))
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return [text for text in texts if re.match(r"\s*(with|select|insert|update)\s", text)]


def tables() -> dict[str, set[str | None]]:
    """The columns of every table of ours, by its name."""
    return {
        model._meta.db_table: {field.column for field in model._meta.concrete_fields}
        for model in (*apps.get_app_config("games").get_models(), *apps.get_app_config("accounts").get_models())
    }


def test_every_table_and_column_of_the_sql_by_hand_is_in_the_models() -> None:
    found = statements()
    assert len(found) >= 12
    known = tables()
    for text in found:
        named = set(re.findall(r"(?:from|join|into|update)\s+((?:games|accounts)_\w+)", text))
        named |= set(re.findall(r"\b((?:games|accounts)_\w+)\b", text))
        assert named <= set(known), text
        aliases = {
            alias: table
            for table, alias in re.findall(r"((?:games|accounts)_\w+) (\w+)", text)
            if alias not in ("where", "join", "left", "set", "order", "group", "on", "g2")
        }
        for alias, column in re.findall(r"\b(\w+)\.(\w+)", text):
            if alias in aliases:
                assert column in known[aliases[alias]], f"{alias}.{column} in {text}"
        for table, columns in re.findall(r"insert into (\w+) \(([^)]+)\)", text):
            assert {column.strip() for column in columns.split(",")} <= known[table], text


async def test_every_statement_is_understood_by_the_database_that_the_migrations_make() -> None:
    # Postgres itself reads names, types and parameters of each, without running it.
    def describe() -> int:
        with connection.cursor() as cursor:
            for number, text in enumerate(statements()):
                pieces = text.split("%s")
                numbered = "".join(f"{piece}${place}" for place, piece in enumerate(pieces[:-1], 1)) + pieces[-1]
                cursor.execute(f"prepare check_{number} as {numbered}")
        return len(statements())

    assert await orm(describe) >= 12


def test_every_insert_into_the_log_names_every_column() -> None:
    inserts = re.findall(r"insert into games_action \(([^)]+)\)", inspect.getsource(store))
    columns = {field.column for field in models.Action._meta.concrete_fields if not field.primary_key}
    assert inserts
    assert all({name.strip() for name in insert.split(",")} == columns for insert in inserts)


async def test_the_models_and_the_migrations_agree() -> None:
    await orm(call_command, "makemigrations", check=True, dry_run=True, verbosity=0)


def options_of(table: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("select reloptions from pg_class where relname = %s", [table])
        return list(cursor.fetchone()[0])


async def test_the_busiest_row_leaves_room_for_updates_in_place() -> None:
    # Each move updates its game's row; without room beside it, an index entry would be written each time.
    assert "fillfactor=80" in await orm(options_of, "games_game")


# --- presence ---------------------------------------------------------------------------------------------------------


async def seen(game_id: int, seat: int) -> Any:
    return (await store.glance([game_id]))[0][2][seat]


async def test_who_was_heard_of_is_noted_for_one_seat_and_bumps_no_ply(clock: Clock) -> None:
    game = await orm(factories.game, 2, 2)
    before = await seen(game.id, 1)
    clock.forward(30)
    now = clock.now()
    await store.note_seen(game.id, 0, now)
    assert await seen(game.id, 0) == now
    assert await seen(game.id, 1) == before
    assert (await orm(lambda: game.row)).ply == 2


async def test_c09_looking_for_what_is_overdue_touches_no_clock(clock: Clock) -> None:
    game = await orm(factories.game, 2, 2, timer_s=30)
    before = await orm(lambda: game.row)
    clock.forward(3_600)
    assert await store.claim_overdue(clock.now(), services.grace()) == [(game.id, 1)]
    await store.away_since(clock.now())
    await store.glance([game.id])
    row = await orm(lambda: game.row)
    assert (row.moved_at, row.deadline_at, row.ply, row.asks) == (
        before.moved_at,
        before.deadline_at,
        before.ply,
        before.asks,
    )
    assert await orm(factories.kinds_of, game.id) == ["open", "deal"]
