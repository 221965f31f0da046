"""How seasons are closed: for each of them the rating after its last change, and how many games were rated in it.

Whoever calls holds the ratings' rows. The changes given are those of one game.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import F

from ladder.rating.models import RatingChange, SeasonRating
from ladder.rating.standing import season_of


def note_results(changes: Sequence[RatingChange]) -> None:
    """Results go into the season in which they were rated."""
    _close(changes, are_results=True)


def note_voids(results: Sequence[RatingChange], voids: Sequence[RatingChange]) -> None:
    """Results are taken back: the ratings of today's season change, and the game comes off the season it was in."""
    _close(voids, are_results=False)
    for result in results[:1]:
        users = [change.user_id for change in results if change.counts]
        of_then = SeasonRating.objects.filter(ladder=result.ladder_id, season=str(season_of(result.at)), user__in=users)
        of_then.filter(games__gt=0).update(games=F("games") - 1)


def _close(changes: Sequence[RatingChange], *, are_results: bool) -> None:
    if not changes:
        return
    ladder, season = changes[0].ladder_id, str(season_of(changes[0].at))
    stored = SeasonRating.objects.filter(ladder=ladder, season=season, user__in=[change.user_id for change in changes])
    games = dict(stored.values_list("user", "games"))
    SeasonRating.objects.bulk_create(
        [
            SeasonRating(
                user_id=change.user_id,
                ladder_id=ladder,
                season=season,
                rating=change.after,
                games=games.get(change.user_id, 0) + int(are_results and change.counts),
            )
            for change in changes
        ],
        update_conflicts=True,
        unique_fields=("user", "ladder", "season"),
        update_fields=("rating", "games"),
    )
