"""Decisions of Hearts, weighed by the playouts of the expert."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from games.cpu.kernel import CARD, PLACE, bits_of, cards_of
from games.cpu.questions import Decision, Floats, Option, Question, Unplanned, Variant
from games.kinds import rules_for
from games.kinds.hearts.cpu import expert
from games.kinds.hearts.cpu import review as kernel
from games.kinds.hearts.cpu.expert_deals import scratch
from games.kinds.hearts.cpu.expert_engine import DECK, HAND, MOON, NO_MOON, NOBODY, PLAYED, SOLE, TRICK, table_of
from games.kinds.hearts.cpu.expert_policy import distinct, worth_to
from games.kinds.hearts.cpu.expert_tables import costs_of
from games.kinds.hearts.cpu.expert_view import Seen, away_of, opener_of, see, stakes_of
from games.kinds.hearts.cpu.expert_worlds import Worlds
from games.rules import Action, View

LEAST = 0.7
FACTS: tuple[str, ...] = ("points", "queen", "moon")
#: People stop moons that the playouts let through: of each one that an answer owes its worth to so much is in doubt.
MOON_DOUBT = 6.0


def question_of(decision: Decision) -> Question | None:
    """The decision as it can be tried again; None if no deal fits the view or nothing was to be decided."""
    view = decision.view
    if view.phase == "moon":
        return MoonChoice(decision)
    seen = see(view, rules_for(view.kind, view.players, view.options))
    if seen is None:
        return None
    return Passing(decision, seen) if view.phase == "pass" else Playing(decision, seen)


class _Tried:
    """What cards and passes have in common."""

    unit, block, least, facts = 1.0, 1, LEAST, FACTS
    what: int
    answers: list[int]
    options: list[Option]
    chosen: int

    def __init__(self, decision: Decision, seen: Seen) -> None:
        self.view: View = decision.view
        self.seen = seen
        self.foe, self.share = expert.threat_in(seen)

    @property
    def may_shoot(self) -> bool:
        """Whether the moon can still be the seat's own."""
        seen = self.seen
        return bool(seen.table[MOON] != NO_MOON and seen.position[SOLE] in (NOBODY, seen.seat))

    def chosen_plans(self) -> list[Variant]:
        return [(self.chosen, False), *([(self.chosen, True)] if self.may_shoot else [])]

    def doubt(self, best: dict[str, float], given: dict[str, float]) -> float:
        return MOON_DOUBT * max(0.0, best["moon"] - given["moon"])

    def play(self, variants: list[Variant], worlds: int, seed: int) -> Floats:
        facts = np.zeros((worlds, len(variants), kernel.FACTS))
        for plan in (False, True):
            places = [place for place, (_, is_plan) in enumerate(variants) if is_plan == plan]
            if places:
                facts[:, places] = self._play([variants[place][0] for place in places], worlds, seed, plan)
        told: Floats = np.zeros((worlds, len(variants), 1 + len(FACTS)))
        told[:, :, : kernel.SHOT] = facts[:, :, : kernel.SHOT]
        told[:, :, kernel.SHOT] = facts[:, :, kernel.SHOT] > 0
        return told

    def _play(self, options: list[int], worlds: int, seed: int, plan: bool) -> Floats:
        view, seen, hidden = self.view, self.seen, self.seen.hidden
        facts = np.zeros((worlds, len(options), kernel.FACTS))
        kernel.review(
            seen.table, seen.position, costs_of(seen.table), seen.stakes,
            hidden.cards, hidden.allowed, hidden.room, hidden.known, hidden.slack, hidden.weights, hidden.swaps,
            seen.seat, seen.kitty_taker, self.what, opener_of(view), away_of(view),
            np.array([self.answers[option] for option in options], dtype=np.int64), np.uint64(seed), worlds,
            seen.seat if plan else self.foe, 1.0 if plan else self.share, facts,
            scratch(), np.ones(1, dtype=np.uint64), np.zeros((4, 4)), np.zeros((4, 4), dtype=np.int64),
        )  # fmt: skip
        return facts


class Playing(_Tried):
    """A card that was played."""

    what = kernel.CARD

    def __init__(self, decision: Decision, seen: Seen) -> None:
        super().__init__(decision, seen)
        ask, action = decision.view.ask, decision.action
        assert ask is not None
        assert action.card is not None
        out = int(seen.table[DECK]) & ~int(seen.position[PLAYED] | seen.position[HAND + seen.seat])
        kept = distinct(bits_of(ask.cards), out | int(seen.position[TRICK]))
        runs: dict[int, list[str]] = {}
        for card in ask.cards:  # of cards in a row the highest stands for all
            above = [place for place in range(PLACE[card], 64) if kept >> place & 1 and place >> 4 == PLACE[card] >> 4]
            runs.setdefault(above[0], []).append(card)
        self.answers = sorted(runs)
        self.options = [
            Option(Action("play", seen.seat, card=CARD[place]), tuple(runs[place])) for place in self.answers
        ]
        self.chosen = next(place for place, option in enumerate(self.options) if action.card in option.same)

    def plans(self, seed: int) -> list[Variant]:
        if not self.may_shoot:
            return []
        left = expert.Clock(1e9, None)
        worlds = Worlds(self.seen, seed, left.work, expert.MOST_WORLDS)
        plan = expert.moon_plan(self.seen, worlds, np.array(self.answers, dtype=np.int64), seed, left)
        return [] if plan is None else [(plan[0], True)]


class Passing(_Tried):
    """Three cards that were passed."""

    what = kernel.PASS

    def __init__(self, decision: Decision, seen: Seen) -> None:
        super().__init__(decision, seen)
        hand = decision.view.hand or ()
        self.answers = sorted(bits_of(cards) for cards in combinations(hand, len(decision.action.cards)))
        self.options = [Option(Action("pass", seen.seat, cards=cards_of(bits))) for bits in self.answers]
        self.chosen = self.answers.index(bits_of(decision.action.cards))

    def plans(self, seed: int) -> list[Variant]:
        if not self.may_shoot:
            return []
        triples = np.array(self.answers, dtype=np.int64)
        plan = expert.moon_pass(self.view, self.seen, triples, seed, expert.Clock(1e9, None))
        return [] if plan is None else [(plan[0], True)]


class MoonChoice(Unplanned):
    """How the own moon was paid: nothing is hidden there."""

    unit, block, least, facts = 1.0, 1, LEAST, FACTS[:1]

    def __init__(self, decision: Decision) -> None:
        view, ask = decision.view, decision.view.ask
        assert ask is not None
        self.view = view
        self.options = [Option(Action("moon", view.seat, choice=choice)) for choice in sorted(ask.tables)]
        self.chosen = [option.action.choice for option in self.options].index(decision.action.choice)

    def play(self, variants: list[Variant], worlds: int, seed: int) -> Floats:
        view, seat = self.view, self.view.seat or 0
        assert view.ask is not None
        table, stakes = table_of(rules_for(view.kind, view.players, view.options)), stakes_of(view)
        told: Floats = np.zeros((worlds, len(variants), 2))
        for place, (option, _) in enumerate(variants):
            scores = view.ask.tables[str(self.options[option].action.choice)]
            change = np.array(scores) - np.array(view.scores)
            told[:, place] = worth_to(table, stakes, change, seat), change[seat]
        return told
