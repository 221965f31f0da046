"""What all tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.utils import translation

from games.log import live
from games.tables import rates


@pytest.fixture(autouse=True)
def _forget_games() -> Iterator[None]:
    """Games of one test have the ids of another's."""
    live.forget_all()
    rates.forget_all()
    yield
    live.forget_all()


@pytest.fixture(autouse=True)
def _forget_language() -> Iterator[None]:
    """A page leaves the language of its reader behind in the thread of the test."""
    yield
    translation.deactivate()
