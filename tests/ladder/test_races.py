"""Several workers at once: every game is rated once, whoever rates it, and no two wait for each other for ever."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest
from django.db import connection

from accounts.models import User
from ladder import services
from ladder.models import Rating, RatingChange
from ladder.proof import prove
from tests.games.conftest import transactional_db  # noqa: F401 - a fixture
from tests.ladder.finished import members, ranked

TABLES = "ladder_ratingchange, ladder_rating, ladder_abandon, ladder_queuelock, ladder_rankedgame, ladder_ladder"


@pytest.fixture
def users(transactional_db: None) -> Iterator[list[User]]:  # noqa: F811
    yield members(6)
    with connection.cursor() as cursor:
        cursor.execute(f"truncate {TABLES} cascade")
    connection.close()


def rate(game: int) -> bool:
    try:
        return services.rate_game(game)
    finally:
        connection.close()


def test_workers_who_rate_the_same_games_at_once_rate_each_once(users: list[User]) -> None:
    tables = [users[:4], users[2:], [users[5], users[0], users[3], users[1]], users[1:5]]
    games = [ranked(table, seed=seed).pk for seed, table in enumerate(tables)]
    with ThreadPoolExecutor(4) as workers:
        done = list(workers.map(rate, [*games, *reversed(games), *games]))
    assert sum(done) == len(games)
    assert RatingChange.objects.count() == 4 * len(games)
    assert prove() == []
    total = sum((row.rating - 1500 for row in Rating.objects.all()), Decimal(0))
    assert abs(total) <= Decimal("0.02") * len(games)


def test_voiding_and_rating_at_once_leave_ratings_that_can_be_proved(users: list[User]) -> None:
    first, second, third = (ranked(users[:4], seed=seed).pk for seed in range(3))
    rate(first)
    with ThreadPoolExecutor(4) as workers:
        jobs = [workers.submit(rate, second), workers.submit(void, first), workers.submit(rate, third)]
        jobs.append(workers.submit(void, first))
        assert sorted(job.result() for job in (jobs[1], jobs[3])) == [False, True]
        assert jobs[0].result()
        assert jobs[2].result()
    assert RatingChange.objects.count() == 16
    assert prove() == []


def void(game: int) -> bool:
    try:
        return services.void_game(game)
    finally:
        connection.close()
