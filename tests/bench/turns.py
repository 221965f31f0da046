"""CPU turns under load: how long one takes from the start of its task until it is committed.

Tables of four CPUs play Hearts, half of them at each of the levels, at the pace of people or as fast as they can. Two
workers of the site play for them, set up as `config.play` does, with Postgres and Valkey of the run's own, or those of
DATABASE_URL and REDIS_URL, as in tests/bench/tables.py. Run: python -m tests.bench.turns [--tables 20] [--pace 1]
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil
import psycopg
import redis

from config.embedded import ServiceError
from tests.bench.table_client import Failure
from tests.bench.tables import ROOT, environment, run, services

LEVELS = ("normal", "expert")
WORKERS = 2
WARM_UP_S = 10.0
FLOOR_MS, AIM_MS = 60.0, 35.0
STOP_S = 20.0

SEATING = """
import json, sys, django
django.setup()
from games import services, wakeups
levels = sys.argv[2:]
games = {}
for number in range(int(sys.argv[1])):
    level = levels[number % len(levels)]
    games[services.open_game(kind="hearts", seats=[level] * 4, options={"end_score": 300}).pk] = level
wakeups._senders.shutdown()
print(json.dumps(games))
"""


@contextlib.contextmanager
def workers(variables: dict[str, str]) -> Iterator[list[psutil.Process]]:
    """The workers that play turns."""
    command = [sys.executable, "-m", "celery", "--quiet", "--app", "tests.bench.turns_worker", "worker"]
    command += ["--without-gossip", "--without-mingle", "--queues", "turns", "--concurrency", "1"]
    started: list[subprocess.Popen[bytes]] = []
    try:
        for number in range(WORKERS):
            name = ["--hostname", f"turns{number}@%h"]
            quiet = subprocess.DEVNULL
            started += [subprocess.Popen([*command, *name], cwd=ROOT, env=variables, stdout=quiet, stderr=quiet)]
        yield [psutil.Process(process.pid) for process in started]
    finally:
        for process in started:
            process.terminate()
        for process in started:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(STOP_S)
            process.kill()
            process.wait()


def turns_of(folder: Path, games: dict[str, str], since: float) -> dict[str, list[float]]:
    """The lengths of the turns that began since then, by level."""
    found = defaultdict(list)
    for path in folder.glob("*.turns"):
        for line in path.read_text().splitlines():
            game, at, took = line.split()
            if float(at) >= since:
                found[games[game]].append(float(took))
    return found


def row(name: str, times: Sequence[float], seconds: float) -> str:
    ranked = sorted(times)
    parts = [ranked[min(len(ranked) - 1, len(ranked) * part // 100)] for part in (50, 95, 99)]
    return f"{name:10} {len(ranked):8} {len(ranked) / seconds:8.1f} " + " ".join(
        f"{part:8.1f}" for part in (*parts, ranked[-1])
    )


def measure(tables: int, seconds: float, variables: dict[str, str], folder: Path) -> dict[str, list[float]]:
    with workers(variables) as started:
        time.sleep(WARM_UP_S)
        games = json.loads(run(["-c", SEATING, str(tables), *LEVELS], variables))
        time.sleep(WARM_UP_S)
        since = time.time()
        busy = sum(psutil.cpu_times()[:2])
        time.sleep(seconds)
        machine = (sum(psutil.cpu_times()[:2]) - busy) / seconds
        if any(not process.is_running() for process in started):
            raise Failure("a worker has ended")
        print(f"the machine used {machine:.1f} cores of {os.cpu_count()}, whoever for", file=sys.stderr)
        return turns_of(folder, games, since)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=20, help="half at each level (%(default)s)")
    parser.add_argument("--seconds", type=float, default=60.0, help="measured after the warm-up (%(default)s)")
    parser.add_argument("--pace", type=float, default=1.0, help="0: no time to think (%(default)s)")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what was started is stopped
    try:
        with services() as (database_url, redis_url), tempfile.TemporaryDirectory(prefix="moonshot-turns-") as name:
            variables = environment(database_url, redis_url) | {
                "DJANGO_SETTINGS_MODULE": "config.settings",
                "CPU_PACE": str(options.pace),
                "TURNS_FOLDER": name,
            }
            run(["-m", "games.cpu", "--warm"], variables)  # as an installation does
            run(["manage.py", "migrate", "-v0"], variables)
            found = measure(options.tables, options.seconds, variables, Path(name))
    except (Failure, ServiceError, psycopg.Error, redis.RedisError) as error:
        sys.exit(f"The bench cannot run: {str(error).strip()}")
    if not all(found[level] for level in LEVELS):
        sys.exit("The bench cannot run: no turn was played.")
    every = [took for times in found.values() for took in times]
    print(f"\n{options.tables} tables of four CPUs, {WORKERS} workers; ms from the start of the task to its end.\n")
    print(
        f"{'level':10} {'turns':>8} {'a second':>8} " + " ".join(f"{head:>8}" for head in ("p50", "p95", "p99", "max"))
    )
    for level in LEVELS:
        print(row(level, found[level], options.seconds))
    print(row("all", every, options.seconds))
    p99 = sorted(every)[len(every) * 99 // 100]
    verdict = "aim met" if p99 <= AIM_MS else "floor met" if p99 <= FLOOR_MS else "MISSED"
    print(f"\np99 {p99:.1f} ms (floor {FLOOR_MS:g}, aim {AIM_MS:g}: {verdict})")


if __name__ == "__main__":
    main()
