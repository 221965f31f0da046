"""One room per process and party, and one for the list: the sockets that look at it, told of every change.

A poke says that something has changed; the room reads it once and tells whoever looks, once for each language where
words are told. What no poke has told is found by a look every two seconds.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable
from typing import Any

from channels.db import database_sync_to_async
from django.conf import settings
from django.template.loader import render_to_string
from django.utils import translation

from games.log import wakeups
from games.parties import protocol, selectors, words
from games.parties.selectors import PartyState
from games.tables.pokes import pokes
from games.tables.protocol import text

logger = logging.getLogger(__name__)

#: The list is read at most so often, however many parties change, in seconds.
LOBBY_PAUSE_S = 0.4
#: Who looks at the list is told of what no poke says, such as somebody who is away, in so many seconds.
LOBBY_LOOK_S = 10.0

#: Takes one frame for a socket; never blocks, never raises.
Send = Callable[[str], None]


class NoParty(Exception):
    """There is no such party, or it is not to be seen by this user."""


class PartyRoom:
    """The sockets of this process at one party."""

    def __init__(self, state: PartyState) -> None:
        self.state = state  # as last told
        self.sockets: dict[Send, int | None] = {}  # to the user's id

    def frame(self) -> str:
        return text(protocol.party(self.state.to_json()))

    def told(self, state: PartyState) -> None:
        """Tells every socket of a state, if it is another one."""
        if state == self.state:
            return
        self.state = state
        frame = self.frame()
        for send in list(self.sockets):
            send(frame)


class PartyHub:
    """The parties and the list that sockets of this process look at. Lives on one event loop."""

    def __init__(self) -> None:
        self._reset()

    def _reset(self) -> None:
        self.rooms: dict[int, PartyRoom] = {}
        self.joining: Counter[int] = Counter()  # sockets on their way into a room
        self.readers: dict[Send, str] = {}  # of the list, to their language
        self.frames: dict[str, str] = {}  # of the list, by language, as last told
        self.reading = asyncio.Lock()  # what is read first is told first
        self.lobby_task: asyncio.Task[None] | None = None
        self.lobby_read_at = 0.0

    async def stop(self) -> None:
        """Forgets every room, e.g. between tests."""
        task = self.lobby_task
        self._reset()
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    # --- one party ----------------------------------------------------------------------------------------------------

    async def join(self, party_id: int, send: Send, user_id: int | None) -> None:
        """Lets a socket look at a party and tells it how that stands. Raises NoParty.

        The group is joined before the rows are read: what happens in between is poked for.
        """
        await pokes.start()
        self.joining[party_id] += 1  # the group is kept, though its last socket may leave meanwhile
        try:
            await pokes.join(wakeups.party_group(party_id))
            async with self.reading:
                state = (await _read([party_id])).get(party_id)
                if state is None or user_id in state.sent_away:
                    raise NoParty(party_id)
                room = self.rooms.setdefault(party_id, PartyRoom(state))
                room.told(state)
                room.sockets[send] = user_id
                send(room.frame())
        finally:
            self.joining[party_id] -= 1
            await self._close_if_empty(party_id)

    def sits(self, party_id: int, user_id: int) -> bool:
        """Whether a user has a seat at a party that is looked at here."""
        room = self.rooms.get(party_id)
        return room is not None and room.state.of(user_id) is not None

    async def leave(self, party_id: int, send: Send) -> None:
        """Takes a socket away."""
        room = self.rooms.get(party_id)
        if room is not None:
            room.sockets.pop(send, None)
            await self._close_if_empty(party_id)

    async def _close_if_empty(self, party_id: int) -> None:
        room = self.rooms.get(party_id)
        if self.joining[party_id] or (room is not None and room.sockets):
            return
        self.rooms.pop(party_id, None)
        del self.joining[party_id]
        await pokes.leave(wakeups.party_group(party_id))

    async def refresh(self, party_ids: list[int]) -> None:
        """Reads some parties and tells those who look at them."""
        async with self.reading:
            states = await _read([party_id for party_id in party_ids if party_id in self.rooms])
            for party_id, state in states.items():
                if party_id in self.rooms:
                    self.rooms[party_id].told(state)

    # --- the list -----------------------------------------------------------------------------------------------------

    async def join_lobby(self, send: Send, language: str) -> None:
        """Lets a socket look at the list and tells it what is on it."""
        is_known = language in self.readers.values() and language in self.frames
        self.readers[send] = language  # first, so that whoever leaves meanwhile keeps the group
        await pokes.start()
        await pokes.join(wakeups.LOBBY_GROUP)
        if not is_known:  # else others here read it, and it is as new as what they see
            async with self.reading:
                self.frames = await _read_lobby(sorted({*self.readers.values(), language}))
        send(self.frames[language])

    async def leave_lobby(self, send: Send) -> None:
        """Takes a socket away."""
        self.readers.pop(send, None)
        if not self.readers:
            await pokes.leave(wakeups.LOBBY_GROUP)

    async def _tell_lobby(self) -> None:
        await asyncio.sleep(LOBBY_PAUSE_S / settings.TIME_SCALE)
        self.lobby_task = None  # what changes from now on is read once more
        async with self.reading:
            self.lobby_read_at = asyncio.get_running_loop().time()
            frames = await _read_lobby(sorted(set(self.readers.values())))
            for send, language in list(self.readers.items()):
                if language in frames and frames[language] != self.frames.get(language):
                    send(frames[language])
            self.frames = frames

    def _lobby_soon(self) -> None:
        """Has the list read and told in a moment; once, however often it is asked for until then."""
        if self.readers and self.lobby_task is None:
            self.lobby_task = asyncio.ensure_future(self._tell_lobby())
            self.lobby_task.add_done_callback(_report)

    # --- pokes --------------------------------------------------------------------------------------------------------

    async def poked(self, message: dict[str, Any]) -> None:
        """Something has changed at a party, or in the list."""
        if message["type"] == "party.changed":
            await self.refresh([message["party"]])
        elif message["type"] == "party.listed":
            self._lobby_soon()

    async def look(self) -> None:
        """Finds what no poke has told, and who is not heard of any more."""
        if self.rooms:
            await self.refresh(list(self.rooms))
        if asyncio.get_running_loop().time() - self.lobby_read_at > LOBBY_LOOK_S / settings.TIME_SCALE:
            self._lobby_soon()


def _report(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and task.exception() is not None:  # the next look reads it again
        logger.warning("the list of parties was not told: %s", task.exception().__class__.__name__)


@database_sync_to_async
def _read(party_ids: list[int]) -> dict[int, PartyState]:
    return selectors.states_of(party_ids)


@database_sync_to_async
def _read_lobby(languages: list[str]) -> dict[str, str]:
    """The frame of the list in each language."""
    states = selectors.listed_states()
    found = {}
    for language in languages:
        with translation.override(language):
            html = render_to_string("games/parties/party_list.html", {"parties": words.listed_parties(states)})
        found[language] = text(protocol.lobby([state.to_json() for state in states], html))
    return found


hub = PartyHub()
pokes.on("party", hub.poked, hub.look)
