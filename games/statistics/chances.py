"""What chance alone would deal, and how odd it is when something else is seen. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, erfc, exp, fsum, lgamma, log, sqrt

#: Cells of which fewer are expected are put together with their neighbour.
LEAST_EXPECTED = 5.0


def suit_lengths() -> list[float]:
    """The chance that a hand of 13 has 0, 1, … 13 cards of a suit."""
    return [comb(13, length) * comb(39, 13 - length) / comb(52, 13) for length in range(14)]


@dataclass(frozen=True, slots=True)
class Fit:
    """A chi-square test: its statistic, its degrees of freedom, and the chance of such a deviation or a larger one."""

    statistic: float
    freedom: int
    chance: float


def fit(seen: Sequence[int], chances: Sequence[float]) -> Fit | None:
    """How counts agree with the chances of their cells; None where there are too few to say."""
    total = sum(seen)
    cells = _pooled(seen, [chance * total for chance in chances])
    if len(cells) < 2:
        return None
    statistic = sum((count - expected) ** 2 / expected for count, expected in cells)
    return Fit(statistic, len(cells) - 1, chance_of(statistic, len(cells) - 1))


def chance_of(statistic: float, freedom: int) -> float:
    """The chance that chi-square with so many degrees of freedom is `statistic` or more.

    With a whole number of degrees it is a sum of that many halves of terms (Abramowitz and Stegun, 26.4.4 and 26.4.5).
    None of them is negative, so nothing cancels out; each is computed from its logarithm, so none is too large.
    """
    if statistic <= 0:
        return 1.0
    half = statistic / 2
    odd = freedom % 2 / 2
    terms = (exp(at * log(half) - half - lgamma(at + 1)) for at in (odd + number for number in range(freedom // 2)))
    return min(1.0, fsum(terms) + (erfc(sqrt(half)) if odd else 0.0))


def _pooled(seen: Sequence[int], expected: Sequence[float]) -> list[tuple[int, float]]:
    """Cells in order, thin ones put together with the next, and the last with the one before."""
    cells: list[tuple[int, float]] = []
    count, sum_expected = 0, 0.0
    for number, wanted in zip(seen, expected, strict=True):
        count, sum_expected = count + number, sum_expected + wanted
        if sum_expected >= LEAST_EXPECTED:
            cells.append((count, sum_expected))
            count, sum_expected = 0, 0.0
    if (count or sum_expected) and cells:
        last = cells.pop()
        cells.append((last[0] + count, last[1] + sum_expected))
    return cells
