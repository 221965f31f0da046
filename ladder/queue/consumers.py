"""The socket of the queue: who looks at it, joins it, says that he is there. It parses, calls and sends."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import assert_never

from channels.db import database_sync_to_async
from django.utils import timezone

from games.tables.protocol import CLOSE_MALFORMED, CLOSE_UNAVAILABLE, text
from games.tables.sockets import UNAVAILABLE, Socket
from ladder.queue import matchmaking, protocol, tickets
from ladder.queue.protocol import Message
from ladder.queue.rooms import hub

logger = logging.getLogger(__name__)


class QueueConsumer(Socket):
    """One browser that looks at the queue. Anybody may look; the session says who joins."""

    async def opened(self) -> None:
        user = self.scope["user"]
        self.user_id: int | None = user.pk if user.is_authenticated else None
        try:
            await hub.join(self._send, self.user_id)
        except UNAVAILABLE as error:
            logger.warning("the queue: %s", error.__class__.__name__)
            await self._close(CLOSE_UNAVAILABLE)

    async def heard(self, text: str, within_rate: bool) -> None:
        try:
            said = protocol.parse(text)
        except protocol.Malformed:
            await self._close(CLOSE_MALFORMED)
            return
        if not within_rate:
            self._tell(protocol.refused(said.type, "too_fast"))
            return
        try:
            if isinstance(said, protocol.Ping):
                self._ping()
            elif self.user_id is None:
                self._tell(protocol.refused(said.type, "sign_up"))
            else:
                await self._act(self.user_id, said)
        except UNAVAILABLE as error:
            logger.warning("the queue: %s", error.__class__.__name__)
            self._tell(protocol.refused(said.type, "unavailable"))

    def _ping(self) -> None:
        self._tell(protocol.pong(timezone.now()))
        if self.user_id is not None:
            hub.note_seen(self.user_id)

    async def _act(self, user_id: int, said: Message) -> None:
        try:
            await database_sync_to_async(_do)(user_id, said)
        except tickets.Declined as declined:
            self._tell(protocol.refused(said.type, declined.code, **declined.details))
        hub.soon([user_id])  # also without Redis; pokes tell all others

    def _tell(self, message: Mapping[str, object]) -> None:
        self._send(text(message))

    async def left(self) -> None:
        await hub.leave(self._send)


def _do(user_id: int, said: Message) -> None:
    """What a message asks for, done for the user of the socket. Raises Declined."""
    match said:
        case protocol.Join():
            tickets.join(user_id=user_id, ladder=said.ladder, takes_cpu=said.cpu)
        case protocol.Leave():
            tickets.leave(user_id)
        case protocol.Consent():
            tickets.consent(user_id=user_id, takes_cpu=said.cpu)
        case protocol.Ready():
            matchmaking.ready(user_id)
        case protocol.Decline():
            matchmaking.decline(user_id)
        case protocol.Invite():
            tickets.invite(user_id=user_id, ladder=said.ladder, name=said.name)
        case protocol.Uninvite():
            tickets.uninvite(user_id)
        case protocol.Accept():
            tickets.accept(user_id=user_id, inviter_id=said.by)
        case protocol.Refuse():
            tickets.refuse(user_id=user_id, inviter_id=said.by)
        case protocol.Ping():
            pass  # noted on the event loop
        case _:
            assert_never(said)
