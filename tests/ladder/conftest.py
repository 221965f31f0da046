"""The live site, for tests of the queue and of ranked games that are played at a table."""

from __future__ import annotations

import pytest

from tests.games.conftest import clock, site, transactional_db  # noqa: F401 - fixtures


@pytest.fixture
def real_db(transactional_db: None) -> None:  # noqa: F811
    """Real transactions."""


@pytest.fixture
async def ranked_site(site: None) -> None:  # noqa: F811
    """The live site."""
