"""The sockets of a party and of the list of parties. They tell, and take signs of life; whoever acts sends a form."""

from __future__ import annotations

import logging
import time
from urllib.parse import parse_qs

from channels.db import database_sync_to_async
from django.conf import settings
from django.utils import timezone

from games.parties import codes, selectors
from games.parties import protocol as party_protocol
from games.parties import services as parties
from games.parties.rooms import NoParty, hub
from games.tables import protocol
from games.tables.sockets import UNAVAILABLE, Socket

logger = logging.getLogger(__name__)

#: Seconds between two notes that somebody is there.
SEEN_EVERY_S = 10.0


class PartyConsumer(Socket):
    """One browser at one party; whoever has the code may look."""

    party_id: int | None = None
    seen_noted_at = float("-inf")

    async def opened(self) -> None:
        user = self.scope["user"]
        self.user_id: int | None = user.pk if user.is_authenticated else None
        try:
            party_id = await _party_id(self.scope["url_route"]["kwargs"]["code"])
            if party_id is None:
                raise NoParty
            if self.user_id is not None:  # first, so that nobody sees himself as away
                await _note_seen(party_id, self.user_id)
            self.party_id = party_id
            await hub.join(party_id, self._send, self.user_id)
            self.seen_noted_at = time.monotonic()
        except NoParty:
            await self._close(party_protocol.CLOSE_NO_PARTY)
        except UNAVAILABLE as error:
            await self._unavailable(error)

    async def heard(self, text: str, within_rate: bool) -> None:
        try:
            party_protocol.parse(text)
        except party_protocol.Malformed:
            await self._close(protocol.CLOSE_MALFORMED)
            return
        if not within_rate:
            return
        self._send(protocol.text(party_protocol.pong()))
        now = time.monotonic()
        if (
            self.party_id is None
            or self.user_id is None
            or now - self.seen_noted_at <= SEEN_EVERY_S / settings.TIME_SCALE
            or not hub.sits(self.party_id, self.user_id)
        ):
            return
        self.seen_noted_at = now
        try:
            await _note_seen(self.party_id, self.user_id)
        except UNAVAILABLE as error:
            await self._unavailable(error)

    async def _unavailable(self, error: BaseException) -> None:
        logger.warning("party %s: %s", self.party_id, error.__class__.__name__)
        await self._close(protocol.CLOSE_UNAVAILABLE)

    async def left(self) -> None:
        if self.party_id is not None:
            await hub.leave(self.party_id, self._send)


class LobbyConsumer(Socket):
    """One browser that looks at the list of parties, in the language that it asks for."""

    async def opened(self) -> None:
        query = parse_qs(self.scope["query_string"].decode(errors="replace"))
        language = query.get("lang", [""])[0]
        known = [code for code, _ in settings.LANGUAGES]
        try:
            await hub.join_lobby(self._send, language if language in known else settings.LANGUAGE_CODE)
        except UNAVAILABLE as error:
            logger.warning("list of parties: %s", error.__class__.__name__)
            await self._close(protocol.CLOSE_UNAVAILABLE)

    async def heard(self, text: str, within_rate: bool) -> None:
        try:
            party_protocol.parse(text)
        except party_protocol.Malformed:
            await self._close(protocol.CLOSE_MALFORMED)
            return
        if within_rate:
            self._send(protocol.text(party_protocol.pong()))

    async def left(self) -> None:
        await hub.leave_lobby(self._send)


@database_sync_to_async
def _party_id(typed: str) -> int | None:
    code = codes.read(typed)
    party = selectors.party_by_code(code) if code else None
    return None if party is None else int(party.pk)


@database_sync_to_async
def _note_seen(party_id: int, user_id: int) -> None:
    parties.note_seen(party_id=party_id, user_id=user_id, at=timezone.now())
