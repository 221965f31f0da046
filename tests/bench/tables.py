"""Live tables under load: the site's server, and beside it the same job by the book (tests/bench/by_the_book.py).

Tables of four sockets play random deals of Hearts against daphne, in production's settings: as fast as they can with
one move on its way at each table, and at one move a second and table. Of both servers, in turns and in the same run:
moves a second, the time from a move's sending until all four sockets have it, and the processor time of a move.
Processor time hardly depends on what else the machine does; the rest does, so compare within one run.

Servers and data are of the run's own, in a temporary folder. With DATABASE_URL and REDIS_URL set those are used: a
database for the run is made there, and dropped. Run: python -m tests.bench.tables
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import json
import os
import resource
import secrets
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
import psycopg
import redis
from psycopg import sql

from config.embedded import ServiceError, Services
from tests.bench.table_client import Failure, Players

ROOT = Path(__file__).resolve().parents[2]
OURS, PEER = "ours", "by the book"
#: Settings, and what serves them: the site's own web server, and daphne as it comes.
DESIGNS = {
    OURS: ("config.settings", ["config.web"]),
    PEER: ("tests.bench.by_the_book_settings", ["daphne", "tests.bench.by_the_book:application"]),
}
WARM_UP_S = 2.0
START_S = 30.0
STOP_S = 10.0
FILES = 8_192  # a socket is one in the client and one in the server

THROUGHPUT_TABLES, THROUGHPUT_GOAL = 50, 6.0
PACED_TABLES, PACED_GOAL = 200, 0.25
QUIET_CORES = 0.3  # of strangers; with more, the figures are theirs as well


@dataclass(frozen=True, slots=True)
class Figures:
    """One measurement. Times of moves in ms, processor times in ms a move, cores in use by client and strangers."""

    moves_s: float
    p50: float
    p95: float
    p99: float
    web: float
    postgres: float
    redis: float
    client: float
    others: float


@dataclass(frozen=True, slots=True)
class Spent:
    """Processor time so far, in seconds."""

    at: float
    web: float
    postgres: float
    redis: float
    client: float
    machine: float


class Meter:
    """Reads the processor time of everybody who takes part."""

    def __init__(self, database_url: str, redis_url: str) -> None:
        self._database = psycopg.connect(database_url, autocommit=True)
        self._redis = redis.Redis.from_url(redis_url)
        self._client = psutil.Process()

    def close(self) -> None:
        self._database.close()
        self._redis.close()

    def read(self, web: psutil.Process) -> Spent:
        told: Any = self._redis.info("cpu")
        machine = psutil.cpu_times()
        return Spent(
            time.monotonic(),
            sum(web.cpu_times()[:2]),
            self._postgres(),
            told["used_cpu_user"] + told["used_cpu_sys"],
            sum(self._client.cpu_times()[:2]),
            sum(machine) - machine.idle - getattr(machine, "iowait", 0.0) - getattr(machine, "guest", 0.0),
        )

    def _postgres(self) -> float:
        """Of all its processes, those that have ended included; 0 if it runs elsewhere."""
        try:
            server = psutil.Process(self._database.info.backend_pid).parent()
            if server is None or "postgres" not in server.name():
                return 0.0
            spent = sum(server.cpu_times()[:4])
            for child in server.children():
                with contextlib.suppress(psutil.NoSuchProcess):
                    spent += sum(child.cpu_times()[:2])
        except psutil.NoSuchProcess:
            return 0.0
        return spent


# --- servers ----------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def services() -> Iterator[tuple[str, str]]:
    """Addresses of a database for this run alone, and of a Redis."""
    with contextlib.ExitStack() as stack:
        database_url, redis_url = os.environ.get("DATABASE_URL", ""), os.environ.get("REDIS_URL", "")
        if not (database_url and redis_url):
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="moonshot-bench-")))
            folder.chmod(0o711)  # started by root, the servers run as somebody who has to get through
            private = Services(folder / "data")
            stack.callback(lambda: shutil.rmtree(private.data_dir, ignore_errors=True))
            stack.enter_context(private)
            database_url, redis_url = private.database_url, private.redis_url
        name = sql.Identifier(f"moonshot_bench_{secrets.token_hex(4)}")
        with psycopg.connect(database_url, autocommit=True) as connection:
            connection.execute(sql.SQL("create database {}").format(name))
            try:
                yield (
                    urlsplit(database_url)._replace(path=f"/{name.as_string(None).strip(chr(34))}").geturl(),
                    redis_url,
                )
            finally:
                connection.execute(sql.SQL("drop database {} with (force)").format(name))
                with redis.Redis.from_url(redis_url) as client:
                    for key in client.scan_iter(match="moonshot-bench*"):
                        client.delete(key)


def environment(database_url: str, redis_url: str) -> dict[str, str]:
    """Of every process of the run: production's settings."""
    return os.environ | {
        "DATABASE_URL": database_url,
        "REDIS_URL": redis_url,
        "SECRET_KEY": secrets.token_urlsafe(32),
        "DEBUG": "no",
        "HTTPS": "no",
        "ALLOWED_HOSTS": "127.0.0.1",
        "CPU_PACE": "0",
        "TIME_SCALE": "1",
        "LOG_LEVEL": "WARNING",
    }


