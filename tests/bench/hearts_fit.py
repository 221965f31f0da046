"""Fits the tables of costs by which the Hearts expert plays deals out (`games.kinds.hearts.cpu.expert_policy`).

Run: python -m tests.bench.hearts_fit [--rounds 3] [--rows 400000] [--seed 1] [--jack] [--out FILE]

Each round plays deals among four seats. At some decisions every card is tried in sampled deals and played out by the
tables of the round before; what the cards came to is kept, a row a card, with the entries that make up its cost. Least
squares then give the tables whose differences between the cards of a decision come closest. The regret printed is what
the choice by tables loses to the best card found, before and after the fit. Matches in the arena tell whether the new
tables are better.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from games.cpu.kernel import Generator, any_of, below, chance, compiled, count, draw, generator, lowest
from games.cpu.sampling import MOST_PLACES, Weights, deal
from games.kinds import rules_for
from games.kinds.hearts.cpu.expert_engine import (
    DECK,
    FIRST,
    HAND,
    NOBODY,
    PLAYED,
    PLAYERS,
    POSITION_SIZE,
    SIZE,
    SOLE,
    TRICK,
    TURN,
    VOIDS,
    Floats,
    Numbers,
    decided,
    legal,
    play,
    table_of,
)
from games.kinds.hearts.cpu.expert_pass import pass_of
from games.kinds.hearts.cpu.expert_policy import (
    MOST_MARKS,
    STAKES_SIZE,
    TABLES_SIZE,
    Costs,
    choice_of,
    distinct,
    exits_of,
    marks,
    outcome,
    play_out,
    worth_of_trick,
)
from games.kinds.hearts.cpu.expert_tables import FILE

Entries = np.ndarray[Any, np.dtype[np.int32]]

WORLDS = 40
SHARE = 0.3  # of the decisions are tried
NOISE = 0.05  # of the plays are random, so that odd positions are seen
PLAYOUT_NOISE = 0.03
RIDGE, STEPS = 3.0, 150
MOST_CARDS = 15  # of a decision
EVERY = 7  # the regret is taken of a sample


@compiled("int64(int64[::1], int64[::1], int64, int64[::1], int64[::1], int64[::1], int64[::1])", lean=True)
def conceal(
    table: Numbers, position: Numbers, seat: int, cards: Numbers, allowed: Numbers, room: Numbers, slack: Numbers
) -> int:
    """What the seat cannot see, as `deal` takes it, from the position alone; how many cards."""
    others = table[PLAYERS] - 1
    unseen = table[DECK] & ~(position[PLAYED] | position[HAND + seat])
    number = 0
    for wanted in range(1, others + 1):
        left = unseen
        while left:
            place = lowest(left)
            left &= left - 1
            fits = 0
            for p in range(others):
                other = (seat + 1 + p) % (others + 1)
                if not (position[VOIDS + other] >> (place >> 4)) & 1 and position[HAND + other]:
                    fits |= 1 << p
            if count(fits) == wanted:
                cards[number], allowed[number] = place, fits
                number += 1
    for p in range(others):
        room[p] = count(position[HAND + (seat + 1 + p) % (others + 1)])
    for chosen in range(1 << others):
        total = 0
        for p in range(others):
            if (chosen >> p) & 1:
                total += room[p]
        for i in range(number):
            if allowed[i] & ~chosen == 0:
                total -= 1
        slack[chosen] = total
    return number


@compiled(
    "void(int64[::1], int64[::1], int64, uint64[::1], int64[::1], float64[:, ::1], int64[:, ::1])",
    lean=True,
)
def new_deal(
    table: Numbers,
    position: Numbers,
    away: int,
    rng: Generator,
    given: Numbers,
    pass_costs: Floats,
    pass_cards: Numbers,
) -> None:
    """A random deal at its first lead, after a pass to the seat `away` to the left, unless that is 0."""
    players = table[PLAYERS]
    for k in range(POSITION_SIZE):
        position[k] = 0
    left = table[DECK]
    for seat in range(players):
        for _ in range(count(table[DECK]) // players):
            place = any_of(rng, left)
            left &= ~(1 << place)
            position[HAND + seat] |= 1 << place
    if away:
        for seat in range(players):
            given[seat] = pass_of(table, position[HAND + seat], pass_costs, pass_cards)
        for seat in range(players):
            position[HAND + seat] &= ~given[seat]
        for seat in range(players):
            position[HAND + (seat + away) % players] |= given[seat]
    position[FIRST], position[SOLE] = 1, NOBODY
    for seat in range(players):
        if position[HAND + seat] & 1:
            position[TURN] = seat


@compiled(
    "int64(int64[::1], float32[::1], float64[::1], uint64[::1], int64[:, ::1], float32[:, ::1],"
    " int32[:, ::1], float32[::1], int64[::1], float64[:, ::1], int64[:, ::1], float64[::1])",
    lean=True,
)
def gather(
    table: Numbers,
    costs: Costs,
    stakes: Floats,
    rng: Generator,
    work: Numbers,
    even: Weights,
    entries: Entries,
    values: Costs,
    starts: Numbers,
    pass_costs: Floats,
    pass_cards: Numbers,
    totals: Floats,
) -> int:
    """Fills `entries` and `values`, a row a card, and `starts`, the first row of each decision; how many of those."""
    players, rows = table[PLAYERS], len(values) - MOST_CARDS
    others = players - 1
    position, trial, found, change = work[0], work[1], work[2], work[3]
    cards, allowed, room, slack = work[4], work[5], work[6], work[7]
    hands, holder, more, given, known = work[8], work[9], work[10], work[11], work[12]
    row, decisions = 0, 0
    while row < rows:
        new_deal(table, position, below(rng, players), rng, given, pass_costs, pass_cards)
        while (position[SIZE] or not decided(table, position)) and row < rows:
            seat = position[TURN]
            if chance(rng) < NOISE:
                play(table, position, any_of(rng, legal(table, position)))
                continue
            out = table[DECK] & ~(position[PLAYED] | position[HAND + seat])
            options = distinct(legal(table, position), out | position[TRICK])
            if options & (options - 1) == 0 or chance(rng) >= SHARE:
                play(table, position, choice_of(table, position, costs, found, NOBODY))
                continue
            number = conceal(table, position, seat, cards, allowed, room, slack)
            swaps = 0
            for i in range(number):
                if allowed[i] != (1 << others) - 1:
                    swaps = number
            for i in range(MOST_CARDS):
                totals[i] = 0.0
            for _ in range(WORLDS):
                deal(
                    cards[:number], allowed[:number], room[:others], known[:others], slack[: 1 << others],
                    even, swaps, rng, hands, holder, more,
                )  # fmt: skip
                state = rng[0]
                left, i = options, 0
                while left:
                    rng[0] = state
                    place = lowest(left)
                    left &= left - 1
                    for k in range(POSITION_SIZE):
                        trial[k] = position[k]
                    for p in range(others):
                        trial[HAND + (seat + 1 + p) % players] = hands[p]
                    play(table, trial, place)
                    play_out(table, trial, costs, found, rng, PLAYOUT_NOISE, NOBODY)
                    totals[i] += outcome(table, trial, stakes, change, seat)
                    i += 1
                draw(rng)
            starts[decisions] = row
            decisions += 1
            worth, exits = worth_of_trick(table, position), exits_of(position[HAND + seat], out)
            left, i, best, most = options, 0, -1, -1e9
            while left:
                place = lowest(left)
                left &= left - 1
                number = marks(table, position, out, worth, exits, place, found)
                for k in range(MOST_MARKS):
                    entries[row, k] = found[k] if k < number else -1
                values[row] = totals[i] / WORLDS
                if totals[i] > most:
                    best, most = place, totals[i]
                row += 1
                i += 1
            play(table, position, best)
    starts[decisions] = row
    return decisions


# --- least squares --------------------------------------------------------------------------------------------------


@compiled("void(int32[:, ::1], int64[::1], int64, float64[::1], float64[::1], float64[::1])", lean=True)
def add_normal(
    entries: Entries, starts: Numbers, decisions: int, tables: Floats, rows: Floats, product: Floats
) -> None:
    """Adds to `product` the normal matrix of the differences within each decision times `tables`. `rows`: scratch."""
    for d in range(decisions):
        first, last = starts[d], starts[d + 1]
        average = 0.0
        for row in range(first, last):
            rows[row] = 0.0
            for k in range(MOST_MARKS):
                if entries[row, k] >= 0:
                    rows[row] += tables[entries[row, k]]
            average += rows[row] / (last - first)
        for row in range(first, last):
            for k in range(MOST_MARKS):
                if entries[row, k] >= 0:
                    product[entries[row, k]] += rows[row] - average


@compiled("void(int32[:, ::1], float32[::1], int64[::1], int64, float64[::1])", lean=True)
def add_right(entries: Entries, values: Costs, starts: Numbers, decisions: int, right: Floats) -> None:
    """Adds the right side of the normal equations: what cards cost more than the others of their decision."""
    for d in range(decisions):
        first, last = starts[d], starts[d + 1]
        average = 0.0
        for row in range(first, last):
            average += values[row] / (last - first)
        for row in range(first, last):
            for k in range(MOST_MARKS):
                if entries[row, k] >= 0:
                    right[entries[row, k]] += average - values[row]


@dataclass(frozen=True)
class Sample:
    """Decisions, and what their cards came to."""

    entries: Entries
    values: Costs
    starts: Numbers
    decisions: int

    def fitted(self, around: Costs) -> Costs:
        """The tables that come closest, by conjugate gradients; entries that were hardly seen stay near `around`."""
        right, rows, prior = np.zeros(TABLES_SIZE), np.zeros(len(self.values)), around.astype(np.float64)
        add_right(self.entries, self.values, self.starts, self.decisions, right)
        known = np.zeros(TABLES_SIZE)
        add_normal(self.entries, self.starts, self.decisions, prior, rows, known)
        right -= known

        def times(tables: Floats) -> Floats:
            product = RIDGE * tables
            add_normal(self.entries, self.starts, self.decisions, tables, rows, product)
            return product

        tables: Floats = np.zeros(TABLES_SIZE)
        rest = right.copy()
        way, size = rest.copy(), rest @ rest
        for _ in range(STEPS):
            step = times(way)
            far = size / (way @ step)
            tables += far * way
            rest -= far * step
            before, size = size, rest @ rest
            way = rest + size / before * way
        return (prior + tables).astype(np.float32)

    def regret(self, tables: Costs) -> float:
        """What the choice by these tables loses on average, in points."""
        padded = np.append(tables, np.float32(0))
        lost = []
        for d in range(0, self.decisions, EVERY):
            rows = slice(self.starts[d], self.starts[d + 1])
            chosen = padded[self.entries[rows]].sum(axis=1).argmin()
            lost.append(float(self.values[rows].max() - self.values[rows][chosen]))
        return sum(lost) / len(lost)


def sample(table: Numbers, tables: Costs, rows: int, rng: Generator) -> Sample:
    """A new sample, played out by these tables."""
    entries, values = np.zeros((rows, MOST_MARKS), dtype=np.int32), np.zeros(rows, dtype=np.float32)
    starts = np.zeros(rows, dtype=np.int64)
    work, even = np.zeros((13, 8 + (1 << MOST_PLACES)), dtype=np.int64), np.ones((MOST_PLACES, 64), dtype=np.float32)
    passes = np.zeros((4, 4)), np.zeros((4, 4), dtype=np.int64)
    found = gather(
        table, tables, np.zeros(STAKES_SIZE), rng, work, even, entries, values, starts, *passes, np.zeros(MOST_CARDS)
    )
    return Sample(entries, values, starts, found)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.hearts_fit", description="Fits the expert's tables.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jack", action="store_true", help="with the jack of diamonds")
    parser.add_argument("--start", type=Path, default=FILE, help="the tables to begin with")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    tables: Costs = np.load(args.start)
    around = tables if args.jack else np.zeros_like(tables)
    table = table_of(rules_for("hearts", 4, {"jack_of_diamonds": "minus_ten"} if args.jack else {}))
    rng = generator(args.seed)
    for number in range(args.rounds):
        begin = time.process_time()
        played = sample(table, tables, args.rows, rng)
        before, tables = played.regret(tables), played.fitted(around)
        np.save(args.out, tables)
        took = time.process_time() - begin
        after = played.regret(tables)
        print(f"{number}: {played.decisions} decisions, regret {before:.3f} -> {after:.3f}, {took:.0f} s", flush=True)


if __name__ == "__main__":
    main()
