"""Ten thousand generated games: each is written, read, folded to its stored result, and its deals are checked.

Run: python -m tests.bench.folds [--games 10000] [--processes 2] [--first 0]

Prints each game that does not hold, by the number that makes it again (tests/games/generated.py); exit status 1 if
there was one.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from collections import Counter

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from games.management.progress import Progress  # noqa: E402 - needs the apps
from tests.games.generated import faults_of, generated  # noqa: E402

Found = tuple[int, str, int, str, int, list[str]]


def checked(number: int) -> Found:
    """A game: its number, kind, players, end and length, and what does not hold of it."""
    try:
        record = generated(number)
        end = record["result"]["reason"] if record["result"] else "void"
        return number, record["kind"], record["players"], end, len(record["log"]), faults_of(record)
    except Exception as error:  # it is named, and the others are looked at
        return number, "?", 0, "?", 0, [f"{type(error).__name__}: {error}"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="number of the first game")
    parser.add_argument("--processes", type=int, default=min(2, os.cpu_count() or 1))
    asked = parser.parse_args()
    began, faults, entries = time.monotonic(), 0, 0
    sorts, ends = Counter[str](), Counter[str]()
    progress = Progress(asked.games, sys.stderr)
    with multiprocessing.get_context("spawn").Pool(asked.processes) as pool:
        numbers = range(asked.first, asked.first + asked.games)
        for number, kind, players, end, length, found in pool.imap_unordered(checked, numbers, chunksize=4):
            sorts[f"{kind} of {players}"] += 1
            ends[f"{kind}: {end}"] += 1
            entries += length
            faults += bool(found)
            for fault in found:
                print(f"game {number}: {fault}", flush=True)
            progress.step()
    print(", ".join(f"{count} {sort}" for sort, count in sorted(sorts.items())))
    print(", ".join(f"{count} {end}" for end, count in sorted(ends.items())))
    took = time.monotonic() - began
    print(f"{asked.games:,} games of {entries:,} entries, {faults} that do not hold, in {took:.0f} s")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
