"""Everything on this machine, in one terminal: private servers, the site, its workers. `make play` runs it.

It has no settings of its own: `config.settings` is read as a plain module here, since what Django needs (the servers'
addresses) is only known once they run. Its folder is DATA_DIR, where `config.embedded` keeps the servers' data and

    play.lock      locked while it runs
    secret_key     made once, where SECRET_KEY is not set
    environment    what the site's processes got, in the shell's form, for `make manage`; only while it runs
    prepare.log    what `config.prepare` said when it failed
    beat*          when the timer last sent each task
    static/        what browsers load
"""

from __future__ import annotations

import errno
import http.client
import os
import re
import secrets
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import ModuleType

import psutil
from django.core.exceptions import ImproperlyConfigured

from config.embedded import ServiceError, Services, take_lock
from config.supervisor import MARK, STEADY_S, CannotGoOn, Child, Log, Supervisor, end_marked, last_words

BASE_DIR = Path(__file__).resolve().parent.parent
#: Where less is free, everything is stopped while that still goes cleanly: one more segment of Postgres's log is 16 MB.
LEAST_FREE_MB = 32
MOST_REVIVALS = 10  # of the private servers in a row, each soon after the last
# Meant for servers on a network; here, root is whoever tries the site in a container.
QUIET_ROOT = ["-W", "ignore:You're running the worker with superuser privileges"]


def main() -> int:
    """Runs until it is told to stop. Returns the exit status; what is wrong is said in one line."""
    log = Log()
    try:
        with _own_terminal():
            _play(log)
    except KeyboardInterrupt:
        log("Stopped. The next `make play` goes on from here.")
        return 0
    except (CannotGoOn, ServiceError, ImproperlyConfigured) as error:
        line = str(error)
    except OSError as error:
        line = f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror or error}."
    sys.stderr.write(f"{' '.join(line.split())}\n")
    return 1


def _play(log: Log) -> None:
    added = _read_env_file(BASE_DIR / ".env")
    settings = _settings()
    data: Path = settings.DATA_DIR
    services = None if _has_servers(settings) else Services(data)
    supervisor = Supervisor(log, _watch_over(data, services, log))
    supervisor.listen_to_signals()
    os.chdir(BASE_DIR)  # where the children find our packages
    with ExitStack() as stack:
        data.mkdir(exist_ok=True)
        _check_room(data)
        stack.callback(os.close, take_lock(data / "play.lock"))
        mark = str(data)
        if end_marked(mark):
            log("Ended what a killed run had left behind.")
        listener = stack.enter_context(_listen(settings.HOST, settings.PORT))
        stack.callback(end_marked, mark)  # also a process that a signal has kept us from noting
        added["SECRET_KEY"] = settings.SECRET_KEY or _secret_key(data / "secret_key")
        if services is not None:
            stack.callback(services.stop)
            services.start()
            added |= {"DATABASE_URL": services.database_url, "REDIS_URL": services.redis_url}
            log(f"PostgreSQL and Valkey run; their data is in {services.data_dir}")
        stack.callback(supervisor.stop)
        surroundings = {**os.environ, **added, MARK: mark, "PYTHONUNBUFFERED": "1"}
        _prepare(surroundings, data / "prepare.log", log)
        stack.enter_context(_environment_file(data / "environment", added))
        supervisor.children = _children(settings, surroundings, listener, log)
        threading.Thread(target=_announce, args=(settings, listener, log), daemon=True).start()
        supervisor.run()


@contextmanager
def _own_terminal() -> Iterator[None]:
    """Has Ctrl-C reach this process alone, where make or a script in a terminal has started it.

    Make would end by the signal itself and report a clean stop as an error. Without a terminal nothing is changed.
    """
    group = os.getpgrp()
    if group == os.getpid() or not os.isatty(0) or os.tcgetpgrp(0) != group:
        yield
        return
    for number in (signal.SIGTTOU, signal.SIGTSTP):  # the latter would stop us alone and leave make waiting
        signal.signal(number, signal.SIG_IGN)
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpgrp())
    try:
        yield
    finally:
        with suppress(OSError):
            os.tcsetpgrp(0, group)


# --- what the processes are given -------------------------------------------------------------------------------------


def _read_env_file(file: Path) -> dict[str, str]:
    """Variables of NAME=value lines that are not set otherwise; sets and returns them."""
    added: dict[str, str] = {}
    for number, line in enumerate(file.read_text().splitlines() if file.exists() else (), 1):
        name, is_given, value = line.strip().partition("=")
        if not name or name.startswith("#"):
            continue
        if not is_given or not name.isidentifier():
            raise CannotGoOn(f"{file.name}, line {number} must be NAME=value.")
        if name not in os.environ:
            added[name] = value.strip().strip("\"'")
    os.environ.update(added)
    return added


def _settings() -> ModuleType:
    from config import settings  # noqa: PLC0415 - reads the environment, which .env has a part in

    return settings


def _has_servers(settings: ModuleType) -> bool:
    if bool(settings.DATABASE_URL) != bool(settings.REDIS_URL):
        missing = "REDIS_URL" if settings.DATABASE_URL else "DATABASE_URL"
        raise CannotGoOn(f"{missing} is missing: set DATABASE_URL and REDIS_URL, or neither for private servers.")
    return bool(settings.DATABASE_URL)


