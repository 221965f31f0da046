"""The move path's own SQL: read the log, commit by compare-and-swap, claim what is overdue. The only SQL by hand.

Async psycopg with one pool for each event loop. Column names are those of `games.log.models`; tests hold the two
together.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from django.conf import settings
from django.db import connection
from psycopg import AsyncConnection, OperationalError
from psycopg.errors import UniqueViolation
from psycopg_pool import AsyncConnectionPool

from games.kinds import rules_for
from games.log.positions import Entry, Holder, Position, Table

CLAIM_S = 2.5  # how long a claimed game is left to the task that settles it
MOST_CLAIMED = 500
MOST_CONNECTIONS = 6
MOST_STATEMENTS = 2  # of commits at the same time; more moves than that share the next one
MOST_WRITES = 64  # in one statement

T = TypeVar("T")
#: A part of the site, and from when to when it was away.
Gap = tuple[str, datetime, datetime]

_pools: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncConnectionPool[Any]] = WeakKeyDictionary()


class ClientIdTaken(Exception):
    """The seat has used this client id before."""


async def pool() -> AsyncConnectionPool[Any]:
    """The pool of the running loop, opened on first use."""
    loop = asyncio.get_running_loop()
    if loop not in _pools:
        params = {**connection.get_connection_params()}
        params.pop("cursor_factory", None)
        params.pop("context", None)
        params.pop("pool", None)
        made: AsyncConnectionPool[Any] = AsyncConnectionPool(
            kwargs={**params, "autocommit": True, "prepare_threshold": 2},
            min_size=1,
            max_size=MOST_CONNECTIONS,
            timeout=3,  # sooner than a task's time is up
            max_idle=60,
            reconnect_timeout=1.5,  # then a new attempt starts at once; within one the pauses double
            open=False,
        )
        _pools[loop] = made
        await made.open()
    return _pools[loop]


async def close_pool() -> None:
    """Closes the running loop's pool, e.g. before a test database is dropped."""
    made = _pools.pop(asyncio.get_running_loop(), None)
    if made is not None:
        await made.close()


async def _with_link(work: Callable[[AsyncConnection[Any]], Awaitable[T]]) -> T:
    """Does something with a connection; again where that died, since all may have died while idle."""
    for _ in range(MOST_CONNECTIONS):
        async with (await pool()).connection() as link:
            try:
                return await work(link)
            except OperationalError:
                if not link.broken:
                    raise
    async with (await pool()).connection() as link:
        return await work(link)


async def _fetch(query: str, params: Sequence[object] = ()) -> list[tuple[Any, ...]]:
    """Rows of one statement."""
    return await _with_link(lambda link: _run(link, query, params))


async def _run(link: AsyncConnection[Any], query: str, params: Sequence[object]) -> list[tuple[Any, ...]]:
    cursor = await link.execute(query.encode(), params)
    return await cursor.fetchall() if cursor.description else []


# --- reading ----------------------------------------------------------------------------------------------------------


async def table_of(game_id: int) -> Table | None:
    """What does not change during a game; None if there is no such game."""
    rows = await _fetch(
        """select g.kind, g.players, g.options, g.timer_s, g.code, g.may_watch, g.commitment,
                  (select code from games_party where id = g.party_id and g.is_private),
                  exists (select from games_dailytry where game_id = g.id),
                  json_agg(json_build_array(p.user_id, p.cpu_level, coalesce(u.display_name, '')) order by p.seat)
           from games_game g join games_player p on p.game_id = g.id left join accounts_user u on u.id = p.user_id
           where g.id = %s group by g.id""",
        (game_id,),
    )
    if not rows:
        return None
    kind, players, options, timer_s, code, may_watch, commitment, private_code, is_daily, holders = rows[0]
    return Table(
        game_id,
        rules_for(kind, players, options),
        timer_s,
        tuple(Holder(*holder) for holder in holders),
        code,
        settings.TIME_SCALE,
        may_watch,
        commitment,
        private_code or "",
        is_daily,
    )


async def entries_since(game_id: int, ply: int) -> list[Entry]:
    """The log after a ply, in order."""
    rows = await _fetch(
        """select ply, seat, kind, ask, data, cause, client_id, created_at
           from games_action where game_id = %s and ply > %s order by ply""",
        (game_id, ply),
    )
    return [Entry(*row) for row in rows]


async def entry_by_client_id(game_id: int, seat: int, client_id: str) -> Entry | None:
    """What a seat did under this client id."""
    rows = await _fetch(
        """select ply, seat, kind, ask, data, cause, client_id, created_at
           from games_action where game_id = %s and seat = %s and client_id = %s""",
        (game_id, seat, client_id),
    )
    return Entry(*rows[0]) if rows else None


