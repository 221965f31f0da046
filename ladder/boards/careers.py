"""Every read for one player's page: where he stands on a ladder, what his games were, and against whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from django.db.models import F, IntegerField, QuerySet, Value, Window
from django.db.models.functions import Mod, RowNumber

from accounts.models import User
from games import paging
from games.kinds import KINDS
from games.log.selectors import SeatHolder, holders_of
from ladder.boards import selectors
from ladder.boards.selectors import Row
from ladder.rating.formula import PROVISIONAL_GAMES, START
from ladder.rating.models import Appearance, Ladder, Rating, RatingChange
from ladder.rating.receipts import Receipt, number_games, receipts_for

FORM = 20
RECENT = 10
#: Changes of a page of all of them.
PAGE = 25
#: Points of a rating curve, at the most, besides the start.
POINTS = 200
#: The games in which opponents are looked for, and how many of them are shown.
MET_IN = 200
MET = 10


@dataclass(frozen=True, slots=True)
class Shown:
    """How a game ended for the player: `first`, `draw`, `other`; the place in words is the page's affair."""

    game_id: int
    seq: int
    place: int
    outcome: str


@dataclass(frozen=True, slots=True)
class Peak:
    """A highest rating, and the game that led to it."""

    rating: Decimal
    game_id: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Met:
    """Somebody else, in how many games, and how those went; `score` counts a draw as half a win."""

    user_id: int
    name: str
    games: int
    won: int
    drawn: int
    lost: int

    @property
    def score(self) -> Decimal:
        """Wins, and half the draws."""
        return self.won + Decimal(self.drawn) / 2


@dataclass(frozen=True, slots=True)
class Point:
    """A point of the rating curve: the rating after the player's n-th change."""

    number: int
    at: datetime | None
    rating: Decimal


@dataclass(frozen=True, slots=True)
class Career:
    """What a player has done on one ladder. Only games that count are counted."""

    ladder: Ladder
    row: Row
    games: int = 0
    firsts: int = 0
    draws: int = 0
    left: int = 0
    places: dict[int, int] = field(default_factory=dict)
    moons: int = 0
    nils_made: int = 0
    nils_failed: int = 0
    longest_run: int = 0
    form: tuple[Shown, ...] = ()
    peak: Peak | None = None
    best: Peak | None = None  # the first place against the strongest others: their mean rating

    @property
    def share_of_firsts(self) -> int | None:
        """First places in a hundred games."""
        return round(100 * self.firsts / self.games) if self.games else None


@dataclass(frozen=True, slots=True)
class Told:
    """One change with its game, for a list. `place` is None for what takes a game back."""

    change: RatingChange
    place: int | None
    outcome: str
    others: tuple[tuple[int, str], ...]
    receipt: Receipt


def player_of(user_id: int) -> User | None:
    """Somebody who has, or had, an account."""
    return User.objects.filter(pk=user_id, is_guest=False).first()


def ratings_of(user: User) -> list[Rating]:
    """A player's ratings, the ladder he has played most first."""
    rows = Rating.objects.filter(user=user).select_related("ladder__preset_version__preset")
    return list(rows.order_by("-games", "ladder__kind", "ladder__slug"))


def career(user: User, ladder: Ladder) -> Career:
    """Everything about a player on a ladder but the curve and the lists."""
    games = [
        _Counted(*row)
        for row in _counted(user, ladder).order_by("change_id").values_list("change_id", *_Counted._fields[1:])
    ]
    ends = [_outcome(ladder.kind, game.place, game.is_shared) for game in games]
    left, highest = _followed(user, ladder, [game.seq for game in games])
    won = [game for game in games if game.place == 1 and not (KINDS[ladder.kind].is_partnership and game.is_shared)]
    best = max(won, key=lambda game: (game.opposition, -game.seq), default=None)
    form = list(zip(games, ends, strict=True))[-FORM:]
    named = {game.seq for game, _ in form} | ({highest[1]} if highest else set()) | ({best.seq} if best else set())
    rows = RatingChange.objects.filter(pk__in=named).values_list("pk", "game_id", "at")
    found = {seq: (game, at) for seq, game, at in rows}
    return Career(
        ladder=ladder,
        row=selectors.row_of(user, ladder),
        games=len(ends),
        firsts=ends.count("first"),
        draws=ends.count("draw"),
        left=left,
        places=dict(sorted(Counter(game.place for game in games).items())),
        moons=sum(game.moons for game in games),
        nils_made=sum(game.nils_made for game in games),
        nils_failed=sum(game.nils_failed for game in games),
        longest_run=_longest_run(ends),
        form=tuple(Shown(found[game.seq][0], game.seq, game.place, end) for game, end in form),
        peak=Peak(highest[0], *found[highest[1]]) if highest else None,
        best=Peak(best.opposition, *found[best.seq]) if best else None,
    )


class _Counted(NamedTuple):
    """What is summed up of one game: read without its change, of which there are as many."""

    seq: int
    place: int
    is_shared: bool
    opposition: Decimal
    moons: int
    nils_made: int
    nils_failed: int


def _followed(user: User, ladder: Ladder, seqs: Sequence[int]) -> tuple[int, tuple[Decimal, int] | None]:
    """How many of these games were left, and the highest rating once it was no longer provisional, with its change."""
    changes = RatingChange.objects.filter(user=user, ladder=ladder, reason=RatingChange.Reason.RESULT)
    told = {seq: (after, has_left) for seq, after, has_left in changes.values_list("seq", "after", "has_left")}
    peaks = [(told[seq][0], -seq) for seq in seqs[PROVISIONAL_GAMES - 1 :]]
    rating, seq = max(peaks, default=(Decimal(0), 0))
    return sum(told[seq][1] for seq in seqs), (rating, -seq) if peaks else None


