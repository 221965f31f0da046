"""Whole random games on the engine and the naive implementation, options drawn from the full grid, until time is up.

Run: python -m tests.bench.rules_fuzz [seconds, 60] [seed, 0]. Prints each disagreement with the call that plays it
again; exit status 1 if there was one.
"""

from __future__ import annotations

import random
import sys
import time

from tests.games.rules.compare import Disagreement, allowed, compare_game, grid
from tests.games.rules.play import TABLES


def main() -> int:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    rng, start = random.Random(seed), time.monotonic()
    games = actions = faults = 0
    while time.monotonic() - start < seconds:
        kind, players = rng.choice(TABLES)
        options = {name: rng.choice(values) for name, values in grid(kind).items()}
        if not allowed(kind, players, options):
            continue
        try:
            actions += compare_game(kind, players, options, rng.getrandbits(32), share=rng.choice((0.05, 0.5)))
        except Disagreement as found:
            faults += 1
            print(found, flush=True)
        games += 1
    print(f"{games} games, {actions} actions, {faults} disagreements in {time.monotonic() - start:.0f} s")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
