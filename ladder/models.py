"""Every model of the app, gathered from the rooms for Django, which looks for them here."""

from ladder.queue.models import Invite, ReadyCheck, Ticket, Wait
from ladder.rating.models import (
    Abandon,
    Appearance,
    Ladder,
    LadderMove,
    QueueLock,
    RankedGame,
    Rating,
    RatingChange,
    SeasonRating,
)

__all__ = [
    "Abandon",
    "Appearance",
    "Invite",
    "Ladder",
    "LadderMove",
    "QueueLock",
    "RankedGame",
    "Rating",
    "RatingChange",
    "ReadyCheck",
    "SeasonRating",
    "Ticket",
    "Wait",
]
