"""Whether the levels are in order at every table: each against the one below, by numbers of players and options.

Run: python -m tests.bench.levels [--pairs 100] [--work 3600] [--only hearts] [--results FOLDER]

The matches are those of tests/bench/arena.py. With `--results` the folder keeps their pairs, and matches that were
broken off go on. Levels are in order if the whole 95 % interval is above nothing.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
from pathlib import Path

from games.kinds import KINDS, rules_for
from tests.bench.arena import match

#: Kind, number of players, options that differ from the defaults.
TABLES: tuple[tuple[str, int, dict[str, str | int]], ...] = (
    ("hearts", 4, {}),
    ("hearts", 3, {}),
    ("hearts", 5, {}),
    ("hearts", 4, {"jack_of_diamonds": "minus_ten"}),
    ("hearts", 4, {"moon": "subtract"}),
    ("hearts", 4, {"moon": "choose"}),
    ("hearts", 4, {"moon": "off"}),
    ("hearts", 4, {"first_trick_points": "yes", "first_lead": "dealer_left"}),
    ("hearts", 3, {"surplus": "kitty"}),
    ("spades", 4, {}),
    ("spades", 4, {"bag_penalty": "no"}),
    ("spades", 4, {"blind_nil": "yes"}),
    ("spades", 4, {"first_lead": "club_two"}),
)
FIRST = 50_000  # these deals were not looked at when the levels were made
GAPS = {"hearts": 1.5, "spades": 8.0}  # the least that a level should be better by


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=100, help="of each match (%(default)s)")
    parser.add_argument("--work", type=int, default=3600, help="playouts a card of the Hearts expert (%(default)s)")
    parser.add_argument("--spades-work", type=int, default=0, help="the same for Spades; 0: what the clock allows")
    parser.add_argument("--only", choices=tuple(KINDS), help="one kind alone")
    parser.add_argument("--results", type=Path, help="a folder to keep the pairs in and to go on from")
    options = parser.parse_args()
    if options.pairs < 2:
        sys.exit("at least two pairs")
    if options.results:
        options.results.mkdir(parents=True, exist_ok=True)
    print(f"{'table':66} {'match':18} {'pairs':>5} {'better by':>16} {'feats':>9}")
    for kind, players, chosen in TABLES:
        if options.only not in (None, kind):
            continue
        rules = rules_for(kind, players, chosen)
        work = options.work if kind == "hearts" else options.spades_work
        expert = f"expert@{work}" if work else "expert"
        where = ", ".join([kind, f"{players} players", *(f"{name}={value}" for name, value in chosen.items())])
        for number, names in enumerate(((expert, "normal"), ("normal", "beginner"))):
            kept = (options.results or Path()) / f"{where.replace(', ', '.').replace(' ', '-')}.{number}.jsonl"
            numbers = range(FIRST, FIRST + options.pairs)
            pairs = match(rules, names, numbers, results=kept if options.results else None)
            better = [pair.better for pair in pairs]
            mean, half = statistics.fmean(better), 1.96 * statistics.stdev(better) / math.sqrt(len(better))
            counts = [sum(getattr(pair.tallies[side], _feat(kind)) for pair in pairs) for side in (0, 1)]
            verdict = _verdict(mean, half, GAPS[kind])
            name = f"{names[0]} : {names[1]}"
            feats = " : ".join(map(str, counts))
            print(f"{where:66} {name:18} {len(better):5} {mean:+8.2f} ± {half:5.2f} {feats:>9} {verdict}", flush=True)


def _verdict(mean: float, half: float, gap: float) -> str:
    """What is to be said of a match."""
    if mean + half <= 0:
        return "NOT IN ORDER"
    if mean - half <= 0:
        return "too few pairs to tell"
    return "" if mean >= gap else f"in order, by less than {gap:g}"


def _feat(kind: str) -> str:
    """What is counted beside the points: moons, or nils made."""
    return "moons" if kind == "hearts" else "nils_made"


if __name__ == "__main__":
    main()
