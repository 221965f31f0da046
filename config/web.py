"""The web server: daphne with limits on what a client may send and on what is kept for one that reads slowly.

    python -m config.web --port 8000

Takes daphne's options. Its own limits hold for what the site sends as well, and a view of a table is longer than
anything that a client has to say. Daphne keeps whatever it is given to send, and whatever comes in before the
application has got to it: here a sender waits for a client that does not read, and a client who says more than can be
heard is let go. Twisted reads every form before the application does, all of it at once, while everybody else waits:
here only the application reads them.

What is used of daphne and autobahn beyond their descriptions: the protocol's `application_queue`, the names that
daphne takes its classes by (see `main`), and that autobahn sends a close frame by `sendCloseFrame`. tests/test_web.py
and tests/games/tables/test_real_sockets.py fail where these are no longer so.
"""

from __future__ import annotations

import asyncio
import random
import re
import socket
import sys
from contextlib import suppress
from typing import Any

from autobahn.twisted.websocket import ConnectionDeny
from daphne import http_protocol
from daphne.cli import CommandLineInterface
from daphne.server import Server
from daphne.ws_protocol import WebSocketFactory, WebSocketProtocol
from twisted.internet import defer, reactor  # the one that daphne has installed

from games.tables.rates import Bucket, Each

#: Bytes of a frame, and of a message in many frames. The protocol of a table needs 1,024 (games/tables/protocol.py).
MOST_BYTES = 4096
#: Bytes of the body of a request. The largest that is of use is a file with recorded games
#: (games/histories/record_views.py), and whoever sends somewhat more of that is told so by its page.
MOST_BODY = 64_000_000
TOO_LARGE = b"HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
#: Messages that may wait for the application. A table acts on ten a second, on twenty at once.
MOST_WAITING = 80
#: Bytes that the system keeps for a client that does not read; more than it has time for in a second.
SEND_BUFFER = 256 * 1024
#: Sockets that one browser may open a second for long, and how many at once; about how long the next one then waits.
OPENINGS = (1.0, 60.0)
HOLD_S = 2.0
TOO_FAST = 4429  # as games/tables/protocol.py has it
#: Bytes that are still taken from a client after that, unread. A line that is cut while more waits takes the close code
#: with it, so whoever reads at all has had his chance by then.
MOST_DISCARDED = 8 * 1024 * 1024
#: Seconds from the close code to the end of what is sent.
END_AFTER_S = 0.5
#: Close codes after which nothing that the client still sends is of interest.
DEAF_AFTER = (1002, 1007, 1009, 4400, TOO_FAST)
SESSION = re.compile(r"(?:^|;\s*)sessionid=([^;]+)")

_openings = Each(lambda: Bucket(*OPENINGS))


