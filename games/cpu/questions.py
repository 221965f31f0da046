"""What a decision is weighed by: the answers there were, and a way to play each of them out in sampled deals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from games.rules import Action, View

Floats = np.ndarray[Any, np.dtype[np.float64]]

#: An answer as it is tried: its place among the options, and whether the seat goes for the moon with it.
Variant = tuple[int, bool]


@dataclass(frozen=True, slots=True)
class Decision:
    """An answer of a player, and all that the player could know when giving it."""

    ply: int
    view: View
    action: Action


@dataclass(frozen=True, slots=True)
class Option:
    """An answer; `same` are cards that it makes no difference to play instead."""

    action: Action
    same: tuple[str, ...] = field(default=())


class Question(Protocol):
    """A decision that can be tried again."""

    options: list[Option]
    chosen: int
    #: Worth of a point; worlds that depend on each other; cost from which an answer is a mistake, in points.
    unit: float
    block: int
    least: float
    #: Names of the facts that `play` tells after the worth, as averages.
    facts: tuple[str, ...]

    def plans(self, seed: int) -> list[Variant]:
        """Options with which the seat would go for the moon; only such as are likely to come off."""

    def chosen_plans(self) -> list[Variant]:
        """The variants of the answer that was given, of which the better one counts."""

    def doubt(self, best: dict[str, float], given: dict[str, float]) -> float:
        """How much of the cost may be due to the playouts, in points, from what became of the two answers."""

    def play(self, variants: list[Variant], worlds: int, seed: int) -> Floats:
        """What becomes of them, at [world, variant, fact]; the worth first. All meet the same worlds."""


class Unplanned:
    """What is common to decisions in which nobody goes for the moon, and whose playouts are taken at their word."""

    chosen: int

    def plans(self, seed: int) -> list[Variant]:
        return []

    def chosen_plans(self) -> list[Variant]:
        return [(self.chosen, False)]

    def doubt(self, best: dict[str, float], given: dict[str, float]) -> float:
        return 0.0
