"""Random full deals a second through the public API, beside OpenSpiel's Python API where it is installed.

Both do the same job in turns: a forced pack, no passing (Spades: random bids), the legal list asked for at each step of
a player, a random choice from it, until the deal is scored. Run: python tests/bench/rules.py [seconds per round]
"""

from __future__ import annotations

import importlib
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from games.kinds import rules_for
from games.rules import DECK, Action, Rules, State

ROUNDS = 5
Deal = Callable[[random.Random], int]


def our_deal(rules: Rules) -> Deal:
    """One deal through the engine; returns the answers given by players."""
    opened = rules.apply(rules.start(), Action("open", dealer=0))

    def play(rng: random.Random) -> int:
        pack = list(DECK)
        rng.shuffle(pack)
        state, steps = rules.apply(opened, Action("deal", pack=tuple(pack))), 0
        while not state.sheet:
            seat = rules.due(state).seats[0]
            actions = rules.legal_actions(state, seat)
            state = rules.apply(state, actions[int(rng.random() * len(actions))])
            steps += 1
        return steps

    return play


def open_spiel_deal(pyspiel: Any, kind: str) -> Deal:
    """One deal through OpenSpiel: 52 chance actions, in Hearts after the pass direction (0 is hold)."""
    game = pyspiel.load_game(kind)

    def play(rng: random.Random) -> int:
        pack = list(range(52))
        rng.shuffle(pack)
        state, steps = game.new_initial_state(), 0
        if kind == "hearts":
            state.apply_action(0)
        for card in pack:
            state.apply_action(card)
        while not state.is_terminal():
            actions = state.legal_actions()
            state.apply_action(actions[int(rng.random() * len(actions))])
            steps += 1
        return steps

    return play


def rate(deal: Deal, seconds: float, seed: int) -> float:
    """Deals a second of process time."""
    rng, deals, start = random.Random(seed), 0, time.process_time()
    while (spent := time.process_time() - start) < seconds:
        for _ in range(20):
            deal(rng)
        deals += 20
    return deals / spent


def apply_times(rules: Rules, deals: int = 100) -> list[float]:
    """Seconds of each `apply` of a play, in order of size."""
    rng, times = random.Random(1), []
    opened = rules.apply(rules.start(), Action("open", dealer=0))
    for _ in range(deals):
        pack = list(DECK)
        rng.shuffle(pack)
        state: State = rules.apply(opened, Action("deal", pack=tuple(pack)))
        while not state.sheet:
            action = rng.choice(rules.legal_actions(state, rules.due(state).seats[0]))
            start = time.perf_counter()
            state = rules.apply(state, action)
            if action.kind == "play":
                times.append(time.perf_counter() - start)
    return sorted(times)


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    try:
        pyspiel = importlib.import_module("pyspiel")
    except ImportError:
        pyspiel = None
        print("open_spiel is not installed: our figures only (pip install open_spiel to compare)")
    print(f"{'kind':8} {'ours, deals/s':>14} {'open_spiel':>11} {'ratio':>7} {'apply, median':>14} {'p99':>8}")
    for kind, options in (("hearts", {"passing": "off"}), ("spades", {})):
        rules = rules_for(kind, 4, options)
        ours, theirs = our_deal(rules), open_spiel_deal(pyspiel, kind) if pyspiel else None
        own_rates, peer_rates = [], []
        for seed in range(ROUNDS):  # in turns, so that a busy moment of the machine meets both
            own_rates.append(rate(ours, seconds, seed))
            if theirs:
                peer_rates.append(rate(theirs, seconds, seed))
        times = apply_times(rules)
        own = statistics.median(own_rates)
        peer = f"{statistics.median(peer_rates):11,.0f}" if peer_rates else f"{'-':>11}"
        ratios = [mine / peer_rate for mine, peer_rate in zip(own_rates, peer_rates, strict=False)]
        ratio = f"1/{1 / statistics.median(ratios):.1f}" if ratios else "-"
        median, p99 = times[len(times) // 2] * 1e6, times[len(times) * 99 // 100] * 1e6
        print(f"{kind:8} {own:14,.0f} {peer} {ratio:>7} {median:11.1f} µs {p99:5.1f} µs", flush=True)


if __name__ == "__main__":
    main()
