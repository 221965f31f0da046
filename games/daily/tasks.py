"""What workers do for daily deals."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from games.daily import services
from games.kinds import KINDS


@shared_task(name="games.settle_dailies")
def settle_dailies() -> None:
    """Once a minute: makes the deals of a new day, and shows the codes of days that are over."""
    for kind in KINDS:
        services.deal_of(kind)
    services.publish(timezone.now())
