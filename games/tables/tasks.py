"""What workers do: CPU turns, turns whose time is up, the sweep. Each may run twice, late or never."""

from __future__ import annotations

import asyncio
import functools
import logging
import random
from collections.abc import Awaitable, Coroutine
from datetime import datetime, timedelta
from typing import Any

from celery import shared_task
from celery.exceptions import SoftTimeLimitExceeded
from celery.signals import worker_ready
from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone
from psycopg import Error as PsycopgError
from psycopg_pool import PoolTimeout

from games.kinds.cpu import choose_action
from games.log import live, openings, outages, services, store, wakeups
from games.log.positions import CPU_PATIENCE_S, Position, Table, is_cpu
from games.log.refusals import Rejected
from games.rules import Action, Refused, view
from games.tables import votes

logger = logging.getLogger(__name__)

#: Postgres cannot be reached, or does not answer in time.
UNAVAILABLE = (PsycopgError, PoolTimeout, DatabaseError, TimeoutError)
#: A part of the site that was not heard of for so long was down, in seconds.
OUTAGE_S = 5.0
#: However time is scaled: the sweep itself comes once a second.
SHORTEST_OUTAGE_S = 2.5
#: A user who is asked and was not heard of for so long gets a stand-in, in seconds.
OFFLINE_S = 60.0
#: Times that a CPU's turn is asked for again before the default action is played.
CPU_TRIES = 2
TIMEOUT_LEVEL = "normal"

_runner: asyncio.Runner | None = None


def run(work: Coroutine[Any, Any, None]) -> None:
    """Runs a coroutine on this process's one loop, so that its connections are kept between tasks."""
    global _runner  # noqa: PLW0603 - one loop a process is the point
    if _runner is None:
        _runner = asyncio.Runner()
    try:
        _runner.run(work)
    except UNAVAILABLE as error:  # the sweep finds what is left undone
        logger.warning("Postgres does not answer: %s", error.__class__.__name__)


@shared_task(name="games.cpu_turn")
def cpu_turn(game_id: int, seat: int, ask: str, *, fallback: bool = False) -> None:
    """Answers for a CPU's seat, or a stand-in's, if that question is still asked."""
    run(_cpu_turn(game_id, seat, ask, fallback))


@shared_task(name="games.expire_turn")
def expire_turn(game_id: int, seat: int, ask: str) -> None:
    """Plays one turn for a user whose time is up, if it still is."""
    run(_expire_turn(game_id, seat, ask))


@shared_task(name="games.expire_opening")
def expire_opening(game_id: int) -> None:
    """Deals a game whose time for nonces is up, if it is still open."""
    run(_try(game_id, openings.deal(game_id=game_id)))


@shared_task(name="games.sweep")
def sweep() -> None:
    """Once a second: gives back the time of outages, then finds every question that is overdue."""
    run(_sweep())


@shared_task(name="games.recover")
def recover() -> None:
    """When a worker begins: asks for the CPUs' turns again that one which died, or a Redis that did, may have held."""
    run(_recover())


@worker_ready.connect
def _on_ready(sender: Any, **_: Any) -> None:
    """Also after the worker has lost Redis and found it again."""
    if "turns" in sender.app.amqp.queues.consume_from:
        wakeups.recover()


async def _recover() -> None:
    soon = timezone.now() + timedelta(seconds=CPU_PATIENCE_S / settings.TIME_SCALE)
    for game_id in await store.due_before(soon):
        await _try(game_id, _ask_again(game_id))


async def _ask_again(game_id: int) -> None:
    table, position = await live.refresh(game_id)
    for seat, asked in position.asks.items():
        if is_cpu(table, position, seat):
            wakeups.cpu_turn(game_id, seat, asked.id)


async def _cpu_turn(game_id: int, seat: int, ask: str, fallback: bool) -> None:
    found = await _asked(game_id, seat, ask)
    if found is None or not is_cpu(*found, seat):
        return
    table, position = found
    level = table.holders[seat].cpu_level or TIMEOUT_LEVEL
    if table.is_daily:  # however often a task was lost: the CPUs choose alike for everybody
        action = _choose(table, position, seat, level, ask, luck=await store.seed_of(game_id))
    else:
        action = _default(table, position, seat) if fallback else _choose(table, position, seat, level, ask)
    await _submit(game_id, seat, ask, action, "cpu")


