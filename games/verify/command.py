"""The command: one file with games in, a line for each out."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from games.verify.faults import Unreadable
from games.verify.kind import Checks
from games.verify.reading import from_bytes, games_of, read_file
from games.verify.verdict import answer


def main(arguments: Sequence[str], checks: Checks) -> int:
    """Looks at one file, or at the standard input for "-", and prints a line for each game or fault.

    Returns the exit status: 0 if all is well, 1 if there are faults, 2 if the file cannot be read.
    """
    if len(arguments) != 1 or arguments[0] in ("-h", "--help"):
        sys.stderr.write("usage: verify.py FILE (an exported game; - is the standard input)\n")
        return 2
    try:
        games = games_of(read_file(arguments[0]))
    except Unreadable as unreadable:
        sys.stderr.write(f"{unreadable}\n")
        return 2
    return max(
        [_told(raw, checks, f"Game {number}: " if len(games) > 1 else "") for number, raw in enumerate(games, 1)]
    )


def _told(raw: bytes, checks: Checks, head: str) -> int:
    """Says what is found of a game. Returns the exit status."""
    try:
        status, lines = answer(from_bytes(raw), checks)
    except Unreadable as unreadable:
        sys.stderr.write(f"{head}{unreadable}\n")
        return 2
    sys.stdout.write("".join(f"{head}{line}\n" for line in lines))
    return status
