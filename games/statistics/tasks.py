"""What workers do for the public statistics of deals."""

from __future__ import annotations

from celery import shared_task

from games.statistics import services


@shared_task(name="games.count_deals")
def count_deals() -> None:
    """Once a minute: counts the games that have ended since for the public statistics."""
    services.count()
