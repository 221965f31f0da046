"""Fits the tables of costs of `games.cpu.hearts_expert_policy`.

Run: python -m tests.bench.hearts_fit [--rounds 3] [--rows 400000] [--seed 1]

Each round plays deals among four seats. At some decisions every card is tried in sampled deals and played out by the
tables of the round before; what the cards came to is kept with the entries that make up their costs. Least squares
then give the tables whose differences between the cards of a decision come closest.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from games.cpu.hearts_expert_engine import *
from games.cpu.hearts_expert_engine import Floats, Numbers, play, legal, decided, lane
from games.cpu.hearts_expert_pass import pass_of
from games.cpu.hearts_expert_policy import *
from games.cpu.hearts_expert_policy import marks, distinct, choice_of, play_out, outcome, worth_of_trick
from games.cpu.hearts_expert_search import scratch
from games.cpu.hearts_expert_tables import FILE
from games.cpu.kernel import Generator, any_of, below, chance, compiled, count, draw, generator, lowest
from games.cpu.sampling import Weights, deal
from games.rules import rules_for

WORLDS = 40


@compiled("int64(int64[::1], int64[::1], int64, int64[::1], int64[::1], int64[::1], int64[::1])", lean=True)
def conceal(table, position, seat, cards, allowed, room, slack):
    """What the seat cannot see, for `deal`; how many cards."""
    players = table[PLAYERS]
    unseen = table[DECK] & ~(position[PLAYED] | position[HAND + seat])
    everywhere = (1 << (players - 1)) - 1
    number = 0
    for wanted in range(1, players):
        left = unseen
        while left:
            place = lowest(left)
            left &= left - 1
            fits = 0
            for p in range(players - 1):
                other = (seat + 1 + p) % players
                if not (position[VOIDS + other] >> (place >> 4)) & 1 and position[HAND + other]:
                    fits |= 1 << p
            if count(fits) == wanted:
                cards[number], allowed[number] = place, fits
                number += 1
    for p in range(players - 1):
        room[p] = count(position[HAND + (seat + 1 + p) % players])
    for chosen in range(everywhere + 1):
        total = 0
        for p in range(players - 1):
            if (chosen >> p) & 1:
                total += room[p]
        for i in range(number):
            if allowed[i] & ~chosen == 0:
                total -= 1
        slack[chosen] = total
    return number


@compiled(
    "int64(int64[::1], float32[::1], float64[::1], int64, float64, float64, uint64[::1], int64[:, ::1], float32[:, ::1],"
    " int32[:, ::1], float32[::1], int64[::1], float64[:, ::1], int64[:, ::1], float64[::1])",
    lean=True,
)
def gather(table, costs, stakes, rows, share, noise, rng, work, weights, entries, values, starts, pass_costs, pass_cards, totals):
    """Fills `entries` and `values`, a row a card, and `starts`, the first row of each decision; how many of those."""
    players = table[PLAYERS]
    position, trial, found, change = work[0], work[1], work[2], work[3]
    cards, allowed, room, slack = work[4], work[5], work[6], work[7]
    hands, holder, more, given, known = work[8], work[9], work[10], work[11], work[12]
    row, decisions = 0, 0
    while row + 20 < rows:
        for k in range(POSITION_SIZE):
            position[k] = 0
        left = table[DECK]
        for seat in range(players):
            for _ in range(13):
                place = any_of(rng, left)
                left &= ~(1 << place)
                position[HAND + seat] |= 1 << place
        away = below(rng, players)
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
        while (position[SIZE] or not decided(table, position)) and row + 20 < rows:
            seat = position[TURN]
            options = legal(table, position)
            out = table[DECK] & ~(position[PLAYED] | position[HAND + seat])
            options = distinct(options, out)
            if chance(rng) < noise:
                play(table, position, any_of(rng, legal(table, position)))
                continue
            if options & (options - 1) == 0 or chance(rng) >= share:
                play(table, position, choice_of(table, position, costs, found, NOBODY))
                continue
            number = conceal(table, position, seat, cards, allowed, room, slack)
            for i in range(16):
                totals[i] = 0.0
            for p in range(players - 1):
                known[p] = 0
            voids = 0
            for i in range(number):
                voids |= allowed[i] ^ ((1 << (players - 1)) - 1)
            for _ in range(WORLDS):
                deal(
                    cards[:number], allowed[:number], room[: players - 1], known[: players - 1],
                    slack[: 1 << (players - 1)], weights, number if voids else 0, rng, hands, holder, more,
                )
                state = rng[0]
                left, i = options, 0
                while left:
                    rng[0] = state
                    place = lowest(left)
                    left &= left - 1
                    for k in range(POSITION_SIZE):
                        trial[k] = position[k]
                    for p in range(players - 1):
                        trial[HAND + (seat + 1 + p) % players] = hands[p]
                    play(table, trial, place)
                    play_out(table, trial, costs, found, rng, 0.03, NOBODY)
                    totals[i] += outcome(table, trial, stakes, change, seat)
                    i += 1
                draw(rng)
            worth = worth_of_trick(table, position)
            starts[decisions] = row
            decisions += 1
            left, i, best = options, 0, -1
            while left:
                place = lowest(left)
                left &= left - 1
                for k in range(MOST_MARKS):
                    found[k] = -1
                n = marks(table, position, out, worth, place, found)
                for k in range(MOST_MARKS):
                    entries[row, k] = found[k] if k < n else -1
                values[row] = totals[i] / WORLDS
                if best < 0 or totals[i] > totals[15]:
                    best, totals[15] = place, totals[i]
                row += 1
                i += 1
            play(table, position, best)
    starts[decisions] = row
    return decisions


@compiled("void(int32[:, ::1], float32[::1], int64[::1], int64, float64[:, ::1], float64[::1], float64[::1])", lean=True)
def add_up(entries, values, starts, decisions, matrix, right, mean):
    """The normal equations of the differences within each decision."""
    for d in range(decisions):
        first, last = starts[d], starts[d + 1]
        n = last - first
        average = 0.0
        for row in range(first, last):
            average += values[row] / n
        for row in range(first, last):
            for k in range(MOST_MARKS):
                if entries[row, k] >= 0:
                    mean[entries[row, k]] = 0.0
        for row in range(first, last):
            for k in range(MOST_MARKS):
                if entries[row, k] >= 0:
                    mean[entries[row, k]] += 1.0 / n
        for row in range(first, last):
            cost = average - values[row]
            for k in range(MOST_MARKS):
                a = entries[row, k]
                if a < 0:
                    continue
                right[a] += cost
                for m in range(MOST_MARKS):
                    b = entries[row, m]
                    if b >= 0:
                        matrix[a, b] += 1.0
        for row in range(first, last):
            for k in range(MOST_MARKS):
                a = entries[row, k]
                if a < 0:
                    continue
                for other in range(first, last):
                    for m in range(MOST_MARKS):
                        b = entries[other, m]
                        if b >= 0:
                            matrix[a, b] -= 1.0 / n


def solve(entries, values, starts, decisions, prior, ridge):
    matrix, right = np.zeros((TABLES_SIZE, TABLES_SIZE)), np.zeros(TABLES_SIZE)
    add_up(entries, values, starts, decisions, matrix, right, np.zeros(TABLES_SIZE))
    matrix[np.diag_indices(TABLES_SIZE)] += ridge
    right += ridge * prior
    return np.linalg.solve(matrix, right).astype(np.float32)


def initial():
    t = np.zeros(TABLES_SIZE, dtype=np.float32)
    for kind in range(KINDS):
        for low in range(8):
            for high in range(8):
                k = (kind * 8 + low) * 8 + high
                n = low + high
                pw = 1.0 if n == 0 else (low / n) ** 1.5
                if high == 0:
                    pw = 1.0
                lead = {
                    PLAIN: 2.0 * pw,
                    HEART: 4.5 * pw,
                    UNDER: 0.0,
                    OVER: 7.0,
                    LADY: 11.0 if low else 3.0,
                    GUARD: 1.5 + 2 * pw,
                    CATCHER: 2 * pw,
                    KNAVE: 4.0,
                }[kind]
                t[RANKED_LEAD + k] = lead
                t[RANKED_UNDER + k] = -0.15 * low + {LADY: -5.0, GUARD: 1.5, OVER: -1.5, KNAVE: 6, CATCHER: -0.0}.get(
                    kind, 0
                )
                t[RANKED_OVER + k] = -0.15 * low + {LADY: 10.0, GUARD: 1.0, OVER: 0.5, KNAVE: -4}.get(kind, 0)
                t[RANKED_THROWN + k] = (
                    -0.35 * low
                    - (0.4 if kind == HEART else 0)
                    + {LADY: -8, OVER: -2.5, GUARD: 1.0, KNAVE: 6, CATCHER: 0.5}.get(kind, 0)
                )
        for length in range(8):
            for lower in range(3):
                k = (kind * 8 + length) * 3 + lower
                for base in (LONG_LEAD, LONG_UNDER, LONG_OVER, LONG_THROWN):
                    t[base + k] = 0.12 * length
        for later in range(4):
            for worth in range(WORTHS):
                for high in range(8):
                    k = ((later * WORTHS + worth) * KINDS + kind) * 8 + high
                    pw = 1.0 if high == 0 else (1 / (1 + 0.6 * high)) ** later
                    t[WINS + k] = pw * [0.3, 1.7, 4.0, 14.0, -9.0][worth]
    for later in range(4):
        for n in range(8):
            for q in range(2):
                t[RISK + (later * 8 + n) * 2 + q] = later * (8 - n) / 8 * (0.4 + 0.6 * q)
    return t




def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=200000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", action="store_true")
    parser.add_argument("--jack", action="store_true")
    parser.add_argument("--out", default=str(FILE))
    args = parser.parse_args()
    tables = initial() if args.start else np.load(FILE)
    rng = generator(args.seed)
    stakes = np.zeros(STAKES_SIZE)
    table = table_of(rules_for("hearts", 4, {"jack_of_diamonds": "minus_ten"} if args.jack else {}))
    rows = args.rows
    entries, values, starts = np.zeros((rows, MOST_MARKS), np.int32), np.zeros(rows, np.float32), np.zeros(rows, np.int64)
    for number in range(args.rounds):
        begin = time.process_time()
        decisions = gather(table, tables, stakes, rows, 0.3, 0.05, rng, np.zeros((13, 300), np.int64),
            np.ones((8, 64), np.float32), entries, values, starts, np.zeros((4, 4)), np.zeros((4, 4), np.int64), np.zeros(16))
        old = tables
        def regret(t):
            t = np.append(t, 0).astype(np.float64)
            cost = t[entries].sum(axis=1)
            total = 0.0
            for d in range(0, decisions, 7):
                a, b = starts[d], starts[d + 1]
                total += values[a:b].max() - values[a + cost[a:b].argmin()]
            return total / len(range(0, decisions, 7))
        before = regret(old)
        tables = solve(entries, values, starts, decisions, old * 0.0 + initial() * 0.5, 3.0)
        print(number, decisions, f"regret {before:.3f} -> {regret(tables):.3f}", f"{time.process_time() - begin:.0f} s", flush=True)
        np.save(args.out, tables)

if __name__ == "__main__":
    main()
