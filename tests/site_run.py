"""A site run as `make play` runs it, in a copy of the project with data of its own, and a very small browser."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import psutil
import psycopg
from psycopg.conninfo import make_conninfo

from tests.warden import MARK

PROJECT = Path(__file__).resolve().parent.parent
PATIENCE_S = 60
PASSED_ON = ("PATH", "LANG", "TMPDIR", MARK)


@contextmanager
def copy_of_the_project() -> Iterator[Path]:
    """A copy of the site that other accounts can read. Whatever still runs there in the end is killed."""
    copy = Path(tempfile.mkdtemp(prefix="play-")).resolve()
    copy.chmod(0o755)
    ignore = shutil.ignore_patterns(".*", "__pycache__", "tests", "*.mo")
    shutil.copytree(PROJECT, copy, ignore=ignore, dirs_exist_ok=True)
    try:
        yield copy
    finally:
        kill_all(copy)
        shutil.rmtree(copy)


def kill_all(folder: Path) -> None:
    """Kills what works in the folder or below."""
    for process in processes_of(folder):
        with suppress(psutil.NoSuchProcess):
            process.kill()


def processes_of(folder: Path) -> list[psutil.Process]:
    """What works in the folder or below: the site's processes and the private servers.

    Some live for moments only: what is asked of one later is in its `info`.
    """
    found = []
    for process in psutil.process_iter(["cwd", "status", "cmdline", "ppid", "uids"]):
        place = process.info["cwd"]
        if place and Path(place).is_relative_to(folder) and process.info["status"] != psutil.STATUS_ZOMBIE:
            found.append(process)
    return found


def eventually(look: Callable[[], Any], patience: float = PATIENCE_S) -> Any:
    """The first true result of a look."""
    give_up_at = time.monotonic() + patience
    while not (result := look()):
        assert time.monotonic() < give_up_at, f"in vain: {look}"
        time.sleep(0.05)
    return result


class Run:
    """One `manage.py play` and a browser, as far as that is needed here.

    `data` is its folder of data, for a site that sees another disk there than is seen from here.
    """

    def __init__(
        self,
        folder: Path,
        *,
        data: Path | None = None,
        cookies: SimpleCookie | None = None,
        become: Sequence[str] = (),
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self.folder, self.data, self.cookies = folder, data, cookies or SimpleCookie()
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            [*become, sys.executable, "manage.py", "play"],
            cwd=folder,
            env=environment(variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as pipe:
            self.lines.extend(iter(pipe.readline, ""))

    @property
    def text(self) -> str:
        return "".join(self.lines)

    def await_address(self) -> None:
        def look() -> re.Match[str] | None:
            assert self.process.poll() is None, self.text
            return re.search(r"Open http://localhost:(\d+)/ ", self.text)

        self.port = int(eventually(look)[1])

    def end(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        status = self.process.wait(PATIENCE_S)
        self.reader.join(5)
        return status

    def request(self, path: str, method: str = "GET") -> tuple[int, str]:
        """Status, and the body or where it leads to."""
        connection = HTTPConnection("localhost", self.port, timeout=PATIENCE_S)
        headers = {"Cookie": "; ".join(f"{name}={morsel.value}" for name, morsel in self.cookies.items())}
        if "csrftoken" in self.cookies:
            headers["X-CSRFToken"] = self.cookies["csrftoken"].value
        try:
            connection.request(method, path, headers=headers)
            response = connection.getresponse()
            body = response.read().decode()
        finally:
            connection.close()
        for cookie in response.headers.get_all("Set-Cookie", []):
            self.cookies.load(cookie)
        return response.status, response.headers.get("Location") or body

    def deal(self) -> str:
        """The path of a new game's table."""
        assert self.request("/")[0] == 200
        status, place = self.request("/play/hearts/", "POST")
        assert (status, place[:6]) == (302, "/game/")
        return place

    def given(self) -> dict[str, str]:
        """What the site's processes were given, for programs that work on its data."""
        lines = ((self.data or self.folder / ".data") / "environment").read_text().splitlines()
        return dict(shlex.split(line)[0].split("=", 1) for line in lines)

    def database(self) -> psycopg.Connection[Any]:
        url = self.given()["DATABASE_URL"]
        seen = make_conninfo(url, host=str(self.data / "sockets")) if self.data else url
        return psycopg.connect(seen, autocommit=True)

    def plays(self) -> bool:
        """Whether a new game gets its CPU turns, and the sweep has run since."""
        game = int(self.deal().split("/")[2])
        with self.database() as link:
            now = link.execute("select clock_timestamp()").fetchone()
            question = """select (select ply from games_game where id = %s) > 4 and seen_at > %s
                          from games_heartbeat where name = 'sweep'"""

            def look() -> Any:
                return (link.execute(question, [game, now[0] if now else None]).fetchone() or (False,))[0]

            return eventually(look, 10)


def environment(variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """Nothing of the tests' own: neither their servers nor their settings. An empty value takes a variable away."""
    kept = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    wanted = {**kept, "PORT": "0", "CPU_PACE": "0", "CPU_WARM": "no", **(variables or {})}
    return {name: value for name, value in wanted.items() if value}
