"""Keeps processes alive: starts them, puts their name before every line they write, restarts those that die.

Standard library and psutil only. Each process leads a session of its own, so that Ctrl-C in a terminal reaches its
owner alone, which then ends all of them in order. MARK in their surroundings tells them from all other processes, so
that the next owner finds those of a killed one; files that name processes are not trusted.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import psutil

TICK_S = 0.1
STEADY_S = 10.0  # whoever lived for so long was no false start
FIRST_PAUSE_S = 0.25  # before a restart; twice as long each time that it dies before it is steady
LONGEST_PAUSE_S = 4.0
MOST_FALSE_STARTS = 5
POLITE_S = 8.0
ONE_WISH_S = 1.0  # make, a shell and a terminal may each pass on the same signal
MARK = "MOONSHOT_RUN"


class CannotGoOn(Exception):
    """The site cannot start or go on. The message is one line for the person at the terminal."""


class Log:
    """Lines on standard output, each behind the name of whoever says it."""

    COLOURS = {"web": 36, "worker": 32, "worker2": 32, "clock": 35, "beat": 34}
    WIDTH = max(map(len, COLOURS))

    def __init__(self) -> None:
        self._colours = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        self._lock = threading.Lock()

    def __call__(self, text: str, name: str = "play") -> None:
        prefix = f"{name:<{self.WIDTH}} |"
        if self._colours:
            prefix = f"\033[{self.COLOURS.get(name, 1)}m{prefix}\033[0m"
        with self._lock, suppress(OSError):  # a closed terminal must not stop what is in order
            sys.stdout.write(f"{prefix} {text}\n")
            sys.stdout.flush()


@dataclass
class Child:
    """A process that is to run for as long as its owner does. `files`: numbers of open files that it inherits."""

    name: str
    command: Sequence[str]
    surroundings: Mapping[str, str]
    log: Log
    files: tuple[int, ...] = ()

    _process: subprocess.Popen[bytes] | None = None
    _reader: threading.Thread | None = None
    _last_lines: deque[str] = field(default_factory=lambda: deque(maxlen=40))
    _start_at: float = 0.0
    _started_at: float = 0.0
    _deaths: int = 0  # in a row, none of them steady
    _false_starts: int = 0  # those among them that nobody else caused

    def tend(self) -> None:
        """Starts it if it is due, notices its death. Raises CannotGoOn if it dies of itself again and again."""
        now = time.monotonic()
        if self._process is None:
            if now >= self._start_at:
                self._start(now)
        elif (status := self._process.poll()) is not None:
            self._end_remains()
            self._plan_restart(now, status)

    def forgive(self) -> None:
        """Forgets its deaths, since something that it needs was away."""
        self._deaths = self._false_starts = 0

    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def send(self, number: signal.Signals) -> None:
        """Signals the process; with SIGKILL, whatever it has started as well."""
        if self._process is None:
            return
        if number == signal.SIGKILL:
            _kill_group(self._process.pid)
        elif self.is_running():
            self._process.send_signal(number)

    def end(self) -> None:
        """Forgets the process after its end."""
        if self._process is not None:
            self._process.wait()
            self._end_remains()

    def _start(self, now: float) -> None:
        self._last_lines.clear()
        self._process = subprocess.Popen(
            self.command,
            env=self.surroundings,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=self.files,
        )
        self._started_at = now
        self._reader = threading.Thread(target=self._read, args=(self._process,), daemon=True)
        self._reader.start()

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        with process.stdout as pipe:
            for raw in pipe:
                line = raw.decode(errors="replace").rstrip()
                if line:
                    self._last_lines.append(line)
                    self.log(line, self.name)

    def _end_remains(self) -> None:
        """Ends what a dead process has left: those it started, and the reader of its lines."""
        if self._process is not None:
            _kill_group(self._process.pid)
        if self._reader is not None:
            self._reader.join(1)
        self._process = self._reader = None

    def _plan_restart(self, now: float, status: int) -> None:
        reason = _reason(status, self._last_lines)
        if now - self._started_at > STEADY_S:
            self.forgive()
        self._deaths += 1
        self._false_starts += status != -signal.SIGKILL  # which somebody else has sent
        if self._false_starts > MOST_FALSE_STARTS:
            raise CannotGoOn(f"{self.name} ends whenever it is started: {reason}.")
        pause = min(FIRST_PAUSE_S * 2 ** (self._deaths - 1), LONGEST_PAUSE_S)
        self._start_at = now + pause
        self.log(f"{self.name} has died ({reason}); starting it again in {pause:g} s.")


class Supervisor:
    """Children, and what they need. `watch` is called again and again: it raises CannotGoOn if that cannot be had
    any more, and returns true if it was away and is back."""

    def __init__(self, log: Log, watch: Callable[[], bool]) -> None:
        self.children: list[Child] = []
        self._log, self._watch = log, watch
        self._is_ending = False
        self._asked_at = 0.0
        self._hurry = threading.Event()

    def listen_to_signals(self) -> None:
        """The first SIGINT, SIGTERM or SIGHUP raises KeyboardInterrupt here; another one makes `stop` impatient."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # ignored under nohup
                signal.signal(number, self._on_signal)

    def _on_signal(self, _number: int, _frame: object) -> None:
        now = time.monotonic()
        if not self._is_ending:
            self._is_ending, self._asked_at = True, now
            raise KeyboardInterrupt
        if now - self._asked_at > ONE_WISH_S:
            self._hurry.set()

    def run(self) -> None:
        """Until a signal comes. Raises CannotGoOn; stops nothing."""
        while True:
            if self._watch():
                for child in self.children:
                    child.forgive()
            for child in self.children:
                child.tend()
            time.sleep(TICK_S)

    def stop(self) -> None:
        """Ends the children: politely at first, firmly after a while or when there is another signal."""
        self._is_ending = True
        self._log("Stopping ...")
        for number, patience in ((signal.SIGTERM, POLITE_S), (signal.SIGKILL, POLITE_S)):
            for child in self.children:
                child.send(number)
            give_up_at = time.monotonic() + patience
            while any(child.is_running() for child in self.children) and time.monotonic() < give_up_at:
                if self._hurry.wait(0.05) and number == signal.SIGTERM:
                    break
        for child in self.children:
            child.end()


