"""The kinds in the check of finished games."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from games.kinds import KINDS
from games.verify import build
from games.verify.kind import Checks


def checks() -> Checks:
    """By name the class that checks games of a kind: see games/verify/README.md. They have all rows of codes."""
    return {name: kind.check for name, kind in KINDS.items()}


def files() -> dict[str, Path]:
    """By name the file with the check of each kind that can be part of the one file `verify.py`."""
    known = _files()
    faults = _faults(known)
    return {name: file for name, file in known if name not in faults}


def unfit() -> dict[str, str]:
    """By name why the check of a kind cannot be part of that file, beside those before it: because of what it imports,
    say, or of a name that two of them define."""
    return dict(_faults(_files()))


def _files() -> tuple[tuple[str, Path], ...]:
    known = checks().items()
    return tuple((name, Path(inspect.getfile(check))) for name, check in known if isinstance(check, type))


@lru_cache(maxsize=4)
def _faults(known: tuple[tuple[str, Path], ...]) -> Mapping[str, str]:
    """Tried once for the kinds that a process has: each try reads and puts together every source."""
    fitting: dict[str, Path] = {}
    faults = {}
    for name, file in known:
        try:
            build.source({**fitting, name: file})
            fitting[name] = file
        except (ValueError, OSError) as error:
            faults[name] = str(error)
    return faults


def scripts() -> dict[str, str]:
    """By name the static file of each kind that browsers can check."""
    return {name: kind.check_script for name, kind in KINDS.items() if kind.check_script is not None}
