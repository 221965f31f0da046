"""What all sockets of one user may do together in this process, however many there are.

Each socket has its own limit of messages (games/tables/consumers.py); this one keeps somebody with many sockets from
having many times as much. Nobody who plays comes near it, with a dozen tabs neither.
"""

from __future__ import annotations

import time
from collections.abc import Hashable
from dataclasses import dataclass, field

#: Messages a second for long, and how many at once.
MESSAGES = (30.0, 60.0)
#: Times a second that the log of a game is read afresh for this user: a socket that opens, news that are sent again.
READINGS = (1.0, 40.0)
#: Users of whom something is remembered, before those with nothing to remember are forgotten.
MOST_KNOWN = 1_000


class Bucket:
    """Fills at a rate up to a level; what is done takes from it."""

    def __init__(self, rate: float, most: float) -> None:
        self.rate, self.most = rate, most
        self.level, self.filled_at = most, time.monotonic()

    def take(self) -> bool:
        """Takes one, if there is one."""
        self._fill()
        if self.level < 1:
            return False
        self.level -= 1
        return True

    def is_full(self) -> bool:
        self._fill()
        return self.level >= self.most

    def _fill(self) -> None:
        now = time.monotonic()
        self.level = min(self.most, self.level + (now - self.filled_at) * self.rate)
        self.filled_at = now


class Buckets:
    """A bucket for each key; those that are full again need not be remembered."""

    def __init__(self, rate: float, most: float) -> None:
        self.rate, self.most = rate, most
        self._buckets: dict[str, Bucket] = {}

    def take(self, key: str) -> bool:
        """Takes one of this key's, if there is one."""
        if len(self._buckets) >= MOST_KNOWN and key not in self._buckets:
            self._buckets = {other: bucket for other, bucket in self._buckets.items() if not bucket.is_full()}
        return self._buckets.setdefault(key, Bucket(self.rate, self.most)).take()


@dataclass
class Share:
    """What one user has of this process."""

    sockets: int = 0
    messages: Bucket = field(default_factory=lambda: Bucket(*MESSAGES))
    readings: Bucket = field(default_factory=lambda: Bucket(*READINGS))

    def is_idle(self) -> bool:
        """Whether nothing has to be remembered."""
        return not self.sockets and self.messages.is_full() and self.readings.is_full()


_shares: dict[Hashable, Share] = {}


def share_of(who: Hashable) -> Share:
    """The one share of a user, or of the address that somebody who is not signed in watches from."""
    if who not in _shares:
        if len(_shares) >= MOST_KNOWN:
            for idle in [other for other, share in _shares.items() if share.is_idle()]:
                del _shares[idle]
        _shares[who] = Share()
    return _shares[who]


def forget_all() -> None:
    """Forgets everybody, e.g. between tests."""
    _shares.clear()
