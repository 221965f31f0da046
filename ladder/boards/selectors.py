"""Every read for ladders and their boards: who stands where, now or in a season. One person's:
`ladder.boards.careers`."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db.models import Count, DecimalField, F, Func, IntegerField, QuerySet, Value
from django.db.models.functions import Cast
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from games.kinds.words import kind_label
from ladder.rating.formula import CENT, PROVISIONAL_GAMES, START
from ladder.rating.models import Ladder, LadderMove, Rating, SeasonRating
from ladder.rating.standing import BOARD_ACTIVE, BOARD_GAMES, SEASON_GAMES, Season, band, season_of, shown

#: Rows of a page of a board.
PAGE = 50
#: Players that a search names at the most.
FOUND = 30
#: Rows of a board on the front page and on the page of all ladders.
TOP = 5
LONGEST_SEARCH = 40
_NUMBERS = ArrayField(DecimalField(max_digits=7, decimal_places=2))


@dataclass(frozen=True, slots=True)
class Row:
    """Somebody on a ladder. `rank` is None for whoever is not listed: `missing` games, or none of late."""

    rank: int | None
    user_id: int
    name: str
    rating: Decimal
    games: int
    last_at: datetime | None = None
    missing: int = 0
    games_ever: int | None = None  # where `games` are those of a season

    @property
    def shown(self) -> str:
        """The rating as people see it."""
        return shown(self.rating, self._settling)

    @property
    def is_provisional(self) -> bool:
        """Whether the rating has a question mark."""
        return self._settling < PROVISIONAL_GAMES

    @property
    def _settling(self) -> int:
        return self.games if self.games_ever is None else self.games_ever

    @property
    def band(self) -> int:
        """How far off the rating may be."""
        return band(self.games)


@dataclass(frozen=True, slots=True)
class Board:
    """A page of a board, or what a search has found. `own` is the visitor's row, on this page or not."""

    ladder: Ladder
    season: Season | None
    rows: tuple[Row, ...]
    page: int
    pages: int
    total: int
    search: str
    is_more: bool
    own: Row | None

    @property
    def games_needed(self) -> int:
        """Rated games until somebody is listed."""
        return _games_needed(self.season)


def ladders() -> list[Ladder]:
    """All ladders with their rules, the open ones first."""
    return list(Ladder.objects.select_related("preset_version__preset").order_by("-is_open", "kind", "slug"))


def ladder_of(slug: str) -> Ladder | None:
    """A ladder by its slug."""
    return Ladder.objects.select_related("preset_version__preset").filter(slug=slug).first()


def label_of(ladder: Ladder) -> str:
    """What a ladder is called in the reader's language: its kind and its rules."""
    preset = ladder.preset_version.preset
    return _("%(kind)s · %(rules)s") % {"kind": kind_label(ladder.kind), "rules": preset.local_name}


def moves_of(ladder: Ladder) -> list[LadderMove]:
    """When a ladder was moved to another version of its rules, the latest first."""
    moves = LadderMove.objects.filter(ladder=ladder).select_related("before__preset", "after__preset")
    return list(moves.order_by("-at"))


def addresses() -> list[tuple[str, dict[str, Any]]]:
    """What a search engine should know of: the name of each address and its values."""
    slugs = Ladder.objects.filter(is_open=True).values_list("slug", flat=True)
    return [("ladders", {}), ("ladder_how", {}), *(("ladder", {"slug": slug}) for slug in slugs)]


# --- boards -----------------------------------------------------------------------------------------------------------


def listed(ladder: Ladder, season: Season | None = None) -> QuerySet[Any]:
    """The ratings of a board, in no order: everybody who is on it. Neither a guest nor a CPU has a rating."""
    rows: QuerySet[Any]
    if season is None:
        active_since = timezone.now() - BOARD_ACTIVE
        rows = Rating.objects.filter(ladder=ladder, games__gte=BOARD_GAMES, last_game_at__gte=active_since)
    else:
        rows = SeasonRating.objects.filter(ladder=ladder, season=str(season), games__gte=SEASON_GAMES)
    return rows


