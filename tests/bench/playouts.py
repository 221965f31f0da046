"""How many Hearts playouts a second one core makes: by chance, and by the expert's policy.

Run: python -m tests.bench.playouts

Time is that of the process on its processor, the best of five. Playouts start at the first lead of four players.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable

import numpy as np

from games.cpu.kernel import HAS_PDEP, PLACE, bits_of, generator
from games.kinds import rules_for
from games.kinds.hearts.cpu import expert_engine as engine
from games.kinds.hearts.cpu.expert import NOISE, Trial, run
from games.kinds.hearts.cpu.expert_view import Seen, see
from games.kinds.hearts.cpu.expert_worlds import Worlds
from games.rules import Action, view

BEST_OF = 5
CHANCE, POLICY = 200_000, 2_000


def rate(number: int, work: Callable[[], object]) -> float:
    """So many a second."""
    took = []
    for _ in range(BEST_OF):
        start = time.process_time()
        work()
        took.append(time.process_time() - start)
    return number / min(took)


def main() -> None:
    rules = rules_for("hearts", 4, {"passing": "off"})
    pack = tuple(random.Random(1).sample(rules.deck, len(rules.deck)))
    state = rules.apply(rules.apply(rules.start(), Action("open", dealer=0)), Action("deal", pack=pack))
    table, start = engine.table_of(rules), np.zeros(engine.POSITION_SIZE, dtype=np.int64)
    for seat, hand in enumerate(state.hands):
        start[engine.HAND + seat] = bits_of(hand)
    start[engine.FIRST], start[engine.SOLE], start[engine.TURN] = 1, engine.NOBODY, state.mover
    scratch, totals, rng = start.copy(), np.zeros(8, dtype=np.int64), generator(1)
    by_chance = rate(CHANCE, lambda: engine.random_playouts(table, start, CHANCE, rng, scratch, totals))
    seen = see(view(rules, state, state.mover), rules)
    assert seen is not None

    def worlds(seen: Seen) -> Worlds:
        return Worlds(seen, 1, math.inf, POLICY)

    places = np.array([PLACE[rules.legal_cards(state)[0]]], dtype=np.int64)
    by_policy = rate(POLICY, lambda: run(seen, worlds(seen), places, Trial(1, POLICY), 1, POLICY, engine.NOBODY))
    print(f"one instruction for the k-th card: {'yes' if HAS_PDEP else 'no'}; noise of the policy {NOISE}")
    print(f"by chance    {by_chance / 1e6:6.2f} million playouts a second")
    print(f"by policy    {by_policy / 1e6:6.2f} million playouts a second, the pool of their deals included")


if __name__ == "__main__":
    main()
