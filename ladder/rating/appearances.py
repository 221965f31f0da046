"""What pages count of a rated game, from its log and its changes: places, moons, nils, and who they were against.

Rating a game and proving it later are these same functions, as with `ladder.rating.reckoning`.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal

from games.kinds import KINDS
from games.log.models import Game
from games.log.positions import Entry, fold
from games.log.selectors import entries_of, table_of
from games.rules import Refused
from games.rules.state import DealScore
from ladder.rating.formula import CENT, HALF, ONE, Change
from ladder.rating.reckoning import Reckoned, users_of

logger = logging.getLogger(__name__)

#: Lines of a score sheet that are one player's doing, and the deed they stand for.
DEEDS = {
    "moon": "moons",
    "nil": "nils_made",
    "blind_nil": "nils_made",
    "failed_nil": "nils_failed",
    "failed_blind_nil": "nils_failed",
}


@dataclass(frozen=True, slots=True)
class Seen:
    """One user's part in a rated game."""

    seat: int
    place: int
    is_shared: bool
    opposition: Decimal
    moons: int = 0
    nils_made: int = 0
    nils_failed: int = 0


def appearances_of(game: Game, found: Reckoned) -> dict[int, Seen]:
    """The part of each user whose rating the game has changed."""
    users = users_of(game)
    deeds = _deeds_of(game)
    seen = {}
    for seat, user in users.items():
        others = [other for other in users if _are_opposed(game.kind, seat, other)]
        ratings = [found.changes[users[other]].before for other in others]
        mean = (sum(ratings, Decimal(0)) / max(1, len(ratings))).quantize(CENT, rounding=ROUND_HALF_EVEN)
        place, is_shared = _place(game, users, found, seat)
        seen[user] = Seen(seat, place, is_shared, mean, **{deed: deeds[seat, deed] for deed in set(DEEDS.values())})
    return seen


def _are_opposed(kind: str, seat: int, other: int) -> bool:
    return KINDS[kind].side(seat) != KINDS[kind].side(other)


def _place(game: Game, users: Mapping[int, int], found: Reckoned, seat: int) -> tuple[int, bool]:
    """By points among those who stayed, with all who left behind them; in a partnership by what the rating says."""
    if KINDS[game.kind].is_partnership:
        return _place_of_side(found.changes[users[seat]])
    sign = -1 if KINDS[game.kind].highest_wins else 1
    scores = [sign * score for score in (game.result or {})["scores"]]
    stayed = [scores[other] for other, user in users.items() if user not in found.left]
    if users[seat] in found.left:
        return len(stayed) + 1, len(found.left) > 1
    return 1 + sum(points < scores[seat] for points in stayed), stayed.count(scores[seat]) > 1


def _place_of_side(change: Change) -> tuple[int, bool]:
    scored = change.rows[0].scored
    return (1 if scored in (ONE, HALF) else 2), scored == HALF


def _deeds_of(game: Game) -> Counter[tuple[int, str]]:
    """Moons and nils by seat. A game that the rules of today cannot follow is rated all the same, and has none."""
    entries = entries_of(game)
    try:
        sheet = fold(table_of(game), entries).state.sheet
    except (Refused, ValueError, KeyError, TypeError, IndexError):
        logger.exception("the log of game %s cannot be followed: no moons and nils are counted", game.pk)
        return Counter()
    return count_deeds(sheet, stand_in_deals(entries))


def stand_in_deals(entries: Iterable[Entry]) -> set[tuple[int, int]]:
    """The deal and the seat wherever fewer than half of a seat's cards were played by its user: a moon that a stand-in
    shot, or a nil that it made, is nobody's.
    """
    cards, own = Counter[tuple[int, int]](), Counter[tuple[int, int]]()
    for entry in entries:
        if entry.kind == "play" and entry.seat is not None:
            deal = int(entry.ask.partition(".")[0])
            cards[deal, entry.seat] += 1
            own[deal, entry.seat] += entry.cause == "player"
    return {key for key, number in cards.items() if 2 * own[key] < number}


def count_deeds(sheet: Iterable[DealScore], foreign: set[tuple[int, int]]) -> Counter[tuple[int, str]]:
    """How often each seat has done what `DEEDS` names, but for the deals that a stand-in has played for it."""
    counted = Counter[tuple[int, str]]()
    for row in sheet:
        for line in row.lines:
            # In Hearts the others of a moon have lines too, which name the shooter.
            seat = line.side if line.what == "moon" else line.seat
            if line.what in DEEDS and seat == line.seat and seat is not None and (row.deal, seat) not in foreign:
                counted[seat, DEEDS[line.what]] += 1
    return counted
