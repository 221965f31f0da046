"""Finished games in the read API. Of a running game, and of a private one, it says nothing to anybody.

Everything here is alike for every reader: names of CPUs are English, and nobody is signed in.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from ninja import Path, Query, Router
from pydantic import Field

from games import paging
from games.histories import records, selectors
from games.histories.api_forms import FAULTS, Answer, BadCursor, Cursor, Limit, cursor_of, values_of
from games.histories.records.schema import SCHEMA
from games.kinds import KINDS
from games.log.models import Game, Player
from games.log.selectors import holders_of

router = Router(tags=["games"])

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

#: As `Game.is_sealed`, of games that are over: a game of a daily deal is its player's alone until the day ends.
_NOT_SEALED = Q(commitment="") | ~Q(code="")


class Preset(Answer):
    """The rules of a game as a preset had them."""

    slug: str
    version: int


class Seat(Answer):
    """Who held a seat. `player` is the id of a registered player, `cpu` the level of a CPU; a guest has neither."""

    seat: int
    name: str
    player: int | None
    cpu: str | None


class Result(Answer):
    """How a game ended: by seat the places, from 1, and by side the scores."""

    placings: list[int]
    scores: list[int]
    reason: str


class FinishedGame(Answer):
    """A game that is over. `result` is null if it ended without one."""

    id: int
    kind: str
    players: int
    status: str = Field(description="`finished`, or `void`: it ended without a result")
    options: dict[str, int | str | bool]
    preset: Preset | None
    timer_s: int = Field(description="seconds for a turn; 0 is no limit")
    began_at: datetime
    ended_at: datetime
    seats: list[Seat]
    result: Result | None
    code: str = Field(description="the game code, which seeds every deal")
    commitment: str | None = Field(description="SHA-256 of the secret of a verifiable game")


class GamePage(Answer):
    """Some finished games, and where the next page begins."""

    games: list[FinishedGame]
    next: str | None


@router.get(
    "/games",
    response={200: GamePage, **FAULTS},
    summary="Finished games, the latest first",
    operation_id="games_api_finished_games",
)
def finished_games(
    request: HttpRequest,
    cursor: Cursor = "",
    limit: Limit = 50,
    kind: str = Query("", pattern=f"^({'|'.join(KINDS)})?$", description="only games of this kind"),
    player: int | None = Query(None, ge=1, lt=2**62, description="only games of this registered player"),
) -> dict[str, Any]:
    """Games with a result, in the order in which they ended. Games of private parties are not among them, those of a
    daily deal from the next day on.

    A game that ends while you page is on the first page; nothing is told twice or left out.
    """
    games = Game.objects.filter(_NOT_SEALED, status=Game.Status.FINISHED, is_private=False)
    if kind:
        games = games.filter(kind=kind)
    if player is not None:
        games = games.filter(player__user=player, player__user__is_guest=False)
    games = paging.after(games, ("-moved_at", "-pk"), _place(cursor) if cursor else None)
    found, last = paging.cut(games.select_related("preset_version__preset"), limit)
    following = None if last is None else cursor_of((last.moved_at - _EPOCH) // _MICROSECOND, last.pk)
    return {"games": told(found), "next": following}


def _place(cursor: str) -> tuple[datetime, int]:
    ended, game = values_of(cursor, int, int)
    return _moment(ended), game


def _moment(microseconds: int) -> datetime:
    try:
        return _EPOCH + timedelta(microseconds=microseconds)
    except OverflowError:
        raise BadCursor from None


GameId = Path(..., ge=1, lt=2**62)


@router.get(
    "/games/{game}",
    response={200: FinishedGame, **FAULTS},
    summary="One finished game",
    operation_id="games_api_finished_game",
)
def finished_game(request: HttpRequest, game: int = GameId) -> FinishedGame:
    """A game that is over, with a result or without."""
    return told([_public(game)])[0]


@router.get(
    "/games/{game}/record",
    response={200: Any, **FAULTS},
    summary="The record of a finished game",
    openapi_extra={
        "responses": {200: {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Record"}}}}}
    },
    operation_id="games_api_record",
)
def record(request: HttpRequest, game: int = GameId) -> HttpResponse:
    """Every deal, pass, bid and card, and what the shuffles can be checked with: the same bytes as the site exports."""
    return HttpResponse(records.to_bytes(selectors.record_of(_public(game))), content_type="application/json")


#: The form of a record, for the description of the API.
RECORD_SCHEMA = {key: value for key, value in SCHEMA.items() if key != "$schema"}


def _public(game_id: int) -> Game:
    found = Game.objects.filter(_NOT_SEALED, pk=game_id, status__in=selectors.OVER, is_private=False)
    game = found.select_related("preset_version__preset").first()
    if game is None:
        raise Http404
    return game


def told(games: Iterable[Game]) -> list[FinishedGame]:
    """Games as the API tells of them."""
    games = list(games)
    holders = holders_of({game.pk for game in games})
    players = Player.objects.filter(game__in=[game.pk for game in games])
    levels = {(game, seat): level for game, seat, level in players.values_list("game", "seat", "cpu_level")}
    members = set(players.filter(user__is_guest=False).values_list("user", flat=True))
    return [
        FinishedGame(
            id=game.pk,
            kind=game.kind,
            players=game.players,
            status=game.status,
            options=game.options,
            preset=_preset(game),
            timer_s=game.timer_s,
            began_at=game.created_at,
            ended_at=game.moved_at,
            seats=[
                Seat(
                    seat=seat,
                    name=holder.name,
                    player=holder.user_id if holder.user_id in members else None,
                    cpu=levels[game.pk, seat] or None,
                )
                for seat, holder in enumerate(holders[game.pk])
            ],
            result=None if game.result is None else Result(**game.result),
            code=game.code,
            commitment=game.commitment or None,
        )
        for game in games
    ]


def _preset(game: Game) -> Preset | None:
    version = game.preset_version
    return None if version is None else Preset(slug=version.preset.slug, version=version.number)
