"""One finished game: who may see it, its record, its replay."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from django.urls import reverse
from django.utils import translation

from games.histories import records, replays
from games.log.models import Game, GameSecret, Player
from games.log.selectors import entries_of, names_of, table_of
from games.rules import Refused
from games.tables.selectors import boot_of

#: The statuses of a game that is over: only then does anything here know it.
OVER = (Game.Status.FINISHED, Game.Status.VOID)


class Unfollowable(Exception):
    """The log of a game cannot be followed by the rules of today."""


class Sealed(Exception):
    """Others may still meet the cards of this game."""


# --- one game ---------------------------------------------------------------------------------------------------------


def finished_game(user: Any, game_id: int) -> tuple[Game, int | None] | None:
    """A game that is over and the visitor's seat in it, if he may see it. None also for one that is running."""
    games = Game.objects.filter(status__in=OVER).select_related("preset_version__preset")
    game = games.filter(pk=game_id).first()
    if game is None:
        return None
    seat: int | None = None
    if user.is_authenticated:
        seat = Player.objects.filter(game=game, user=user).values_list("seat", flat=True).first()
    return (game, seat) if seat is not None or not (game.is_private or game.is_sealed) else None


def people_of(game: Game) -> list[tuple[str, str]]:
    """The names of a game's people whose accounts are open, and where each one's games are."""
    seats = Player.objects.filter(game=game, user__closed_at__isnull=True, user__is_active=True)
    found = seats.select_related("user").order_by("seat")
    return [(str(seat.user), reverse("history_of", args=(seat.user_id,))) for seat in found if seat.user is not None]


def record_of(game: Game) -> records.Record:
    """The record of a game that is over. Raises Sealed while its code is not to be told."""
    if game.status not in OVER:
        raise ValueError("a running game has no record")
    if game.is_sealed:
        raise Sealed
    return whole_record(game)


def whole_record(game: Game) -> records.Record:
    """The same for the checks of the site itself, whatever may be told."""
    table, entries = table_of(game), entries_of(game)
    with translation.override("en"):  # the same file for every reader
        names = names_of(game)
    version = game.preset_version
    sealed = GameSecret.objects.filter(game=game).first()
    secret = None if sealed is None else sealed.secret
    # A fork's code is its own from the next deal on, and nowhere shown as the game's.
    if not table.code and sealed is not None:
        table = dataclasses.replace(table, code=sealed.code)
    return records.build(
        table=table,
        entries=entries,
        names=names,
        rules_version=game.rules_version,
        preset=None if version is None else (version.preset.slug, version.number),
        commitment=game.commitment,
        secret=None if secret is None else bytes(secret),
        result=game.result,
    )


def replay_of(game: Game, seat: int | None, user: Any) -> replays.Page:
    """What the replay page is made from. Raises Unfollowable."""
    table, entries = table_of(game), entries_of(game)
    try:
        return replays.page(
            boot_of(game, seat, user),
            table,
            entries,
            result=game.result,
            commitment=game.commitment or None,
            game=game.pk,
        )
    except (Refused, ValueError, KeyError, TypeError, IndexError) as error:
        raise Unfollowable from error


def schema_text() -> str:
    """The published schema of records."""
    return json.dumps(records.SCHEMA, ensure_ascii=False, indent=1) + "\n"