def _secret_key(file: Path) -> str:
    if not file.exists():
        _write_private(file, secrets.token_urlsafe(50))
    return file.read_text()


@contextmanager
def _environment_file(file: Path, variables: dict[str, str]) -> Iterator[None]:
    _write_private(file, "".join(f"{name}={shlex.quote(value)}\n" for name, value in variables.items()))
    try:
        yield
    finally:
        file.unlink(missing_ok=True)


def _write_private(file: Path, text: str) -> None:
    """All of it or nothing, for this account alone."""
    new = file.with_name(f"{file.name}.new")
    new.unlink(missing_ok=True)
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as output:  # noqa: PTH123 - has no mode
        output.write(text)
    new.replace(file)


def _listen(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port))
    except OverflowError:
        raise CannotGoOn(f"PORT must be between 0 and 65535; it is {port}.") from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CannotGoOn(f"Port {port} is taken. Choose another one: make play PORT={port + 1}") from None
        raise CannotGoOn(f"Cannot listen at {host}, port {port}: {error.strerror or error}.") from None


# --- what runs --------------------------------------------------------------------------------------------------------


def _prepare(surroundings: dict[str, str], report: Path, log: Log) -> None:
    log("Preparing the database, the texts and the static files ...")
    command = [sys.executable, "-m", "config.prepare"]
    done = subprocess.run(
        command,
        env=surroundings,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
        check=False,
    )
    if done.returncode == 0:
        for line in done.stdout.splitlines():
            log(line)
        return
    with suppress(OSError):
        report.write_text(done.stdout)
    words = last_words(done.stdout)
    if missing := re.search(r"No module named '[\w.]+'", words):
        raise CannotGoOn(f"A package is missing: {missing[0]}. `make clean` and `make play` install all of them again.")
    raise CannotGoOn(f"The site cannot be prepared: {words} (see {report}).")


def _children(settings: ModuleType, surroundings: dict[str, str], listener: socket.socket, log: Log) -> list[Child]:
    celery = [sys.executable, *QUIET_ROOT, "-m", "celery", "--quiet", "--app", "config"]
    level = ["--loglevel", settings.LOG_LEVEL]
    # Workers have nothing to say to each other here, and starting takes longer when they try.
    worker = [*celery, "worker", *level, "--without-gossip", "--without-mingle"]
    half = str(
        max(1, (len(psutil.Process().cpu_affinity()) if sys.platform == "linux" else psutil.cpu_count() or 1) // 2)
    )
    commands = {
        # The socket is ours, so that nobody takes the port and browsers wait while this process is started again.
        "web": [sys.executable, "-m", "config.web", "--fd", str(listener.fileno())],
        # Two, so that turns are played while one is started again; together as many processes as there are cores for
        # us, loaded before the first turn comes.
        "worker": [*worker, "--queues", "turns,ladder", "--hostname", "worker@%h", "--concurrency", half],
        "worker2": [*worker, "--queues", "turns,ladder", "--hostname", "worker2@%h", "--concurrency", half],
        # One process that steps back behind all others, and never has a turn to play.
        "reviews": [*worker, "--queues", "reviews", "--hostname", "reviews@%h", "--concurrency", "1"],
        # Of its own, so that no number of CPU turns delays the sweep.
        "clock": [*worker, "--queues", "clock", "--hostname", "clock@%h", "--concurrency", "1"],
        "beat": [*celery, "beat", *level, "--schedule", str(settings.DATA_DIR / "beat")],
    }
    files = {"web": (listener.fileno(),)}
    return [Child(name, command, surroundings, log, files.get(name, ())) for name, command in commands.items()]


def _watch_over(data: Path, services: Services | None, log: Log) -> Callable[[], bool]:
    """What looks after the disk and the private servers, and says whether the latter were away."""
    revivals, revived_at = 0, 0.0

    def watch() -> bool:
        nonlocal revivals, revived_at
        _check_room(data)
        if services is None:
            return False
        _check_room(services.data_dir)
        try:
            services.check()
            return False
        except ServiceError as death:
            revivals = revivals + 1 if time.monotonic() - revived_at < STEADY_S else 1
            if revivals > MOST_REVIVALS:
                raise CannotGoOn(f"It dies whenever it is started: {death}") from None
            log(f"{death} Starting it again.")
        services.start()
        log("The servers are back.")
        revived_at = time.monotonic()
        return True

    return watch


def _check_room(folder: Path) -> None:
    free = shutil.disk_usage(folder).free // 2**20
    if free < LEAST_FREE_MB:
        raise CannotGoOn(f"The disk is full: {free} MB are free for {folder}, and {LEAST_FREE_MB} MB are needed.")


def _announce(settings: ModuleType, listener: socket.socket, log: Log) -> None:
    """Says the address once the site answers there."""
    host, port = listener.getsockname()
    allowed = settings.ALLOWED_HOSTS
    name = "localhost" if {"localhost", "*"} & set(allowed) else allowed[0].lstrip(".")
    is_up = False
    while not is_up:
        with suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection("127.0.0.1" if host == "0.0.0.0" else host, port, timeout=60)
            connection.request("GET", "/health/live", headers={"Host": name})
            connection.getresponse()
            connection.close()
            is_up = True
        time.sleep(0.1)
    shown = name if host in ("127.0.0.1", "0.0.0.0") else host
    log(f"Open http://{shown}:{port}/ in a browser. Ctrl-C stops everything.")