def run(arguments: list[str], variables: dict[str, str]) -> str:
    """What a Python program of this project prints; raises Failure with its last line."""
    done = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=variables, capture_output=True, text=True, timeout=120, check=False
    )
    if done.returncode:
        raise Failure(f"{' '.join(arguments)}: {_last_line(done.stderr)}")
    return done.stdout


@contextlib.contextmanager
def server(design: str, variables: dict[str, str]) -> Iterator[tuple[psutil.Process, int]]:
    """A web process of its own; stopped at the end, by force if need be."""
    settings, (module, *application) = DESIGNS[design]
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    command = [sys.executable, "-m", module, "-b", "127.0.0.1", "-p", str(port), *application]
    with tempfile.TemporaryFile("w+") as log:
        web = subprocess.Popen(
            command, cwd=ROOT, env=variables | {"DJANGO_SETTINGS_MODULE": settings}, stdout=log, stderr=log
        )
        try:
            give_up_at = time.monotonic() + START_S
            while True:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                if web.poll() is not None or time.monotonic() > give_up_at:
                    log.seek(0)
                    raise Failure(f"the server ({design}) did not start: {_last_line(log.read())}")
                time.sleep(0.05)
            yield psutil.Process(web.pid), port
        finally:
            web.terminate()
            try:
                web.wait(STOP_S)
            except subprocess.TimeoutExpired:
                web.kill()
                web.wait()


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["it said nothing"])[-1]


# --- measuring --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Found:
    """Figures, and what has to be known to read them."""

    figures: Figures
    held_back: float  # share of the moves that waited for the site's rate limit
    refusals: Counter[str]
    ended: int  # games over before the time was up


