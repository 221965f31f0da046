"""Time and chance that are the same in every run, for making a dump. Loaded before Django's models are."""

from __future__ import annotations

import random
import time
from datetime import UTC, datetime, timedelta

from django.utils import timezone


class Clock:
    """The time as the site sees it: it stands until it is put forward."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at

    def seconds(self) -> float:
        return self.at.timestamp()

    def forward(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)

    def go_to(self, month: int, day: int, hour: int = 3) -> None:
        """Goes to an hour of the year, never back."""
        self.at = max(self.at, datetime(self.at.year, month, day, hour, tzinfo=UTC))


def stop(at: datetime) -> Clock:
    """From now on this process has this clock, and draws the same secrets in every run."""
    clock = Clock(at)
    timezone.now = clock.now
    time.time = clock.seconds
    random._urandom = random.Random(at.isoformat()).randbytes  # type: ignore[attr-defined] # that of SystemRandom
    return clock
