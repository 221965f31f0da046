"""How long it takes to give an outage back to many timed games: on processes and connections that know none of them.

Run: python -m tests.bench.give_back [games [entries in each log]]
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from datetime import timedelta

from tests.bench.tables import ROOT, environment, run, services

GOAL_S = 2.0


def copies(game_id: int, count: int) -> None:
    """Copies of a game with all that belongs to it."""
    from django.db import connection  # noqa: PLC0415 - the settings come first

    from games import models  # noqa: PLC0415

    with connection.cursor() as cursor:
        for model in (models.Game, models.Player, models.Action):
            table = model._meta.db_table
            names = [str(f.column) for f in model._meta.concrete_fields if f.column not in ("id", "game_id")]
            listed = ", ".join(f"o.{name}" for name in names)
            if model is models.Game:
                origin = f"{table} o, generate_series(2, {count}) where o.id = {game_id}"
                cursor.execute(f"insert into {table} ({', '.join(names)}) select {listed} from {origin}")
            else:
                origin = f"{table} o, games_game g where o.game_id = {game_id} and g.id <> {game_id}"
                cursor.execute(f"insert into {table} (game_id, {', '.join(names)}) select g.id, {listed} from {origin}")
        cursor.execute("analyze")


async def prepare(game_id: int, entries: int) -> None:
    from games.log import store  # noqa: PLC0415
    from tests.games.live_site import play_until  # noqa: PLC0415

    await play_until(game_id, lambda position: position.ply >= entries)
    await store.close_pool()


async def give_back(now: object) -> float:
    from games.log import outages, store  # noqa: PLC0415

    await store.pool()
    began = time.monotonic()
    await outages.give_back(now)  # type: ignore[arg-type]
    took = time.monotonic() - began
    await store.close_pool()
    return took


def measure(count: int, entries: int) -> None:
    import django  # noqa: PLC0415

    django.setup()
    from django.utils import timezone  # noqa: PLC0415

    from games import models  # noqa: PLC0415
    from tests import factories  # noqa: PLC0415

    game = factories.game(4, options={"end_score": 300}, timer_s=60)
    asyncio.run(prepare(game.id, entries))
    copies(game.id, count)
    now = timezone.now()
    models.Outage.objects.create(part="sweep", from_at=now - timedelta(seconds=20), to_at=now)
    times = [asyncio.run(give_back(now))]
    given = models.Action.objects.filter(kind="outage").count()
    verdict = "met" if times[0] <= GOAL_S and given == count else "MISSED"
    print(f"{given} of {count} games of {entries} entries in {times[0]:.2f} s (goal {GOAL_S:g} s: {verdict})")


def main() -> None:
    count, entries = [int(text) for text in (*sys.argv[1:3], *("2000", "150")[len(sys.argv) - 1 :])]
    if os.environ.get("GIVE_BACK"):
        measure(count, entries)
        return
    with services() as (database_url, redis_url):
        variables = environment(database_url, redis_url) | {"DJANGO_SETTINGS_MODULE": "config.settings"}
        run([str(ROOT / "manage.py"), "migrate", "-v0"], variables)
        arguments = ["-m", "tests.bench.give_back", str(count), str(entries)]
        print(run(arguments, variables | {"GIVE_BACK": "1"}).strip())


if __name__ == "__main__":
    main()
