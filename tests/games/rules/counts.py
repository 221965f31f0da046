"""Counts of the legal lines from fixed positions to a depth.

Run `python -m tests.games.rules.counts` to write counts.json again.
"""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Iterable
from pathlib import Path

from games.codes.deals import read_code, shuffle
from games.kinds import rules_for
from games.rules import Action, Rules, State

FILE = Path(__file__).with_name("counts.json")
CODE = "4000-0000-0000-000K"
QUEEN_FIRST: dict[str, str | int] = {
    "passing": "off",
    "hearts_broken_by": "queen",
    "heart_discard": "after_break",
    "first_trick_points": "yes",
}
SHARP_LEAD: dict[str, str | int] = {"passing": "off", "first_lead": "dealer_left", "first_trick_points": "yes"}

#: Name: kind, players, options, game code, random answers before counting, depth.
POSITIONS: dict[str, tuple[str, int, dict[str, str | int], str, int, int]] = {
    "hearts, first trick": ("hearts", 4, {"passing": "off"}, CODE, 0, 7),
    "hearts, middle of a deal": ("hearts", 4, {"passing": "off"}, CODE, 26, 8),
    "hearts, last three tricks": ("hearts", 4, {"passing": "off"}, CODE, 40, 12),
    "hearts, dealer's left, points allowed": ("hearts", 4, SHARP_LEAD, CODE, 0, 5),
    "hearts, broken by the queen, hearts held back": ("hearts", 4, QUEEN_FIRST, CODE, 8, 7),
    "hearts, two": ("hearts", 2, {"passing": "off"}, "", 0, 6),
    "hearts, three, kitty": ("hearts", 3, {"passing": "off", "surplus": "kitty"}, "", 6, 6),
    "hearts, five": ("hearts", 5, {"passing": "off", "jack_of_diamonds": "minus_ten"}, "", 10, 7),
    "hearts, six": ("hearts", 6, {"passing": "off", "moon": "choose"}, "", 18, 9),
    "hearts, seven, kitty": ("hearts", 7, {"passing": "off", "surplus": "kitty"}, "", 14, 9),
    "hearts, the second pass of four": ("hearts", 4, {"skip_right": "one_each"}, CODE, 2, 2),
    "spades, bids and first card": ("spades", 4, {}, "", 1, 4),
    "spades, first tricks": ("spades", 4, {}, "", 4, 5),
    "spades, two of clubs leads": ("spades", 4, {"first_lead": "club_two"}, "", 4, 7),
    "spades, last five tricks": ("spades", 4, {}, "", 36, 12),
}


def log(name: str) -> tuple[Rules, list[Action]]:
    """A table and the actions to a position: a deal of the code (or of the table's name), then random answers."""
    kind, players, options, code, answers, _ = POSITIONS[name]
    rules = rules_for(kind, players, options)
    seed = read_code(code).seed if code else f"{kind} {players}".encode()
    actions = [Action("open", dealer=0), Action("deal", pack=shuffle(seed, 1, 0, rules.deck))]
    state, rng = replay(rules, actions), random.Random(answers)
    for _ in range(answers):
        seat = rules.due(state).seats[0]
        actions.append(rng.choice([a for a in rules.legal_actions(state, seat) if a.kind not in ("skip", "finish")]))
        state = rules.apply(state, actions[-1])
    return rules, actions


def replay(rules: Rules, actions: Iterable[Action]) -> State:
    """The state that actions lead to."""
    return functools.reduce(rules.apply, actions, rules.start())


def count(rules: Rules, state: State, depth: int) -> int:
    """Lines of exactly this many answers, or fewer where the deal ends.

    Asked together, the lowest seat answers first.
    """
    due = rules.due(state)
    if depth == 0 or not due.seats:
        return 1
    actions = rules.legal_actions(state, due.seats[0])
    if depth == 1:
        return len(actions)
    return sum(count(rules, rules.apply(state, action), depth - 1) for action in actions)


def by_first(rules: Rules, state: State, depth: int) -> dict[str, int]:
    """The counts behind each first answer: what to look at when a count is off."""
    actions = rules.legal_actions(state, rules.due(state).seats[0])
    return {json.dumps(a.to_json()): count(rules, rules.apply(state, a), depth - 1) for a in actions}


def measure(name: str) -> list[int]:
    """The counts of a position at every depth up to its own."""
    rules, actions = log(name)
    state, depth = replay(rules, actions), POSITIONS[name][-1]
    return [count(rules, state, d) for d in range(1, depth + 1)]


if __name__ == "__main__":
    FILE.write_text(json.dumps({name: measure(name) for name in POSITIONS}, indent=1) + "\n")
