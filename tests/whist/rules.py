"""Whist among four in two partnerships: no pass, no bid, diamonds are always trump.

A side scores a point for each trick above six. Whoever is first to the target wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from games.rules.answers import MOST_DEALS, sift, standing
from games.rules.cards import DECK
from games.rules.engine import Rules
from games.rules.state import DealScore, Line, State
from tests.whist.options import WhistOptions

BOOK = 6  # tricks of a side that are worth nothing


class Whist(Rules):
    """Whist at one table."""

    kind: ClassVar[str] = "whist"
    phases = ("play",)
    trump: ClassVar[str | None] = "D"
    cards_given = 0
    deck = DECK
    hand_size = 13
    sides = 2
    options: WhistOptions

    def __init__(self, players: int, options: WhistOptions) -> None:
        super().__init__(players, options)
        self.options = options

    def side(self, seat: int) -> int:
        return seat % 2

    def after_deal(self, state: State) -> State:
        return self.begin_play(state)

    def asked_together(self, state: State) -> tuple[int, ...]:
        return ()

    def giver(self, state: State, seat: int) -> int:
        raise AssertionError("no card is given away")

    def opener(self, state: State) -> int:
        return (state.dealer + 1) % self.players

    def legal_cards(self, state: State, reasons: dict[str, str] | None = None) -> Sequence[str]:
        hand = state.hands[state.mover]
        if not state.trick:
            return hand
        suit = state.trick[0][1]
        return sift(hand, [card for card in hand if card[1] == suit], "must_follow_suit", reasons)

    def breaks(self, state: State, card: str) -> bool:
        return False

    def is_decided(self, state: State) -> bool:
        return False

    def score(self, state: State, choice: str | None) -> DealScore:
        tricks = self.tricks_of(state)
        made = [max(0, tricks[side] + tricks[side + 2] - BOOK) for side in range(self.sides)]
        lines = tuple(Line(side, "odd_tricks", points) for side, points in enumerate(made) if points)
        scores = tuple(old + new for old, new in zip(state.scores, made, strict=True))
        return DealScore(state.deal, lines, tuple(made), scores, ())

    def end(self, scores: tuple[int, ...], state: State) -> tuple[str | None, int]:
        if max(scores) >= self.options.target:
            return "target", 0
        return ("deal_cap", 0) if state.deal >= MOST_DEALS else (None, 0)

    def places(self, scores: tuple[int, ...]) -> tuple[int, ...]:
        return standing(scores, lowest_first=False)
