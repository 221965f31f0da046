"""The one option of the game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from games.rules.options import Options, whole


@dataclass(frozen=True)
class WhistOptions(Options):
    """Rule settings of a game of Whist."""

    PLAYERS: ClassVar[tuple[int, ...]] = (4,)

    target: int = whole(
        default=7,
        low=1,
        high=21,
        label="Target of Whist",
        effect="The game ends with the deal in which a side gets there.",
        about="Seven takes a handful of deals.",
        fits="Three for a short game.",
        icon="end-score",
        chip="First to %(value)s",
    )