class BoundedProtocol(WebSocketProtocol):
    """Closes with 1009 before the content of a message that is too long is read, and with 4429 when too many wait.

    Compression is never agreed to. Once it is closed for one of these reasons nothing that comes is looked at any more:
    who sends as fast as possible would otherwise be listened to until the line is cut, seconds later.
    """

    # Autobahn takes each option from its factory, unless the class has it.
    maxMessagePayloadSize = MOST_BYTES  # noqa: N815 - autobahn's name; looked at with the head of each frame
    failByDrop = False  # noqa: N815 - closes with a code instead of a reset line; dropped if unanswered
    closeHandshakeTimeout = 5  # noqa: N815 - in seconds; a line that is cut sooner may take the code with it

    def __init__(self) -> None:
        super().__init__()
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._is_held = False
        self._is_deaf = False
        self._discarded = 0

    # --- opening ------------------------------------------------------------------------------------------------------

    def onConnect(self, request: Any) -> Any:  # noqa: N802 - autobahn's name
        """Denies with HTTP 429 whoever opens sockets without end, before any of the site's work; and not at once, so
        that somebody who waits for the answer before he tries again cannot try often."""
        session = SESSION.search(request.headers.get("cookie", ""))
        if _openings.of(session[1] if session else str(request.peer).rpartition(":")[0]).take():
            return super().onConnect(request)
        self._is_held = True
        answer: defer.Deferred[None] = defer.Deferred()
        denied = ConnectionDeny(429, "Too many sockets")
        reactor.callLater(HOLD_S * (0.5 + random.random()), answer.errback, denied)  # type: ignore[arg-type]  # declared on an interface
        return answer

    def onClose(self, *arguments: Any) -> None:  # noqa: N802 - autobahn's name
        if not self._is_held:  # else the site has never heard of it
            super().onClose(*arguments)

    # --- what comes in ------------------------------------------------------------------------------------------------

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 - twisted's name
        if not self._is_deaf:
            super().dataReceived(data)
            return
        self._discarded += len(data)
        if self._discarded > MOST_DISCARDED:
            self.transport.abortConnection()

    def onMessage(self, payload: bytes, isBinary: bool) -> None:  # noqa: N802, N803 - autobahn's names
        if self.state != self.STATE_OPEN:
            return
        if self.application_queue.qsize() >= MOST_WAITING:
            self.serverClose(TOO_FAST)
            return
        super().onMessage(payload, isBinary)

    def sendCloseFrame(self, code: int | None = None, *arguments: Any, **options: Any) -> None:  # noqa: N802
        was_open = self.state == self.STATE_OPEN
        super().sendCloseFrame(code, *arguments, **options)
        if was_open and code in DEAF_AFTER:
            self._is_deaf = True
            # A client waits for the line to end. The code has its time to be read before that.
            reactor.callLater(END_AFTER_S, self.transport.loseWriteConnection)  # type: ignore[arg-type]  # as above

    # --- what goes out ------------------------------------------------------------------------------------------------

    def sendMessage(self, *arguments: Any, **options: Any) -> None:  # noqa: N802 - autobahn's name
        """Autobahn's limit holds for both directions, and what the site sends is longer."""
        self.maxMessagePayloadSize = 0
        try:
            super().sendMessage(*arguments, **options)
        finally:
            self.maxMessagePayloadSize = MOST_BYTES

    async def drained(self) -> None:
        """Waits while the client does not read what was sent. Returns at once when it is gone."""
        await self._flowing.wait()

    def onOpen(self) -> None:  # noqa: N802 - autobahn's name
        super().onOpen()
        with suppress(OSError):  # a unix socket has other limits
            self.transport.getHandle().setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        self.transport.unregisterProducer()  # that of the HTTP request which this was
        self.transport.registerProducer(self, True)

    def pauseProducing(self) -> None:  # noqa: N802 - twisted's names
        """More is waiting for the client than the transport wants to keep."""
        self._flowing.clear()

    def resumeProducing(self) -> None:  # noqa: N802
        """The client has read it."""
        self._flowing.set()

    def stopProducing(self) -> None:  # noqa: N802
        """The client is gone."""
        self._flowing.set()

    def connectionLost(self, *arguments: Any) -> None:  # noqa: N802 - twisted's name
        self._flowing.set()
        super().connectionLost(*arguments)


class BoundedRequest(http_protocol.WebRequest):
    """Ends with 413 as soon as a body is known to be too long, and leaves what is in it to the application."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, parsePOSTFormSubmission=False, **options)
        self._is_refused = False
        self._length = 0

    def gotLength(self, length: int | None) -> None:  # noqa: N802 - twisted's names
        super().gotLength(length)
        self._admit(length or 0)

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802
        self._length += len(data)  # nobody has to say beforehand how much it will be
        if not self._is_refused and self._admit(self._length):
            super().handleContentChunk(data)

    def requestReceived(self, *arguments: Any) -> None:  # noqa: N802
        if not self._is_refused:
            super().requestReceived(*arguments)

    def _admit(self, length: int) -> bool:
        if length > MOST_BODY:
            self._is_refused = True
            self.channel.transport.write(TOO_LARGE)
            self.channel.loseConnection()
        return not self._is_refused


class PatientServer(Server):
    """Has the application wait for a client that does not read, instead of keeping all that it sends."""

    async def handle_reply(self, protocol: Any, message: dict[str, Any]) -> None:
        await super().handle_reply(protocol, message)
        if message["type"] == "websocket.send":
            await protocol.drained()


def _begin() -> None:
    """Lets the sweep know that a web process lives, also while nobody sits at a table."""
    from games.tables.rooms import hub  # noqa: PLC0415 - the apps are loaded with the application

    asyncio.ensure_future(hub.start())  # noqa: RUF006 - the hub keeps what it starts


def main(arguments: list[str]) -> None:
    WebSocketFactory.protocol = BoundedProtocol
    http_protocol.WebRequest = BoundedRequest
    CommandLineInterface.server_class = PatientServer
    reactor.callLater(0, _begin)  # type: ignore[arg-type]  # declared on an interface
    # Verbosity 0: no line for each request. What Django and the site log is not daphne's matter.
    CommandLineInterface().run(["--verbosity", "0", *arguments, "config.asgi:application"])


if __name__ == "__main__":
    main(sys.argv[1:])
