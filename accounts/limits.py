"""How often somebody may do what costs the site something, counted for all web processes together.

The counts are in the cache. Where that cannot be reached nobody is kept from playing.
"""

from __future__ import annotations

import logging
import time

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

WINDOW_S = 60


class TooMany(Exception):
    """It was done too often. `what` names it, as `templates/429.html` does; it may be tried again after `seconds`."""

    def __init__(self, what: str, seconds: int) -> None:
        super().__init__(what, seconds)
        self.what, self.seconds = what, seconds


def count(what: str, who: object, most: int) -> None:
    """Counts one more in this minute. Raises TooMany if there were as many as may be."""
    minute, second = divmod(int(time.time()), WINDOW_S)
    key = f"limit:{what}:{who}:{minute}"
    try:
        cache.add(key, 0, WINDOW_S)
        number = cache.incr(key)
    except (RedisError, ValueError) as error:  # it cannot be reached, or has just been emptied
        logger.warning("no limit for %s: %s", what, error.__class__.__name__)
        return
    if number > most:
        raise TooMany(what, WINDOW_S - second)


def address_of(request: HttpRequest) -> str:
    """Where a request comes from."""
    return address_from(request.headers.get("X-Forwarded-For", ""), request.META.get("REMOTE_ADDR"))


def address_from(forwarded: str, peer: str | None) -> str:
    """The address of whoever is at the other end: `peer`, or behind a proxy what the proxy says, which is the last in
    the header X-Forwarded-For; all else in it is hearsay.
    """
    said = forwarded.rpartition(",")[2].strip() if settings.HTTPS else ""
    return said or str(peer or "unknown")