async def _expire_turn(game_id: int, seat: int, ask: str) -> None:
    found = await _asked(game_id, seat, ask)
    if found is None or not services.is_overdue(found[1], seat, timezone.now()):
        return
    table, position = found
    await _submit(game_id, seat, ask, _choose(table, position, seat, TIMEOUT_LEVEL, ask), "timeout")
    if seat in (await live.position_of(game_id))[1].stand_ins:
        await votes.recount(game_id=game_id)


async def _replace(game_id: int, seat: int) -> None:
    """A CPU plays for somebody who was not heard of; he may have been the last one not to agree to a vote."""
    await services.stand_in(game_id=game_id, seat=seat)
    await votes.recount(game_id=game_id)


async def _asked(game_id: int, seat: int, ask: str) -> tuple[Table, Position] | None:
    """The game, if this seat is asked this very question."""
    try:
        table, position = await live.refresh(game_id)
    except live.NoSuchGame:
        return None
    asked = position.asks.get(seat)
    return (table, position) if asked is not None and asked.id == ask else None


def _choose(table: Table, position: Position, seat: int, level: str, ask: str, luck: object = None) -> Action:
    """A CPU's answer from what the seat may know; the default if it fails or is not legal.

    `luck`: what its chance comes from, where that is not this game alone. A worker whose time is up gives no answer
    then: the turn is asked for again, and nobody meets another CPU because the site was busy.
    """
    try:
        rng = random.Random(f"{luck or table.game_id}.{ask}.{seat}")
        action = choose_action(view(table.rules, position.state, seat), level, rng)
        table.rules.check(position.state, action)
        return action
    except SoftTimeLimitExceeded:
        if luck is not None:
            raise
        return _default(table, position, seat)
    except Exception:  # a CPU that fails must not hold up the others
        logger.exception("a CPU failed in game %s at ply %s", table.game_id, position.ply)
        return _default(table, position, seat)


def _default(table: Table, position: Position, seat: int) -> Action:
    return table.rules.default_action(position.state, seat)


async def _submit(game_id: int, seat: int, ask: str, action: Action, cause: str) -> None:
    try:
        await services.submit_action(game_id=game_id, seat=seat, ask=ask, action=action, cause=cause)
    except Rejected:
        pass  # somebody else was first, or the time was given back
    except Refused:
        logger.exception("a CPU's answer was refused in game %s", game_id)


# --- the sweep --------------------------------------------------------------------------------------------------------


async def _sweep() -> None:
    now = timezone.now()
    limit = timedelta(seconds=max(OUTAGE_S / settings.TIME_SCALE, SHORTEST_OUTAGE_S))
    web_now = await store.begin_sweep(now, functools.partial(outages.gaps, limit=limit))
    await outages.give_back(now)
    web_is_down = web_now is not None and now - web_now > limit
    for game_id, claims in await store.claim_overdue(now, services.grace()):
        await _try(game_id, _settle(game_id, claims, now, humans=not web_is_down))
    if not web_is_down:
        for game_id, seat in await store.away_since(now - timedelta(seconds=OFFLINE_S / settings.TIME_SCALE)):
            await _try(game_id, _replace(game_id, seat))


async def _try(game_id: int, work: Awaitable[None]) -> None:
    """Does something about one game. One that is broken must not stop the clocks of the others."""
    try:
        await work
    except (Rejected, live.NoSuchGame):
        pass  # it has moved on
    except Exception:
        logger.exception("nothing can be done about game %s", game_id)


async def _settle(game_id: int, claims: int, now: datetime, *, humans: bool) -> None:
    """Has every overdue seat of a game answered for: a CPU's turn again, a user's as timed out. An open game is dealt.

    `humans`: whether people can be held to their time, because they could be heard.
    """
    table, position = await live.refresh(game_id)
    if position.is_open:
        if humans:
            wakeups.expire_opening(game_id)
        else:
            await openings.postpone(game_id=game_id)
        return
    for seat, asked in position.asks.items():
        if not services.is_overdue(position, seat, now):
            continue
        if is_cpu(table, position, seat):
            wakeups.cpu_turn(game_id, seat, asked.id, fallback=claims > CPU_TRIES)
        elif humans:
            wakeups.expire_turn(game_id, seat, asked.id)