def _counted(user: User, ladder: Ladder) -> QuerySet[Appearance]:
    return Appearance.objects.filter(user=user, ladder=ladder, counts=True)


def _outcome(kind: str, place: int, is_shared: bool) -> str:
    """Between two sides a shared place is a draw; among many a shared first place is a first place."""
    if KINDS[kind].is_partnership and is_shared:
        return "draw"
    return "first" if place == 1 else "other"


def _longest_run(ends: Sequence[str]) -> int:
    longest = run = 0
    for end in ends:
        run = run + 1 if end == "first" else 0
        longest = max(longest, run)
    return longest


# --- the curve --------------------------------------------------------------------------------------------------------


def curve(user: User, ladder: Ladder) -> list[Point]:
    """The rating from the start to now: every change, or with many of them every so manieth and the last."""
    changes = RatingChange.objects.filter(user=user, ladder=ladder)
    total = changes.count()
    step = max(1, -(-total // POINTS))
    number = Window(RowNumber(), order_by="seq", output_field=IntegerField())
    rows = changes.annotate(number=number).annotate(rest=Mod(Value(total) - F("number"), Value(step))).filter(rest=0)
    points = [Point(*row) for row in rows.order_by("seq").values_list("number", "at", "after")]
    return [Point(0, None, START), *points] if points else []


# --- lists ------------------------------------------------------------------------------------------------------------


def changes_of(
    user: User, ladder: Ladder | None = None, *, before: int | None = None, size: int = PAGE
) -> tuple[list[Told], int | None]:
    """A player's changes, the latest first, and from where the next page goes on."""
    rows = RatingChange.objects.filter(user=user)
    rows = rows if ladder is None else rows.filter(ladder=ladder)
    rows = paging.after(rows, ("-seq",), None if before is None else (before,))
    found, last = paging.cut(rows.select_related("ladder__preset_version__preset"), size)
    kept = number_games(found)
    parts = Appearance.objects.in_bulk([change.pk for change in kept])
    seated = holders_of({change.game_id for change in kept})
    told = [
        _told(change, parts.get(change.pk), seated[change.game_id], receipt)
        for change, receipt in zip(kept, receipts_for(kept, seated), strict=True)
    ]
    return told, None if last is None else last.pk


def _told(change: RatingChange, part: Appearance | None, holders: list[SeatHolder], receipt: Receipt) -> Told:
    others = tuple(
        (holder.user_id, holder.name)
        for holder in holders
        if holder.user_id is not None and holder.user_id != change.user_id
    )
    if part is None:
        return Told(change, None, "void", others, receipt)
    return Told(change, part.place, _outcome(change.ladder.kind, part.place, part.is_shared), others, receipt)


class _Part(NamedTuple):
    user_id: int
    seat: int
    place: int
    is_shared: bool
    has_left: bool


def people_met(user: User, ladder: Ladder) -> tuple[list[Met], list[Met]]:
    """Whom a player has met most in his latest games: opponents, and in Spades partners."""
    latest = _counted(user, ladder).order_by("-change_id").values_list("change__game", flat=True)[:MET_IN]
    own: dict[int, _Part] = {}
    met: list[tuple[int, _Part]] = []
    for game, part in _parts(list(latest)):
        if part.user_id == user.pk:
            own[game] = part
        else:
            met.append((game, part))
    scores: dict[bool, dict[int, Counter[str]]] = {True: {}, False: {}}
    for game, other in met:
        mine = own[game]
        kind = KINDS[ladder.kind]
        is_partner = kind.side(mine.seat) == kind.side(other.seat)
        scores[is_partner].setdefault(other.user_id, Counter())[_against(ladder.kind, mine, other)] += 1
    most = {
        side: sorted(found.items(), key=lambda item: (-item[1].total(), item[0]))[:MET]
        for side, found in scores.items()
    }
    named = selectors.names(user_id for found in most.values() for user_id, _ in found)
    opponents, partners = (
        [
            Met(other, named[other], count.total(), count["won"], count["drawn"], count["lost"])
            for other, count in most[side]
        ]
        for side in (False, True)
    )
    return opponents, partners


def _parts(games: Sequence[int]) -> Iterator[tuple[int, _Part]]:
    """What these games were for each of their users. Changes first, then their appearances by key: joined, all
    appearances that there are would be read.
    """
    changes = RatingChange.objects.filter(game__in=games, reason=RatingChange.Reason.RESULT).order_by()
    told = {seq: (game, has_left) for seq, game, has_left in changes.values_list("seq", "game_id", "has_left")}
    seen = Appearance.objects.filter(change__in=told).order_by()
    for seq, user, seat, place, is_shared in seen.values_list("change_id", "user_id", "seat", "place", "is_shared"):
        game, has_left = told[seq]
        yield game, _Part(user, seat, place, is_shared, has_left)


def _against(kind: str, mine: _Part, other: _Part) -> str:
    """How a game went against one other: by places, in a partnership by what it was for the player's side."""
    if KINDS[kind].is_partnership:
        return "drawn" if mine.is_shared else "won" if mine.place == 1 else "lost"
    if mine.has_left and other.has_left:
        return "void"
    return "drawn" if mine.place == other.place else "won" if mine.place < other.place else "lost"
