"""Pages of the ladder with very many on its boards, and the queue with very many in it: processor time of each.

Run: python -m tests.bench.boards [--people 20000] [--changes 200000] [--waiting 500]

Everybody is on every board and has closed four seasons; the games are those of one ladder, and one person has played
more than two thousand of them. What is timed is a whole page as the site answers it, and for the queue what it costs to
look at it, to tell of it, and to find who fits. Processor time is that of this process and of Postgres, which hardly
depends on what else the machine does; the times of the queue's lock are by the clock. Servers and data are of the run's
own, in a temporary folder; see tests/bench/tables.py.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import psutil

from tests.bench.tables import environment, services

AVID = 2_000  # games of the one who has played most
ASKED = 20  # times that each page is asked for
GOAL_MS, DATABASE_GOAL_MS = 60.0, 30.0  # of processor time a page, in all and in Postgres
QUEUE_GOAL_MS = 100.0
STORAGES = {  # the files that pages name need not be there
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
RECEIPT = {
    "rows": [
        {"opponents": [seat], "expected": "0.5000", "scored": "1", "k": 32, "weight": "0.3333", "change": "5.3328"}
        for seat in range(3)
    ],
    "extra": "0",
    "code": "hearts_placed",
    "parameters": {"place": 1, "humans": 4},
}

#: People sit in game `n` in an order that hardly repeats itself; the first of them in every so manieth game.
SEATED = """select n, s, case when s = 0 and n %% %(every)s = 0 then %(first)s
    else %(first)s + 1 + (n * 7919 + s * (1 + n %% (%(people)s / 4))) %% (%(people)s - 1) end as u
    from generate_series(1, %(games)s) n, generate_series(0, 3) s"""
RATINGS = """insert into ladder_rating (user_id, ladder_id, rating, games, last_game_at)
    select u, l.id, 1100 + (u * 7919 %% 80000) * 0.01, 30 + u %% 400, now() - (u %% 25) * interval '1 day'
    from ladder_ladder l, generate_series(%(first)s, %(last)s) u"""
SEASONS = """insert into ladder_seasonrating (user_id, ladder_id, season, rating, games)
    select u, l.id, season, 1100 + (u * 6661 %% 80000) * 0.01, 20 + u %% 90
    from ladder_ladder l, unnest(%(seasons)s::text[]) season, generate_series(%(first)s, %(last)s) u"""
RANKED = """insert into ladder_rankedgame (game_id, ladder_id, humans, rated_at)
    select n, %(ladder)s, n::text, now() from generate_series(1, %(games)s) n"""
CHANGES = f"""insert into ladder_ratingchange (seq, game_id, user_id, ladder_id, reason, before, delta, after, counts,
        has_left, receipt, at)
    select n * 4 + s, n, u, %(ladder)s, 'result', 1500 + n %% 97, 5.33, 1505.33 + n %% 97, true, n %% 101 = 0,
        %(receipt)s::jsonb, now() - (%(games)s - n) * interval '1 minute' from ({SEATED}) seated"""
APPEARANCES = f"""insert into ladder_appearance
        (change_id, user_id, ladder_id, seat, place, is_shared, opposition, moons, nils_made, nils_failed, counts)
    select n * 4 + s, u, %(ladder)s, s, 1 + (s + n) %% 4, false, 1500 + n %% 211, n %% 3 / 2, 0, 0, true
    from ({SEATED}) seated"""


def build(people: int, changes: int) -> tuple[int, int]:
    """The boards and the games; the ids of the first person, who has played often, and of the last."""
    from django.db import connection  # noqa: PLC0415 - the settings come first
    from django.utils import timezone  # noqa: PLC0415

    from accounts.models import User  # noqa: PLC0415
    from games.models import Game, Player  # noqa: PLC0415
    from ladder.models import Ladder  # noqa: PLC0415
    from ladder.rating.standing import season_of  # noqa: PLC0415
    from tests.games.many import spread  # noqa: PLC0415

    made = User.objects.bulk_create(
        User(username=f"bench-{n}", display_name=f"Bench {n}", name_key=f"bench{n}") for n in range(people)
    )
    ladder = Ladder.objects.select_related("preset_version").get(slug="hearts")
    games = changes // 4
    game = Game.objects.create(
        id=games + 1,
        kind="hearts",
        players=4,
        options={"end_score": 100} | ladder.preset_version.options,
        rules_version=1,
        timer_s=30,
        ply=300,
        status=Game.Status.FINISHED,
        result={"placings": [1, 2, 3, 4], "scores": [21, 34, 55, 60], "reason": "target"},
        preset_version=ladder.preset_version,
        is_ranked=True,
    )
    seat = Player.objects.create(game=game, seat=0, user=made[0])
    seasons = [season_of(timezone.now())]
    while len(seasons) < 4:
        seasons.append(seasons[-1].before)
    values: dict[str, Any] = {
        "first": made[0].pk,
        "last": made[-1].pk,
        "people": people,
        "games": games,
        "every": max(1, games // AVID),
        "ladder": ladder.pk,
        "seasons": [str(season) for season in seasons],
        "receipt": json.dumps(RECEIPT),
    }
    spread(game, "generate_series(1, %(games)s) n", {"id": "n"}, values)
    seats = {"game_id": "n", "seat": "s", "user_id": "u", "place": "s + 1", "ended_at": "now()", "kind": "'hearts'"}
    spread(seat, f"({SEATED}) seated", seats, values)
    with connection.cursor() as cursor:
        for statement in (RATINGS, SEASONS, RANKED, CHANGES, APPEARANCES):
            cursor.execute(statement, values)
        seat.delete()
        game.delete()
        cursor.execute("select setval(pg_get_serial_sequence('games_game', 'id'), %s)", (games,))
        cursor.execute("vacuum analyze")
    return made[0].pk, made[-1].pk


def measure(first: int, last: int) -> bool:
    """Times every page. Whether all are as quick as they have to be."""
    from django.test import Client, override_settings  # noqa: PLC0415
    from django.utils import timezone  # noqa: PLC0415

    from accounts.models import User  # noqa: PLC0415
    from ladder.models import RatingChange  # noqa: PLC0415
    from ladder.rating.standing import season_of  # noqa: PLC0415

    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(User.objects.get(pk=first + 77))
    pages = (last - first) // 50
    season = str(season_of(timezone.now()).before)
    avid = RatingChange.objects.filter(user=first).count()
    few = RatingChange.objects.filter(user=first + 77).count()
    asked = {
        "front page": "/",
        "all ladders": "/en/ladder/",
        "board": "/en/ladder/hearts/",
        "board, page in the middle": f"/en/ladder/hearts/?page={3 * pages // 4}",
        "board, last page": f"/en/ladder/hearts/?page={pages}",
        "season": f"/en/ladder/hearts/?season={season}",
        "season, page in the middle": f"/en/ladder/hearts/?season={season}&page={3 * pages // 4}",
        "search, one found": "/en/ladder/hearts/?q=Bench+1234",
        "search, very many found": "/en/ladder/hearts/?q=bench",
        "search, none found": "/en/ladder/hearts/?q=nobody",
        "search in a season": f"/en/ladder/hearts/?season={season}&q=Bench+12",
        f"player of {few} games": f"/player/{first + 77}/",
        f"player of {avid:,} games": f"/player/{first}/",
        "receipts": f"/player/{first + 77}/games/",
        f"receipts of {avid:,} games": f"/player/{first}/games/",
        "how it works": "/en/ladder/how/",
        "api: board": "/api/ladders/hearts/board",
        "api: player": f"/api/players/{first}",
    }
    print(f"\n{'ms of processor time a page':32} {'first':>8} {'Python':>8} {'Postgres':>8} {'queries':>8}")
    worst = worst_database = 0.0
    with override_settings(STORAGES=STORAGES):
        for name, path in asked.items():
            times = _times(lambda path=path: _fetch(client, path))  # type: ignore[misc]
            worst, worst_database = max(worst, times[1] + times[2]), max(worst_database, times[2])
            print(f"{name:32} {times[0]:8.1f} {times[1]:8.1f} {times[2]:8.1f} {times[3]:8}", flush=True)
    met = worst <= GOAL_MS and worst_database <= DATABASE_GOAL_MS
    goals = f"goals {GOAL_MS:g} and {DATABASE_GOAL_MS:g} ms: {'met' if met else 'MISSED'}"
    print(f"most a page: {worst:.1f} ms, in Postgres {worst_database:.1f} ms ({goals})")
    return met


def _fetch(client: Any, path: str) -> None:
    answer = client.get(path)
    if answer.status_code != 200:
        raise SystemExit(f"{path} is answered with {answer.status_code}")


def _times(work: Callable[[], Any], asked: int = ASKED) -> tuple[float, float, float, int]:
    """Processor time in ms: all of the first time; then here and in Postgres each time; and how many queries."""
    from django.db import connection  # noqa: PLC0415

    connection.ensure_connection()
    backend = psutil.Process(connection.connection.info.backend_pid)

    def spent() -> tuple[float, float]:
        return time.process_time(), sum(backend.cpu_times()[:2])

    here, there = spent()
    work()
    first = sum(spent()) - here - there
    queries: list[str] = []
    with connection.execute_wrapper(_noting(queries)):
        work()
    here, there = spent()
    for _ in range(asked):
        work()
    now_here, now_there = spent()
    each = 1000 / asked
    return first * 1000, (now_here - here) * each, (now_there - there) * each, len(queries)


def measure_queue(first: int, waiting: int) -> bool:
    """Times the queue. Whether nothing in it takes too long."""
    from ladder.models import Ladder, ReadyCheck, Ticket  # noqa: PLC0415
    from ladder.queue import matchmaking  # noqa: PLC0415
    from ladder.queue.rooms import QueueHub  # noqa: PLC0415

    users = range(first + 1, first + 1 + waiting)
    ladder = Ladder.objects.get(slug="hearts")

    def gather(step: str, behind_s: int = 0) -> None:
        """Everybody waits anew, with ratings so far apart."""
        from django.utils import timezone  # noqa: PLC0415

        ReadyCheck.objects.all().delete()
        Ticket.objects.all().delete()
        now = timezone.now()
        joined_at = now - timedelta(seconds=behind_s)
        Ticket.objects.bulk_create(
            Ticket(
                user_id=user,
                ladder=ladder,
                rating=Decimal(-85_000) + n * Decimal(step),
                joined_at=joined_at,
                seen_at=now,
                takes_cpu=True,
            )
            for n, user in enumerate(users)
        )

    def all_ready() -> None:
        Ticket.objects.update(is_ready=True)

    hub = QueueHub()
    for user in users:
        hub.sockets[_Nobody()] = user
        hub.bars[user] = None

    def look() -> None:
        asyncio.run(hub.refresh())

    def tell() -> None:
        hub.told.clear()
        look()

    print(f"\n{f'ms, {waiting} in the queue':32} {'Python':>8} {'Postgres':>8} {'queries':>8} {'held':>8}")
    most = 0.0
    gather("1.2")
    steps: list[tuple[str, Callable[[], Any], Callable[[], Any]]] = [
        ("a look, nothing new", lambda: None, look),
        ("a look, told to everybody", lambda: None, tell),
        ("a tick, tables for all", lambda: gather("1.2"), matchmaking.tick),
        ("a tick, all are asked", lambda: None, matchmaking.tick),
        ("a tick, nobody fits", lambda: gather("340"), matchmaking.tick),
        ("a tick, nobody fits, CPU wanted", lambda: gather("340", 46), matchmaking.tick),
    ]
    for name, prepare, work in steps:
        figures = []
        for _ in range(5):
            prepare()
            figures.append(_once(work))
        here, there, queries, lock = (statistics.median(each) for each in zip(*figures, strict=True))
        most = max(most, here + there)
        print(f"{name:32} {here:8.1f} {there:8.1f} {queries:8.0f} {lock:8.1f}", flush=True)
    gather("1.2")
    matchmaking.tick()
    all_ready()
    checks = ReadyCheck.objects.count()
    here, there, queries, lock = _once(matchmaking.tick)
    print(f"{f'a tick, {checks} tables seated':32} {here:8.1f} {there:8.1f} {queries:8.0f} {lock:8.1f}")
    print(f"a table: {(here + there) / max(1, checks):.1f} ms")
    met = most <= QUEUE_GOAL_MS
    print(f"most of what is not seating: {most:.1f} ms (goal {QUEUE_GOAL_MS:g} ms: {'met' if met else 'MISSED'})")
    return met


class _Nobody:
    """A socket that nobody reads."""

    def __call__(self, frame: str) -> None: ...


def _once(work: Callable[[], Any]) -> tuple[float, float, int, float]:
    """Processor time in ms, here and in Postgres; queries; the longest time of the queue's lock, by the clock."""
    from django.db import connection  # noqa: PLC0415

    from ladder.queue import matchmaking  # noqa: PLC0415

    held, longest = matchmaking.held, [0.0]

    @contextmanager
    def timed() -> Iterator[datetime]:
        with held() as now:
            began = time.perf_counter()
            yield now
        longest[0] = max(longest[0], (time.perf_counter() - began) * 1000)

    matchmaking.held = timed
    queries: list[str] = []
    backends = [psutil.Process(connection.connection.info.backend_pid)]
    backends = backends[0].parent().children()  # type: ignore[union-attr]
    try:
        with connection.execute_wrapper(_noting(queries)):
            before = _spent(backends)
            work()
            after = _spent(backends)
    finally:
        matchmaking.held = held
    return (after[0] - before[0]) * 1000, (after[1] - before[1]) * 1000, len(queries), longest[0]


