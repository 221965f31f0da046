"""Who has abandoned a game, and how long he may not queue. Pure; the standard library only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

FIRST_LOCK = timedelta(minutes=10)
LONGEST_LOCK = timedelta(hours=48)
LOCK_FACTOR = 3
#: A lock grows with each repeat within this time, and shrinks by one step for each such time without.
REPEAT_WITHIN = timedelta(days=3)
#: Locks begin with so many abandoned games among the last ranked ones.
ABANDONS_UNTIL_LOCK = 2
GAMES_LOOKED_AT = 20


@dataclass(frozen=True, slots=True)
class Played:
    """What the log says about one action: whose seat, in which deal, who did it, and what it was."""

    seat: int
    deal: int
    cause: str
    kind: str


@dataclass(frozen=True, slots=True)
class Ended:
    """A ranked game of one user, as the locks see it."""

    at: datetime
    was_abandoned: bool


@dataclass(frozen=True, slots=True)
class Lock:
    """A time in which a user may not queue."""

    until: datetime
    length: timedelta


def leavers(entries: Iterable[Played], seats: Iterable[int], *, last_scored_deal: int | None = None) -> frozenset[int]:
    """The seats, of those given, that abandoned a game: from its log alone.

    A seat has, if none of its plays in the last scored deal was its user's own, or fewer than half in the whole game.
    Without `last_scored_deal` that is the last deal with a play. A deal in which nobody asked the seat for a card (all
    the tricks were claimed) says nothing about it.
    """
    plays = [entry for entry in entries if entry.kind == "play"]
    last = max((play.deal for play in plays), default=0) if last_scored_deal is None else last_scored_deal
    return frozenset(seat for seat in seats if _has_left([play for play in plays if play.seat == seat], last))


def _has_left(plays: Sequence[Played], last: int) -> bool:
    own = sum(play.cause == "player" for play in plays)
    final = [play.cause for play in plays if play.deal == last]
    return (bool(final) and "player" not in final) or 2 * own < len(plays)


def queue_lock(games: Sequence[Ended]) -> Lock | None:
    """The lock that the latest of a user's ranked games brings, from all of them in order of time.

    Ten minutes at first, three times as long on each repeat within three days, at most 48 hours; a step less for every
    three days without. No lock unless two of the last twenty games were abandoned.
    """
    level, locked_at, lock = 0, None, None
    for number, game in enumerate(games):
        lock = None
        recent = games[max(0, number + 1 - GAMES_LOOKED_AT) : number + 1]
        if not game.was_abandoned or sum(each.was_abandoned for each in recent) < ABANDONS_UNTIL_LOCK:
            continue
        if locked_at is not None:
            level = max(0, level - int((game.at - locked_at) / REPEAT_WITHIN))
        length = min(LONGEST_LOCK, FIRST_LOCK * LOCK_FACTOR ** min(level, 10))
        level, locked_at, lock = level + 1, game.at, Lock(game.at + length, length)
    return lock
