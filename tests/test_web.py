"""The web server by itself, on real sockets: clients that do not read, and clients that say more than can be heard."""

from __future__ import annotations

import base64
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection
from typing import Any

import psutil
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from tests.site_run import PATIENCE_S, PROJECT, environment, eventually

pytestmark = pytest.mark.slow

#: The web server with another site: /pour sends without end, /slow takes its time over each message, /told says how
#: many frames of /pour were taken off its hands and how many messages /slow has had, all else is an echo. Over HTTP it
#: says how long the body was.
SITE = """
import asyncio, sys, types

poured = slow = 0

async def application(scope, receive, send):
    global poured, slow
    if scope["type"] == "http":
        length = 0
        while (message := await receive()).get("more_body"):
            length += len(message["body"])
        said = str(length + len(message["body"])).encode()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": said})
        return
    await receive()
    await send({"type": "websocket.accept"})
    if scope["path"] == "/pour":
        while True:
            await send({"type": "websocket.send", "text": "x" * 10_000})
            poured += 1
            await asyncio.sleep(0)
    while (message := await receive())["type"] == "websocket.receive":
        if scope["path"] == "/slow":
            slow += 1
            await asyncio.sleep(0.01)
        elif scope["path"] == "/told":
            await send({"type": "websocket.send", "text": f"{poured} {slow}"})
        else:
            await send({"type": "websocket.send", "text": message["text"]})

sys.modules["config.asgi"] = types.SimpleNamespace(application=application)
from config.web import main
main(sys.argv[1:])
"""


