"""Two small games that the site does not have, registered from outside: one in partnerships, one for each alone.

Nothing is passed, bid or broken; a trick is a point, and the highest score wins.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from games.cpu.memory import Memory
from games.kinds import KINDS, NAMES, register
from games.kinds.kind import Kind, Words
from games.kinds.preset import Preset
from games.rules import Action, Options, Rules, View
from games.rules.answers import sift, standing
from games.rules.cards import DECK
from games.rules.options import whole
from games.rules.state import DealScore, Line, State
from games.verify.kind import Check
from tests.games.kinds.alone_check import AloneCheck
from tests.games.kinds.pairs_check import PairsCheck


@dataclass(frozen=True)
class PlainOptions(Options):
    """To how many points."""

    PLAYERS: ClassVar[tuple[int, ...]] = (4,)

    goal: int = whole(
        default=20,
        low=5,
        high=50,
        label="Goal",
        effect="The first side with so many points wins.",
        about="",
        fits="",
        icon="target",
        chip="To %(value)s",
    )


class Pairs(Rules):
    """Two against two."""

    kind: ClassVar[str] = "pairs"
    phases = ("play",)
    deck = DECK
    hand_size = 13
    cards_given = 0
    sides = 2
    options: PlainOptions

    def __init__(self, players: int, options: PlainOptions) -> None:
        super().__init__(players, options)
        self.options = options

    def side(self, seat: int) -> int:
        return seat % self.sides

    def asked_together(self, state: State) -> tuple[int, ...]:
        return ()

    def giver(self, state: State, seat: int) -> int:
        return seat

    def after_deal(self, state: State) -> State:
        return self.begin_play(state)

    def opener(self, state: State) -> int:
        return (state.dealer + 1) % self.players

    def legal_cards(self, state: State, reasons: dict[str, str] | None = None) -> Sequence[str]:
        hand = state.hands[state.mover]
        if not state.trick:
            return hand
        return sift(hand, [card for card in hand if card[1] == state.trick[0][1]], "must_follow_suit", reasons)

    def breaks(self, state: State, card: str) -> bool:
        return False

    def is_decided(self, state: State) -> bool:
        return False

    def score(self, state: State, choice: str | None) -> DealScore:
        tricks = self.tricks_of(state)
        won = [
            sum(tricks[seat] for seat in range(self.players) if self.side(seat) == side) for side in range(self.sides)
        ]
        lines = tuple(Line(side, "tricks", points) for side, points in enumerate(won))
        scores = tuple(old + new for old, new in zip(state.scores, won, strict=True))
        return DealScore(state.deal, lines, tuple(won), scores, ())

    def end(self, scores: tuple[int, ...], state: State) -> tuple[str | None, int]:
        return ("target" if max(scores) >= self.options.goal else None), 0

    def places(self, scores: tuple[int, ...]) -> tuple[int, ...]:
        return standing(scores, lowest_first=False)


class Alone(Pairs):
    """Everybody for himself."""

    kind: ClassVar[str] = "alone"
    sides = 4


def lowest(view: View, rules: Rules, memory: Memory, rng: random.Random) -> Action:
    """The first card that may be played."""
    assert view.ask is not None
    assert view.seat is not None
    return Action("play", view.seat, card=view.ask.cards[0])


def _kind(name: str, label: str, suit: str, rules: type[Rules], check: type[Check]) -> Kind:
    return Kind(
        name=name,
        label=label,
        pitch="%(rules)s. Take tricks.",
        broken="Nothing is broken.",
        suit=suit,
        picture=(f"A{suit}", f"K{suit}", f"Q{suit}"),
        words=Words(lines={"tricks": "Tricks won"}),
        rules=rules,
        options=PlainOptions,
        is_partnership=rules.sides == 2,
        highest_wins=True,
        grades=((7, "good"), (4, "fair")),
        limit_option="goal",
        full_limit=20,
        guide_limits=(20,),
        solo_players=(4,),
        choose=lowest,
        expert=None,
        mistakes=None,
        check=check,
        check_script=None,
        rulebook="tests.games.kinds.plain_rulebook",
        play_now=name,
        daily=name,
        presets=(Preset(name, name, (4,), "Club", "To a goal."),),
    )


PAIRS = _kind("pairs", "Plain Pairs", "C", Pairs, PairsCheck)
ALONE = _kind("alone", "Plain Tricks", "D", Alone, AloneCheck)


@contextmanager
def registered() -> Iterator[None]:
    """Both are games of the site for a while."""
    for kind in (PAIRS, ALONE):
        register(kind)
    try:
        yield
    finally:
        for kind in (PAIRS, ALONE):
            del KINDS[kind.name]
            NAMES.remove(kind.name)
