"""The ladders shipped with the site, each on a preset that was made for ranked games.

Every site gets those that it does not have, a running one too (`ladder.after_migrate`).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shipped:
    """A ladder and the preset that it begins with."""

    slug: str
    kind: str
    preset: str
    players: int = 4
    timer_s: int = 30


SHIPPED = (
    Shipped("hearts", "hearts", "hearts-standard"),
    Shipped("spades", "spades", "spades-standard"),
)
