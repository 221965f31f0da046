"""The socket of the queue: who looks at it, joins it, says that he is there. It parses, calls and sends."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from channels.db import database_sync_to_async
from django.utils import timezone

from games.tables.protocol import CLOSE_MALFORMED, CLOSE_UNAVAILABLE, text
from games.tables.sockets import UNAVAILABLE, Socket
from ladder.queue import matchmaking, protocol, tickets
from ladder.queue.protocol import Message
from ladder.queue.rooms import hub

logger = logging.getLogger(__name__)

#: What each message does, for the user of the socket.
ACTS: dict[str, Callable[[int, Message], Any]] = {
    "join": lambda user, said: tickets.join(user_id=user, ladder=said.ladder, takes_cpu=said.cpu),
    "leave": lambda user, said: tickets.leave(user),
    "consent": lambda user, said: tickets.consent(user_id=user, takes_cpu=said.cpu),
    "ready": lambda user, said: matchmaking.ready(user),
    "decline": lambda user, said: matchmaking.decline(user),
    "invite": lambda user, said: tickets.invite(user_id=user, ladder=said.ladder, name=said.name),
    "uninvite": lambda user, said: tickets.uninvite(user),
    "accept": lambda user, said: tickets.accept(user_id=user, inviter_id=said.by),
    "refuse": lambda user, said: tickets.refuse(user_id=user, inviter_id=said.by),
}


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
            self._tell(protocol.refused(said.kind, "too_fast"))
            return
        try:
            if said.kind == "ping":
                self._ping()
            elif self.user_id is None:
                self._tell(protocol.refused(said.kind, "sign_up"))
            else:
                await self._act(self.user_id, said)
        except UNAVAILABLE as error:
            logger.warning("the queue: %s", error.__class__.__name__)
            self._tell(protocol.refused(said.kind, "unavailable"))

    def _ping(self) -> None:
        self._tell(protocol.pong(timezone.now()))
        if self.user_id is not None:
            hub.note_seen(self.user_id)

    async def _act(self, user_id: int, said: Message) -> None:
        try:
            await database_sync_to_async(ACTS[said.kind])(user_id, said)
        except tickets.Declined as declined:
            self._tell(protocol.refused(said.kind, declined.code, **declined.details))
        hub.soon([user_id])  # also without Redis; pokes tell all others

    def _tell(self, message: dict[str, Any]) -> None:
        self._send(text(message))

    async def left(self) -> None:
        await hub.leave(self._send)
