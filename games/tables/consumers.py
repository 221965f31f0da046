"""The socket of a table: authenticate, parse, call a service, send. No game logic in here."""

from __future__ import annotations

import logging
import time
from typing import Any, assert_never
from urllib.parse import parse_qs

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.utils import timezone

from games.hooks import Following, rematch_asked
from games.log import live, openings, services, store, wakeups
from games.log.refusals import Rejected
from games.numbers import number_in
from games.people import services as people
from games.rules import Refused
from games.tables import phrases, protocol, rates, votes
from games.tables.pokes import pokes
from games.tables.rooms import hub, now_ms
from games.tables.sockets import UNAVAILABLE, Socket

logger = logging.getLogger(__name__)

#: Seconds between two notes that somebody is there.
SEEN_EVERY_S = 10.0


class TableConsumer(Socket):
    """One browser at one table."""

    async def opened(self) -> None:
        self.game_id: int = self.scope["url_route"]["kwargs"]["game_id"]
        self.seat: int | None = None
        self.seen_noted_at = 0.0
        self.talk = rates.Window(phrases.MOST_PHRASES, phrases.WITHIN_S)
        user = self.scope["user"]
        query = parse_qs(self.scope["query_string"].decode(errors="replace"))
        if query.get("v") != [str(protocol.VERSION)]:
            await self._close(protocol.CLOSE_VERSION)
            return
        try:
            held, party = (query.get(name, [""])[0] for name in ("since", "party"))
            self.seat = await hub.join(self.game_id, self._send, user.pk, number_in(held, 9), party)
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

    async def heard(self, text: str, within_rate: bool) -> None:
        try:
            message = protocol.parse(text)
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

    async def left(self) -> None:
        if hasattr(self, "game_id"):
            await hub.leave(self.game_id, self._send)

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
        elif isinstance(message, protocol.Nonce):
            ply = await openings.give_nonce(game_id=self.game_id, seat=seat, nonce=message.nonce)
            self._send(protocol.text(protocol.ack(message.id, ply)))
        elif isinstance(message, protocol.Leave):
            receipt = await services.leave(game_id=self.game_id, seat=seat, client_id=message.id)
            self._send(protocol.text(protocol.ack(message.id, receipt.ply)))
            await votes.recount(game_id=self.game_id)
        elif isinstance(message, protocol.Say | protocol.Mute | protocol.Vote):
            await self._handle_talk(message, seat)
        elif isinstance(message, protocol.Back):
            receipt = await services.back(game_id=self.game_id, seat=seat, client_id=message.id)
            self._send(protocol.text(protocol.ack(message.id, receipt.ply)))
            await votes.recount(game_id=self.game_id)
        elif isinstance(message, protocol.Rematch):
            agreed = await database_sync_to_async(_rematch_by_others)(self.game_id, seat)
            if agreed is not None:
                self._send(protocol.text(protocol.ack(message.id, (await live.position_of(self.game_id))[1].ply)))
                if agreed.game_id is not None:  # else the others have not agreed yet
                    self._send(protocol.text(protocol.rematch(agreed.game_id)))
                return
            receipt, following = await services.rematch(game_id=self.game_id, seat=seat)
            self._send(protocol.text(protocol.ack(message.id, receipt.ply)))
            self._send(protocol.text(protocol.rematch(following)))
        else:
            assert_never(message)

    async def _handle_talk(self, message: protocol.Say | protocol.Mute | protocol.Vote, seat: int) -> None:
        """What players say to each other; nothing of it is in the log."""
        if isinstance(message, protocol.Say):
            if message.phrase not in phrases.KEYS:
                raise Rejected("unknown_phrase")
            if not self.talk.take():
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
        if self.seat is not None and now - self.seen_noted_at > SEEN_EVERY_S / settings.TIME_SCALE:
            self.seen_noted_at = now
            at = timezone.now()
            hub.seen(self.game_id, self.seat, at)
            await store.note_seen(self.game_id, self.seat, at)


def _rematch_by_others(game_id: int, seat: int) -> Following | None:
    """What whoever the game belongs to makes of the wish for another; None if it belongs to nobody."""
    answers: Any = rematch_asked.send(None, game_id=game_id, seat=seat)
    return next((answer for _, answer in answers if answer is not None), None)


class NoSuchSocket(AsyncWebsocketConsumer):
    """Whatever is asked for under an address that is no socket's."""

    channel_layer_alias = "none"

    async def connect(self) -> None:
        await self.accept()
        await self.close(protocol.CLOSE_NO_GAME)
