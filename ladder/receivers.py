"""What the ladder does when a game ends, or an account wants its data."""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Any

from celery import current_app
from django.db import transaction
from django.dispatch import receiver

from accounts.models import User
from accounts.signals import exporting
from games.hooks import game_finished, game_voided, long_outage, never_played, table_shown, void_vote
from games.log.models import Game
from ladder.boards import tables
from ladder.rating import voids
from ladder.rating.models import Abandon, Appearance, RankedGame, Rating, RatingChange, SeasonRating

logger = logging.getLogger(__name__)


@receiver(game_finished)
def book_rating(game: Game, **_kwargs: Any) -> None:
    """Has a ranked game rated after the commit; the sweep finds those whose task was lost."""
    if RankedGame.objects.filter(pk=game.pk).exists():
        transaction.on_commit(lambda: _book(game.pk), robust=True)


def _book(game_id: int) -> None:
    try:
        # By name, so that tasks and receivers do not import each other.
        current_app.send_task("ladder.rate_game", [game_id], retry=False, ignore_result=True)
    except Exception as error:
        logger.warning("the rating of game %s is left to the sweep: %s", game_id, error.__class__.__name__)


@receiver(game_voided)
def book_abandon(game: Game, **_kwargs: Any) -> None:
    """Whoever never came to a ranked game, so that it ended, has abandoned it."""
    voids.note_absent(game)


@receiver(void_vote)
def may_vote_void(game_id: int, user_id: int, **_kwargs: Any) -> bool | None:
    """Whether somebody may be for ending a ranked game without a result."""
    return voids.may_vote(game_id, user_id)


@receiver(never_played)
def ends_unplayed(game_id: int, user_id: int, **_kwargs: Any) -> bool:
    """Whether a ranked game ends because somebody never came to it."""
    return voids.ends_for(game_id, user_id)


@receiver(long_outage)
def end_after_outage(to_at: datetime, **_kwargs: Any) -> list[int]:
    """The ranked games that a long outage has ended."""
    return voids.hit_by_outage(to_at)


@receiver(table_shown)
def show_ratings(game: Game, **_kwargs: Any) -> dict[str, Any] | None:
    """What the page of a ranked game's table knows beside the game."""
    return tables.boot_of(game)


@receiver(exporting)
def export_ladder(user: User, **_kwargs: Any) -> tuple[str, Any]:
    """Ratings with every change and its receipt, and games that were abandoned."""
    return "ladder", {
        "ratings": [
            {"ladder": row.ladder.slug, "rating": str(row.rating), "games": row.games}
            for row in Rating.objects.filter(user=user).select_related("ladder").order_by("ladder")
        ],
        "changes": [
            {
                "game": row.game_id,
                "ladder": row.ladder.slug,
                "reason": row.reason,
                "before": str(row.before),
                "change": str(row.delta),
                "after": str(row.after),
                "at": row.at.isoformat(),
                "receipt": row.receipt,
            }
            for row in RatingChange.objects.filter(user=user).select_related("ladder").order_by("seq")
        ],
        "games": [
            {
                "game": row.change.game_id,
                "seat": row.seat,
                "place": row.place,
                "shared": row.is_shared,
                "moons": row.moons,
                "nils_made": row.nils_made,
                "nils_failed": row.nils_failed,
                "counts": row.counts,
            }
            for row in Appearance.objects.filter(user=user).select_related("change").order_by("change")
        ],
        "seasons": [
            {"ladder": row.ladder.slug, "season": row.season, "rating": str(row.rating), "games": row.games}
            for row in SeasonRating.objects.filter(user=user).select_related("ladder").order_by("ladder", "season")
        ],
        "abandoned": [
            {"game": row.game_id, "at": row.at.isoformat()} for row in Abandon.objects.filter(user=user).order_by("at")
        ],
    }
