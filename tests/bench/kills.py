"""Kills each part of a running site in turn, and measures how long nobody's turn was settled.

A site of its own, as `make play` runs it. Before each kill a guest has the first turn of a new game; right after it he
answers, as soon as somebody takes the answer. Of each kill: seconds until the part was there again (by the log; the
site's servers when they answer), until the first entry of a CPU was stored after the answer, and how many lines were
logged about it; a trace is counted as well. Run: python -m tests.bench.kills [rounds [file for the site's log]]
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect
from websockets.typing import Origin

from tests.site_run import Run, copy_of_the_project, kill_all, processes_of

#: What is killed: a word of its command line.
VICTIMS = {
    "web": "config.web",
    "worker": "worker@%h",
    "worker2": "worker2@%h",
    "clock": "clock@%h",
    "beat": "beat",
    "Valkey": "valkey-server",
    "PostgreSQL": "postgres",
}
MOST_S = 3.0
#: A trace in the log: its head, or the error at its end. A line of the log may well name an error.
TRACE = re.compile(r"\| +(?:Traceback \(most recent|(?:\w+\.)*\w+(?:Error|Exception)\b)")
GIVE_UP_S = 60.0


def leader_of(folder: Path, word: str) -> psutil.Process:
    """The process that was started with this word, not those that it has started."""
    found = [process for process in processes_of(folder) if any(word in part for part in process.info["cmdline"] or ())]
    numbers = {process.pid for process in found}
    (leader,) = [process for process in found if process.info["ppid"] not in numbers]
    return leader


class Seat:
    """A guest at a table, who answers whatever happens to the line."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.path = run.deal()
        self.game = int(self.path.split("/")[2])
        self.ask: dict[str, Any] = {}
        self.wait_for_turn()

    def _connect(self) -> Any:
        cookie = "; ".join(f"{name}={morsel.value}" for name, morsel in self.run.cookies.items())
        site = f"localhost:{self.run.port}"
        return connect(
            f"ws://{site}/ws/game/{self.game}/?v=1",
            origin=Origin(f"http://{site}"),
            additional_headers={"Cookie": cookie},
            open_timeout=3,
        )

    def wait_for_turn(self) -> None:
        """Until the other three have passed their cards, and this seat alone is asked."""
        with self._connect() as line:
            while True:
                message = json.loads(line.recv(timeout=GIVE_UP_S))
                if message["type"] == "news":
                    self.ask = message["view"]["ask"]
                    if message["view"]["asked"] == [message["seat"]]:
                        return

    def answer(self) -> float:
        """Answers until that is acknowledged; when it was."""
        cards = self.ask["cards"][: self.ask["count"]]
        action = {"kind": self.ask["phase"], "cards": cards}
        frame = json.dumps({"type": "act", "id": "the-answer", "ask": self.ask["id"], "action": action})
        end = time.monotonic() + GIVE_UP_S
        while time.monotonic() < end:
            with suppress(OSError, WebSocketException, TimeoutError), self._connect() as line:
                line.send(frame)
                while True:
                    message = json.loads(line.recv(timeout=5))
                    if message["type"] == "ack":
                        return time.monotonic()
                    if message["type"] == "refused":
                        break
            time.sleep(0.02)
        raise AssertionError("the answer was never taken")


@contextmanager
def site(variables: Mapping[str, str] | None = None) -> Iterator[Run]:
    """A site of its own, with these variables in its environment; at the end its log is whole."""
    with copy_of_the_project() as folder:
        run = Run(folder, variables=variables)
        try:
            run.await_address()
            yield run
        finally:
            run.process.kill()
            run.process.wait()
            kill_all(folder)
            run.reader.join(5)


def measure(run: Run, name: str) -> tuple[float, float, float, int, int]:
    """One kill: seconds until it was back, until the answer was taken, until a CPU had answered; lines and traces."""
    seat = Seat(run)
    before = len(run.lines)
    killed_at = time.monotonic()
    leader_of(run.folder, VICTIMS[name]).kill()
    answered_at = seat.answer()
    settled_at = until_settled(run, seat.game)
    text = "".join(run.lines[before:])
    wait_until_ready(run, name, before)
    return (
        back_after(run, name, killed_at),
        answered_at - killed_at,
        settled_at - max(answered_at, killed_at),
        len(run.lines) - before,
        len(TRACE.findall(text)),
    )


def wait_until_ready(run: Run, name: str, before: int) -> None:
    """Until a part that was killed takes part again, so that the next kill is one alone."""
    end = time.monotonic() + GIVE_UP_S
    if name in ("worker", "worker2", "clock"):
        while not any(f"{name}@" in line and "ready" in line for line in run.lines[before:]):
            assert time.monotonic() < end, f"{name} is not ready"
            time.sleep(0.05)
    time.sleep(2)


def until_settled(run: Run, game: int) -> float:
    """When a CPU's card was played."""
    query = "select 1 from games_action where game_id = %s and cause = 'cpu' and kind = 'play'"
    with run.database() as link:
        end = time.monotonic() + GIVE_UP_S
        while time.monotonic() < end:
            # The guest may be the one who leads.
            asked = link.execute("select asks, ply from games_game where id = %s", [game]).fetchone()
            if link.execute(query, [game]).fetchone() or (asked and "0" in asked[0] and ".play." in asked[0]["0"][0]):
                return time.monotonic()
            time.sleep(0.02)
    raise AssertionError("nobody has played")


def back_after(run: Run, name: str, killed_at: float) -> float:
    """Seconds from the kill until the process with this name was there again."""
    end = time.monotonic() + GIVE_UP_S
    while True:
        with suppress(ValueError):  # none yet
            process = leader_of(run.folder, VICTIMS[name])
            break
        assert time.monotonic() < end, f"{name} was not started again"
        time.sleep(0.02)
    return process.create_time() - (time.time() - (time.monotonic() - killed_at))


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    print("Seconds from kill -9 until it was started again, until an answer was taken, and from then on until a CPU")
    print("had played; lines logged, and lines of traces among them.\n")
    print(f"{'killed':12} {'started':>8} {'taken':>8} {'CPU':>8} {'lines':>6} {'traces':>7}")
    slow = False
    with site() as run:
        for _ in range(rounds):
            for name in VICTIMS:
                started, taken, cpu, lines, traces = measure(run, name)
                slow = slow or cpu > MOST_S
                print(f"{name:12} {started:8.2f} {taken:8.2f} {cpu:8.2f} {lines:6} {traces:7}", flush=True)
            if len(sys.argv) > 2:
                Path(sys.argv[2]).write_text(run.text)
    if slow:
        print(f"\nMISSED: a CPU's turn took more than {MOST_S:g} s.")


if __name__ == "__main__":
    main()
