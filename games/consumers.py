"""The socket of a table: authenticate, parse, call a service, send. No game logic in here."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any
from urllib.parse import parse_qs

from channels.db import database_sync_to_async
from channels.exceptions import StopConsumer
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone
from psycopg import Error as PsycopgError
from psycopg_pool import PoolTimeout

from games import live, party_games, people, phrases, protocol, rates, services, store, votes, wakeups
from games.pokes import pokes
from games.refusals import Rejected
from games.rooms import hub, now_ms
from games.rules import Refused

logger = logging.getLogger(__name__)

#: Postgres cannot be reached, or does not answer in time.
UNAVAILABLE = (PsycopgError, PoolTimeout, DatabaseError, TimeoutError)
#: Messages a second that are read for long, and how many at once.
RATE = 10.0
BURST = 20.0
#: Messages over the rate that are refused before the socket is closed.
PATIENCE = 40
#: Frames that may wait for a slow reader.
OUTBOX = 64
#: Seconds between two notes that somebody is there.
SEEN_EVERY_S = 10.0


class TableConsumer(AsyncWebsocketConsumer):
    """One browser at one table."""

    #: Pokes come through the hub's one channel; a channel for each socket costs a queue and a task more.
    channel_layer_alias = "none"

    async def dispatch(self, message: dict[str, Any]) -> None:
        """As in Channels 4.3, without its hop to the ORM's thread before every message: no connection is used here."""
        handler = getattr(self, message["type"].replace(".", "_"), None)
        if handler is None:
            raise ValueError(f"no handler for {message['type']}")
        await handler(message)

    async def connect(self) -> None:
        self.game_id: int = self.scope["url_route"]["kwargs"]["game_id"]
        self.seat: int | None = None
        self.tokens, self.filled_at, self.excess = BURST, time.monotonic(), 0.0
        self.outbox: asyncio.Queue[str] = asyncio.Queue(OUTBOX)
        self.closing = False
        self.share: rates.Share | None = None
        self.seen_noted_at = 0.0
        self.throttle = phrases.Throttle()
        await self.accept()
        self.writer = asyncio.ensure_future(self._write())
        user = self.scope["user"]
        query = parse_qs(self.scope["query_string"].decode(errors="replace"))
        if query.get("v") != [str(protocol.VERSION)]:
            await self._close(protocol.CLOSE_VERSION)
            return
        share = rates.share_of(user.pk if user.is_authenticated else _address_of(self.scope))
        if share.sockets >= settings.SOCKETS_PER_USER:
            await self._close(protocol.CLOSE_TOO_MANY)
            return
        if not share.readings.take():
            await self._close(protocol.CLOSE_TOO_FAST)
            return
        self.share = share
        share.sockets += 1
        since = query.get("since", [""])[0]
        try:
            self.seat = await hub.join(
                self.game_id, self._send, user.pk, int(since) if since.isdecimal() and len(since) < 10 else None
            )
            await self._note_seen()
            await hub.presence(self.game_id)
        except live.NoSuchGame:  # or one that only its players may see
            await self._close(protocol.CLOSE_NO_GAME if user.is_authenticated else protocol.CLOSE_NOT_SIGNED_IN)
            return
        except UNAVAILABLE as error:
            logger.warning("game %s: %s", self.game_id, error.__class__.__name__)
            await self._close(protocol.CLOSE_UNAVAILABLE)
            return
        await wakeups.presence(self.game_id, pokes.channel)
        standing = await votes.tallies(self.game_id)
        if standing:
            self._send(protocol.text(protocol.votes([tally.to_json() for tally in standing])))

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if self.closing:
            return
        within_rate = self._within_rate()
        if self.excess > PATIENCE:
            await self._close(protocol.CLOSE_TOO_FAST)
            return
        try:
            message = protocol.parse(text_data if text_data is not None else "")
        except protocol.Malformed:
            await self._close(protocol.CLOSE_MALFORMED)
            return
        try:
            if not within_rate:
                raise Rejected("too_fast")
            await self._handle(message)
        except (Refused, Rejected) as refused:
            self._send(protocol.text(protocol.refused(getattr(message, "id", ""), refused.to_json())))
        except UNAVAILABLE as error:
            logger.warning("game %s: %s", self.game_id, error.__class__.__name__)
            rejected = Rejected("unavailable")
            self._send(protocol.text(protocol.refused(getattr(message, "id", ""), rejected.to_json())))

    async def _handle(self, message: protocol.Message) -> None:
        if isinstance(message, protocol.Ping):
            await self._pong(message)
            return
        seat = self.seat
        if seat is None:
            raise Rejected("not_seated")
        if isinstance(message, protocol.Act):
            receipt = await services.submit_action(
                game_id=self.game_id,
                seat=seat,
                ask=message.ask,
                action=message.action_of(seat),
                cause="player",
                client_id=message.id,
            )
            self._send(protocol.text(protocol.ack(message.id, receipt.ply)))
        elif isinstance(message, protocol.Leave):
            receipt = await services.leave(game_id=self.game_id, seat=seat, client_id=message.id)
            self._send(protocol.text(protocol.ack(message.id, receipt.ply)))
        elif isinstance(message, protocol.Say | protocol.Mute | protocol.Vote):
            await self._handle_talk(message, seat)
        elif isinstance(message, protocol.Back):
            receipt = await services.back(game_id=self.game_id, seat=seat, client_id=message.id)
            self._send(protocol.text(protocol.ack(message.id, receipt.ply)))
        else:
            is_party, opened = await party_games.rematch(game_id=self.game_id, seat=seat)
            if is_party:
                self._send(protocol.text(protocol.ack(message.id, (await live.position_of(self.game_id))[1].ply)))
                if opened is not None:  # else the others have not agreed yet
                    self._send(protocol.text(protocol.rematch(opened)))
                return
            receipt, following = await services.rematch(game_id=self.game_id, seat=seat)
            self._send(protocol.text(protocol.ack(message.id, receipt.ply)))
            self._send(protocol.text(protocol.rematch(following)))

    async def _handle_talk(self, message: protocol.Say | protocol.Mute | protocol.Vote, seat: int) -> None:
        """What players say to each other; nothing of it is in the log."""
        if isinstance(message, protocol.Say):
            if message.phrase not in phrases.KEYS:
                raise Rejected("unknown_phrase")
            if not self.throttle.admits():
                raise Rejected("too_chatty")
            if not await database_sync_to_async(people.may_speak)(game_id=self.game_id, seat=seat):
                raise Rejected("muted")
            await wakeups.said(self.game_id, seat, message.phrase)
        elif isinstance(message, protocol.Mute):
            await database_sync_to_async(people.set_mute)(
                game_id=self.game_id, seat=seat, target=message.seat, on=message.on
            )
            await wakeups.muted(self.game_id, seat)
        else:
            await votes.vote(game_id=self.game_id, seat=seat, about=message.about, target=message.target, on=message.on)
        _, position = await live.position_of(self.game_id)
        self._send(protocol.text(protocol.ack(message.id, position.ply)))

    async def _pong(self, ping: protocol.Ping) -> None:
        """Answers, and heals what a lost poke has left behind."""
        _, position = await live.position_of(self.game_id)
        if ping.ply >= position.ply:
            _, position = await live.refresh(self.game_id)
        self._send(protocol.text(protocol.pong(position.ply, now_ms())))
        if ping.ply < position.ply:
            if self.share is not None and not self.share.readings.take():
                raise Rejected("too_fast")
            await hub.resend(self.game_id, self._send, ping.ply)
        await self._note_seen()

    async def _note_seen(self) -> None:
        now = time.monotonic()
        if self.seat is not None and now - self.seen_noted_at > SEEN_EVERY_S:
            self.seen_noted_at = now
            at = timezone.now()
            hub.seen(self.game_id, self.seat, at)
            await store.note_seen(self.game_id, self.seat, at)

    def _within_rate(self) -> bool:
        """Whether this message may be acted on. What is too much adds up, and is slowly forgotten."""
        is_shared_out = self.share is not None and not self.share.messages.take()
        now = time.monotonic()
        filled = (now - self.filled_at) * RATE
        self.tokens, self.filled_at = min(BURST, self.tokens + filled), now
        self.excess = max(0.0, self.excess - filled / 10)
        if self.tokens >= 1 and not is_shared_out:
            self.tokens -= 1
            return True
        self.excess += 1
        return False

    def _send(self, frame: str) -> None:
        """Queues a frame. A reader so slow that the outbox is full is let go: it can come back and read afresh."""
        if self.closing:
            return
        try:
            self.outbox.put_nowait(frame)
        except asyncio.QueueFull:
            self.closing = True
            asyncio.ensure_future(self.close(protocol.CLOSE_TOO_SLOW))  # noqa: RUF006 - the loop ends soon after

    async def _write(self) -> None:
        """Sends what is queued. A socket that has gone ends it, and nothing else."""
        try:
            while True:
                await self.send(text_data=await self.outbox.get())
        except asyncio.CancelledError:
            raise
        except Exception as error:
            logger.debug("a socket went away: %s", error.__class__.__name__)

    async def _close(self, code: int) -> None:
        self.closing = True
        await self.close(code)

    async def disconnect(self, code: int) -> None:
        self.closing = True
        if self.share is not None:
            self.share.sockets -= 1
            self.share = None
        if hasattr(self, "writer"):
            self.writer.cancel()
            await hub.leave(self.game_id, self._send)

    async def websocket_disconnect(self, message: dict[str, Any]) -> None:
        """As in Channels, without closing connections of the ORM's thread."""
        await self.disconnect(message.get("code", 1006))
        raise StopConsumer


def _address_of(scope: dict[str, Any]) -> str:
    """Where a socket comes from; behind a proxy, what the proxy says."""
    headers = dict(scope["headers"])
    forwarded = headers.get(b"x-forwarded-for", b"").decode("latin-1") if settings.HTTPS else ""
    return forwarded.rpartition(",")[2].strip() or str((scope.get("client") or ["unknown"])[0])


class NoSuchSocket(AsyncWebsocketConsumer):
    """Whatever is asked for under an address that is no socket's."""

    channel_layer_alias = "none"

    async def connect(self) -> None:
        await self.accept()
        await self.close(protocol.CLOSE_NO_GAME)
