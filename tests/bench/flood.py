"""What the others notice while somebody floods the site: tables at one move a second and table, without and with him.

For each kind of flood: the time from a move's sending until all four sockets have it (p50, p99) at tables that have
nothing to do with it, before and meanwhile; how much memory the web process gained; with which codes it closed. The
flood comes from a process of its own, from one guest, who opens a new socket whenever one is closed.

Run: python -m tests.bench.flood
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import contextlib
import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator

import psutil

from config.embedded import ServiceError
from tests.bench.table_client import Failure
from tests.bench.tables import FILES, OURS, ROOT, Found, Meter, environment, play, run, server, services

PING = b'{"type":"ping","ply":2}'
BACK = b'{"type":"ping","ply":0}'
#: Kind of flood: sockets at the same time, and what each sends without end; nothing: it stops reading.
FLOODS: dict[str, tuple[int, bytes]] = {
    "200 sockets, pings": (200, PING),
    "200 sockets, news again": (200, BACK),
    "1 socket, pings": (1, PING),
    "1 socket, garbage": (1, b"\xff garbage"),
    "1 socket, frames of 2 MB": (1, b"x" * 2_000_000),
    "20 sockets that do not read": (20, b""),
}
MOST_RATIO = 2.0
MOST_MB = 50.0
PAUSE_S = 0.5  # before a socket that was closed is opened again, as browsers do


# --- the flood itself, in a process of its own ------------------------------------------------------------------------


async def flood(port: int, session: str, game: int, kind: str) -> None:
    """Until it is told to stop; then says what the sockets were closed with."""
    count, payload = FLOODS[kind]
    codes: Counter[str] = Counter()
    size = len(payload)
    head = bytes([0x81, 0x80 | size]) if size < 126 else b"\x81\xff" + size.to_bytes(8, "big")
    frames = (head + bytes(4) + payload) * max(1, 16_384 // (size + 6))
    os.nice(19)  # as if it came from elsewhere: its own work is not what the others are to notice
    tasks = [asyncio.ensure_future(_pour(port, session, game, frames if size else b"", codes)) for _ in range(count)]
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await stop.wait()
    for task in tasks:
        task.cancel()
    print(json.dumps(codes))


async def _pour(port: int, session: str, game: int, frames: bytes, codes: Counter[str]) -> None:
    while True:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                codes[await _one(reader, writer, port, session, game, frames)] += 1
            finally:
                writer.transport.abort()
        await asyncio.sleep(PAUSE_S)


async def _one(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int, session: str, game: int, frames: bytes
) -> str:
    """One socket, until it is closed: with which code."""
    lines = [f"GET /ws/game/{game}/?v=1 HTTP/1.1", f"Host: 127.0.0.1:{port}", f"Origin: http://127.0.0.1:{port}"]
    lines += [f"Cookie: sessionid={session}", "Upgrade: websocket", "Connection: Upgrade"]
    lines += [f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}", "Sec-WebSocket-Version: 13"]
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
    head = await reader.readuntil(b"\r\n\r\n")
    if b" 101 " not in head[:20]:
        return head[9:12].decode()
    if not frames:
        await asyncio.sleep(3_600)
    pouring = asyncio.ensure_future(_send(writer, frames))
    try:
        return await _close_code(reader)
    except (OSError, asyncio.IncompleteReadError):
        return "cut"
    finally:
        pouring.cancel()


async def _send(writer: asyncio.StreamWriter, frames: bytes) -> None:
    with contextlib.suppress(OSError):
        while True:
            writer.write(frames)
            await writer.drain()


async def _close_code(reader: asyncio.StreamReader) -> str:
    while True:
        opcode, size = await reader.readexactly(2)
        if size > 125:
            size = int.from_bytes(await reader.readexactly(2 if size == 126 else 8), "big")
        payload = await reader.readexactly(size)
        if opcode & 15 == 8:
            return str(int.from_bytes(payload[:2], "big"))


# --- measuring --------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def flooding(kind: str, port: int, session: str, game: int, codes: Counter[str]) -> Iterator[None]:
    command = [sys.executable, "-m", "tests.bench.flood", "--flood", kind, str(port), session, str(game)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        time.sleep(1)
        try:
            yield
        finally:
            process.terminate()
            said, _ = process.communicate()
            codes.update(json.loads(said.splitlines()[-1]) if said else {})


def tables_of(count: int, variables: dict[str, str]) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(run(["-m", "tests.bench.seating", str(count)], variables))
    return found


def measure(
    count: int, seconds: float, rounds: int, kinds: list[str], variables: dict[str, str], meter: Meter
) -> list[str]:
    """A row of the table for each kind of flood."""
    rows = []
    for kind in kinds:
        ratios, gained, quiets, meanwhiles = [], [], [], []
        codes: Counter[str] = Counter()
        for _ in range(rounds):
            *tables, victim = tables_of(2 * count + 1, variables)
            with server(OURS, variables) as (web, port):
                quiet = asyncio.run(play(tables[:count], port, web, meter, 1.0, seconds))
                before = web.memory_info().rss
                with flooding(kind, port, victim["sessions"][0], victim["game"], codes):  # type: ignore[index,arg-type]
                    meanwhile = asyncio.run(play(tables[count:], port, web, meter, 1.0, seconds))
                gained.append((web.memory_info().rss - before) / 2**20)
            quiets.append(quiet)
            meanwhiles.append(meanwhile)
            ratios.append(meanwhile.figures.p99 / quiet.figures.p99)
        ratio, most = statistics.median(ratios), max(gained)
        verdict = "met" if ratio <= MOST_RATIO and most < MOST_MB else "MISSED"
        row = f"{kind:28} {_pair(quiets, 'p50')} {_pair(quiets, 'p99')} | {_pair(meanwhiles, 'p50')} "
        row += f"{_pair(meanwhiles, 'p99')} | {ratio:6.2f} {most:7.1f}  {verdict:6} {dict(codes)}"
        print(row, flush=True)
        rows.append(row)
    return rows


def _pair(found: list[Found], column: str) -> str:
    return f"{statistics.median(getattr(each.figures, column) for each in found):7.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=20, help="tables that play meanwhile (%(default)s)")
    parser.add_argument("--seconds", type=float, default=8.0, help="measured after the warm-up (%(default)s)")
    parser.add_argument("--rounds", type=int, default=1, help="times that each is measured (%(default)s)")
    parser.add_argument("--only", choices=tuple(FLOODS), action="append", help="measure this kind of flood alone")
    parser.add_argument("--flood", nargs=4, metavar=("KIND", "PORT", "SESSION", "GAME"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.flood:
        kind, port, session, game = options.flood
        asyncio.run(flood(int(port), session, int(game), kind))
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES if hard == resource.RLIM_INFINITY else min(FILES, hard), hard))
    print("Times in ms from sending a move until all four sockets have it; memory in MB that the web process gained.\n")
    print(f"{'':28} {'quiet':^15} | {'meanwhile':^15} | {'p99':>6} {'gained':>7}")
    print(f"{'flood by one guest':28} {'p50':>7} {'p99':>7} | {'p50':>7} {'p99':>7} | {'ratio':>6} {'MB':>7}  goal")
    try:
        with services() as (database_url, redis_url):
            variables = environment(database_url, redis_url)
            run(["manage.py", "migrate", "--verbosity", "0"], variables)
            meter = Meter(database_url, redis_url)
            try:
                measure(options.tables, options.seconds, options.rounds, options.only or list(FLOODS), variables, meter)
            finally:
                meter.close()
    except (Failure, ServiceError, OSError, psutil.Error) as failure:
        sys.exit(str(failure))


if __name__ == "__main__":
    main()
