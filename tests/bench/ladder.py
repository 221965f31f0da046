"""How well ratings tell skill: 80 players of known strength, 80 games each, through `ladder.rating.formula`.

Run: python -m tests.bench.ladder [--seeds 10] [--games 80] [--players 80] [--tables near]

Strengths are evenly spread with a standard deviation of 150 Elo; the places at a table are drawn from a Plackett–Luce
model, in which every pair of players is decided as Elo says. In a round everybody plays one game, so that all have
played equally often. `--tables near` seats neighbours by rating, as a queue with a narrow window would; `random` is a
queue that is long open. Prints Spearman's correlation of ratings with strengths by the number of games each has played.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Sequence
from decimal import Decimal

from ladder.rating.formula import START, Human, rate_hearts

SEATS = 4
SPREAD = 150.0
#: Points of noise, either way, by which neighbours are mixed at tables of near equals.
NEAR = 100.0


def strengths(players: int) -> list[float]:
    """Evenly spread about 0, with the standard deviation of the bench."""
    steps = [index - (players - 1) / 2 for index in range(players)]
    scale = SPREAD / statistics.pstdev(steps)
    return [step * scale for step in steps]


def places(table: Sequence[int], skill: Sequence[float], rng: random.Random) -> list[int]:
    """The place of each player of a table: who is next is drawn among those left, by strength."""
    left, place = list(range(len(table))), [0] * len(table)
    for nth in range(1, len(table) + 1):
        chosen = rng.choices(left, [10 ** (skill[table[seat]] / 400) for seat in left])[0]
        place[chosen] = nth
        left.remove(chosen)
    return place


def ranks(values: Sequence[float | Decimal]) -> list[float]:
    """Rank of each value; equal values share theirs."""
    order = sorted(values)
    return [order.index(value) + (order.count(value) - 1) / 2 for value in values]


def season(players: int, games: int, near: bool, seed: int, looks: Sequence[int]) -> list[float]:
    """The rank correlation after each number of games in `looks`."""
    rng = random.Random(seed)
    skill = strengths(players)
    ratings, found = [START] * players, []
    for played in range(games):
        order = sorted(range(players), key=lambda player: float(ratings[player]) + rng.uniform(-NEAR, NEAR))
        if not near:
            rng.shuffle(order)
        for first in range(0, players, SEATS):
            table = order[first : first + SEATS]
            rng.shuffle(table)
            ends = places(table, skill, rng)
            seats = [Human(ratings[player], played, ends[seat]) for seat, player in enumerate(table)]
            for player, change in zip(table, rate_hearts(seats), strict=True):
                if change is not None:
                    ratings[player] = change.after
        if played + 1 in looks:
            found.append(statistics.correlation(ranks(ratings), ranks(skill)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--players", type=int, default=80)
    parser.add_argument("--games", type=int, default=80, help="that each plays")
    parser.add_argument("--tables", choices=("random", "near"), default="random")
    asked = parser.parse_args()
    if asked.players % SEATS:
        parser.error(f"players must be a multiple of {SEATS}")
    started = time.perf_counter()
    looks = sorted({max(1, asked.games * part // 8) for part in range(1, 9)})
    seasons = [
        season(asked.players, asked.games, asked.tables == "near", seed, looks) for seed in range(1, asked.seeds + 1)
    ]
    print(f"{asked.players} players, {asked.tables} tables of {SEATS}, {asked.seeds} seeds")
    print("games each  mean   lowest  highest")
    for look, found in zip(looks, zip(*seasons, strict=True), strict=True):
        print(f"{look:10}  {statistics.mean(found):.4f} {min(found):.4f}  {max(found):.4f}")
    total = asked.seeds * asked.players * asked.games // SEATS
    print(f"{total} games in {time.perf_counter() - started:.1f} s")


if __name__ == "__main__":
    main()
