"""Whole games of Spades between two players: who wins how often, and what each question takes.

Run: python -m tests.bench.spades_games expert normal 50 [--option blind_nil=yes] [--behind 200]

Every pack is dealt twice: A has seats 0 and 2, then 1 and 3. Games are to the target of the options. With `--behind` A
starts so many points behind, which shows what it makes of blind nils and of the end of a game.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import time
from collections import defaultdict

from games.kinds import rules_for
from games.rules import Action, Rules, State, view
from games.rules.state import DEALERS_ACTIONS, evolve
from tests.bench.arena import options_of
from tests.bench.players import Player, player_of


class Record:
    """What one player did."""

    def __init__(self) -> None:
        self.nils = self.nils_made = self.blind = self.blind_made = 0
        self.times: dict[str, list[float]] = defaultdict(list)


def play_game(
    rules: Rules, players: list[Player], records: list[Record], number: int, first: int, behind: int
) -> State:
    """A game; A sits in the seats of side `first`."""
    packs, rngs = random.Random(f"game {number}"), [random.Random(f"{number} {seat}") for seat in range(4)]
    state = rules.apply(rules.start(), Action("open", dealer=packs.randrange(4)))
    state = evolve(state, scores=(-behind, 0) if first == 0 else (0, -behind))
    while state.phase != "over":
        if state.phase in DEALERS_ACTIONS:
            state = rules.apply(state, Action("deal", pack=tuple(packs.sample(rules.deck, 52))))
            continue
        seat = rules.due(state).seats[0]
        who = 0 if seat % 2 == first else 1
        seen = view(rules, state, seat)
        begin = time.thread_time()
        action = players[who](seen, rngs[seat])
        records[who].times[state.phase].append((time.thread_time() - begin) * 1e3)
        after = rules.apply(state, action)
        if len(after.sheet) > len(state.sheet):
            for line in after.sheet[-1].lines:
                record = records[0 if line.side == first else 1]
                record.nils += line.what in ("nil", "failed_nil")
                record.nils_made += line.what == "nil"
                record.blind += line.what in ("blind_nil", "failed_blind_nil")
                record.blind_made += line.what == "blind_nil"
        state = after
    return state


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.spades_games", description="Whole games of Spades.")
    parser.add_argument("a")
    parser.add_argument("b")
    parser.add_argument("packs", type=int, nargs="?", default=50)
    parser.add_argument("--behind", type=int, default=0)
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    args = parser.parse_args()
    rules = rules_for("spades", 4, options_of(args.option))
    players, records = [player_of(args.a), player_of(args.b)], [Record(), Record()]
    won: list[float] = []
    deals = 0
    for number in range(args.packs):
        both = []
        for first in (0, 1):
            last = play_game(rules, players, records, number, first, args.behind)
            own, theirs = last.scores[first], last.scores[1 - first]
            both.append(1.0 if own > theirs else 0.0 if own < theirs else 0.5)
            deals += len(last.sheet)
        won.append(statistics.fmean(both))
    half = 1.96 * statistics.stdev(won) / math.sqrt(len(won))
    games = 2 * len(won)
    print(
        f"spades, {games} games of {deals / games:.1f} deals: {args.a} wins {statistics.fmean(won):.0%} ± {half:.0%}"
        f" against {args.b}"
    )
    for name, record in zip((args.a, args.b), records, strict=True):
        times = ", ".join(
            f"{phase} {statistics.fmean(taken):.2f} (most {max(taken):.1f})" for phase, taken in record.times.items()
        )
        nils = f"nils {record.nils_made}/{record.nils}, blind {record.blind_made}/{record.blind}"
        print(f"  {name}: {nils}; ms of its thread: {times}")


if __name__ == "__main__":
    main()
