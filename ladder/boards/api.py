"""Ladders, boards and players in the read API. A player is somebody with an account who has played on a ladder: guests
and CPUs are nowhere in it, and whoever has closed his account is there under the name that replaced his.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.http import Http404, HttpRequest
from ninja import Path, Query, Router
from pydantic import Field

from accounts.models import User
from games import paging
from games.histories import selectors as histories
from games.histories.api_forms import FAULTS, Answer, BadCursor, Cursor, Limit, cursor_of, values_of
from games.kinds import options_for
from games.log.models import Game
from ladder.boards import careers, selectors
from ladder.rating import receipts
from ladder.rating.formula import FLOOR
from ladder.rating.models import Ladder, Rating, RatingChange, SeasonRating
from ladder.rating.standing import Season, band, shown

router = Router()

Slug = Path(..., max_length=50, description="slug of a ladder")
PlayerId = Path(..., ge=1, lt=2**62, description="id of a player")
RATING = "a rating, exact, with two decimals"


class LadderRules(Answer):
    """The rules that games of a ladder are opened with now."""

    preset: str
    version: int
    options: dict[str, int | str | bool]


class LadderAnswer(Answer):
    """A ladder: a pool of players with a rating each."""

    slug: str
    kind: str
    players: int
    timer_s: int = Field(description="seconds for a turn")
    is_open: bool
    rules: LadderRules
    listed: int = Field(description="how many players are on the board now")
    seasons: list[str] = Field(description="the latest first, such as 2026-Q4")


class Ladders(Answer):
    ladders: list[LadderAnswer]


class Player(Answer):
    """Somebody who is rated."""

    id: int
    name: str


class BoardRow(Answer):
    """A place on a board. Equal ratings share a rank."""

    rank: int
    player: Player
    rating: str = Field(description=RATING)
    games: int = Field(description="rated games: all of them, or those of the season")


class BoardPage(Answer):
    """Some rows of a board, the best first, and where the next page begins."""

    ladder: str
    season: str | None
    rows: list[BoardRow]
    next: str | None


class Standing(Answer):
    """Where a player stands on a ladder."""

    ladder: str
    rating: str = Field(description=RATING)
    shown: str = Field(description="as people see it; with a question mark until ten games")
    band: int = Field(description="how far off the rating may be, plus or minus")
    games: int
    last_game_at: datetime | None
    rank: int | None = Field(description="on the board; null for whoever is not listed")


class PlayerAnswer(Player):
    """A player and where he stands on each ladder, the one he has played most first."""

    standings: list[Standing]


class Peak(Answer):
    rating: str = Field(description=RATING)
    game: int
    at: datetime


class Records(Answer):
    """What a player has done on a ladder. Games that count for nothing or were taken back are left out."""

    ladder: str
    games: int
    firsts: int
    draws: int
    left: int = Field(description="games that he abandoned")
    places: dict[str, int] = Field(description="how often each place was reached")
    moons: int
    nils_made: int
    nils_failed: int
    longest_run: int = Field(description="first places in a row")
    highest: Peak | None = Field(description="the highest rating since it was settled")
    strongest_win: Peak | None = Field(description="the first place against the highest mean rating of the others")


class CurvePoint(Answer):
    number: int = Field(description="of the change; 0 is the start")
    at: datetime | None
    rating: str = Field(description=RATING)


class Curve(Answer):
    """The rating of a player over time. Of long curves every so manieth point is there, and the last."""

    ladder: str
    points: list[CurvePoint]


class ChangeAnswer(Answer):
    """What one game did to one rating. A `void` takes a `result` back."""

    id: int
    game: int
    ladder: str
    reason: str
    at: datetime
    before: str = Field(description=RATING)
    change: str
    after: str = Field(description=RATING)
    place: int | None = Field(description="among the people at the table; null for a void")
    has_left: bool
    counts: bool = Field(description="whether it is one of the player's rated games")


class ChangePage(Answer):
    changes: list[ChangeAnswer]
    next: str | None


class SumRow(Answer):
    """One line of a change: `change = k * weight * (scored - expected)`, each rounded for reading."""

    opponents: list[int] = Field(description="their seats")
    expected: str
    scored: str
    k: int
    weight: str
    change: str


class SeatChange(Answer):
    """What a game did to the rating of a seat."""

    seat: int
    player: Player
    before: str = Field(description=RATING)
    change: str
    after: str = Field(description=RATING)
    has_left: bool
    rows: list[SumRow]
    extra: str = Field(description="what leaving takes off beside that")


class GameRatings(Answer):
    """What a ranked game did to ratings. `status` is `pending`, `rated`, `taken_back` or `void`; only in a rated game,
    or one that was rated and taken back, there are changes.
    """

    game: int
    ladder: str
    status: str
    changes: list[SeatChange]


def exact(value: Decimal) -> str:
    """A rating or a change as the API writes them."""
    return f"{value:.2f}"


def _ladder(slug: str) -> Ladder:
    found = selectors.ladder_of(slug)
    if found is None:
        raise Http404
    return found


def _player(user_id: int) -> User:
    """Somebody with a rating; who has never played ranked is nobody here."""
    user = careers.player_of(user_id)
    if user is None or not Rating.objects.filter(user=user).exists():
        raise Http404
    return user


# --- ladders and boards -----------------------------------------------------------------------------------------------


@router.get(
    "/ladders",
    response={200: Ladders, **FAULTS},
    summary="All ladders",
    tags=["ladders"],
    operation_id="ladder_api_ladders",
)
def ladders(request: HttpRequest) -> Ladders:
    """Every ladder, the open ones first."""
    return Ladders(ladders=[_told(each) for each in selectors.ladders()])


@router.get(
    "/ladders/{ladder}",
    response={200: LadderAnswer, **FAULTS},
    summary="One ladder",
    tags=["ladders"],
    operation_id="ladder_api_ladder",
)
def ladder(request: HttpRequest, ladder: str = Slug) -> LadderAnswer:
    """A ladder with its rules and seasons."""
    return _told(_ladder(ladder))


def _told(each: Ladder) -> LadderAnswer:
    version = each.preset_version
    options = options_for(each.kind, version.options).to_json()
    return LadderAnswer(
        slug=each.slug,
        kind=each.kind,
        players=each.players,
        timer_s=each.timer_s,
        is_open=each.is_open,
        rules=LadderRules(preset=version.preset.slug, version=version.number, options=options),
        listed=selectors.listed(each).count(),
        seasons=[str(season) for season in selectors.seasons_of(each)],
    )


@router.get(
    "/ladders/{ladder}/board",
    response={200: BoardPage, **FAULTS},
    summary="A board",
    tags=["ladders"],
    operation_id="ladder_api_board",
)
def board(
    request: HttpRequest,
    ladder: str = Slug,
    season: str = Query(
        "", pattern=r"^([0-9]{4}-Q[1-4])?$", description="such as 2026-Q4; left out for the board as it is now"
    ),
    search: str = Query("", max_length=40, description="only players with this in their name"),
    cursor: Cursor = "",
    limit: Limit = 50,
) -> BoardPage:
    """Who is listed, the best first: now, or by the rating at which a season was closed.

    Ratings move while games are played, so a walk through the pages of the board of today is no picture of one moment.
    """
    found = _ladder(ladder)
    when = Season.read(season) if season else None
    if season and when is None:
        raise Http404
    rows = selectors.listed(found, when)
    page, following = _page(rows, selectors.clean_search(search), cursor, limit)
    return BoardPage(ladder=found.slug, season=season or None, rows=page, next=following)


def _page(rows: QuerySet[Any], search: str, cursor: str, limit: int) -> tuple[list[BoardRow], str | None]:
    wanted = rows.filter(user__display_name__icontains=search) if search else rows
    wanted = paging.after(wanted, ("-rating", "user_id"), _place(cursor) if cursor else None)
    page, last = paging.cut(wanted.select_related("user"), limit)
    ranks = _ranks(rows, page, is_whole=not search)
    told = [
        BoardRow(rank=rank, player=_named(row.user), rating=exact(row.rating), games=row.games)
        for rank, row in zip(ranks, page, strict=True)
    ]
    return told, None if last is None else cursor_of(exact(last.rating), last.user_id)


def _place(cursor: str) -> tuple[Decimal, int]:
    text, user = values_of(cursor, str, int)
    try:
        rating = Decimal(text)
    except InvalidOperation:
        raise BadCursor from None
    if not rating.is_finite() or not FLOOR <= rating < 100_000:
        raise BadCursor
    return rating, user


def _ranks(rows: QuerySet[Any], page: Sequence[Rating | SeasonRating], *, is_whole: bool) -> list[int]:
    """The ranks of rows on their board. `is_whole`: they follow each other there, so they can be counted on."""
    if not page:
        return []
    if not is_whole:
        better = rows.filter(rating__gt=OuterRef("rating")).order_by().values("ladder").annotate(number=Count("pk"))
        counted = rows.filter(pk__in=[row.pk for row in page]).annotate(better=Subquery(better.values("number")))
        numbers = dict(counted.values_list("pk", "better"))
        return [1 + (numbers[row.pk] or 0) for row in page]
    first = page[0]
    rank = 1 + rows.filter(rating__gt=first.rating).count()
    place = rank + rows.filter(rating=first.rating, user__lt=first.user_id).count()
    ranks = [rank]
    for before, row in pairwise(page):
        place += 1
        ranks.append(ranks[-1] if row.rating == before.rating else place)
    return ranks


def _named(user: User) -> Player:
    return Player(id=user.pk, name=str(user))


# --- players ----------------------------------------------------------------------------------------------------------


@router.get(
    "/players/{player}",
    response={200: PlayerAnswer, **FAULTS},
    summary="A player",
    tags=["players"],
    operation_id="ladder_api_player",
)
def player(request: HttpRequest, player: int = PlayerId) -> PlayerAnswer:
    """Where a player stands."""
    user = _player(player)
    standings = [
        Standing(
            ladder=row.ladder.slug,
            rating=exact(row.rating),
            shown=shown(row.rating, row.games),
            band=band(row.games),
            games=row.games,
            last_game_at=row.last_game_at,
            rank=selectors.row_of(user, row.ladder).rank,
        )
        for row in careers.ratings_of(user)
    ]
    return PlayerAnswer(id=user.pk, name=str(user), standings=standings)


@router.get(
    "/players/{player}/records/{ladder}",
    response={200: Records, **FAULTS},
    summary="What a player has done",
    tags=["players"],
    operation_id="ladder_api_player_records",
)
def player_records(request: HttpRequest, player: int = PlayerId, ladder: str = Slug) -> Records:
    """A player's places, moons, nils and best results on a ladder."""
    found = careers.career(_player(player), _ladder(ladder))
    names = ("games", "firsts", "draws", "left", "moons", "nils_made", "nils_failed", "longest_run")
    return Records(
        ladder=ladder,
        places={str(place): number for place, number in found.places.items()},
        highest=_peak(found.peak),
        strongest_win=_peak(found.best),
        **{name: getattr(found, name) for name in names},
    )


