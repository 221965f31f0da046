"""What workers do for the site as a whole, rather than for one table."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from games.daily import services as dailies
from games.kinds import KINDS
from games.statistics import services as deal_statistics


@shared_task(name="games.settle_dailies")
def settle_dailies() -> None:
    """Once a minute: makes the deals of a new day, and shows the codes of days that are over."""
    for kind in KINDS:
        dailies.deal_of(kind)
    dailies.publish(timezone.now())


@shared_task(name="games.count_deals")
def count_deals() -> None:
    """Once a minute: counts the games that have ended since for the public statistics."""
    deal_statistics.count()
