"""The kinds in the check of finished games."""

from __future__ import annotations

from games.kinds import KINDS
from games.verify.kind import Checks


def checks() -> Checks:
    """By name the class that checks games of a kind: see games/verify/README.md. They have all rows of codes."""
    return {name: kind.check for name, kind in KINDS.items()}


def scripts() -> dict[str, str]:
    """By name the static file of each kind that browsers can check."""
    return {name: kind.check_script for name, kind in KINDS.items() if kind.check_script is not None}
