"""The move path's own SQL: read the log, commit by compare-and-swap, claim what is overdue. The only SQL by hand.

Async psycopg with one pool for each event loop. Column names are those of `games.models`; tests hold the two together.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any
from weakref import WeakKeyDictionary

from django.conf import settings
from django.db import connection
from psycopg import AsyncConnection, OperationalError
from psycopg.errors import UniqueViolation
from psycopg_pool import AsyncConnectionPool

from games.positions import Entry, Holder, Position, Table
from games.rules import rules_for

CLAIM_S = 2.5  # how long a claimed game is left to the task that settles it
MOST_CLAIMED = 500

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
            max_size=6,
            timeout=5,
            max_idle=60,
            reconnect_timeout=10,
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


async def _fetch(query: str, params: Sequence[object] = ()) -> list[tuple[Any, ...]]:
    """Rows of one statement. A connection that died while idle is replaced, and the statement tried once more."""
    for attempt in (1, 2):
        try:
            async with (await pool()).connection() as link:
                return await _run(link, query, params)
        except OperationalError:
            if attempt == 2:
                raise
    return []


async def _run(link: AsyncConnection[Any], query: str, params: Sequence[object]) -> list[tuple[Any, ...]]:
    cursor = await link.execute(query.encode(), params)
    return await cursor.fetchall() if cursor.description else []


# --- reading ----------------------------------------------------------------------------------------------------------


async def table_of(game_id: int) -> Table | None:
    """What does not change during a game; None if there is no such game."""
    rows = await _fetch(
        """select g.kind, g.players, g.options, g.timer_s, g.code,
                  json_agg(json_build_array(p.user_id, p.cpu_level, coalesce(u.display_name, '')) order by p.seat)
           from games_game g join games_player p on p.game_id = g.id left join accounts_user u on u.id = p.user_id
           where g.id = %s group by g.id""",
        (game_id,),
    )
    if not rows:
        return None
    kind, players, options, timer_s, code, holders = rows[0]
    return Table(
        game_id,
        rules_for(kind, players, options),
        timer_s,
        tuple(Holder(*holder) for holder in holders),
        code,
        settings.TIME_SCALE,
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


async def seed_of(game_id: int) -> str:
    """The game code that the packs come from. Nothing else reads it before the game is over."""
    rows = await _fetch("select code from games_gamesecret where game_id = %s", (game_id,))
    return str(rows[0][0])


async def seen_at(game_id: int) -> list[datetime | None]:
    """When each seat's user was last heard of."""
    rows = await _fetch("select seen_at from games_player where game_id = %s order by seat", (game_id,))
    return [row[0] for row in rows]


# --- writing ----------------------------------------------------------------------------------------------------------


def asks_json(position: Position) -> dict[str, list[object]]:
    """The `asks` column: seat to question and time, in ms since 1970."""
    return {
        str(seat): [asked.id, None if asked.due_at is None else round(asked.due_at.timestamp() * 1000)]
        for seat, asked in position.asks.items()
    }


async def commit(game_id: int, old_ply: int, entries: Iterable[Entry], position: Position) -> bool:
    """Adds entries to the log if the game still is at `old_ply`; False if somebody else moved. Raises ClientIdTaken."""
    rows = [
        {
            "ply": entry.ply,
            "seat": entry.seat,
            "kind": entry.kind,
            "ask": entry.ask,
            "data": entry.data,
            "cause": entry.cause,
            "client_id": entry.client_id,
            "created_at": entry.created_at.isoformat(),
        }
        for entry in entries
    ]
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
            (position.ply, json.dumps(asks_json(position)), position.deadline_at, game_id, old_ply, json.dumps(rows)),
        )
    except UniqueViolation as violation:
        if violation.diag.constraint_name == "action_client_id":
            raise ClientIdTaken from None
        return False  # the ply is taken: the same as having come too late
    return bool(added)


async def note_seen(game_id: int, seat: int, at: datetime) -> None:
    """Somebody at this seat was heard of."""
    await _fetch("update games_player set seen_at = %s where game_id = %s and seat = %s", (at, game_id, seat))


async def claim_overdue(now: datetime, grace: timedelta) -> list[tuple[int, int]]:
    """Games with a question overdue by the grace, and how often each was found so at this ply. Claimed for a while."""
    rows = await _fetch(
        """update games_game set claimed_until = %s, claims = claims + 1
           where id in (select id from games_game
                        where status = 'playing' and deadline_at < %s and (claimed_until is null or claimed_until < %s)
                        order by deadline_at limit %s for update skip locked)
           returning id, claims""",
        (now + timedelta(seconds=CLAIM_S / settings.TIME_SCALE), now - grace, now, MOST_CLAIMED),
    )
    return [(row[0], row[1]) for row in rows]


async def games_with_human_deadlines() -> list[int]:
    """Running games in which somebody's time is running."""
    rows = await _fetch(
        "select id from games_game where status = 'playing' and timer_s > 0 and deadline_at is not null"
    )
    return [row[0] for row in rows]


async def away_since(at: datetime) -> list[tuple[int, int]]:
    """(game, seat) of users asked in a running game of several humans who were not heard of since then."""
    rows = await _fetch(
        """select g.id, p.seat from games_game g join games_player p on p.game_id = g.id
           where g.status = 'playing' and g.timer_s > 0 and p.user_id is not null and p.seen_at < %s
                 and g.asks ? p.seat::text
                 and (select count(*) from games_player o where o.game_id = g.id and o.user_id is not null) > 1""",
        (at,),
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


async def sweep_beat(now: datetime) -> tuple[datetime | None, datetime | None, datetime | None]:
    """Notes that the sweep runs. Returns when it ran before, what it saw of the web then, and what it sees now."""
    rows = await _fetch(
        """with web as (select seen_at from games_heartbeat where name = 'web'),
                before as (select seen_at, web_seen_at from games_heartbeat where name = 'sweep'),
                noted as (insert into games_heartbeat (name, seen_at, web_seen_at)
                          values ('sweep', %s, (select seen_at from web))
                          on conflict (name) do update
                          set seen_at = excluded.seen_at, web_seen_at = excluded.web_seen_at)
           select (select seen_at from before), (select web_seen_at from before), (select seen_at from web)""",
        (now,),
    )
    return rows[0]


async def note_outage(part: str, from_at: datetime, to_at: datetime) -> None:
    await _fetch("insert into games_outage (part, from_at, to_at) values (%s, %s, %s)", (part, from_at, to_at))
