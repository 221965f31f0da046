"""Decisions of Spades, weighed by the playouts of the expert.

A point is what it is worth at the start of the game, as a chance to win: so near the end it counts for what it wins.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from games.cpu.kernel import CARD, bits_of, cards_of, generator
from games.cpu.questions import Decision, Option, Question, Unplanned, Variant
from games.kinds.spades.cpu import expert, trial
from games.kinds.spades.cpu import kernel as k
from games.kinds.spades.cpu import review as kernel
from games.kinds.spades.cpu.deals import Deals, deals_of
from games.kinds.spades.cpu.ending import ENDING, solve_cards
from games.kinds.spades.cpu.hands import tricks_of
from games.kinds.spades.cpu.table import table_of
from games.kinds.spades.cpu.tact import untactful
from games.kinds.spades.cpu.value import Floats, point
from games.kinds.spades.cpu.weights import WEIGHTS
from games.kinds.spades.cpu.worlds import Hands
from games.rules import Action, View

LEAST = 5.0
FACTS: tuple[str, ...] = ("points", "theirs", "nil", "contract")
#: Deals are drawn together in such numbers, so that they are not quite independent.
BLOCK = 96


def question_of(decision: Decision) -> Question | None:
    """The decision as it can be tried again; None if no deal fits the view."""
    if decision.view.phase == "blind":
        return BlindNil(decision)
    known = deals_of(decision.view)
    if known is None:
        return None
    kinds: dict[str, type[_Tried]] = {"bid": Bidding, "exchange": Exchange, "play": Playing}
    return kinds[decision.view.phase](decision, known)


def unit_of(view: View) -> float:
    """What a point is worth at the start of this game, as a chance to win."""
    table = table_of(view)
    table[k.SCORES : k.SCORES + 2] = 0
    table[k.BAGS : k.BAGS + 2] = 0
    table[k.LAST] = 0
    return point(table, 0)


class _Tried(Unplanned):
    """What all of them have in common."""

    block, least, facts = BLOCK, LEAST, FACTS
    what: int
    answers: list[int]
    options: list[Option]
    chosen: int

    def __init__(self, decision: Decision, known: Deals) -> None:
        self.view: View = decision.view
        self.known = known
        self.unit = unit_of(decision.view)

    def sample(self, worlds: int, seed: int) -> Hands:
        """So many deals that fit what the seat knew."""
        return np.concatenate(
            [self.known.sample(min(BLOCK, worlds - done), seed + done) for done in range(0, worlds, BLOCK)]
        )

    def play(self, variants: list[Variant], worlds: int, seed: int) -> Floats:
        hands = self.sample(worlds, seed)
        answers = np.array([self.answers[option] for option, _ in variants], np.int64)
        facts: Floats = np.zeros((worlds, len(answers), kernel.FACTS))
        kernel.review(hands, self.known.table, self.known.me, self.what, answers, np.uint64(seed), WEIGHTS, facts)
        return facts


class Playing(_Tried):
    """A card that was played."""

    what = kernel.CARD

    def __init__(self, decision: Decision, known: Deals) -> None:
        super().__init__(decision, known)
        ask, action = decision.view.ask, decision.action
        assert ask is not None
        assert action.card is not None
        self.hand = bits_of(decision.view.hand or ())
        legal = bits_of(ask.cards)
        self.answers = expert.distinct(legal, k.between(self.hand, known.table))
        runs: list[tuple[str, ...]] = []
        for place, following in zip(self.answers, [*self.answers[1:], 64], strict=True):
            until = following if following >> 4 == place >> 4 else (place >> 4) * 16 + 16
            runs.append(tuple(CARD[card] for card in range(place, until) if legal >> card & 1))
        self.options = [Option(Action("play", known.me, card=same[0]), same) for same in runs]
        self.chosen = next(place for place, same in enumerate(runs) if action.card in same)

    def play(self, variants: list[Variant], worlds: int, seed: int) -> Floats:
        facts = super().play(variants, worlds, seed)
        cards = np.array([self.answers[option] for option, _ in variants], np.int64)
        if self.hand.bit_count() <= ENDING:  # exactly
            hands = self.sample(worlds, seed)
            values: Floats = np.zeros((worlds, len(cards)))
            tried = np.ones(len(cards), np.bool_)
            solve_cards(hands, self.known.table, cards, tried, self.known.me % 2, 0, worlds, values)
            facts[:, :, kernel.WORTH] = values
        # What a partner would wonder at is no better than what he understands.
        facts[:, :, kernel.WORTH] -= self.unit * untactful(cards, self.hand, self.known.table)
        return facts


class Bidding(_Tried):
    """A bid."""

    what = trial.BID

    def __init__(self, decision: Decision, known: Deals) -> None:
        super().__init__(decision, known)
        ask, action = decision.view.ask, decision.action
        assert ask is not None
        middle = round(tricks_of(bits_of(decision.view.hand or ())))
        near = {0, action.bid, *range(max(1, middle - expert.BID_REACH), max(1, middle + expert.BID_REACH) + 1)}
        self.answers = sorted(bid for bid in ask.bids if bid in near)
        self.options = [Option(Action("bid", known.me, bid=bid)) for bid in self.answers]
        self.chosen = [option.action.bid for option in self.options].index(action.bid)


class Exchange(_Tried):
    """Two cards that were given to the partner."""

    what = trial.GIFT

    def __init__(self, decision: Decision, known: Deals) -> None:
        super().__init__(decision, known)
        hand = decision.view.hand or ()
        self.answers = sorted(bits_of(cards) for cards in combinations(hand, len(decision.action.cards)))
        self.options = [Option(Action("exchange", known.me, cards=cards_of(bits))) for bits in self.answers]
        self.chosen = self.answers.index(bits_of(decision.action.cards))


class BlindNil(Unplanned):
    """Whether a nil was bid before the hand was seen."""

    block, facts = BLOCK, FACTS
    #: People defend better against a nil than the rules of the playouts do.
    least = LEAST + expert.BLIND_DOUBT

    def __init__(self, decision: Decision) -> None:
        self.view = decision.view
        self.me = decision.view.seat or 0
        self.unit = unit_of(decision.view)
        self.options = [Option(Action("blind", self.me, blind=blind)) for blind in (False, True)]
        self.chosen = int(bool(decision.action.blind))

    def play(self, variants: list[Variant], worlds: int, seed: int) -> Floats:
        hands = np.zeros((worlds, 4), np.int64)
        rng = generator(seed)
        for world in hands:
            trial.deal_blind(world, rng)
        answers = np.array([option for option, _ in variants], np.int64)
        facts: Floats = np.zeros((worlds, len(answers), kernel.FACTS))
        table = table_of(self.view)
        kernel.review(hands, table, self.me, trial.BLIND, answers, np.uint64(seed), WEIGHTS, facts)
        return facts