def _noting(queries: list[str]) -> Callable[..., Any]:
    """Notes the queries of a connection; the log that Django itself keeps is emptied by each request."""

    def noted(execute: Any, query: str, *rest: Any) -> Any:
        queries.append(query)
        return execute(query, *rest)

    return noted


def _spent(backends: list[psutil.Process]) -> tuple[float, float]:
    return time.process_time(), sum(sum(each.cpu_times()[:2]) for each in backends if each.is_running())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=20_000)
    parser.add_argument("--changes", type=int, default=200_000)
    parser.add_argument("--waiting", type=int, default=500)
    asked = parser.parse_args()
    with services() as (database_url, redis_url):
        os.environ |= environment(database_url, redis_url) | {"DJANGO_SETTINGS_MODULE": "config.settings"}
        os.environ["API_A_MINUTE"] = "100000"
        import django  # noqa: PLC0415

        django.setup()
        from django.core.management import call_command  # noqa: PLC0415
        from django.db import connections  # noqa: PLC0415

        call_command("migrate", verbosity=0)
        began = time.monotonic()
        first, last = build(asked.people, asked.changes)
        print(f"{asked.people:,} people and {asked.changes:,} changes built in {time.monotonic() - began:.0f} s")
        met = measure(first, last)
        met = measure_queue(first, asked.waiting) and met
        for connection in connections.all():
            connection.close_pool()  # type: ignore[attr-defined]
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
