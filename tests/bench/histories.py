"""Lists of finished games among very many: builds a million games, then times each list; and the check of stored games,
killed and continued.

Run: python -m tests.bench.histories [--games 1000000] [--checked 2000]

Ten thousand people have played, and one of them two games in a hundred. What is timed is a whole page: picking its
games, reading them and writing its lines. Each list is asked for by many who have played as often as people do, and by
him; as its first page and from the middle on, of one's own games and of somebody else's. Besides the time of a page its
processor time is printed, here and in Postgres, which hardly depends on what else the machine does. Servers and data
are of the run's own, in a temporary folder; see tests/bench/tables.py.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import psutil

from games.management.progress import Progress
from tests.bench.tables import ROOT, environment, services

PEOPLE = 10_000
CHUNK = 50_000
ASKED = 60  # times that each list is asked for
GOAL_MS = 40.0  # of processor time a page: what a page takes depends on who else wants the processor
BEGAN = datetime(2025, 1, 1, tzinfo=UTC)

#: What differs between games, and between seats: columns, as SQL of the number `n` of a game, of `g` and `seats`.
GAMES = {
    "id": "n",
    "kind": "case n %% 3 when 2 then 'spades' else 'hearts' end",
    "preset_version_id": "(%(versions)s::bigint[])[n %% 3 + 1]",
    "is_private": "n %% 7 = 0",
    "is_ranked": "n %% 4 = 0",
    "status": "case when n %% 1000 = 8 then 'playing' when n %% 40 = 9 then 'void' else 'finished' end",
    "result": "case when n %% 40 <> 9 then t.result end",
    "created_at": "%(began)s::timestamptz + n * interval '30 seconds'",
    "moved_at": "%(began)s::timestamptz + n * interval '30 seconds'",
}
SEATS = {
    "game_id": "g.id",
    "seat": "seats",
    "user_id": "who",
    "cpu_level": "case when who is null then 'normal' else '' end",
    "ended_at": "case when g.status <> 'playing' then g.created_at + interval '10 minutes' end",
    "place": "case when g.status = 'finished' then seats + 1 end",
    "outcome": """case g.status when 'playing' then '' when 'void' then 'void'
        else (array['won', 'lost', 'draw'])[(g.id * 7919 + seats) %% 3 + 1] end""",
    "kind": "g.kind",
    "preset_id": "(%(presets)s::bigint[])[g.id %% 3 + 1]",
    "is_ranked": "g.is_ranked",
    "is_private": "g.is_private",
}
SEATED = """games_game g, generate_series(0, 3) seats, lateral (select case
    when seats = 0 and g.id %% 50 = 0 then (%(people)s::bigint[])[1]
    when seats < 3 then (%(people)s::bigint[])[(g.id * (seats + 1) * 2654435761) %% %(count)s + 2] end as who) found"""


def build(count: int) -> list[int]:
    """The games, and the ids of the people: the first has played often."""
    from django.db import connection  # noqa: PLC0415 - the settings come first

    from accounts.models import User  # noqa: PLC0415
    from games.models import Game, Player, PresetVersion  # noqa: PLC0415
    from tests.games.many import spread  # noqa: PLC0415

    slugs = ("hearts-short", "hearts-standard", "spades-standard")
    versions = [PresetVersion.objects.filter(preset__slug=slug).latest("number") for slug in slugs]
    made = User.objects.bulk_create(
        User(username=f"bench-{n}", display_name=f"Bench {n}", name_key=f"bench{n}") for n in range(PEOPLE + 1)
    )
    people = [user.pk for user in made]
    game = Game.objects.create(
        id=count + 1,  # behind all others, and gone when they are there
        kind="hearts",
        players=4,
        options={},
        rules_version=1,
        timer_s=30,
        ply=300,
        result={"placings": [1, 2, 3, 4], "scores": [21, 34, 55, 60], "reason": "target"},
    )
    seat = Player.objects.create(game=game, seat=0, user=made[0])
    progress = Progress(count, sys.stderr)
    with connection.cursor() as cursor:
        cursor.execute("set synchronous_commit = off")
        for first in range(1, count + 1, CHUNK):
            last = min(first + CHUNK - 1, count)
            values: dict[str, Any] = {
                "first": first,
                "last": last,
                "versions": [version.pk for version in versions],
                "presets": [version.preset_id for version in versions],
                "people": people,
                "count": PEOPLE,
                "began": BEGAN,
            }
            spread(game, "generate_series(%(first)s, %(last)s) n", GAMES, values)
            cursor.execute("analyze games_game") if first == 1 else None
            spread(seat, SEATED, SEATS, values, where="g.id between %(first)s and %(last)s")
            progress.step(last - first + 1)
        seat.delete()
        game.delete()
        cursor.execute("select setval(pg_get_serial_sequence('games_game', 'id'), %s)", (count,))
        cursor.execute("vacuum analyze games_game, games_player, accounts_user")
    return people


def measure(people: list[int]) -> bool:
    """Times every list. Whether all are as quick as they have to be."""
    from accounts.models import User  # noqa: PLC0415
    from games.histories.lists import Filters, page_of  # noqa: PLC0415
    from games.models import Player  # noqa: PLC0415

    rng = random.Random(7)
    avid = User.objects.get(pk=people[0])
    usual = list(User.objects.filter(pk__in=rng.sample(people[1:], ASKED)))
    counts = [Player.objects.filter(user=user, ended_at__isnull=False).count() for user in (avid, *usual)]
    middles = {user.pk: _middle(user) for user in (avid, *usual)}
    print(f"one person has {counts[0]:,} games that are over, {ASKED} others {statistics.mean(counts[1:]):.0f} each")
    known = usual[0].display_name
    lists = {
        "all": Filters(),
        "kind": Filters(kind="spades"),
        "rules": Filters(preset="hearts-short"),
        "ranked": Filters(ranked="yes"),
        "won": Filters(result="won"),
        "draw": Filters(result="draw"),
        "no result": Filters(result="void"),
        "with somebody": Filters(other=known),
        "in a month": Filters(since=date(2025, 3, 1), until=date(2025, 3, 31)),
        "everything": Filters("hearts", "hearts-standard", "no", "won", known, date(2025, 1, 1), date(2026, 12, 31)),
    }
    print(f"\n{'':32} {'-- usual --':^23}   {'-- avid --':^23}")
    print(f"{'ms a page: list':32} " + "   ".join([f"{'p50':>7} {'p95':>7} {'cpu':>7}"] * 2))
    slowest = 0.0
    for name, filters in lists.items():
        for whose in ("own", "other's"):
            for start in ("first", "middle"):

                def page(
                    user: User, filters: Filters = filters, whose: str = whose, start: str = start
                ) -> Callable[[], Any]:
                    viewer = user if whose == "own" else rng.choice(usual[1:])
                    before = middles[user.pk] if start == "middle" else None
                    return lambda: page_of(user, viewer, filters, before=before)

                some = _times([page(user) for user in usual])
                often = _times([page(avid) for _ in range(ASKED)])
                slowest = max(slowest, some[2], often[2])
                figures = "   ".join(" ".join(f"{figure:7.1f}" for figure in times) for times in (some, often))
                print(f"{f'{name}, {whose}, {start}':32} {figures}", flush=True)
    met = slowest <= GOAL_MS
    print(f"processes that wanted a processor meanwhile: {os.getloadavg()[1]:.1f} of {os.cpu_count()}")
    print(f"most processor time a page: {slowest:.1f} ms (goal {GOAL_MS:g} ms: {'met' if met else 'MISSED'})")
    return met


def _middle(user: Any) -> int | None:
    from games.models import Player  # noqa: PLC0415

    seats = Player.objects.filter(user=user, ended_at__isnull=False)
    found = seats.order_by("-ended_at", "-game_id").values_list("game_id", flat=True)
    return found[found.count() // 2] if found else None


def _times(pages: list[Callable[[], Any]]) -> tuple[float, float, float]:
    """The median, the 95th of a hundred, and the processor time of a page, in ms."""
    from django.db import connection  # noqa: PLC0415

    connection.ensure_connection()
    backend = psutil.Process(connection.connection.info.backend_pid)
    took, spent = [], time.process_time() + sum(backend.cpu_times()[:2])
    for page in pages:
        began = time.perf_counter()
        page()
        took.append((time.perf_counter() - began) * 1000)
    spent = time.process_time() + sum(backend.cpu_times()[:2]) - spent
    return statistics.median(took), statistics.quantiles(took, n=20)[-1], spent * 1000 / len(pages)


def check(count: int) -> bool:
    """The check of many games with their logs, killed twice and continued. Whether it looked at each."""
    from accounts.models import User  # noqa: PLC0415
    from tests.games.finished import played, stored  # noqa: PLC0415

    record = played("hearts", 4, {"end_score": 50}, seed=5)
    first, second = User.objects.all()[:2]
    original = stored(record, [first, second, None, None])
    copy(original.pk, count - 1)
    with tempfile.TemporaryDirectory(prefix="moonshot-bench-") as folder:
        state = Path(folder) / "state"
        command = [sys.executable, "manage.py", "check_histories", "--state", str(state)]
        command += ["--after", str(original.pk - 1)]  # those before have no logs
        began = time.monotonic()
        for share in (0.2, 0.6):
            running = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            while running.poll() is None and _reached(state) < share * count:
                time.sleep(0.05)
            running.send_signal(signal.SIGKILL)
            running.wait()
            running.communicate()
            print(f"killed after {_reached(state):,} of {count:,} games")
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    said = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else done.stderr[-300:]
    print(f"{said} {count / (time.monotonic() - began):.0f} games a second, starts included")
    return done.returncode == 0 and f"{count} games looked at, 0 faults" in said


def copy(game_id: int, count: int) -> None:
    """Copies of a game with all that belongs to it."""
    from django.db import connection  # noqa: PLC0415

    from games import models  # noqa: PLC0415

    with connection.cursor() as cursor:
        for model in (models.Game, models.GameSecret, models.Player, models.Action):
            table = model._meta.db_table
            names = [str(f.column) for f in model._meta.concrete_fields if f.column not in ("id", "game_id")]
            listed = ", ".join(f"o.{name}" for name in names)
            origin = f"from {table} o, generate_series({game_id + 1}, {game_id + count}) n"
            key = "id" if model is models.Game else "game_id"
            insert = f"insert into {table} ({key}, {', '.join(names)})"
            cursor.execute(f"{insert} select n, {listed} {origin} where o.{key} = %s", [game_id])
        cursor.execute("vacuum analyze games_action")


def _reached(state: Path) -> int:
    try:
        return int(json.loads(state.read_text())["looked_at"])
    except (OSError, ValueError):
        return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--checked", type=int, default=2_000, help="games that the check looks at; 0: leave it out")
    asked = parser.parse_args()
    with services() as (database_url, redis_url):
        os.environ |= environment(database_url, redis_url) | {"DJANGO_SETTINGS_MODULE": "config.settings"}
        import django  # noqa: PLC0415

        django.setup()
        from django.core.management import call_command  # noqa: PLC0415
        from django.db import connections  # noqa: PLC0415

        call_command("migrate", verbosity=0)
        began = time.monotonic()
        people = build(asked.games)
        print(f"{asked.games:,} games built in {time.monotonic() - began:.0f} s")
        met = measure(people)
        if asked.checked:
            met = check(asked.checked) and met
        for connection in connections.all():
            connection.close_pool()  # type: ignore[attr-defined]
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