async def muted_of(game_id: int) -> dict[int, list[int]]:
    """Seat to the seats whose users its user has muted or blocked."""
    rows = await _fetch(
        """select p.seat, array_agg(o.seat order by o.seat)
           from games_block b join games_player p on p.user_id = b.user_id
                join games_player o on o.user_id = b.other_id and o.game_id = p.game_id
           where p.game_id = %s group by p.seat""",
        (game_id,),
    )
    return dict(rows)


async def seed_of(game_id: int) -> str:
    """The game code that the packs come from. Nothing else reads it before the game is over."""
    rows = await _fetch("select code from games_gamesecret where game_id = %s", (game_id,))
    return str(rows[0][0])


async def glance(game_ids: list[int]) -> list[tuple[int, int, list[datetime | None]]]:
    """For each game its ply, and when each seat's user was last heard of."""
    rows = await _fetch(
        """select g.id, g.ply, array_agg(p.seen_at order by p.seat)
           from games_game g join games_player p on p.game_id = g.id where g.id = any(%s) group by g.id""",
        (game_ids,),
    )
    return [(row[0], row[1], row[2]) for row in rows]


# --- writing ----------------------------------------------------------------------------------------------------------


def to_ms(at: datetime) -> int:
    """A time in ms since 1970."""
    return round(at.timestamp() * 1000)


def row_of(entry: Entry, game_id: int) -> dict[str, object]:
    """An entry as a row of the log, in JSON."""
    return {
        "game_id": game_id,
        "ply": entry.ply,
        "seat": entry.seat,
        "kind": entry.kind,
        "ask": entry.ask,
        "data": entry.data,
        "cause": entry.cause,
        "client_id": entry.client_id,
        "created_at": entry.created_at.isoformat(),
    }


def asks_json(position: Position) -> dict[str, list[object]]:
    """The `asks` column: seat to question and time, in ms since 1970."""
    return {
        str(seat): [asked.id, None if asked.due_at is None else to_ms(asked.due_at)]
        for seat, asked in position.asks.items()
    }


async def commit(game_id: int, old_ply: int, entries: Iterable[Entry], position: Position) -> bool:
    """Adds entries to the log if the game still is at `old_ply`; False if somebody else moved. Raises ClientIdTaken."""
    rows = [row_of(entry, game_id) for entry in entries]
    write = Write(game_id, old_ply, position.ply, asks_json(position), position.deadline_at, rows)
    return await _writers.setdefault(asyncio.get_running_loop(), _Writer()).do(write)


@dataclass(frozen=True, slots=True)
class Write:
    """What one commit changes."""

    game_id: int
    old_ply: int
    ply: int
    asks: dict[str, list[object]]
    deadline_at: datetime | None
    rows: list[dict[str, object]]


class _Writer:
    """The writes of one loop. One that finds few others on their way goes by itself; else it shares a statement with
    those that wait as well, which spares each its own trip to Postgres and its own sync of the disk.
    """

    def __init__(self) -> None:
        self.running = 0  # statements on their way
        self.waiting: list[tuple[Write, asyncio.Future[bool]]] = []
        self.tasks: set[asyncio.Task[None]] = set()

    async def do(self, write: Write) -> bool:
        """Whether it was stored. Raises ClientIdTaken."""
        if self.running >= MOST_STATEMENTS:
            future: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
            self.waiting.append((write, future))
            return await future
        self.running += 1
        try:
            stored = await commit_many([write])
        finally:
            self._ended()
        return bool(stored) or await _commit_one(write)

    def _ended(self) -> None:
        self.running -= 1
        if self.waiting:
            self.running += 1
            task = asyncio.ensure_future(self._do_waiting())
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

    async def _do_waiting(self) -> None:
        taken: dict[int, tuple[Write, asyncio.Future[bool]]] = {}
        later = []
        for write, future in self.waiting:
            if write.game_id in taken or len(taken) == MOST_WRITES:  # of two writes to a game only one can be stored
                later.append((write, future))
            else:
                taken[write.game_id] = write, future
        self.waiting = later
        try:
            stored = await commit_many([write for write, _ in taken.values()])
            for game_id in stored:
                _settle(taken.pop(game_id)[1], True)
        except Exception as error:
            for _, future in taken.values():
                _settle(future, error)
            taken.clear()
        finally:
            self._ended()
        # What was not stored with the others goes by itself, so that it is told why, and waits for nobody else's row.
        await asyncio.gather(*(self._do_alone(write, future) for write, future in taken.values()))

    async def _do_alone(self, write: Write, future: asyncio.Future[bool]) -> None:
        try:
            _settle(future, await _commit_one(write))
        except Exception as error:
            _settle(future, error)


