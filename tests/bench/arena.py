"""Duplicate matches between CPU players: the same deal is played by A and B in both seatings.

Run: python -m tests.bench.arena hearts normal beginner 300 [--players 4]
"""

from __future__ import annotations

import argparse
import importlib
import math
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from games.cpu import LEVELS, choose_action
from games.rules import Action, Rules, State, View, rules_for, view
from games.rules.state import evolve

#: Answers a view.
Player = Callable[[View, random.Random], Action]

BAG = -10.0  # what a bag costs beside its point: a tenth of the penalty for ten


@dataclass
class Tally:
    """What one player did over a match."""

    deals: int = 0
    points: float = 0.0
    moons: int = 0
    nils: int = 0
    nils_made: int = 0
    contracts: int = 0
    contracts_made: int = 0
    seconds: list[float] = field(default_factory=list)


def random_player(seen: View, rng: random.Random) -> Action:
    """A plain random answer to every question; bids are those of a sane person, or nothing could be compared."""
    ask = seen.ask
    assert ask is not None
    if ask.phase in ("pass", "exchange"):
        return Action(ask.phase, seen.seat, cards=tuple(rng.sample(ask.cards, ask.count)))
    if ask.phase == "bid":
        return Action("bid", seen.seat, bid=rng.choice((2, 3, 3, 4)))
    if ask.phase == "blind":
        return Action("blind", seen.seat, blind=False)
    if ask.phase == "moon":
        return Action("moon", seen.seat, choice="add")
    return Action("play", seen.seat, card=rng.choice(ask.cards))


def player_of(name: str) -> Player:
    """A level, `random`, or `package:level` of another version of the package."""
    if name == "random":
        return random_player
    package, _, level = name.rpartition(":")
    choose = importlib.import_module(package).choose_action if package else choose_action
    if not package and level not in LEVELS:
        raise SystemExit(f"no player {name}: one of random, {', '.join(LEVELS)}, or package:level")
    return lambda seen, rng: choose(seen, level, rng)


def seatings(kind: str, players: int) -> list[tuple[int, ...]]:
    """Who sits where, 0 for A and 1 for B: turn about, or A in each seat in turn at an odd number."""
    if players % 2 == 0:
        return [tuple(seat % 2 for seat in range(players)), tuple(1 - seat % 2 for seat in range(players))]
    return [tuple(int(seat != own) for seat in range(players)) for own in range(players)]


def play_deal(rules: Rules, state: State, seats: Sequence[Player], tallies: Sequence[Tally], seed: str) -> State:
    """The state after the deal."""
    generators = [random.Random(f"{seed} {seat}") for seat in range(rules.players)]
    while not state.sheet:
        seat = rules.due(state).seats[0]
        seen = view(rules, state, seat)
        start = time.perf_counter()
        action = seats[seat](seen, generators[seat])
        tallies[seat].seconds.append(time.perf_counter() - start)
        state = rules.apply(state, action)
    return state


def dealt(rules: Rules, number: int) -> State:
    """The deal of a pair, from its number alone; the direction of the pass goes round."""
    rng = random.Random(f"arena {rules.kind} {rules.players} {number}")
    state = rules.apply(rules.start(), Action("open", dealer=rng.randrange(rules.players)))
    state = evolve(state, deal=1 + number % 12)
    return rules.apply(state, Action("deal", pack=tuple(rng.sample(rules.deck, len(rules.deck)))))


def values(rules: Rules, state: State) -> list[float]:
    """What the deal was worth to each seat; more is better."""
    row = state.sheet[-1]
    if rules.kind == "hearts":
        return [-float(change) for change in row.change]
    worth = [row.change[side] + BAG * row.bags[side] for side in range(2)]
    return [worth[rules.side(seat)] for seat in range(rules.players)]


def count(rules: Rules, state: State, seats: Sequence[int], tallies: Sequence[Tally]) -> None:
    lines = state.sheet[-1].lines
    for seat, who in enumerate(seats):
        tally = tallies[who]
        tally.deals += 1
        tally.points += values(rules, state)[seat]
        if rules.kind == "spades" and state.bids[seat] == 0:
            tally.nils += 1
            tally.nils_made += any(line.seat == seat and line.what in ("nil", "blind_nil") for line in lines)
        elif rules.kind == "spades":
            tally.contracts += 1
            tally.contracts_made += any(line.side == rules.side(seat) and line.what == "contract" for line in lines)
    shooters = {line.seat for line in lines if line.what == "moon"}
    for shooter in shooters:
        if shooter is not None:
            tallies[seats[shooter]].moons += 1


def match(rules: Rules, names: tuple[str, str], pairs: int, first: int = 0) -> tuple[list[float], list[Tally]]:
    """By how much A is better, a pair at a time, and what both did."""
    players, tallies = [player_of(name) for name in names], [Tally(), Tally()]
    better: list[float] = []
    start = shown = time.monotonic()
    for number in range(first, first + pairs):
        state = dealt(rules, number)
        gains = []
        for seats in seatings(rules.kind, rules.players):
            done = play_deal(
                rules, state, [players[who] for who in seats], [tallies[who] for who in seats], f"players {number}"
            )
            worth = values(rules, done)
            count(rules, done, seats, tallies)
            mine, theirs = ([worth[s] for s in range(rules.players) if seats[s] == who] for who in (0, 1))
            gains.append(statistics.fmean(mine) - statistics.fmean(theirs))
        better.append(statistics.fmean(gains))
        now = time.monotonic()
        if sys.stderr.isatty() and now - shown > 0.5:
            shown = now
            done_pairs = len(better)
            print(
                f"\r{done_pairs}/{pairs} pairs, {(now - start) / done_pairs * (pairs - done_pairs):.0f} s left ",
                end="",
                file=sys.stderr,
                flush=True,
            )
    return better, tallies


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.arena")
    parser.add_argument("kind")
    parser.add_argument("a")
    parser.add_argument("b")
    parser.add_argument("pairs", type=int, nargs="?", default=300)
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--set", action="append", default=[])
    args = parser.parse_args()
    options = {}
    for text in args.set:
        name, _, value = text.partition("=")
        options[name] = int(value) if value.isdigit() else value
    rules = rules_for(args.kind, args.players, options)
    better, tallies = match(rules, (args.a, args.b), args.pairs, args.first)
    mean, sd = statistics.fmean(better), statistics.stdev(better)
    half = 1.96 * sd / math.sqrt(len(better))
    print(f"{args.a} vs {args.b}: {mean:+.2f} ± {half:.2f} (sd {sd:.1f}, {len(better)} pairs)")
    for name, tally in zip((args.a, args.b), tallies, strict=True):
        times = sorted(tally.seconds)
        print(
            f"  {name:12} {tally.points / tally.deals:+7.2f} moons {tally.moons} nils "
            f"{tally.nils_made}/{tally.nils} contracts {tally.contracts_made}/{tally.contracts} ms "
            f"{statistics.fmean(times) * 1e3:.3f} p99 {times[len(times) * 99 // 100] * 1e3:.3f}"
        )


if __name__ == "__main__":
    main()