def end_marked(mark: str) -> int:
    """Ends every process that carries this mark, such as those of a killed owner. Returns how many there were."""
    found = [process for process in psutil.process_iter() if _mark_of(process) == mark]
    for process in found:
        with suppress(psutil.Error):
            process.terminate()
    _, alive = psutil.wait_procs(found, POLITE_S)
    for process in alive:
        with suppress(psutil.Error):
            process.kill()
    psutil.wait_procs(alive, POLITE_S)
    return len(found)


def _mark_of(process: psutil.Process) -> str | None:
    try:
        return process.environ().get(MARK) if process.pid != os.getpid() else None
    except (psutil.Error, OSError):  # it has ended, or belongs to somebody else
        return None


def last_words(text: str) -> str:
    """The reason in what a program wrote before it ended: the error of its last trace, or its last line."""
    if "No space left on device" in text:
        return "the disk is full"
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    traces = [number for number, line in enumerate(lines) if line.startswith("Traceback (")]
    after = lines[traces[-1] + 1 :] if traces else lines[-1:]
    error = next((line for line in after if not line.startswith(" ")), "")
    return re.sub(r"^(?:\w+\.)*\w+(?:Error|Exception): ", "", error).strip().rstrip(".")


def _reason(status: int, lines: Iterable[str]) -> str:
    if status < 0:
        return f"killed by {signal.Signals(-status).name}"
    words = last_words("\n".join(lines)) if status else ""
    return words or f"exit status {status}"


def _kill_group(leader: int) -> None:
    with suppress(OSError):  # nobody is left in it
        os.killpg(leader, signal.SIGKILL)
