"""What leaves after a commit: pokes for the rooms of other processes, CPU turns for the workers. The only sender.

A wake-up is a hint. It may be lost, late or doubled: whoever wakes reads the rows again, and the sweep finds what
nobody woke for. So nothing here ever turns a stored move into an error.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock, Thread
from typing import Any
from weakref import WeakKeyDictionary

from asgiref.sync import async_to_sync
from celery import current_app
from channels.layers import get_channel_layer
from django.conf import settings

from games.log.positions import Asked, Position, Table, is_cpu

logger = logging.getLogger(__name__)

#: Seconds that a CPU seems to think about an answer; after a trick it waits until the trick has been seen.
PACE_S = {"play": 0.7, "bid": 0.9}
PACE_OTHER_S = 1.2
PACE_TRICK_S = 1.5
#: A dead Redis must not hold up the next move.
SEND_TIMEOUT_S = 2.0
#: Tasks for a dead Redis are tried again, so often and for so long, and no more than so many.
RESEND_EVERY_S = 0.25
RESEND_FOR_S = 6.0
MOST_UNSENT = 1_000

#: Celery's sending blocks for about a millisecond, which is too long for an event loop.
_senders = ThreadPoolExecutor(max_workers=2, thread_name_prefix="wakeups")


class _Outbox:
    """Games that other processes have yet to be poked for, each with its latest ply: that one says it all."""

    def __init__(self) -> None:
        self.plies: dict[int, int] = {}
        self.filled = asyncio.Event()

    def put(self, game_id: int, ply: int) -> None:
        self.plies[game_id] = ply
        self.filled.set()


#: Of the loops on which `send_pokes` runs.
_outboxes: WeakKeyDictionary[asyncio.AbstractEventLoop, _Outbox] = WeakKeyDictionary()


def group(game_id: int) -> str:
    """The group of processes with somebody at this table."""
    return f"game.{game_id}"


async def moved(table: Table, before: Position, after: Position) -> None:
    """A game has moved on: CPUs that are newly asked, then every process with somebody at the table."""
    _ask_cpus(table, after, before.asks)
    outbox = _outboxes.get(asyncio.get_running_loop())
    if outbox is None:
        await _poke_moved(table.game_id, after.ply)
    else:
        outbox.put(table.game_id, after.ply)


def ended(game_id: int, ply: int) -> None:
    """A game was closed from outside the path of moves, by code that has no event loop. Every process is poked."""
    async_to_sync(_poke_moved)(game_id, ply)


async def send_pokes() -> None:
    """Sends the pokes of this loop's moves for as long as it runs.

    The layer sends one message at a time. Movers who waited for theirs would wait for everybody's.
    """
    loop = asyncio.get_running_loop()
    outbox = _outboxes[loop] = _Outbox()
    try:
        while True:
            await outbox.filled.wait()
            while outbox.plies:
                game_id = next(iter(outbox.plies))
                await _poke_moved(game_id, outbox.plies.pop(game_id))
            outbox.filled.clear()
    finally:
        if _outboxes.get(loop) is outbox:
            del _outboxes[loop]


def opened(table: Table, position: Position) -> None:
    """A game has begun; nobody is at its table yet."""
    _ask_cpus(table, position, {})


def _ask_cpus(table: Table, position: Position, earlier: Mapping[int, Asked]) -> None:
    """Books the turns of CPUs that are asked something they were not asked earlier."""
    for seat, asked in position.asks.items():
        if is_cpu(table, position, seat) and earlier.get(seat) != asked:
            _senders.submit(_send_turn, table.game_id, seat, asked.id, pace_s(position))


async def rematch(game_id: int, following: int) -> None:
    """A game has a rematch."""
    await _poke(group(game_id), {"type": "game.rematch", "game": game_id, "following": following})


async def said(game_id: int, seat: int, phrase: str) -> None:
    """Somebody at a table has said something."""
    await _poke(group(game_id), {"type": "game.said", "game": game_id, "seat": seat, "phrase": phrase})


async def votes(game_id: int, standing: Sequence[Mapping[str, object]]) -> None:
    """How the votes of a game stand now."""
    await _poke(group(game_id), {"type": "game.votes", "game": game_id, "votes": list(standing)})


async def muted(game_id: int, seat: int) -> None:
    """The player of this seat has muted somebody, or hears him again."""
    await _poke(group(game_id), {"type": "game.muted", "game": game_id, "seat": seat})


async def presence(game_id: int, channel: str) -> None:
    """Somebody came to a table or left it. `channel`: of the process that has told its own sockets already."""
    await _poke(group(game_id), {"type": "game.presence", "game": game_id, "told": channel})


def party_group(party_id: int) -> str:
    """The group of processes with somebody at this party."""
    return f"party.{party_id}"


#: The group of processes with somebody who looks at the list of parties.
LOBBY_GROUP = "lobby"


def party_soon(party_id: int, *, listed: bool) -> None:
    """Something has changed at a party, and in the list if it is there. From code that does not await."""
    _poker.send(party_group(party_id), {"type": "party.changed", "party": party_id})
    if listed:
        _poker.send(LOBBY_GROUP, {"type": "party.listed"})


#: The group of processes with somebody who looks at the ranked queue.
QUEUE_GROUP = "queue"


def queue_soon(users: list[int]) -> None:
    """Something has changed in the ranked queue, and for these users. From code that does not await."""
    _poker.send(QUEUE_GROUP, {"type": "queue.changed", "users": users})


def rematch_soon(game_id: int, following: int) -> None:
    """As `rematch`, from code that does not await."""
    _poker.send(group(game_id), {"type": "game.rematch", "game": game_id, "following": following})


def agreement_soon(game_id: int, agreement: Mapping[str, Any]) -> None:
    """Who has agreed to a rematch of a party's game."""
    _poker.send(group(game_id), {"type": "game.ready", "game": game_id, **agreement})


