"""What workers do about players' mistakes. In a queue of its own: nobody at a table waits for it."""

from __future__ import annotations

from celery import shared_task

from games.mistakes import services

#: A game takes some seconds; one that takes as long as this does not end.
SOFT_LIMIT_S, LIMIT_S = 240, 300


@shared_task(name="games.review", soft_time_limit=SOFT_LIMIT_S, time_limit=LIMIT_S)
def review(review_id: int) -> None:
    """Looks for the mistakes of a player in a game that is over."""
    services.work(review_id)


@shared_task(name="games.sweep_reviews")
def sweep_reviews() -> None:
    """Three times a minute: finds the searches that nobody works on."""
    services.sweep()
