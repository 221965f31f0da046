"""Whether this process lives, and whether the site can serve."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

import psycopg
import redis
from django.conf import settings
from django.db import connection
from django.http import HttpRequest, JsonResponse
from redis.backoff import NoBackoff
from redis.retry import Retry

T = TypeVar("T")

#: Whoever asks decides by the answer where to send people: better "no" soon than "yes" late.
PATIENCE_S = 1.0
OLDEST = """
    select coalesce(extract(epoch from now() - min(deadline_at)), 0)
    from games_game where status in ('open', 'playing') and deadline_at < now()
"""

#: Threads for each part, so that no number of waits for one keeps the answer of the other.
_to_postgres = ThreadPoolExecutor(max_workers=4, thread_name_prefix="health-postgres")
_to_redis = ThreadPoolExecutor(max_workers=4, thread_name_prefix="health-redis")


def live(request: HttpRequest) -> JsonResponse:
    """This process answers."""
    return JsonResponse({"ok": True})


def ready(request: HttpRequest) -> JsonResponse:
    """Postgres and Redis answer; with the age in seconds of the oldest question whose time is up, null if unknown."""
    postgres, broker = _to_postgres.submit(_ask_postgres), _to_redis.submit(_ask_redis)
    asked: list[Future[Any]] = [postgres, broker]
    wait(asked, PATIENCE_S)
    overdue_s, has_redis = _answer(postgres), _answer(broker) is not None
    ok = overdue_s is not None and has_redis
    found = {"ok": ok, "postgres": overdue_s is not None, "redis": has_redis, "overdue_s": overdue_s}
    return JsonResponse(found, status=200 if ok else 503)


def _ask_postgres() -> float:
    """On a connection of its own: the pools wait for seconds until one of theirs works again."""
    params = {**connection.get_connection_params()}
    for name in ("cursor_factory", "context", "pool"):
        params.pop(name, None)
    options = f"{params.pop('options', '')} -c statement_timeout={PATIENCE_S:.0f}s"
    # In whole seconds, at least two of them: the least that libpq takes.
    with psycopg.connect(**params, options=options, connect_timeout=2, autocommit=True) as link:
        row = link.execute(OLDEST).fetchone()
    return round(float(row[0]), 1) if row else 0.0


def _ask_redis() -> bool:
    once = Retry(NoBackoff(), 0)
    client = redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=PATIENCE_S, socket_connect_timeout=PATIENCE_S, retry=once
    )
    try:
        return bool(client.ping())
    finally:
        client.close()


def _answer(asked: Future[T]) -> T | None:
    """What was answered in time; None whatever the reason why nothing was."""
    if not asked.done():
        asked.cancel()
        return None
    return None if asked.exception() else asked.result()
