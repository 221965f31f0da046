"""The web server: daphne with a limit on what a WebSocket client may send.

    python -m config.web --port 8000

Takes daphne's options. Its own limits hold for what the site sends as well, and a view of a table is longer than
anything that a client has to say.
"""

from __future__ import annotations

import asyncio
import sys

from daphne.cli import CommandLineInterface
from daphne.ws_protocol import WebSocketFactory, WebSocketProtocol
from twisted.internet import reactor  # the one that daphne has installed

#: Bytes of a frame, and of a message in many frames. The protocol of a table needs 1,024 (games/protocol.py).
MOST_BYTES = 4096


class BoundedProtocol(WebSocketProtocol):
    """Closes with 1009 before the content of a message that is too long is read. Compression is never agreed to."""

    # Autobahn takes each option from its factory, unless the class has it.
    maxFramePayloadSize = MOST_BYTES  # noqa: N815 - autobahn's name
    maxMessagePayloadSize = 0  # noqa: N815 - would hold for what is sent, too
    failByDrop = False  # noqa: N815 - closes with a code instead of a reset line; dropped after a second if unanswered

    def onMessageFrameBegin(self, length: int) -> None:  # noqa: N802 - autobahn's name
        super().onMessageFrameBegin(length)
        if not self.failedByMe and self.message_data_total_length > MOST_BYTES:
            reason = f"a message of more than {MOST_BYTES} bytes"
            self._max_message_size_exceeded(self.message_data_total_length, MOST_BYTES, reason)


def _begin() -> None:
    """Lets the sweep know that a web process lives, also while nobody sits at a table."""
    from games.rooms import hub  # noqa: PLC0415 - the apps are loaded with the application

    asyncio.ensure_future(hub.start())  # noqa: RUF006 - the hub keeps what it starts


def main(arguments: list[str]) -> None:
    WebSocketFactory.protocol = BoundedProtocol
    reactor.callLater(0, _begin)  # type: ignore[arg-type]  # declared on an interface
    # Verbosity 0: no line for each request. What Django and the site log is not daphne's matter.
    CommandLineInterface().run(["--verbosity", "0", *arguments, "config.asgi:application"])


if __name__ == "__main__":
    main(sys.argv[1:])
