"""How often something may be done in this process; and what all sockets of one user may do together in it.

All that the web processes count together is in accounts/limits.py. What comes over a socket is counted here, since a
question to the cache would cost more than most of the messages do.

Each socket has its own limit of messages (games/tables/sockets.py); the share of its user keeps somebody with many
sockets from having many times as much. Nobody who plays comes near it, with a dozen tabs neither.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

#: Messages a second for long, and how many at once.
MESSAGES = (30.0, 60.0)
#: Times a second that the log of a game is read afresh for this user: a socket that opens, news that are sent again.
READINGS = (1.0, 40.0)
#: Keys for which something is remembered, before those with nothing to remember are forgotten.
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

    def is_idle(self) -> bool:
        """Whether it is as full as a new one."""
        self._fill()
        return self.level >= self.most

    def _fill(self) -> None:
        now = time.monotonic()
        self.level = min(self.most, self.level + (now - self.filled_at) * self.rate)
        self.filled_at = now


class Window:
    """Lets something be done so many times within any span of so many seconds."""

    def __init__(self, most: int, seconds: float) -> None:
        self.most, self.seconds = most, seconds
        self.taken: deque[float] = deque()

    def take(self) -> bool:
        """Takes one, if there is one."""
        now = time.monotonic()
        while self.taken and now - self.taken[0] >= self.seconds:
            self.taken.popleft()
        if len(self.taken) >= self.most:
            return False
        self.taken.append(now)
        return True


class _Idles(Protocol):
    def is_idle(self) -> bool:
        """Whether a new one would do as well."""


T = TypeVar("T", bound=_Idles)


class Each(Generic[T]):
    """One for each key, made when it is asked for. Those that are idle are forgotten when there are many."""

    def __init__(self, make: Callable[[], T]) -> None:
        self.make = make
        self._known: dict[Hashable, T] = {}

    def of(self, key: Hashable) -> T:
        if key not in self._known:
            if len(self._known) >= MOST_KNOWN:
                for idle in [other for other, one in self._known.items() if one.is_idle()]:
                    del self._known[idle]
            self._known[key] = self.make()
        return self._known[key]

    def forget_all(self) -> None:
        self._known.clear()


@dataclass
class Share:
    """What one user has of this process."""

    sockets: int = 0
    messages: Bucket = field(default_factory=lambda: Bucket(*MESSAGES))
    readings: Bucket = field(default_factory=lambda: Bucket(*READINGS))

    def is_idle(self) -> bool:
        """Whether nothing has to be remembered."""
        return not self.sockets and self.messages.is_idle() and self.readings.is_idle()


_shares = Each(Share)


def share_of(who: Hashable) -> Share:
    """The one share of a user, or of the address that somebody who is not signed in watches from."""
    return _shares.of(who)


def forget_all() -> None:
    """Forgets everybody, e.g. between tests."""
    _shares.forget_all()
