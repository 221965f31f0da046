"""Whether packs are as even as theory says: chi-square of places and of neighbours.

Of each pack a table counts which card lies at which place, another which card follows which, the first following the
last. Their cells hang together (each row and column of a pack's table adds up to one), so the plain sum is weighted
such that for even packs it is distributed as chi-square:

- Places. The table of a random permutation of n, less its mean, lies in the (n - 1)² dimensions in which rows and
  columns add up to nothing, and spreads evenly there with the variance 1 / (n - 1).
- Neighbours. The table of a random cycle has no diagonal. Its symmetric part, in n (n - 3) / 2 dimensions, has the
  variance 1 / (n - 1) in each, its antisymmetric part, in (n - 1) (n - 2) / 2 dimensions, n / ((n - 1) (n - 2)).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.rules import DECK
from games.statistics.chances import chance_of

N = len(DECK)
_NUMBER = {card: number for number, card in enumerate(DECK)}

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Tally:
    """What was counted of some packs."""

    packs: int
    places: Counts  # card, place
    neighbours: Counts  # card, the card after it

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.packs + other.packs, self.places + other.places, self.neighbours + other.neighbours)


def tally(packs: Iterable[Sequence[str]]) -> Tally:
    """Counts packs of 52 cards."""
    rows = np.array([[_NUMBER[card] for card in pack] for pack in packs], dtype=np.int64).reshape(-1, N)
    at = np.broadcast_to(np.arange(N), rows.shape)
    after = np.roll(rows, -1, axis=1)
    return Tally(len(rows), _table(rows, at), _table(rows, after))


def _table(one: Any, other: Any) -> Counts:
    return np.bincount((one * N + other).ravel(), minlength=N * N).reshape(N, N)


def p_of_places(found: Tally) -> float:
    """How likely a sum of squares at least as great is, if every card is equally often at every place."""
    gap = found.places - found.packs / N
    return chance_of(float((gap**2).sum() * (N - 1) / found.packs), (N - 1) ** 2)


def p_of_neighbours(found: Tally) -> float:
    """The same, if every card is equally often behind every other."""
    gap = found.neighbours - found.packs / (N - 1) * (1 - np.eye(N))
    even, odd = (gap + gap.T) / 2, (gap - gap.T) / 2
    total = (even**2).sum() * (N - 1) + (odd**2).sum() * (N - 1) * (N - 2) / N
    return chance_of(float(total / found.packs), N * (N - 3) // 2 + (N - 1) * (N - 2) // 2)
