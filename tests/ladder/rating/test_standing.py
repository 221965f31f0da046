"""Ratings as people see them, the board, days and seasons."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest

from ladder.rating.standing import ZONE, Closing, Season, band, day_of, is_on_board, season_of, season_rating, shown


@pytest.mark.parametrize(
    ("rating", "games", "wanted"),
    [("1500", 0, "1500?"), ("1512.50", 9, "1512?"), ("1513.50", 10, "1514"), ("1499.51", 200, "1500")],
)
def test_ratings_are_shown_whole_and_in_question_until_ten_games(rating: str, games: int, wanted: str) -> None:
    assert shown(Decimal(rating), games) == wanted


def test_the_band_narrows_with_games() -> None:
    assert [band(games) for games in (0, 3, 9, 30, 48, 49, 1000)] == [350, 175, 111, 63, 50, 50, 50]


def test_the_board_lists_who_played_enough_and_of_late() -> None:
    now = datetime(2026, 11, 30, tzinfo=UTC)
    assert is_on_board(30, now - timedelta(days=30), now)
    assert not is_on_board(29, now, now)
    assert not is_on_board(30, now - timedelta(days=30, seconds=1), now)
    assert not is_on_board(30, None, now)


def test_days_and_seasons_begin_in_tokyo() -> None:
    new_year = datetime(2026, 12, 31, 15, tzinfo=UTC)
    assert day_of(new_year) == date(2027, 1, 1)
    assert season_of(new_year) == Season(2027, 1)
    assert season_of(new_year - timedelta(microseconds=1)) == Season(2026, 4)
    assert str(Season(2026, 4)) == "2026-Q4"
    for month in range(1, 13):
        season = season_of(datetime(2026, month, 15, tzinfo=ZONE))
        assert season.quarter == (month + 2) // 3
        assert season.starts_at <= datetime(2026, month, 15, tzinfo=ZONE) < season.ends_at


def test_a_season_is_closed_at_the_last_rating_in_it() -> None:
    start = Season(2026, 3).starts_at
    games = [Closing(start + timedelta(days=day), Decimal(1500 + day)) for day in range(20)]
    after = Closing(Season(2026, 4).starts_at, Decimal(1900))
    assert season_rating([*games, after], Season(2026, 3)) == 1519
    assert season_rating(games[1:], Season(2026, 3)) is None, "nineteen games"
    assert season_rating([*games, after], Season(2026, 4)) is None
    counted_for_nothing = [Closing(start, Decimal(1500), counts=False), *games[1:]]
    assert season_rating(counted_for_nothing, Season(2026, 3)) is None
