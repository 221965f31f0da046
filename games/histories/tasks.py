"""What workers do for histories."""

from __future__ import annotations

from celery import shared_task

from games.histories import opened_records


@shared_task(name="games.forget_records")
def forget_records() -> None:
    """Once a day: lets go of recorded games that were opened long ago."""
    opened_records.forget()
