"""A million packs against theory: each card equally often at each place, and behind each other; see
tests/games/codes/packs.py.

Run: python -m tests.bench.packs [--packs 1000000] [--processes 2] [--seed 1]

Each pack is the first of a game of its own, as the site deals it from a game code. A p-value is how likely a sum of
squares at least as great is for packs that are even; the run fails if one is below one in ten thousand, or as near to
one.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import sys
import time
from collections.abc import Iterator

from games.codes.deals import shuffle
from games.management.progress import Progress
from tests.games.codes.packs import Tally, p_of_neighbours, p_of_places, tally

CHUNK = 2_000
LEAST = 1e-4


def counted(work: tuple[int, int]) -> Tally:
    """What is counted of so many packs, from a seed."""
    seed, count = work
    rng = random.Random(seed)
    alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    return tally(shuffle(("4" + "".join(rng.choices(alphabet, k=14))).encode(), 1, 0) for _ in range(count))


def parts(packs: int, seed: int) -> Iterator[tuple[int, int]]:
    """The work in pieces."""
    for first in range(0, packs, CHUNK):
        yield seed * 1_000_003 + first, min(CHUNK, packs - first)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packs", type=int, default=1_000_000)
    parser.add_argument("--processes", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    began, found = time.monotonic(), tally([])
    progress = Progress(asked.packs, sys.stderr, "packs")
    with multiprocessing.get_context("spawn").Pool(asked.processes) as pool:
        for part in pool.imap_unordered(counted, parts(asked.packs, asked.seed)):
            found += part
            progress.step(part.packs)
    print(f"{found.packs:,} packs in {time.monotonic() - began:.0f} s")
    values = {"places": p_of_places(found), "neighbours": p_of_neighbours(found)}
    for name, p in values.items():
        print(f"{name:10} p = {p:.4f}")
    is_even = all(LEAST < p < 1 - LEAST for p in values.values())
    print("as even as theory says" if is_even else "NOT EVEN")
    return 0 if is_even else 1


if __name__ == "__main__":
    sys.exit(main())