def _peak(peak: careers.Peak | None) -> Peak | None:
    return None if peak is None else Peak(rating=exact(peak.rating), game=peak.game_id, at=peak.at)


@router.get(
    "/players/{player}/curve/{ladder}",
    response={200: Curve, **FAULTS},
    summary="A player's rating over time",
    tags=["players"],
    operation_id="ladder_api_player_curve",
)
def player_curve(request: HttpRequest, player: int = PlayerId, ladder: str = Slug) -> Curve:
    """From the start to now, in at most a few hundred points; without a change there is none."""
    points = careers.curve(_player(player), _ladder(ladder))
    told = [CurvePoint(number=point.number, at=point.at, rating=exact(point.rating)) for point in points]
    return Curve(ladder=ladder, points=told)


@router.get(
    "/players/{player}/changes",
    response={200: ChangePage, **FAULTS},
    summary="A player's ranked games",
    tags=["players"],
    operation_id="ladder_api_player_changes",
)
def player_changes(
    request: HttpRequest,
    player: int = PlayerId,
    ladder: str = Query("", max_length=50, description="slug of a ladder; left out for all"),
    cursor: Cursor = "",
    limit: Limit = 50,
) -> ChangePage:
    """What each game did to the player's ratings, the latest first."""
    before = values_of(cursor, int)[0] if cursor else None
    which = _ladder(ladder) if ladder else None
    told, following = careers.changes_of(_player(player), which, before=before, size=limit)
    changes = [
        ChangeAnswer(
            id=each.change.seq,
            game=each.change.game_id,
            ladder=each.change.ladder.slug,
            reason=each.change.reason,
            at=each.change.at,
            before=exact(each.change.before),
            change=exact(each.change.delta),
            after=exact(each.change.after),
            place=each.place,
            has_left=each.change.has_left,
            counts=each.change.counts,
        )
        for each in told
    ]
    return ChangePage(changes=changes, next=None if following is None else cursor_of(following))


