"""Whether this process lives, and whether the site can serve."""

from __future__ import annotations

import redis
from django.conf import settings
from django.db import connection
from django.http import HttpRequest, JsonResponse
from django.utils import timezone

from games.models import Game


def live(request: HttpRequest) -> JsonResponse:
    """This process answers."""
    return JsonResponse({"ok": True})


def ready(request: HttpRequest) -> JsonResponse:
    """Postgres and Redis answer; with the age in seconds of the oldest question whose time is up."""
    found: dict[str, object] = {"postgres": _answers(_ask_postgres), "redis": _answers(_ask_redis)}
    if found["postgres"]:
        oldest = Game.objects.filter(status=Game.Status.PLAYING, deadline_at__lt=timezone.now()).order_by("deadline_at")
        first = oldest.values_list("deadline_at", flat=True).first()
        found["overdue_s"] = round((timezone.now() - first).total_seconds(), 1) if first else 0
    ok = bool(found["postgres"] and found["redis"])
    return JsonResponse({"ok": ok, **found}, status=200 if ok else 503)


def _ask_postgres() -> None:
    with connection.cursor() as cursor:
        cursor.execute("select 1")


def _ask_redis() -> None:
    client = redis.Redis.from_url(settings.REDIS_URL, socket_timeout=2)
    try:
        client.ping()
    finally:
        client.close()


def _answers(ask: object) -> bool:
    try:
        ask()  # type: ignore[operator]
    except Exception:  # whatever the reason, it does not answer
        return False
    return True
