"""A third kind in the check of finished games, which the product does not have: every trick is a point, one deal."""

from __future__ import annotations

from typing import ClassVar

from games.verify.kind import Check, Row


class WhistCheck(Check):
    """Four seats without partners, bids or trumps."""

    ROWS: ClassVar[tuple[Row, ...]] = (Row("D", 4, {}, ""), Row("E", 4, {"pack": "short"}, "2 3"))
    OPTIONS = {"pack": "full"}

    def opener(self) -> int:
        return (self.deal.dealer + 1) % self.players

    def may_play(self, seat: int) -> set[str]:
        return self.deal.following(seat)

    def count(self) -> str:
        self.scores = [score + tricks for score, tricks in zip(self.scores, self.deal.tricks, strict=True)]
        return "target"