# --- games ------------------------------------------------------------------------------------------------------------


@router.get(
    "/games/{game}/ratings",
    response={200: GameRatings, **FAULTS},
    summary="What a ranked game did to ratings",
    tags=["games"],
    operation_id="ladder_api_game_ratings",
)
def game_ratings(request: HttpRequest, game: int = Path(..., ge=1, lt=2**62)) -> GameRatings:
    """Every change with the sum behind it; 404 for a game that is not ranked, or not over."""
    public = Game.objects.filter(pk=game, status__in=histories.OVER, is_private=False)
    outcome = receipts.outcome_of(game) if public.exists() else None
    if outcome is None:
        raise Http404
    reason = RatingChange.Reason.VOID if outcome.status == "taken_back" else RatingChange.Reason.RESULT
    rows = RatingChange.objects.filter(game=game, reason=reason).select_related("user")
    seats = {receipt.user: receipt.seat for receipt in outcome.receipts}
    changes = sorted((_seat_change(row, seats[row.user_id]) for row in rows), key=lambda change: change.seat)
    slug = Ladder.objects.values_list("slug", flat=True).get(rankedgame=game)
    return GameRatings(game=game, ladder=slug, status=outcome.status, changes=changes)


def _seat_change(row: RatingChange, seat: int) -> SeatChange:
    stored: dict[str, Any] = row.receipt
    return SeatChange(
        seat=seat,
        player=_named(row.user),
        before=exact(row.before),
        change=exact(row.delta),
        after=exact(row.after),
        has_left=row.has_left,
        rows=[SumRow(**each) for each in stored.get("rows", ())],
        extra=exact(Decimal(stored.get("extra", "0"))),
    )
