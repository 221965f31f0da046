"""A CPU player for other programs: `python -m games.cpu --kind hearts --level expert [--budget 3000] [--seed 7]`.

Reads one view a line, as JSON in the form of `View.to_json`, and answers each with one action a line. A line that
cannot be answered gets `{"ok": false, "code": …}`: bad_json (a key named twice and NaN are none), line_too_long,
bad_view (`field` names what is wrong), unknown_card, a refusal code of the options, wrong_kind, not_asked. Blank lines
are passed over. The same lines get the same answers for the same seed, from an expert only with a budget too: so many
playouts a decision instead of what fits into a few milliseconds.

`python -m games.cpu --warm` compiles what the experts need, keeps it on disk, and ends. Whoever starts an expert
without that waits for it some seconds before the first answer.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from contextlib import suppress
from typing import Any

from games.cpu import LEVELS
from games.cpu.reading import BadView, view_from_json
from games.kinds import KINDS, rules_for
from games.kinds.cpu import choose_action, warm
from games.rules.lines import bounded_lines, strict_json

MOST_PLAYOUTS = 10**7
LONGEST_LINE = 1 << 20  # bytes; a view late in a long game has some tens of thousands


def answer(line: bytes, kind: str, level: str, rng: random.Random, budget: float | None = None) -> dict[str, Any]:
    """The answer to one line; never raises for what the line holds."""
    if len(line) > LONGEST_LINE:
        return {"ok": False, "code": "line_too_long", "most": LONGEST_LINE}
    try:
        data = strict_json(line.decode())
    except (ValueError, RecursionError):
        return {"ok": False, "code": "bad_json"}
    try:
        view = view_from_json(data, rules_for)
    except BadView as bad:
        return {"ok": False, **bad.to_json()}
    if view.kind != kind:
        return {"ok": False, "code": "wrong_kind", "field": "kind"}
    if view.ask is None:
        return {"ok": False, "code": "not_asked", "field": "ask"}
    return choose_action(view, level, rng, budget).to_json()


def _playouts(text: str) -> int:
    with suppress(ValueError):
        if 1 <= (number := int(text)) <= MOST_PLAYOUTS:
            return number
    raise argparse.ArgumentTypeError(f"a whole number from 1 to {MOST_PLAYOUTS}")


def answer_lines(kind: str, level: str, rng: random.Random, budget: float | None) -> int:
    """Answers every line that is not blank until the input ends; the status to end with."""
    if sys.stdin is None or sys.stdout is None:  # closed before the start
        return 1
    try:
        for line in bounded_lines(sys.stdin.buffer, LONGEST_LINE):
            if line.strip() or len(line) > LONGEST_LINE:
                sys.stdout.write(json.dumps(answer(line, kind, level, rng, budget)) + "\n")
                sys.stdout.flush()
    except OSError:  # nobody reads any more, or nothing can be written
        with suppress(OSError):  # else Python complains at its end of what it cannot flush
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m games.cpu", description="Answers views with actions, line by line."
    )
    parser.add_argument("--kind", choices=tuple(KINDS))
    parser.add_argument("--level", choices=LEVELS)
    parser.add_argument("--budget", type=_playouts, default=None, help="playouts a decision of an expert")
    parser.add_argument("--seed", type=int, default=None, help="for the same answers every time")
    parser.add_argument("--warm", action="store_true", help="compile what the experts need, and end")
    args = parser.parse_args()
    if not args.warm and (args.kind is None or args.level is None):
        parser.error("--kind and --level are needed")
    try:
        if args.warm or args.level == "expert":
            warm()
        return 0 if args.warm else answer_lines(args.kind, args.level, random.Random(args.seed), args.budget)
    except KeyboardInterrupt:
        return 1


if __name__ == "__main__":
    sys.exit(main())
