"""How ratings are shown: provisional ones, the board, days and seasons. Pure; the standard library only."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import MINYEAR, date, datetime, time, timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from zoneinfo import ZoneInfo

from ladder.rating.formula import PROVISIONAL_GAMES

#: Where days and seasons begin.
ZONE = ZoneInfo("Asia/Tokyo")
BOARD_GAMES = 30
BOARD_ACTIVE = timedelta(days=30)
SEASON_GAMES = 20
NARROWEST_BAND = 50
WIDEST_BAND = 350


@dataclass(frozen=True, slots=True, order=True)
class Season:
    """A quarter of a calendar year in Tokyo."""

    year: int
    quarter: int

    @classmethod
    def read(cls, text: str) -> Season | None:
        """The season that a text such as 2026-Q4 names; None if it names none."""
        match = re.fullmatch(r"([0-9]{4})-Q([1-4])", text)
        return cls(int(match[1]), int(match[2])) if match and int(match[1]) > MINYEAR else None

    @property
    def starts_at(self) -> datetime:
        """Its first moment."""
        return datetime(self.year, 3 * self.quarter - 2, 1, tzinfo=ZONE)

    @property
    def ends_at(self) -> datetime:
        """The first moment of the next one."""
        return self.next.starts_at

    @property
    def next(self) -> Season:
        """The season after."""
        return Season(self.year + 1, 1) if self.quarter == 4 else Season(self.year, self.quarter + 1)

    @property
    def before(self) -> Season:
        """The season before."""
        return Season(self.year - 1, 4) if self.quarter == 1 else Season(self.year, self.quarter - 1)

    def __str__(self) -> str:
        return f"{self.year}-Q{self.quarter}"


@dataclass(frozen=True, slots=True)
class Closing:
    """A rating after one rated game; `counts` unless the game counted for nothing."""

    at: datetime
    rating: Decimal
    counts: bool = True


def day_of(at: datetime) -> date:
    """The day of the ladder: limits by the day begin anew at midnight in Tokyo."""
    return at.astimezone(ZONE).date()


def day_bounds(at: datetime) -> tuple[datetime, datetime]:
    """The first moment of the day around a moment, and of the day after."""
    begins_at = datetime.combine(day_of(at), time(), ZONE)
    return begins_at, begins_at + timedelta(days=1)


def season_of(at: datetime) -> Season:
    """The season a moment lies in."""
    day = day_of(at)
    return Season(day.year, (day.month + 2) // 3)


def shown(rating: Decimal, games: int) -> str:
    """A rating as people see it: whole, with a question mark until ten games."""
    whole = rating.quantize(Decimal(1), rounding=ROUND_HALF_EVEN)
    return f"{whole}?" if games < PROVISIONAL_GAMES else f"{whole}"


def band(games: int) -> int:
    """How far off a rating may be, plus or minus, after so many games."""
    width = WIDEST_BAND / Decimal(games + 1).sqrt()
    return int(max(Decimal(NARROWEST_BAND), width).quantize(Decimal(1), rounding=ROUND_HALF_EVEN))


def is_on_board(games: int, last_at: datetime | None, now: datetime) -> bool:
    """Whether somebody is listed: enough rated games, and one of late."""
    return games >= BOARD_GAMES and last_at is not None and now - last_at <= BOARD_ACTIVE


def season_rating(closings: Iterable[Closing], season: Season) -> Decimal | None:
    """The rating at which somebody closed a season, by his games in order; None with too few of them in it."""
    inside = [closing for closing in closings if closing.counts and season_of(closing.at) == season]
    return inside[-1].rating if len(inside) >= SEASON_GAMES else None
