"""Hearts for experts: every question answered by search over deals that fit what the seat has seen.

Work is counted in playouts. Without a budget a clock stops the search as well, so that no answer is late on a slow or
busy machine; with one the answer is the same for the same view, generator and budget.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from games.cpu.kernel import bits_of, cards_of
from games.cpu.memory import Memory
from games.kinds import rules_for
from games.kinds.hearts.cpu import normal as hearts
from games.kinds.hearts.cpu.expert_deals import scratch
from games.kinds.hearts.cpu.expert_engine import (
    DECK,
    HAND,
    MOON,
    NO_MOON,
    NOBODY,
    PLAYED,
    SOLE,
    TAKEN,
    TRICK,
    Floats,
    Numbers,
    points_of,
    table_of,
)
from games.kinds.hearts.cpu.expert_policy import distinct, worth_to
from games.kinds.hearts.cpu.expert_search import try_cards, try_passes
from games.kinds.hearts.cpu.expert_tables import costs_of
from games.kinds.hearts.cpu.expert_view import Seen, away_of, opener_of, see, stakes_of
from games.kinds.hearts.cpu.expert_worlds import Worlds
from games.rules import Action, Rules, View

#: Playouts for a card without a budget, how many times as many a pass gets, and after how many seconds no further batch
#: is begun.
WORK, PASS_TIMES = 3600, 1.8
CARD_STOP_S, PASS_STOP_S = 0.016, 0.036
#: How often a seat plays any card in a playout.
NOISE = 0.0
#: Worlds at a time, at first and when candidates are given up already, and at most.
BATCH, LARGEST, MOST_WORLDS = 16, 64, 1600
#: A candidate is given up when it is worse than the best by so many standard errors, after this many worlds.
SURELY = 2.6
EARLY = 32

#: The own moon is gone for if it is shot in this share of the worlds and worth so much more than the best card without.
MOON_RATE, MOON_GAIN = 0.65, 2.0
MOON_HOPE = 0.2
#: In this share of the worlds a seat that alone has taken points plays to shoot: by points of each step.
FOE_POINTS = ((1, 0.08), (4, 0.2), (8, 0.4), (14, 0.5))


#: Worlds for a pass: of the first round, of the largest, and at most; the share of the triples that goes on to the next
#: round, which is twice as large, and how many always do.
PASS_BATCH, PASS_LARGEST, PASS_WORLDS, GO_ON, FINALISTS = 6, 96, 512, 0.4, 3


@dataclass
class Clock:
    """What is left of a decision: playouts, and seconds where no budget was given."""

    work: float
    stop: float | None

    def spend(self, playouts: int) -> None:
        self.work -= playouts

    def take(self, batch: int, trial: Trial) -> int:
        """Spends a batch of worlds for what is still tried, or what the budget has left for it; how many, at least one.

        Without a budget it is the whole batch.
        """
        candidates = int(trial.alive.sum())
        worlds = batch if self.stop is not None else max(1, min(batch, int(self.work / candidates)))
        self.spend(worlds * candidates)
        return worlds

    @property
    def open(self) -> bool:
        return self.work > 0 and (self.stop is None or time.perf_counter() < self.stop)


def clock(budget: float | None, times: float, stop: float) -> Clock:
    """What a decision may take that gets so many times the budget of a card."""
    return Clock(times * WORK, stop) if budget is None else Clock(times * budget, None)


def choose(view: View, rng: random.Random, budget: float | None = None) -> Action:
    """The answer to any question of Hearts."""
    start = time.perf_counter()
    rules = rules_for(view.kind, view.players, view.options)
    ask = view.ask
    assert ask is not None
    seed = rng.getrandbits(63)
    if view.phase == "play" and len(ask.cards) == 1:
        return Action("play", view.seat, card=ask.cards[0])
    if view.phase == "moon":
        return Action("moon", view.seat, choice=choose_moon(view, rules))
    seen = see(view, rules)
    if seen is None:  # no deal fits what the view says
        return hearts.choose(view, rules, Memory(view, rules), rng)
    if view.phase == "pass":
        given = choose_pass(view, seen, seed, clock(budget, PASS_TIMES, start + PASS_STOP_S))
        return Action("pass", view.seat, cards=given)
    card = choose_card(seen, bits_of(ask.cards), seed, clock(budget, 1, start + CARD_STOP_S))
    return Action("play", view.seat, card=card)


# --- cards ----------------------------------------------------------------------------------------------------------


class Trial:
    """Candidates, and what they came to in the worlds tried so far."""

    def __init__(self, number: int, worlds: int = MOST_WORLDS) -> None:
        self.alive = np.ones(number, dtype=np.bool_)
        self.values = np.zeros((worlds, number))
        self.moons = np.zeros(number, dtype=np.int64)
        self.worlds = 0
        self.scratch = scratch()
        self.rng = np.ones(1, dtype=np.uint64)
        self.pass_cards = np.zeros((4, 4), dtype=np.int64)

    def keep(self, number: int) -> None:
        """Strikes all but so many of the best."""
        order = np.argsort(-self.means(), kind="stable")
        self.alive[order[number:]] = False

    def means(self) -> Floats:
        means: Floats = self.values[: self.worlds].mean(axis=0)
        means[~self.alive] = -np.inf
        return means

    @property
    def best(self) -> int:
        return int(self.means().argmax())

    def give_up(self, surely: float = SURELY) -> None:
        """Strikes the candidates that are worse than the best beyond doubt."""
        values = self.values[: self.worlds]
        best = self.best
        differences = values[:, [best]] - values[:, self.alive]
        mean, error = differences.mean(axis=0), differences.std(axis=0) / np.sqrt(self.worlds)
        gone = mean > surely * error + 1e-9
        places = np.flatnonzero(self.alive)
        self.alive[places[gone]] = False


def choose_card(seen: Seen, legal: int, seed: int, left: Clock) -> str:
    """The best card by search; the own moon if it is likely and clearly better."""
    position, table, seat = seen.position, seen.table, seen.seat
    out = int(table[DECK]) & ~int(position[PLAYED] | position[HAND + seat])
    options = distinct(legal, out | int(position[TRICK]))
    cards = cards_of(options)
    if len(cards) == 1:
        return cards[0]
    places = np.array([place for place in range(64) if options >> place & 1], dtype=np.int64)
    trial = Trial(len(places))
    worlds = Worlds(seen, seed, left.work, MOST_WORLDS)
    left.spend(worlds.size)
    foe, share = threat_in(seen)
    plan = None
    while trial.worlds == 0 or (left.open and trial.worlds + LARGEST <= MOST_WORLDS):
        first = trial.worlds == 0
        batch = left.take(BATCH if trial.worlds < EARLY else LARGEST, trial)
        run(seen, worlds, places, trial, seed, batch, foe, share)
        if first and left.open:
            plan = moon_plan(seen, worlds, places, seed, left)
        elif trial.worlds >= EARLY:
            trial.give_up()
            if trial.alive.sum() == 1:
                break
    if plan is not None and plan[1] > trial.means().max() + MOON_GAIN:
        return cards[plan[0]]
    return cards[trial.best]


def threat_in(seen: Seen) -> tuple[int, float]:
    """The seat that may be shooting the moon, and in which share of the worlds it is taken to."""
    sole = int(seen.position[SOLE])
    if sole < 0 or sole == seen.seat or seen.table[MOON] == NO_MOON:
        return NOBODY, 1.0
    points = points_of(int(seen.position[TAKEN + sole]))
    return sole, max((share for least, share in FOE_POINTS if points >= least), default=0.0)


def run(
    seen: Seen, deals: Worlds, places: Numbers, trial: Trial, seed: int, worlds: int, shooter: int, share: float = 1.0
) -> None:
    """So many worlds more."""
    first = trial.worlds
    try_cards(
        seen.table, seen.position, costs_of(seen.table), seen.stakes,
        deals.pool, deals.order,
        seen.seat, seen.kitty_taker, places, trial.alive, np.uint64(seed), first, first + worlds,
        NOISE, shooter, share, trial.values, trial.moons, trial.scratch, trial.rng,
    )  # fmt: skip
    trial.worlds += worlds


def moon_plan(seen: Seen, worlds: Worlds, places: Numbers, seed: int, left: Clock) -> tuple[int, float] | None:
    """The card with which to go on for the own moon, and its worth; None if that is unlikely to come off."""
    if seen.table[MOON] == NO_MOON or seen.position[SOLE] not in (NOBODY, seen.seat):
        return None
    trial = Trial(len(places), 8 * BATCH)
    run(seen, worlds, places, trial, seed, left.take(BATCH, trial), seen.seat)
    rates = trial.moons / trial.worlds
    if rates.max() < MOON_HOPE:
        return None
    trial.alive &= rates >= rates.max() - 0.3
    while trial.worlds < len(trial.values) and left.open:
        batch = left.take(min(BATCH, len(trial.values) - trial.worlds), trial)
        run(seen, worlds, places, trial, seed, batch, seen.seat)
    best = trial.best
    if trial.moons[best] / trial.worlds <= MOON_RATE:
        return None
    return best, float(trial.means()[best])


def choose_moon(view: View, rules: Rules) -> str:
    """How the own moon is best paid; added to the others where that is as good."""
    assert view.ask is not None
    table, stakes, seat = table_of(rules), stakes_of(view), view.seat or 0
    worth = {
        choice: worth_to(table, stakes, np.array(scores) - np.array(view.scores), seat)
        for choice, scores in view.ask.tables.items()
    }
    return "subtract" if worth["subtract"] > worth["add"] + 1e-9 else "add"


# --- passing --------------------------------------------------------------------------------------------------------


def choose_pass(view: View, seen: Seen, seed: int, left: Clock) -> tuple[str, ...]:
    """All ways to pass, thinned out again and again by their worth; one for a moon if that is likely and better."""
    hand = bits_of(view.hand or ())
    singles = [1 << place for place in range(64) if hand >> place & 1]
    triples = np.array([a | b | c for a, b, c in combinations(singles, 3)], dtype=np.int64)
    trial, batch = Trial(len(triples), PASS_WORLDS), PASS_BATCH
    plan: tuple[int, float] | None = None
    while trial.worlds == 0 or (left.open and trial.worlds + batch <= PASS_WORLDS):
        first = trial.worlds == 0
        run_passes(view, seen, triples, trial, seed, left.take(batch, trial), NOBODY)
        if first and left.open:
            plan = moon_pass(view, seen, triples, seed, left)
        kept = max(FINALISTS, int(trial.alive.sum() * GO_ON))
        trial.keep(kept)
        batch = min(PASS_LARGEST, 2 * batch)
    if plan is not None and plan[1] > trial.means().max() + MOON_GAIN:
        return cards_of(int(triples[plan[0]]))
    return cards_of(int(triples[trial.best]))


def moon_pass(view: View, seen: Seen, triples: Numbers, seed: int, left: Clock) -> tuple[int, float] | None:
    """The pass with which to shoot the moon, and its worth; None if that is unlikely to come off."""
    if seen.table[MOON] == NO_MOON:
        return None
    trial = Trial(len(triples), PASS_WORLDS)
    for worlds, kept in ((4, 24), (12, 6), (48, 1)):
        run_passes(view, seen, triples, trial, seed, worlds, seen.seat)
        left.spend(worlds * int(trial.alive.sum()))
        trial.keep(kept)
        best = trial.best
        if trial.moons[best] / trial.worlds < (MOON_HOPE if kept > 1 else MOON_RATE):
            return None
    return best, float(trial.means()[best])


def run_passes(view: View, seen: Seen, triples: Numbers, trial: Trial, seed: int, worlds: int, shooter: int) -> None:
    """So many worlds more."""
    opener, away = opener_of(view), away_of(view)
    h, first = seen.hidden, trial.worlds
    try_passes(
        seen.table, int(seen.position[HAND + seen.seat]), costs_of(seen.table), seen.stakes,
        h.cards, h.allowed, h.room, h.known, h.slack, h.weights, h.swaps,
        seen.seat, opener, away, triples, trial.alive, np.uint64(seed), first, first + worlds,
        NOISE, shooter, trial.values, trial.moons, trial.scratch, trial.rng, np.zeros((4, 4)), trial.pass_cards,
    )  # fmt: skip
    trial.worlds += worlds