def board(
    ladder: Ladder, *, season: Season | None = None, search: str = "", page: int = 1, viewer: Any = None
) -> Board:
    """A page of the board as it is now, or of a season: by the rating at which it was closed, the best first."""
    rows = listed(ladder, season)
    search = clean_search(search)
    total = rows.count()
    pages = max(1, -(-total // PAGE))
    page = min(max(1, page), pages)
    if search:
        found = _found(ladder, season, search)
        shown_rows, is_more = _judged(found[:FOUND], rows, season), len(found) > FOUND
    else:
        shown_rows, is_more = _page(rows, (page - 1) * PAGE, PAGE), False
    own = row_of(viewer, ladder, season) if isinstance(viewer, User) and viewer.is_member else None
    return Board(ladder, season, shown_rows, page, pages, total, search, is_more, own)


def top(ladder: Ladder, season: Season | None = None, size: int = TOP) -> tuple[Row, ...]:
    """The first rows of a board."""
    return _page(listed(ladder, season), 0, size)


def tops() -> list[dict[str, Any]]:
    """Every open ladder with the first rows of its board."""
    return [{"ladder": each, "label": label_of(each), "rows": top(each)} for each in ladders() if each.is_open]


def row_of(user: User, ladder: Ladder, season: Season | None = None) -> Row:
    """Where a user stands on a board, or what he misses for it."""
    rows: QuerySet[Any] = Rating.objects.filter(ladder=ladder, user=user)
    if season is not None:
        rows = SeasonRating.objects.filter(ladder=ladder, user=user, season=str(season))
    found = rows.select_related("user").first()
    if found is None:
        return Row(None, user.pk, str(user), START, 0, missing=_games_needed(season))
    return _judged([found], listed(ladder, season), season)[0]


def page_of(row: Row) -> int | None:
    """The page of a board that a rank is on. Equals may stand on the page after."""
    return None if row.rank is None else (row.rank - 1) // PAGE + 1


def seasons_of(ladder: Ladder) -> list[Season]:
    """The seasons of a ladder, the running one first, back to the first that somebody is listed in."""
    season = season_of(timezone.now())
    first = (
        SeasonRating.objects.filter(ladder=ladder, games__gte=SEASON_GAMES)
        .order_by("season")
        .values_list("season", flat=True)
        .first()
    )
    oldest = (Season.read(first) if first else None) or season
    seasons = [season]
    while seasons[-1] > oldest:
        seasons.append(seasons[-1].before)
    return seasons


def clean_search(text: str) -> str:
    """What is looked for, written as names are."""
    return unicodedata.normalize("NFKC", text[: 2 * LONGEST_SEARCH]).replace("\0", "").strip()[:LONGEST_SEARCH]


def _games_needed(season: Season | None) -> int:
    return BOARD_GAMES if season is None else SEASON_GAMES


def _page(rows: QuerySet[Any], start: int, size: int) -> tuple[Row, ...]:
    """Rows from a place on. Equal ratings share a rank, and the next one counts them all.

    The users are picked first, from the index alone: however deep the page, no row before it is read.
    """
    ordered = rows.order_by("-rating", "user_id")
    users = list(ordered.values_list("user_id", flat=True)[start : start + size])
    found = list(ordered.filter(user__in=users).select_related("user"))
    if not found:
        return ()
    rank = 1 + rows.filter(rating__gt=found[0].rating).count() if start else 1
    ranked: list[Row] = []
    for place, each in enumerate(found, start + 1):
        if ranked and each.rating != ranked[-1].rating:
            rank = place
        ranked.append(_with_rank(each, rank))
    return tuple(ranked)


def _found(ladder: Ladder, season: Season | None, search: str) -> list[Any]:
    """Everybody on the ladder with such a name, listed or not."""
    rows: QuerySet[Any] = Rating.objects.filter(ladder=ladder, games__gt=0)
    if season is not None:
        rows = SeasonRating.objects.filter(ladder=ladder, season=str(season), games__gt=0)
    named = rows.filter(user__display_name__icontains=search)
    return list(named.select_related("user").order_by("-rating", "user_id")[: FOUND + 1])


def _judged(found: Sequence[Any], rows: QuerySet[Any], season: Season | None) -> tuple[Row, ...]:
    """People who may be listed, or not; those who are get the rank that they have on the whole board."""
    on_board = set(rows.filter(pk__in=[each.pk for each in found]).values_list("pk", flat=True))
    better = _better({each.rating for each in found if each.pk in on_board}, rows)
    ranks = {each.pk: 1 + better[each.rating] for each in found if each.pk in on_board}
    needed, ever = _games_needed(season), dict[int, int]()
    if season is not None:
        totals = Rating.objects.filter(ladder__in={each.ladder_id for each in found})
        ever = dict(totals.filter(user__in=[each.user_id for each in found]).values_list("user", "games"))
    return tuple(
        _with_rank(each, ranks.get(each.pk), max(0, needed - each.games), ever.get(each.user_id)) for each in found
    )


def _better(ratings: Collection[Decimal], rows: QuerySet[Any]) -> dict[Decimal, int]:
    """How many of a board are better than each of some ratings: all of them in one walk over its index."""
    if not ratings:
        return {}
    limits = sorted(ratings)
    steps = Func(F("rating"), Value([limit + CENT for limit in limits], _NUMBERS), function="width_bucket")
    above = rows.filter(rating__gt=limits[0]).annotate(step=Cast(steps, IntegerField()))
    counted = dict(above.order_by().values_list("step").annotate(Count("user")))
    left = sum(counted.values())
    better: dict[Decimal, int] = {}
    for step, limit in enumerate(limits, 1):
        better[limit] = left
        left -= counted.get(step, 0)
    return better


def _with_rank(stored: Any, rank: int | None, missing: int = 0, ever: int | None = None) -> Row:
    last_at = getattr(stored, "last_game_at", None)
    return Row(rank, stored.user_id, str(stored.user), stored.rating, stored.games, last_at, missing, ever)


def names(users: Iterable[int]) -> dict[int, str]:
    """What users are called."""
    return {user.pk: str(user) for user in User.objects.filter(pk__in=set(users)).only("display_name", "username")}