async def play(
    tables: list[dict[str, Any]], port: int, web: psutil.Process, meter: Meter, gap_s: float, seconds: float
) -> Found:
    """Plays at some tables, and measures after the warm-up. Raises Failure."""
    players = Players(tables, gap_s)
    loop = asyncio.get_running_loop()
    try:
        await players.connect(port)
        gc.collect()
        gc.disable()  # the client's pauses are not the server's
        players.start()
        await asyncio.sleep(WARM_UP_S)
        before, from_at = meter.read(web), loop.time()
        await asyncio.sleep(seconds)
        to_at, after = loop.time(), meter.read(web)
    finally:
        gc.enable()
        players.stop()
    if players.failure:
        raise Failure(players.failure)
    times = players.times(from_at, to_at)
    done = sum(from_at <= at < to_at for at, _ in players.moves)
    if not done:
        raise Failure("no move was made")
    wall = after.at - before.at
    own = [after.web - before.web, after.postgres - before.postgres, after.redis - before.redis]
    client = after.client - before.client
    p50, p95, p99 = (1000 * times[min(len(times) - 1, len(times) * part // 100)] for part in (50, 95, 99))
    figures = Figures(
        moves_s=done / (to_at - from_at),
        p50=p50,
        p95=p95,
        p99=p99,
        web=1000 * own[0] / done,
        postgres=1000 * own[1] / done,
        redis=1000 * own[2] / done,
        client=client / wall,
        others=max(0.0, (after.machine - before.machine - sum(own) - client) / wall),
    )
    ended = sum(table.is_over for table in players.tables)
    return Found(figures, players.held_back / len(players.moves), players.refusals, ended)


def measure(design: str, count: int, gap_s: float, seconds: float, variables: dict[str, str], meter: Meter) -> Found:
    """One design at one number of tables, each time with new games and a new process."""
    tables = json.loads(run(["-m", "tests.bench.seating", str(count)], variables))
    with server(design, variables) as (web, port):
        return asyncio.run(play(tables, port, web, meter, gap_s, seconds))


# --- the table --------------------------------------------------------------------------------------------------------

HEADS = ("moves/s", "p50", "p95", "p99", "web", "postgres", "redis", "client", "others")
Cell = tuple[float, int, str]  # gap between moves, tables, design


def medians(found: list[Found]) -> Figures:
    rows = [each.figures for each in found]
    return Figures(*(statistics.median(getattr(row, column.name) for row in rows) for column in fields(Figures)))


def print_table(results: dict[Cell, list[Found]], rounds: int) -> None:
    print("\nTimes in ms from sending a move until all four sockets have it; processor time in ms a move; cores used.")
    print(f"Medians of {rounds} round{'s' * (rounds > 1)}.\n")
    print(f"{'':17} | " + " | ".join(f"{design:^77}" for design in DESIGNS))
    print(f"{'tables, pace':17} | " + " | ".join(" ".join(f"{head:>8}" for head in HEADS)[:80] for _ in DESIGNS))
    for gap_s, count in dict.fromkeys((gap_s, count) for gap_s, count, _ in results):
        cells = []
        for design in DESIGNS:
            found = results[gap_s, count, design]
            cells.append(_cells(medians(found)) if found else f"{'no figures':>80}")
        print(f"{f'{count:3}, ' + _pace(gap_s):17} | " + " | ".join(cells))


def _cells(row: Figures) -> str:
    texts = [f"{row.moves_s:8,.0f}", *(f"{value:8,.1f}" for value in (row.p50, row.p95, row.p99))]
    texts += [f"{value:8.2f}" for value in (row.web, row.postgres, row.redis, row.client, row.others)]
    return " ".join(texts)


def _pace(gap_s: float) -> str:
    return "1 move/s" if gap_s else "no thinking"


def print_ratios(results: dict[Cell, list[Found]]) -> None:
    """Ours against the peer; of each round, since rounds differ more than servers do in one."""
    print()
    for gap_s, count, column, goal in (
        (0.0, THROUGHPUT_TABLES, "moves_s", f">= {THROUGHPUT_GOAL:g}"),
        (1.0, PACED_TABLES, "p95", f"<= {PACED_GOAL:g}"),
    ):
        pairs = zip(results.get((gap_s, count, OURS), []), results.get((gap_s, count, PEER), []), strict=False)
        ratios = [getattr(mine.figures, column) / getattr(peer.figures, column) for mine, peer in pairs]
        if ratios:
            ratio = statistics.median(ratios)
            met = ratio >= THROUGHPUT_GOAL if column == "moves_s" else ratio <= PACED_GOAL
            span = f" [{min(ratios):.3g} to {max(ratios):.3g}]" if len(ratios) > 1 else ""
            what = "moves a second" if column == "moves_s" else "p95"
            print(
                f"{what}, {count} tables, {_pace(gap_s)}: ours / by the book = {ratio:.3g}{span} "
                f"(goal {goal}: {'met' if met else 'MISSED'})"
            )


def print_notes(results: dict[Cell, list[Found]]) -> None:
    """What makes figures less than they seem."""
    for (gap_s, count, design), found in results.items():
        where = f"{design}, {count} tables, {_pace(gap_s)}:"
        held = max((each.held_back for each in found), default=0.0)
        if held > 0.01:
            print(f"note: {where} {held:.0%} of the moves waited for the limit of ten messages a second and socket")
        refusals = sum((each.refusals for each in found), Counter[str]())
        if refusals:
            print(f"note: {where} refused and sent again: {dict(refusals)}")
        if ended := max((each.ended for each in found), default=0):
            print(f"note: {where} {ended} games were over before the time was")
        if (others := max((each.figures.others for each in found), default=0.0)) > QUIET_CORES:
            print(f"note: {where} strangers used {others:.1f} cores meanwhile")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", default="10,50,200", help="numbers of tables (%(default)s)")
    parser.add_argument("--seconds", type=float, default=8.0, help="measured after the warm-up (%(default)s)")
    parser.add_argument("--rounds", type=int, default=1, help="times that all is measured (%(default)s)")
    parser.add_argument("--pace", choices=("both", "none", "paced"), default="both", help="which paces to measure")
    parser.add_argument("--only", choices=tuple(DESIGNS), help="measure one design alone")
    options = parser.parse_args()
    counts = [int(text) for text in options.tables.split(",")]
    gaps = {"both": (0.0, 1.0), "none": (0.0,), "paced": (1.0,)}[options.pace]
    chosen = [options.only] if options.only else list(DESIGNS)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what was started is stopped
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES if hard == resource.RLIM_INFINITY else min(FILES, hard), hard))
    results: dict[Cell, list[Found]] = {
        (gap_s, count, design): [] for gap_s in gaps for count in counts for design in DESIGNS
    }
    try:
        with services() as (database_url, redis_url), contextlib.closing(Meter(database_url, redis_url)) as meter:
            variables = environment(database_url, redis_url)
            run(["manage.py", "migrate", "-v0"], variables | {"DJANGO_SETTINGS_MODULE": DESIGNS[OURS][0]})
            for number in range(options.rounds):
                for gap_s in gaps:
                    for count in counts:
                        for design in chosen if number % 2 == 0 else reversed(chosen):
                            _measure_into(results, (gap_s, count, design), options.seconds, variables, meter)
    except (Failure, ServiceError, psycopg.Error, redis.RedisError) as error:
        sys.exit(f"The bench cannot run: {str(error).strip()}")
    except KeyboardInterrupt:
        sys.exit(130)
    print_table(results, options.rounds)
    print_ratios(results)
    print_notes(results)


def _measure_into(
    results: dict[Cell, list[Found]], cell: Cell, seconds: float, variables: dict[str, str], meter: Meter
) -> None:
    gap_s, count, design = cell
    where = f"{count} tables, {_pace(gap_s)}, {design}"
    try:
        found = measure(design, count, gap_s, seconds, variables, meter)
    except (Failure, OSError, TimeoutError) as failure:  # the others are measured all the same
        print(f"{where}: failed: {failure}", file=sys.stderr, flush=True)
        return
    row = found.figures
    print(
        f"{where}: {row.moves_s:,.0f} moves/s, p95 {row.p95:,.1f} ms, {row.web:.2f} ms a move",
        file=sys.stderr,
        flush=True,
    )
    results[cell].append(found)


if __name__ == "__main__":
    main()
