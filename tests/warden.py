"""Ends what a run of the tests leaves behind, however the run ends: browsers, servers, sites, folders.

A run that is interrupted tidies up for itself, but one that is killed cannot, and a killed worker leaves whatever it
has started. So each run has a warden: a process in a session of its own, which Ctrl-C does not reach, that reads a pipe
which only the run can write to. Once the run has ended, the pipe is at its end as well, and the warden ends every
process that

    carries the run's mark in its surroundings (workers, browsers, sites), or
    works in one of the run's folders (the private servers, whose surroundings are bare).

    python -m tests.warden MARK FOLDER PARENT

The run adds folders by writing their paths into the pipe. FOLDER is for temporary files and is removed in the end.
PARENT is the number of the process that the run belongs to, or 0: make cannot take a run along when it is killed.
"""

from __future__ import annotations

import atexit
import os
import secrets
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import psutil

MARK = "MOONSHOT_TESTS"
LOOK_S = 1.0
POLITE_S = 10.0  # for a site that stops its servers, and for a run that tidies up
MOST_ROUNDS = 5


class Watched:
    """This run, as its warden sees it. Its mark begins with that of the run that it is a part of, if there is one."""

    def __init__(self) -> None:
        surroundings = dict(os.environ)
        mark = f"{os.environ.get(MARK, '')}/{secrets.token_hex(8)}"
        folder = Path(tempfile.mkdtemp(prefix="tests-")).resolve()
        folder.chmod(0o711)  # the account of the private servers works in there
        parent = os.getppid() if "MAKELEVEL" in os.environ else 0
        self._warden = subprocess.Popen(
            [sys.executable, "-m", __name__, mark, str(folder), str(parent)],
            cwd=Path(__file__).resolve().parents[1],
            env=surroundings,
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        atexit.register(self.end)
        os.environ[MARK] = mark
        # The folders that pytest keeps for whoever looks into a failure stay where they were.
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", tempfile.gettempdir())
        os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) == signal.SIG_DFL:
                signal.signal(number, _interrupt)

    def add(self, folder: Path) -> None:
        """Has whatever works in this folder ended as well."""
        assert self._warden.stdin is not None
        self._warden.stdin.write(os.fsencode(folder.resolve()) + b"\n")
        self._warden.stdin.flush()

    def end(self) -> None:
        """The last thing that a run does: it waits until nothing of it is left."""
        assert self._warden.stdin is not None
        self._warden.stdin.close()
        self._warden.wait()


def _interrupt(_number: int, _frame: object) -> None:
    """Has the run stop as it does by Ctrl-C."""
    raise KeyboardInterrupt


# --- the warden itself ------------------------------------------------------------------------------------------------


def main(mark: str, folder: str, parent: str) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    places = [Path(folder), *_wait_for_the_end(int(parent))]
    ended = end_all(mark, places)
    shutil.rmtree(folder, ignore_errors=True)
    if ended:
        with suppress(OSError):
            sys.stderr.write(f"Ended what the tests had left: {', '.join(sorted(ended))}.\n")


def _wait_for_the_end(parent: int) -> list[Path]:
    """Returns the folders that the run has named, once it is over."""
    run, said, give_up_at = os.getppid(), b"", None
    while True:
        if select.select([0], [], [], LOOK_S)[0]:
            more = os.read(0, 65536)
            if not more:
                return [Path(os.fsdecode(line)) for line in said.splitlines()]
            said += more
        elif parent and os.getppid() == run and _parent_of(run) != parent:
            now = time.monotonic()
            give_up_at = give_up_at or now + POLITE_S
            with suppress(ProcessLookupError):
                os.kill(run, signal.SIGTERM if now < give_up_at else signal.SIGKILL)


def _parent_of(number: int) -> int:
    try:
        return psutil.Process(number).ppid()
    except psutil.NoSuchProcess:
        return 0


def end_all(mark: str, places: list[Path]) -> list[str]:
    """Ends everything with this mark or in these places, first politely. Returns the names of what there was."""
    ended: list[str] = []
    for is_first in (True, *[False] * MOST_ROUNDS):
        found = remains(mark, places)
        if not found:
            break
        ended += [_name(process) for process in found]
        numbers = {process.pid for process in found}
        for process in found:
            with suppress(psutil.Error):
                if not is_first:
                    process.kill()
                elif _name(process) != "postgres":
                    process.terminate()
                elif process.ppid() not in numbers:  # Postgres sees to its own children
                    process.send_signal(signal.SIGINT)  # and would wait for its clients otherwise
        psutil.wait_procs(found, POLITE_S)
    return ended


def remains(mark: str, places: list[Path]) -> list[psutil.Process]:
    """Every process with this mark or in these places, but this one."""
    return [process for process in psutil.process_iter() if process.pid != os.getpid() and _is(process, mark, places)]


def _is(process: psutil.Process, mark: str, places: list[Path]) -> bool:
    with suppress(psutil.Error, OSError):
        if process.status() == psutil.STATUS_ZOMBIE:
            return False
        with suppress(psutil.AccessDenied):
            carried = process.environ().get(MARK, "")
            if carried == mark or carried.startswith(f"{mark}/"):
                return True
        return any(Path(process.cwd()).is_relative_to(place) for place in places)
    return False


def _name(process: psutil.Process) -> str:
    with suppress(psutil.Error):
        return process.name()
    return "a process"


if __name__ == "__main__":
    main(*sys.argv[1:])
