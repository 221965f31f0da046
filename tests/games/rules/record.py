"""Makes the recorded games: `python -m tests.games.rules.record`. Each is a whole game with the end it is named after.

A recorded game is what a bug report is made of as well: kind, players, options, the log, and the score sheet and
result it led to.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from games.kinds import rules_for
from games.rules import RULES_VERSION, Action, Rules, State
from games.rules.state import plain
from tests.games.rules.play import answer_at_random, dealers_action

FOLDER = Path(__file__).with_name("recorded")

Log = list[Action]
Wanted = Callable[[State], bool]


def tied_for_first(state: State) -> bool:
    return state.scores.count(min(state.scores)) > 1


def anything(state: State) -> bool:
    return True


def side_0_scores(state: State) -> bool:
    return state.sheet[-1].change[0] > 0


KITTY: dict[str, str | int] = {"surplus": "kitty", "jack_of_diamonds": "minus_ten", "end_score": 40}
ENDLESS: dict[str, str | int] = {"target": 1000, "floor": "no", "first_lead": "club_two"}

#: File name: kind, players, options, what each deal has to lead to, the reason of the end.
GAMES: dict[str, tuple[str, int, dict[str, str | int], Wanted, str]] = {
    "hearts_target": ("hearts", 4, {"skip_right": "one_each", "moon": "choose"}, anything, "target"),
    "hearts_target_kitty": ("hearts", 5, KITTY, anything, "target"),
    "hearts_play_off_cap": ("hearts", 4, {"end_score": 20}, tied_for_first, "deal_cap"),
    "hearts_sixty_deals": ("hearts", 7, {"end_score": 300}, anything, "deal_cap"),
    "spades_target": ("spades", 4, {"target": 150}, side_0_scores, "target"),
    "spades_floor": ("spades", 4, {"blind_nil": "yes"}, anything, "floor"),
    "spades_sixty_deals": ("spades", 4, ENDLESS, anything, "deal_cap"),
}


def one_deal(rules: Rules, state: State, rng: random.Random) -> tuple[State, Log]:
    """A deal at random, from the dealer's action to the score sheet."""
    log: Log = []
    deals = len(state.sheet)
    while len(state.sheet) == deals:
        due = rules.due(state)
        action = (
            dealers_action(rules, state, rng)
            if due.dealer
            else answer_at_random(rules, state, rng.choice(due.seats), rng)
        )
        log.append(action)
        state = rules.apply(state, action)
    return state, log


def record(name: str) -> dict[str, Any]:
    """A game as it is stored. Deals are drawn until each leads to what is wanted."""
    kind, players, options, wanted, reason = GAMES[name]
    rules = rules_for(kind, players, options)
    for seed in range(1000):
        rng = random.Random(seed)
        state = rules.start()
        log: Log = []
        while state.phase != "over":
            for _ in range(300):
                after, actions = one_deal(rules, state, rng)
                if wanted(after):
                    break
            state, log = after, log + actions
        if state.reason == reason:
            return {
                "kind": kind,
                "players": players,
                "options": options,
                "rules_version": RULES_VERSION,
                "log": [action.to_json() for action in log],
                "sheet": [[list(row.change), list(row.scores), list(row.bags)] for row in state.sheet],
                "result": plain(rules.result(state)),
            }
    raise RuntimeError(f"no game ends like {name}")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in GAMES:
        (FOLDER / f"{name}.json").write_text(json.dumps(record(name), separators=(",", ":")) + "\n")
