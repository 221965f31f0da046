"""The game in which each is alone, for the check of finished games."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from games.verify.kind import Check, Row


class AloneCheck(Check):
    """Every trick is a point."""

    ROWS: ClassVar[tuple[Row, ...]] = (Row("E", 4, {}, ""),)
    OPTIONS: ClassVar[Mapping[str, str | int]] = {"goal": 20}

    def __init__(self, players: int, options: Mapping[str, Any]) -> None:
        super().__init__(players, options)
        self.scores = [0] * players

    def opener(self) -> int:
        return (self.deal.dealer + 1) % self.players

    def may_play(self, seat: int) -> set[str]:
        return self.deal.following(seat)

    def count(self) -> str | None:
        for seat, tricks in enumerate(self.deal.tricks):
            self.scores[seat % len(self.scores)] += tricks
        return "target" if max(self.scores) >= self.option("goal") else None
