"""The live site, for tests of ranked games that are played at a table."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
from asgiref.sync import sync_to_async
from django.db import connection

from tests.games.conftest import clock, site, transactional_db  # noqa: F401 - fixtures

TABLES = "ladder_ratingchange, ladder_rating, ladder_abandon, ladder_queuelock, ladder_rankedgame, ladder_ladder"


def _clear() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"truncate {TABLES} cascade")
    connection.close()


@pytest.fixture
def real_db(transactional_db: None) -> Iterator[None]:  # noqa: F811
    """Real transactions, and nothing left on the ladder behind."""
    yield
    _clear()


@pytest.fixture
async def ranked_site(site: None) -> AsyncIterator[None]:  # noqa: F811
    """The live site, with nothing left on the ladder behind."""
    yield
    await sync_to_async(_clear)()