def rated_soon(game_id: int, seats: Sequence[Mapping[str, str] | None]) -> None:
    """What a game that is over has done to the ratings of its seats. From code that does not await."""
    _poker.send(group(game_id), {"type": "game.rated", "game": game_id, "seats": list(seats)})


class _Poker:
    """A loop of its own on a thread of its own: the layer needs one that stays, and does not hold up a request."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.loop: asyncio.AbstractEventLoop | None = None

    def send(self, group_name: str, message: dict[str, Any]) -> None:
        with self.lock:
            if self.loop is None:
                self.loop = asyncio.new_event_loop()
                Thread(target=self.loop.run_forever, name="pokes", daemon=True).start()
        asyncio.run_coroutine_threadsafe(_poke(group_name, message), self.loop)


_poker = _Poker()


async def seated(game_id: int) -> None:
    """A seat has another holder, or its holder another name."""
    await _poke(group(game_id), {"type": "game.seated", "game": game_id})


def cpu_turn(game_id: int, seat: int, ask: str, *, fallback: bool = False) -> None:
    """Asks a worker for a CPU's answer at once. `fallback`: the default action, since no answer came before."""
    _send_turn(game_id, seat, ask, 0.0, fallback=fallback)


def expire_turn(game_id: int, seat: int, ask: str) -> None:
    """Asks a worker to settle a turn whose time is up."""
    _send("games.expire_turn", [game_id, seat, ask], 0.0, {})


def expire_opening(game_id: int) -> None:
    """Asks a worker to deal a game whose players had their time to give nonces."""
    _send("games.expire_opening", [game_id], 0.0, {})


def review(review_id: int) -> None:
    """Asks a worker to look for the mistakes of a player."""
    _send("games.review", [review_id], 0.0, {})


def recover() -> None:
    """Asks a worker to look for the turns of CPUs that got lost."""
    _send("games.recover", [], 0.0, {})


def pace_s(position: Position) -> float:
    """How long the CPU asked next seems to think, in seconds."""
    state = position.state
    if state.phase == "play" and not state.trick and state.tricks:
        return PACE_TRICK_S * settings.CPU_PACE
    return PACE_S.get(state.phase, PACE_OTHER_S) * settings.CPU_PACE


def _send_turn(game_id: int, seat: int, ask: str, countdown: float, *, fallback: bool = False) -> None:
    _send("games.cpu_turn", [game_id, seat, ask], countdown, {"fallback": True} if fallback else {})


class _Unsent:
    """Tasks that could not be sent because Redis was away: they are tried again for some seconds, since the sweep finds
    a turn that is lost only after those."""

    def __init__(self) -> None:
        self.tasks: dict[tuple[str, Any], tuple[list[Any], dict[str, Any], float]] = {}
        self.lock = threading.Lock()
        self.is_trying = False

    def put(self, task: str, args: list[Any], kwargs: dict[str, Any]) -> None:
        with self.lock:
            if len(self.tasks) < MOST_UNSENT:
                self.tasks[task, tuple(args)] = args, kwargs, time.monotonic() + RESEND_FOR_S
            if self.is_trying:
                return
            self.is_trying = True
        threading.Thread(target=self._try, name="unsent", daemon=True).start()

    def _try(self) -> None:
        while True:
            time.sleep(RESEND_EVERY_S)
            with self.lock:
                waiting = list(self.tasks.items())
                if not waiting:
                    self.is_trying = False
                    return
            for key, (args, kwargs, until) in waiting:
                is_sent = _try_to_send(key[0], args, kwargs, 0.0)
                if is_sent or time.monotonic() > until:
                    with self.lock:
                        self.tasks.pop(key, None)
                if not is_sent:
                    break  # nor would the next one


_unsent = _Unsent()


def _send(task: str, args: list[Any], countdown: float, kwargs: dict[str, Any]) -> None:
    if not _try_to_send(task, args, kwargs, countdown):
        _unsent.put(task, args, kwargs)


def _try_to_send(task: str, args: list[Any], kwargs: dict[str, Any], countdown: float) -> bool:
    try:
        # By name, so that services and tasks do not import each other.
        current_app.send_task(task, args, kwargs, countdown=countdown or None, retry=False, ignore_result=True)
    except Exception as error:  # at last the sweep finds the turn again
        logger.info("no wake-up for game %s yet: %s", args[0] if args else "", error.__class__.__name__)
        return False
    return True


async def _poke_moved(game_id: int, ply: int) -> None:
    await _poke(group(game_id), {"type": "game.moved", "game": game_id, "ply": ply})


async def _poke(group_name: str, message: dict[str, Any]) -> None:
    layer = get_channel_layer()
    if layer is None:
        return
    try:
        async with asyncio.timeout(SEND_TIMEOUT_S):
            await layer.group_send(group_name, message)
    except Exception as error:  # the next poke or a browser's ping heals it
        logger.warning("no poke for %s: %s", group_name, error.__class__.__name__)
