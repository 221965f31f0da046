"""A run of the tests, for real, that is interrupted or killed: none of its processes and folders is left."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from config.embedded import PROGRAMS
from tests import warden
from tests.site_run import PATIENCE_S, PROJECT, environment, eventually

pytestmark = pytest.mark.slow

STARTING_S = 3 * PATIENCE_S  # servers, a worker, a site and a browser
KEPT = ("HOME", "CHROMIUM", "PLAYWRIGHT_BROWSERS_PATH")

#: A test that never ends, with all that a test can have.
HANGS = """
import json, os, time
from pathlib import Path
from config.embedded import Services
from tests.browser.conftest import browser, site

def test_hangs(browser, site):
    browser.new_page().goto(f"http://localhost:{site.port}/")
    names = ("MOONSHOT_TESTS", "TMPDIR", "DATABASE_URL")
    note = Path(__file__).with_name("note")
    note.with_suffix(".new").write_text(json.dumps({name: os.environ[name] for name in names}))
    note.with_suffix(".new").rename(note)
    time.sleep(600)
"""


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., int]]:
    """Starts `make tests` with the test that hangs. Returns the number of make's process."""
    numbers: list[int] = []
    (tmp_path / "test_hangs.py").write_text(HANGS)
    arguments = f"{tmp_path}/test_hangs.py -c pyproject.toml --rootdir . -p no:cacheprovider -n 1"
    command = ["make", "--no-print-directory", "-o", ".venv/.dev", "-o", "browser", "tests"]
    command += [f"PY={sys.executable}", f"ARGS={arguments}"]
    surroundings = environment({name: os.environ[name] for name in KEPT if name in os.environ})

    def start(*, in_a_terminal: bool = False) -> int:
        with (tmp_path / "log").open("wb") as log:
            if in_a_terminal:
                number, terminal = pty.fork()
                if number == 0:
                    os.chdir(PROJECT)
                    signal.signal(signal.SIGINT, signal.SIG_DFL)  # ignored by what was started in the background
                    for stream in (1, 2):
                        os.dup2(log.fileno(), stream)
                    os.execvpe(command[0], command, surroundings)
                terminals.append(terminal)
            else:
                process = subprocess.Popen(
                    command, cwd=PROJECT, env=surroundings, stdout=log, stderr=log, start_new_session=True
                )
                number = process.pid
                process.returncode = 0  # whoever has started it waits for it by its number
        numbers.append(number)
        return number

    terminals: list[int] = []
    yield start
    for number in numbers:
        with suppress(ProcessLookupError):
            os.killpg(number, signal.SIGKILL)
    for terminal in terminals:
        os.close(terminal)


class Running:
    """What runs once the test hangs."""

    def __init__(self, make: int, folder: Path) -> None:
        def look() -> bool:
            assert os.waitpid(make, os.WNOHANG) == (0, 0), (folder / "log").read_text()
            return (folder / "note").exists()

        eventually(look, STARTING_S)
        note = json.loads((folder / "note").read_text())
        self.mark, self.files = note["MOONSHOT_TESTS"], Path(note["TMPDIR"])
        children = psutil.Process(make).children(recursive=True)
        self.pytest = next(child for child in children if "pytest" in child.cmdline())
        servers = {child for child in self.pytest.children() if child.name() in PROGRAMS}
        assert len(servers) == 2
        self.all = {*children, *warden.remains(self.mark, [self.files])}
        for server in servers:
            self.all |= {server, *server.children(recursive=True)}

    def is_gone(self) -> bool:
        return not any(process.is_running() and process.status() != psutil.STATUS_ZOMBIE for process in self.all)


def in_words(processes: set[psutil.Process]) -> str:
    words = []
    for process in processes:
        with suppress(psutil.Error):
            words.append(" ".join(process.cmdline()))
    return "\n".join(words)


def check(running: Running) -> None:
    words = in_words(running.all)
    for part in ("hrom", "manage.py play", "celery", "/valkey", "tests.warden"):
        assert part in words, words
    assert running.files.exists()


def await_the_end(running: Running) -> None:
    eventually(lambda: running.is_gone() or None, PATIENCE_S)
    assert warden.remains(running.mark, [running.files]) == []
    assert not running.files.exists()


def test_ctrl_c_in_a_terminal_leaves_nothing(start: Callable[..., int], tmp_path: Path) -> None:
    make = start(in_a_terminal=True)
    running = Running(make, tmp_path)
    check(running)
    os.killpg(os.getpgid(make), signal.SIGINT)
    _, status = os.waitpid(make, 0)
    assert os.waitstatus_to_exitcode(status) != 0
    await_the_end(running)


@pytest.mark.parametrize(
    ("who", "number"),
    [("make", signal.SIGTERM), ("make", signal.SIGKILL), ("pytest", signal.SIGKILL)],
    ids=["make", "make at once", "pytest at once"],
)
def test_a_kill_leaves_nothing(start: Callable[..., int], tmp_path: Path, who: str, number: signal.Signals) -> None:
    make = start()
    running = Running(make, tmp_path)
    check(running)
    os.kill(make if who == "make" else running.pytest.pid, number)
    _, status = os.waitpid(make, 0)
    assert os.waitstatus_to_exitcode(status) != 0
    await_the_end(running)