class Site:
    def __init__(self, port: int, web: psutil.Process) -> None:
        self.port, self.web = port, web

    def url(self, path: str) -> str:
        return f"ws://127.0.0.1:{self.port}{path}"

    def told(self) -> tuple[int, int]:
        with connect(self.url("/told"), open_timeout=PATIENCE_S) as client:
            client.send("?")
            poured, slow = str(client.recv(timeout=PATIENCE_S)).split()
            return int(poured), int(slow)

    def echoes(self) -> bool:
        with connect(self.url("/"), open_timeout=PATIENCE_S) as client:
            client.send("here")
            return client.recv(timeout=PATIENCE_S) == "here"

    @contextmanager
    def raw(self, path: str) -> Iterator[socket.socket]:
        """A socket that has shaken hands, and does what the test does."""
        with socket.socket() as line:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            line.settimeout(PATIENCE_S)
            line.connect(("127.0.0.1", self.port))
            key = base64.b64encode(os.urandom(16)).decode()
            head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            line.sendall(f"{head}Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
            seen = b""
            while b"\r\n\r\n" not in seen:
                seen += line.recv(1)
            assert b" 101 " in seen
            yield line


@pytest.fixture
def site() -> Iterator[Site]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        number = listener.fileno()
        command = [sys.executable, "-c", SITE, "--fd", str(number)]
        with subprocess.Popen(command, cwd=PROJECT, env=environment(), pass_fds=[number]) as process:
            yield Site(listener.getsockname()[1], psutil.Process(process.pid))
            process.terminate()


def frame(text: bytes) -> bytes:
    """A text frame as clients send it, with a mask of zeros."""
    size = bytes([0x80 | len(text)]) if len(text) < 126 else b"\xfe" + len(text).to_bytes(2, "big")
    return b"\x81" + size + bytes(4) + text


def test_whoever_opens_sockets_without_end_is_denied_and_nobody_else(site: Site) -> None:
    def opens(session: str) -> int:
        try:
            with connect(
                site.url("/"), additional_headers={"Cookie": f"a=b; sessionid={session}; c=d"}, open_timeout=PATIENCE_S
            ) as client:
                client.send("here")
                assert client.recv(timeout=PATIENCE_S) == "here"
        except InvalidStatus as denied:
            return denied.response.status_code
        return 101

    with ThreadPoolExecutor(20) as pool:
        statuses = list(pool.map(opens, ["busy"] * 90))
    assert statuses.count(101) in range(60, 75)
    assert set(statuses) == {101, 429}
    assert opens("other") == 101
    assert site.echoes()


def send_without_end(line: socket.socket, data: bytes) -> None:
    while True:
        line.sendall(data)


def settled(site: Site) -> int:
    """How much was poured, once it is not getting more."""
    while True:
        before = site.told()[0]
        time.sleep(0.3)
        if site.told()[0] == before:
            return before


def test_a_sender_waits_for_a_client_that_does_not_read_and_goes_on_when_it_does(site: Site) -> None:
    assert site.echoes()
    before = site.web.memory_info().rss
    with site.raw("/pour") as line:
        eventually(lambda: site.told()[0] > 0)
        kept = settled(site)
        # What the system keeps for the line, and what daphne may keep: some hundred KB, of as much as there is.
        assert kept * 10_000 < 2_000_000
        assert site.echoes()
        line.settimeout(PATIENCE_S)
        read = 0
        while read < 5_000_000:
            read += len(line.recv(65_536))
        assert site.told()[0] > kept
    assert site.web.memory_info().rss - before < 10_000_000
    eventually(site.echoes)


def test_messages_that_the_site_has_no_time_for_close_the_socket_and_are_not_kept(site: Site) -> None:
    assert site.echoes()
    before = site.web.memory_info().rss
    with connect(site.url("/slow"), open_timeout=PATIENCE_S) as client:
        with suppress(ConnectionClosed):
            for _ in range(20_000):
                client.send("x" * 1_000)
        with suppress(ConnectionClosed):
            client.recv(timeout=PATIENCE_S)
        assert client.close_code == 4429
    assert site.told()[1] <= 100
    assert site.echoes()
    assert site.web.memory_info().rss - before < 10_000_000


@pytest.mark.parametrize(
    "garbage",
    [frame(b"x" * 1_000) * 64, os.urandom(65_536), b"\x81\xff" + (2**40).to_bytes(8, "big") + bytes(65_536)],
    ids=["messages", "noise", "one without end"],
)
def test_whoever_sends_without_end_and_never_reads_is_cut_off(site: Site, garbage: bytes) -> None:
    assert site.echoes()
    before = site.web.memory_info().rss
    for _ in range(2):
        with site.raw("/slow") as line, pytest.raises(OSError, match=r"reset|Broken pipe"):
            send_without_end(line, garbage)
    assert site.echoes()
    assert site.web.memory_info().rss - before < 10_000_000


def posted(site: Site, body: Any, kind: str) -> tuple[int, bytes]:
    with closing(HTTPConnection("127.0.0.1", site.port, timeout=PATIENCE_S)) as line:
        line.request("POST", "/", body, {"Content-Type": kind})
        with line.getresponse() as answer:
            return answer.status, answer.read()


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (
            "multipart/form-data; boundary=x",
            b"--x\r\nContent-Disposition: form-data; name=a\r\n\r\n" + b"\n" * 30_000_000,
        ),
        ("application/x-www-form-urlencoded", b"a&" * 15_000_000),
    ],
)
def test_nobody_waits_while_somebody_sends_a_form_that_takes_long_to_read(site: Site, kind: str, body: bytes) -> None:
    def worked() -> float:
        spent = site.web.cpu_times()
        return float(spent.user + spent.system)

    began = worked()
    with ThreadPoolExecutor() as pool:
        sending = pool.submit(posted, site, body, kind)
        while not sending.done():
            assert posted(site, b"", "text/plain") == (200, b"0")
        assert sending.result() == (200, str(len(body)).encode())
    spent = worked() - began
    assert spent < 3, spent  # seconds; to take the form apart is more than twice as much


def test_a_body_without_end_is_refused_and_not_kept(site: Site) -> None:
    with socket.create_connection(("127.0.0.1", site.port), PATIENCE_S) as line:
        line.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 64000001\r\n\r\n")
        assert line.recv(100).startswith(b"HTTP/1.1 413 ")
    with socket.create_connection(("127.0.0.1", site.port), PATIENCE_S) as line:  # who does not say how much it will be
        line.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        chunk = b"100000\r\n" + b"x" * 2**20 + b"\r\n"
        with suppress(ConnectionError):
            for _ in range(100):
                line.sendall(chunk)
            pytest.fail("all of it was taken")
    assert posted(site, b"abc", "text/plain") == (200, b"3")
