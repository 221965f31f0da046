"""Days of the site: they begin at midnight in Tokyo. Pure; the standard library only."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

ZONE = ZoneInfo("Asia/Tokyo")


def day_of(at: datetime) -> date:
    """The day that a moment lies in."""
    return at.astimezone(ZONE).date()


def begins_at(day: date) -> datetime:
    """The first moment of a day."""
    return datetime.combine(day, time(), ZONE)


def ends_at(day: date) -> datetime:
    """The first moment after a day."""
    return begins_at(day + timedelta(days=1))
