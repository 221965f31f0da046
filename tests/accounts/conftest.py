"""What tests of accounts share: limits on tries start anew, and visitors who sign up and in by the site's own pages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.core.cache import cache

from accounts.sessions import sockets


@pytest.fixture(autouse=True)
def _fresh_limits() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()
    sockets.reset()
