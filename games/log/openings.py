"""Where the cards of a sealed game come from: first the promise, then the players' nonces, then the deal.

A sealed game with people at it begins as `open`: everybody at the table is told the commitment to the server's secret,
and each player's browser gives a nonce that nobody else is told. When the last one is in, or the time for it is up, the
first two entries of the log are written in one transaction: `open` and the first deal. Nobody can know the cards any
earlier, since they follow from the secret and all nonces together.

Everything is in Postgres. Nonces are a column of `Player`, the time that is up is the game's `deadline_at`, and the
game's row is locked by whoever adds a nonce or deals: of two who complete it at once, one deals.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from channels.db import database_sync_to_async
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from games.codes import deals
from games.log import live, logbook, wakeups
from games.log.models import Game, GameSecret, Player
from games.log.positions import Entry, Step, Table, start, walk
from games.log.refusals import Rejected
from games.log.selectors import table_of

logger = logging.getLogger(__name__)

#: How long nonces are waited for, in seconds. A game that lacks one then is dealt without it.
WAIT_S = 5.0

_NONCE = re.compile(rf"([0-9a-fA-F]{{2}}){{1,{deals.MOST_NONCE_BYTES}}}")


@dataclass(frozen=True, slots=True)
class Dealt:
    """A game that has just been dealt: whoever has to know is told after the commit."""

    table: Table
    steps: list[Step]


def wait() -> timedelta:
    """How long nonces are waited for."""
    return timedelta(seconds=WAIT_S / settings.TIME_SCALE)


# --- for whoever has an event loop ------------------------------------------------------------------------------------


async def give_nonce(*, game_id: int, seat: int, nonce: str) -> int:
    """Takes what a player's browser gives to the deals, and deals if it was the last one. The ply of the game then.

    Given again it is acknowledged again, dealt or not. Raises Rejected: `bad_nonce`, `nonce_given` for another one,
    `nonce_late`.
    """
    ply, dealt = await database_sync_to_async(add_nonce)(game_id=game_id, seat=seat, nonce=nonce)
    if dealt is not None:
        await _tell(dealt)
    return ply


async def deal(*, game_id: int, due_only: bool = True) -> None:
    """Deals an open game with the nonces that are there; nothing if its time is not up, or it is dealt already.

    `due_only` False: whether or not the time is up.
    """
    dealt = await database_sync_to_async(deal_open)(game_id=game_id, due_only=due_only)
    if dealt is not None:
        await _tell(dealt)


async def postpone(*, game_id: int) -> None:
    """Lets the time of an open game begin anew: nobody could give anything meanwhile."""
    await database_sync_to_async(_postpone)(game_id)


async def _tell(dealt: Dealt) -> None:
    live.moved_on(dealt.table, dealt.steps)
    try:
        await wakeups.moved(dealt.table, dealt.steps[0].before, dealt.steps[-1].after)
    except Exception:  # what is stored is never an error; the sweep and the browsers' pings find it
        logger.exception("no wake-up for game %s", dealt.table.game_id)


# --- in the database --------------------------------------------------------------------------------------------------


def add_nonce(*, game_id: int, seat: int, nonce: str) -> tuple[int, Dealt | None]:
    """As `give_nonce`, in one transaction; whoever calls it tells of what was dealt."""
    if not _NONCE.fullmatch(nonce):
        raise Rejected("bad_nonce")
    nonce = nonce.lower()
    with transaction.atomic():
        game = _locked(game_id)
        player = Player.objects.get(game=game, seat=seat)
        if player.nonce == nonce:
            return game.ply, None
        if game.status != Game.Status.OPEN or _is_due(game, timezone.now()):
            raise Rejected("nonce_late")
        if player.nonce:
            raise Rejected("nonce_given")
        player.nonce = nonce
        player.save(update_fields=("nonce",))
        if Player.objects.filter(game=game, user__isnull=False, nonce="").exists():
            return game.ply, None
        dealt = deal_locked(game)
    return game.ply, dealt


def deal_open(*, game_id: int, due_only: bool = True) -> Dealt | None:
    """As `deal`, in one transaction; whoever calls it tells of it."""
    with transaction.atomic():
        game = _locked(game_id)
        if game.status != Game.Status.OPEN or (due_only and not _is_due(game, timezone.now())):
            return None
        return deal_locked(game)


def deal_locked(game: Game) -> Dealt:
    """Deals an open game with the nonces that are there. The caller holds its row."""
    table = table_of(game)
    nonces = list(Player.objects.filter(game=game).order_by("seat").values_list("nonce", flat=True))
    secret = GameSecret.objects.get(game=game)
    code = deals.sealed_code(table.rules, bytes(secret.secret or b""), [bytes.fromhex(nonce) for nonce in nonces])
    secret.code = code.text
    secret.save(update_fields=("code",))
    return Dealt(table, write(table, game, entries(table, game, code, nonces)))


def entries(table: Table, game: Game, code: deals.GameCode, nonces: Sequence[str]) -> list[Entry]:
    """The first two entries of a game's log: the opening and the first deal."""
    now = timezone.now()
    opened = {
        "dealer": deals.first_dealer(code.seed, table.rules.players),
        "commitment": game.commitment,
        "nonces": list(nonces),
    }
    pack = deals.shuffle(code.seed, 1, 0, table.rules.deck)
    return [
        Entry(1, None, "open", "", opened, "dealer", None, now),
        Entry(2, None, "deal", "", {"pack": list(pack)}, "dealer", None, now),
    ]


def write(table: Table, game: Game, begun: Sequence[Entry]) -> list[Step]:
    """Writes the begin of a game's log, from when on it is played. The caller holds its row."""
    steps = walk(table, start(table), begun)
    logbook.add(game, begun)
    logbook.derive(game, steps[-1].after)
    game.status, game.moved_at = Game.Status.PLAYING, timezone.now()
    game.save(update_fields=("ply", "asks", "deadline_at", "claimed_until", "claims", "status", "moved_at"))
    return steps


def _postpone(game_id: int) -> None:
    Game.objects.filter(pk=game_id, status=Game.Status.OPEN).update(
        deadline_at=timezone.now() + wait(), claimed_until=None, claims=0
    )


def _locked(game_id: int) -> Game:
    game = Game.objects.select_for_update(no_key=True).filter(pk=game_id).first()
    if game is None:
        raise live.NoSuchGame(game_id)
    return game


def _is_due(game: Game, now: datetime) -> bool:
    return game.deadline_at is not None and game.deadline_at <= now