def _settle(future: asyncio.Future[bool], outcome: bool | Exception) -> None:
    if future.done():
        return  # whoever waited is gone
    if isinstance(outcome, Exception):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)


_writers: WeakKeyDictionary[asyncio.AbstractEventLoop, _Writer] = WeakKeyDictionary()


async def _commit_one(write: Write) -> bool:
    """Waits for the game's row if somebody else has it, and is told why it could not be stored."""
    try:
        added = await _fetch(
            """with moved as (
                   update games_game set ply = %s, asks = %s::jsonb, deadline_at = %s, claimed_until = null,
                          claims = 0, moved_at = now()
                   where id = %s and ply = %s and status = 'playing' returning id)
               insert into games_action (game_id, ply, seat, kind, ask, data, cause, client_id, created_at)
               select moved.id, r.ply, r.seat, r.kind, r.ask, r.data, r.cause, r.client_id, r.created_at
               from moved, jsonb_to_recordset(%s::jsonb) as r(ply int, seat int, kind text, ask text, data jsonb,
                                                              cause text, client_id text, created_at timestamptz)
               returning ply""",
            (
                write.ply,
                json.dumps(write.asks),
                write.deadline_at,
                write.game_id,
                write.old_ply,
                json.dumps(write.rows),
            ),
        )
    except UniqueViolation as violation:
        if violation.diag.constraint_name == "action_client_id":
            raise ClientIdTaken from None
        return False  # the ply is taken: the same as having come too late
    return bool(added)


async def commit_many(writes: list[Write]) -> set[int]:
    """Writes to different games in one statement; returns the games whose write was stored.

    Rows that somebody else has locked are passed over: waiting for one would hold up all, and two processes that wait
    for each other's would be a deadlock.
    """
    games = [
        {
            "id": write.game_id,
            "old_ply": write.old_ply,
            "ply": write.ply,
            "asks": write.asks,
            "deadline_at": None if write.deadline_at is None else write.deadline_at.isoformat(),
        }
        for write in writes
    ]
    try:
        added = await _fetch(
            """with w as (select * from jsonb_to_recordset(%s::jsonb)
                          as w(id bigint, old_ply int, ply int, asks jsonb, deadline_at timestamptz)),
                    free as (select g.id from games_game g join w on g.id = w.id
                             where g.ply = w.old_ply and g.status = 'playing' for no key update of g skip locked),
                    moved as (
                        update games_game g set ply = w.ply, asks = w.asks, deadline_at = w.deadline_at,
                               claimed_until = null, claims = 0, moved_at = now()
                        from w join free on free.id = w.id where g.id = w.id returning g.id)
               insert into games_action (game_id, ply, seat, kind, ask, data, cause, client_id, created_at)
               select r.game_id, r.ply, r.seat, r.kind, r.ask, r.data, r.cause, r.client_id, r.created_at
               from moved join jsonb_to_recordset(%s::jsonb)
                    as r(game_id bigint, ply int, seat int, kind text, ask text, data jsonb, cause text,
                         client_id text, created_at timestamptz) on r.game_id = moved.id
               returning game_id""",
            (json.dumps(games), json.dumps([row for write in writes for row in write.rows])),
        )
    except UniqueViolation:  # of one of them
        return set()
    return {row[0] for row in added}


async def note_seen(game_id: int, seat: int, at: datetime) -> None:
    """Somebody at this seat was heard of."""
    await _fetch("update games_player set seen_at = %s where game_id = %s and seat = %s", (at, game_id, seat))


async def claim_overdue(now: datetime, grace: timedelta) -> list[tuple[int, int]]:
    """Games with a question overdue by the grace, and how often each was found so at this ply. Claimed for a while.

    Among them open ones whose time for nonces is up, to which no grace is added: a nonce is missed by nobody.
    """
    rows = await _fetch(
        """update games_game set claimed_until = %s, claims = least(claims + 1, 100)
           where id in (select id from games_game
                        where status in ('open', 'playing') and deadline_at <= %s
                              and (status = 'open' or deadline_at < %s)
                              and (claimed_until is null or claimed_until < %s)
                        order by deadline_at limit %s for update skip locked)
           returning id, claims""",
        (now + timedelta(seconds=CLAIM_S / settings.TIME_SCALE), now, now - grace, now, MOST_CLAIMED),
    )
    return [(row[0], row[1]) for row in rows]


