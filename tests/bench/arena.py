"""Duplicate matches between CPU players: A and B play the same deal from each other's seats.

Run: python -m tests.bench.arena hearts expert pimc 650 [--players 4] [--alone] [--option moon=choose] [--results FILE]
or: python -m tests.bench.arena hearts expert program 650 --program "COMMAND"

`players` names who can play; `program` is what the command starts, and speaks as `python -m games.cpu` does. Deals come
from the numbers of their pairs, so everybody gets the same ones; the direction of the pass goes round from pair to
pair. With an even number of players A and B sit in turn, ABAB and BABA; with an odd one, and with `--alone`, A sits
once in each seat among B. Hearts counts points and Spades the change of the score with a tenth of the bag penalty for
each bag. A positive figure speaks for A.

With `--results` each pair is kept as a line of JSON when it is done, and a match that was broken off goes on there.
Times are those of the process on its processor; the wall clock is given beside them, for other programs may be running.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import random
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from games.kinds import KINDS, rules_for
from games.kinds.cpu import warm
from games.rules import Action, Refused, Rules, State, view
from games.rules.state import evolve
from tests.bench.players import HEARTS_ONLY, Player, player_of
from tests.bench.program import Program

BAG = -10.0  # a tenth of the penalty for ten bags
ROTATION = 12  # a multiple of every rotation of the pass
PROGRESS_S = 0.5
BAR = 30
#: The name of the player that `--program` starts.
PROGRAM = "program"


@dataclass
class Tally:
    """What one player did over a match. A deal is counted once for each of its seats; times are in ms."""

    deals: int = 0
    worth: float = 0.0
    moons: int = 0
    nils: int = 0
    nils_made: int = 0
    bids: int = 0
    contracts_made: int = 0
    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


@dataclass
class Pair:
    """A deal from all seatings: by how much A was better, a seat and deal, and what both did."""

    number: int
    better: float
    tallies: tuple[Tally, Tally]


def seatings(players: int, alone: bool) -> list[tuple[int, ...]]:
    """Who sits where, 0 for A and 1 for B."""
    if players % 2 == 0 and not alone:
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
        wall, cpu = time.perf_counter(), time.process_time()
        action = seats[seat](seen, generators[seat])
        tallies[seat].cpu.append(round((time.process_time() - cpu) * 1e3, 3))
        tallies[seat].wall.append(round((time.perf_counter() - wall) * 1e3, 3))
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


def play_pair(rules: Rules, players: Sequence[Player], number: int, *, alone: bool) -> Pair:
    state, gains, tallies = dealt(rules, number), [], (Tally(), Tally())
    for who in seatings(rules.players, alone):
        by_seat = [tallies[player] for player in who]
        done = play_deal(rules, state, [players[player] for player in who], by_seat, f"arena players {number}")
        count(rules, done, by_seat)
        means = [statistics.fmean(w for w, p in zip(worth(rules, done), who, strict=True) if p == x) for x in (0, 1)]
        gains.append(means[0] - means[1])
    return Pair(number, statistics.fmean(gains), tallies)


# --- a match --------------------------------------------------------------------------------------------------------


def match(
    rules: Rules,
    names: tuple[str, str],
    numbers: Sequence[int],
    *,
    alone: bool = False,
    results: Path | None = None,
    program: str = "",
) -> list[Pair]:
    """The pairs of these numbers, those in `results` as they were played before."""
    head = {"kind": rules.kind, "players": rules.players, "options": rules.options.to_json(), "names": list(names)}
    kept = kept_pairs(results, {**head, "alone": alone, **({"program": program} if program else {})})
    with contextlib.ExitStack() as stack:
        other = Program(program)
        stack.callback(other.close)
        players = [other if name == PROGRAM and program else player_of(name) for name in names]
        return played_pairs(rules, players, numbers, kept, alone=alone, results=results)


def played_pairs(
    rules: Rules,
    players: Sequence[Player],
    numbers: Sequence[int],
    kept: dict[int, Pair],
    *,
    alone: bool,
    results: Path | None,
) -> list[Pair]:
    """The pairs that are kept, and the others as they are played now; shows how far it is on a terminal."""
    pairs: list[Pair] = []
    warm()  # so that no move has to wait for it
    start, shown, played = time.monotonic(), 0.0, 0
    for number in numbers:
        pair = kept.get(number)
        if pair is None:
            pair, played = play_pair(rules, players, number, alone=alone), played + 1
            if results is not None:
                with results.open("a") as file:
                    file.write(json.dumps(asdict(pair)) + "\n")
        pairs.append(pair)
        now = time.monotonic()
        if sys.stderr.isatty() and (now - shown > PROGRESS_S or len(pairs) == len(numbers)):
            left, shown = (now - start) / max(1, played) * (len(numbers) - len(pairs)), now
            done = BAR * len(pairs) // len(numbers)
            bar = f"[{'#' * done}{'.' * (BAR - done)}]"
            print(
                f"\r{bar} {len(pairs)}/{len(numbers)} pairs, {left:.0f} s left   ", end="", file=sys.stderr, flush=True
            )
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return pairs


def kept_pairs(results: Path | None, head: dict[str, Any]) -> dict[int, Pair]:
    """The pairs in a file of results, by number; begins the file if there is none."""
    if results is None:
        return {}
    try:
        text = results.read_text() if results.exists() else ""
        if not text.endswith("\n"):
            with results.open("a") as file:
                file.write("\n" if text else json.dumps(head) + "\n")
    except (OSError, UnicodeDecodeError) as error:
        raise SystemExit(f"results cannot be kept: {error}") from None
    first, *lines = text.splitlines() or [json.dumps(head)]
    if _json(first) != head:
        raise SystemExit(f"{results} holds another match")
    found = {}
    for line in lines:
        data = _json(line)
        if data is None:  # the line that was being written when the match was broken off
            continue
        try:
            a, b = (Tally(**tally) for tally in data["tallies"])
            found[data["number"]] = Pair(data["number"], data["better"], (a, b))
        except (TypeError, KeyError, ValueError):
            raise SystemExit(f"{results} holds something else than pairs") from None
    return found


def _json(line: str) -> Any:
    """What a line holds; None if it is no JSON."""
    try:
        return json.loads(line)
    except ValueError:
        return None


def report(rules: Rules, names: tuple[str, str], pairs: Sequence[Pair]) -> str:
    """The printed table of a match."""
    better = [pair.better for pair in pairs]
    mean, deviation = statistics.fmean(better), statistics.stdev(better)
    half = 1.96 * deviation / math.sqrt(len(better))
    unit = "points a seat and deal" if rules.kind == "hearts" else "points a deal"
    feat = "moons" if rules.kind == "hearts" else "nils made"
    what = f"{names[0]} is better than {names[1]} by {mean:+.2f} ± {half:.2f} {unit} (sd {deviation:.1f})"
    of_times = f"{'p99':>7} {'most':>7}"
    heads = f"{'a seat and deal':>16} {feat:>12} {'contracts':>10} {'ms a move':>10} {of_times} {'wall':>7} {of_times}"
    lines = [f"{rules.kind}, {rules.players} players, {len(better)} pairs: {what}", f"{'':16} {heads}"]
    for name, side in zip(names, (0, 1), strict=True):
        tally = Tally()
        for pair in pairs:
            tally.add(pair.tallies[side])
        feats = str(tally.moons) if rules.kind == "hearts" else f"{tally.nils_made}/{tally.nils}"
        made = f"{tally.contracts_made / tally.bids:.0%}" if tally.bids else "-"
        points = tally.worth / tally.deals * (-1 if rules.kind == "hearts" else 1)
        times = " ".join(
            f"{statistics.fmean(taken):{width}.3f} {sorted(taken)[len(taken) * 99 // 100]:7.3f} {max(taken):7.3f}"
            for taken, width in ((tally.cpu, 10), (tally.wall, 7))
        )
        lines.append(f"{name:16} {points:16.2f} {feats:>12} {made:>10} {times}")
    return "\n".join(lines)


def options_of(texts: Sequence[str]) -> dict[str, str | int]:
    """Options from `name=value`."""
    pairs = [text.partition("=") for text in texts]
    return {name: int(value) if value.isascii() and value.isdigit() else value for name, _, value in pairs}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.arena", description="Duplicate matches.")
    parser.add_argument("kind", choices=tuple(KINDS))
    parser.add_argument("a")
    parser.add_argument("b")
    parser.add_argument("pairs", type=int, nargs="?", default=300)
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--alone", action="store_true", help="one seat for A, all others for B")
    parser.add_argument("--first", type=int, default=0, help="number of the first pair")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--results", type=Path, help="a file to keep the pairs in and to go on from")
    parser.add_argument("--program", default="", metavar="COMMAND", help="what starts the player named program")
    args = parser.parse_args()
    if args.pairs < 2:
        raise SystemExit("at least two pairs")
    try:
        rules = rules_for(args.kind, args.players, options_of(args.option))
    except Refused as refused:
        raise SystemExit(f"not a table: {refused.to_json()}") from None
    names = (args.a, args.b)
    if alien := [name for name in names if args.kind != "hearts" and name.partition("@")[0] in HEARTS_ONLY]:
        raise SystemExit(f"{alien[0]} plays Hearts only")
    numbers = range(args.first, args.first + args.pairs)
    try:
        pairs = match(rules, names, numbers, alone=args.alone, results=args.results, program=args.program)
    except KeyboardInterrupt:
        raise SystemExit("broken off" + (", to go on with the same --results" if args.results else "")) from None
    print(report(rules, names, pairs))


if __name__ == "__main__":
    main()
