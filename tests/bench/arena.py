"""Duplicate matches between CPU players: A and B play the same deal from each other's seats.

Run: python -m tests.bench.arena hearts normal beginner 300 [--players 4] [--first 0] [--option moon=choose]

A player is a level, `random`, or `package:level` for another version of the package. Deals come from the numbers of
their pairs, so everybody gets the same ones; the direction of the pass goes round from pair to pair. With an even
number of players A and B sit in turn, ABAB and BABA; with an odd one A sits once in each seat. Hearts counts points
and Spades the change of the score with a tenth of the bag penalty for each bag. A positive figure speaks for A.
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
from games.rules import KINDS, Action, Refused, Rules, State, View, rules_for, view
from games.rules.state import evolve

#: Answers a view.
Player = Callable[[View, random.Random], Action]

BAG = -10.0  # a tenth of the penalty for ten bags
ROTATION = 12  # a multiple of every rotation of the pass
PROGRESS_S = 0.5


@dataclass
class Tally:
    """What one player did over a match. A deal is counted once for each of its seats."""

    deals: int = 0
    worth: float = 0.0
    moons: int = 0
    nils: int = 0
    nils_made: int = 0
    bids: int = 0
    contracts_made: int = 0
    seconds: list[float] = field(default_factory=list)


def at_random(seen: View, rng: random.Random) -> Action:
    """Any answer; only bids are those of a sane player, since wild ones would decide every deal."""
    ask = seen.ask
    assert ask is not None
    if ask.phase in ("pass", "exchange"):
        return Action(ask.phase, seen.seat, cards=tuple(rng.sample(ask.cards, ask.count)))
    if ask.phase == "bid":
        return Action("bid", seen.seat, bid=rng.choice((2, 3, 3, 4)))
    if ask.phase == "blind":
        return Action("blind", seen.seat, blind=False)
    if ask.phase == "moon":
        return Action("moon", seen.seat, choice=rng.choice(("add", "subtract")))
    return Action("play", seen.seat, card=rng.choice(ask.cards))


def player_of(name: str) -> Player:
    """The player of that name."""
    if name == "random":
        return at_random
    package, _, level = name.rpartition(":")
    choose = importlib.import_module(package).choose_action if package else choose_action
    if not package and level not in LEVELS:
        raise SystemExit(f"no player {name}: one of random, {', '.join(LEVELS)}, or package:level")
    return lambda seen, rng: choose(seen, level, rng)


def seatings(players: int) -> list[tuple[int, ...]]:
    """Who sits where, 0 for A and 1 for B."""
    if players % 2 == 0:
        return [tuple((seat + first) % 2 for seat in range(players)) for first in (0, 1)]
    return [tuple(int(seat != own) for seat in range(players)) for own in range(players)]


def dealt(rules: Rules, number: int) -> State:
    """The deal of a pair."""
    rng = random.Random(f"arena {rules.kind} {rules.players} {number}")
    state = rules.apply(rules.start(), Action("open", dealer=rng.randrange(rules.players)))
    state = evolve(state, deal=1 + number % ROTATION)
    return rules.apply(state, Action("deal", pack=tuple(rng.sample(rules.deck, len(rules.deck)))))


def play_deal(rules: Rules, state: State, seats: Sequence[Player], tallies: Sequence[Tally], seed: str) -> State:
    """The state after the deal; `tallies` are by seat. Each seat draws from a generator of its own."""
    generators = [random.Random(f"{seed} {seat}") for seat in range(rules.players)]
    while not state.sheet:
        seat = rules.due(state).seats[0]
        seen = view(rules, state, seat)
        start = time.perf_counter()
        action = seats[seat](seen, generators[seat])
        tallies[seat].seconds.append(time.perf_counter() - start)
        state = rules.apply(state, action)
    return state


def worth(rules: Rules, state: State) -> list[float]:
    """What the deal was worth to each seat; more is better."""
    row = state.sheet[-1]
    if rules.kind == "hearts":
        return [-float(change) for change in row.change]
    return [row.change[rules.side(seat)] + BAG * row.bags[rules.side(seat)] for seat in range(rules.players)]


def count(rules: Rules, state: State, tallies: Sequence[Tally]) -> None:
    """Adds a deal to the tallies, which are by seat."""
    lines = state.sheet[-1].lines
    for seat, tally in enumerate(tallies):
        tally.deals += 1
        tally.worth += worth(rules, state)[seat]
        tally.moons += any(line.what == "moon" and line.seat == seat for line in lines)
        if rules.kind == "spades" and state.bids[seat]:
            tally.bids += 1
            tally.contracts_made += any(line.side == rules.side(seat) and line.what == "contract" for line in lines)
        elif rules.kind == "spades":
            tally.nils += 1
            tally.nils_made += any(line.seat == seat and line.what in ("nil", "blind_nil") for line in lines)


def match(rules: Rules, names: tuple[str, str], pairs: int, first: int = 0) -> tuple[list[float], list[Tally]]:
    """By how much A was better in each pair, a seat and deal, and what both did."""
    players, tallies = [player_of(name) for name in names], [Tally(), Tally()]
    better: list[float] = []
    start = shown = time.monotonic()
    for number in range(first, first + pairs):
        state, gains = dealt(rules, number), []
        for who in seatings(rules.players):
            by_seat = [tallies[player] for player in who]
            done = play_deal(rules, state, [players[player] for player in who], by_seat, f"arena players {number}")
            count(rules, done, by_seat)
            means = [
                statistics.fmean(w for w, p in zip(worth(rules, done), who, strict=True) if p == x) for x in (0, 1)
            ]
            gains.append(means[0] - means[1])
        better.append(statistics.fmean(gains))
        now = time.monotonic()
        if sys.stderr.isatty() and (now - shown > PROGRESS_S or len(better) == pairs):
            shown, left = now, (now - start) / len(better) * (pairs - len(better))
            print(f"\r{len(better)}/{pairs} pairs, {left:.0f} s left   ", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return better, tallies


def report(rules: Rules, names: tuple[str, str], better: list[float], tallies: list[Tally]) -> None:
    mean, deviation = statistics.fmean(better), statistics.stdev(better)
    half = 1.96 * deviation / math.sqrt(len(better))
    unit = "points a seat and deal" if rules.kind == "hearts" else "points a deal"
    seats = f"{rules.kind}, {rules.players} players, {len(better)} pairs"
    print(f"{seats}: {names[0]} is better than {names[1]} by {mean:+.2f} ± {half:.2f} {unit} (sd {deviation:.1f})")
    own = "moons" if rules.kind == "hearts" else "nils made"
    print(f"{'':12} {'a seat and deal':>16} {own:>12} {'contracts':>10} {'ms a move':>10} {'p99':>7}")
    for name, tally in zip(names, tallies, strict=True):
        times = sorted(tally.seconds)
        feats = str(tally.moons) if rules.kind == "hearts" else f"{tally.nils_made}/{tally.nils}"
        made = f"{tally.contracts_made / tally.bids:.0%}" if tally.bids else "-"
        mean_ms, p99_ms = statistics.fmean(times) * 1e3, times[len(times) * 99 // 100] * 1e3
        points = tally.worth / tally.deals * (-1 if rules.kind == "hearts" else 1)
        print(f"{name:12} {points:16.2f} {feats:>12} {made:>10} {mean_ms:10.3f} {p99_ms:7.3f}")


def options_of(texts: Sequence[str]) -> dict[str, str | int]:
    """Options from `name=value`."""
    pairs = [text.partition("=") for text in texts]
    return {name: int(value) if value.isdigit() else value for name, _, value in pairs}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.arena", description="Duplicate matches.")
    parser.add_argument("kind", choices=tuple(KINDS))
    parser.add_argument("a")
    parser.add_argument("b")
    parser.add_argument("pairs", type=int, nargs="?", default=300)
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--first", type=int, default=0, help="number of the first pair")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    args = parser.parse_args()
    if args.pairs < 2:
        raise SystemExit("at least two pairs")
    try:
        rules = rules_for(args.kind, args.players, options_of(args.option))
    except Refused as refused:
        raise SystemExit(f"not a table: {refused.to_json()}") from None
    names = (args.a, args.b)
    report(rules, names, *match(rules, names, args.pairs, args.first))


if __name__ == "__main__":
    main()