async def due_before(at: datetime) -> list[int]:
    """Running games with a question whose time is up by then, the most urgent first."""
    rows = await _fetch(
        "select id from games_game where status = 'playing' and deadline_at <= %s order by deadline_at limit %s",
        (at, MOST_CLAIMED),
    )
    return [row[0] for row in rows]


@dataclass(frozen=True, slots=True)
class Clocks:
    """The open questions of a game with a limit, as stored, and the seats that people hold themselves."""

    game_id: int
    ply: int
    timer_s: int
    asks: dict[str, Any]
    humans: frozenset[int]


async def running_clocks(outage: int) -> list[Clocks]:
    """Games with a limit and open questions that have not been given an outage back.

    The games are read first: whatever is noted in one meanwhile makes a write to it come too late.
    """
    games = await _fetch(
        """select g.id, g.ply, g.timer_s, g.asks, array_agg(p.seat)
           from games_game g join games_player p on p.game_id = g.id and p.user_id is not null
           where g.status = 'playing' and g.timer_s > 0 and g.deadline_at is not null group by g.id"""
    )
    notes = await _fetch(
        """select game_id, seat, kind, (data->>'outage')::bigint from games_action
           where game_id = any(%s) and kind in ('stand_in', 'back', 'outage') order by game_id, ply""",
        ([row[0] for row in games],),
    )
    has_it: set[int] = set()
    stood_in: set[tuple[int, int]] = set()
    for game_id, seat, kind, number in notes:
        if kind == "stand_in":
            stood_in.add((game_id, seat))
        elif kind == "back":
            stood_in.discard((game_id, seat))
        elif number == outage:
            has_it.add(game_id)
    return [
        Clocks(game_id, ply, timer_s, asks, frozenset(seat for seat in seats if (game_id, seat) not in stood_in))
        for game_id, ply, timer_s, asks, seats in games
        if game_id not in has_it
    ]


async def away_since(at: datetime) -> list[tuple[int, int]]:
    """(game, seat) of users asked in a running game of several humans who were not heard of since then.

    None if it may be that nobody could be heard of, because part of the site was down meanwhile.
    """
    rows = await _fetch(
        """select g.id, p.seat from games_game g join games_player p on p.game_id = g.id
           where g.status = 'playing' and g.timer_s > 0 and p.user_id is not null and p.seen_at < %s
                 and g.asks ? p.seat::text
                 and (select count(*) from games_player o where o.game_id = g.id and o.user_id is not null) > 1
                 and not exists (select 1 from games_outage where to_at > %s)""",
        (at, at),
    )
    return [(row[0], row[1]) for row in rows]


# --- heartbeats -------------------------------------------------------------------------------------------------------


async def beat(name: str, now: datetime) -> None:
    """This part of the site is alive."""
    await _fetch(
        """insert into games_heartbeat (name, seen_at) values (%s, %s)
           on conflict (name) do update set seen_at = greatest(games_heartbeat.seen_at, excluded.seen_at)""",
        (name, now),
    )


async def begin_sweep(
    now: datetime,
    judge: Callable[[datetime, datetime | None, datetime | None, datetime | None], Iterable[Gap]],
) -> datetime | None:
    """Notes that the sweep runs, and the outages that this shows: all or nothing. Returns when the web was alive.

    `judge` tells gaps from now, when the sweep ran before, what it saw of the web then, and what it sees now. The row
    is locked meanwhile, so that of two sweeps at once the second does not see the same gap.
    """

    async def work(link: AsyncConnection[Any]) -> datetime | None:
        async with link.transaction():
            before = await _run(
                link, "select seen_at, web_seen_at from games_heartbeat where name = 'sweep' for update", ()
            )
            web = await _run(link, "select seen_at from games_heartbeat where name = 'web'", ())
            web_now: datetime | None = web[0][0] if web else None
            swept_at, web_then = before[0] if before else (None, None)
            for gap in judge(now, swept_at, web_then, web_now):
                await _run(link, "insert into games_outage (part, from_at, to_at) values (%s, %s, %s)", gap)
            await _run(
                link,
                """insert into games_heartbeat (name, seen_at, web_seen_at) values ('sweep', %s, %s)
                   on conflict (name) do update
                   set seen_at = excluded.seen_at, web_seen_at = excluded.web_seen_at""",
                (now, web_now),
            )
            return web_now

    return await _with_link(work)


async def outages_since(at: datetime) -> list[tuple[int, datetime, datetime]]:
    """Outages that lasted until then or longer, in the order in which they were found."""
    rows = await _fetch("select id, from_at, to_at from games_outage where to_at > %s order by id", (at,))
    return [(row[0], row[1], row[2]) for row in rows]
