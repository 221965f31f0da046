"""System checks: a kind that is not complete is refused by name before anything is served."""

from __future__ import annotations

from typing import Any

from django.contrib.staticfiles import finders
from django.core import checks as messages
from django.core.checks import CheckMessage, Error, register

from games.kinds import KINDS
from games.kinds.checks import checks, scripts, unfit
from games.kinds.faults import faults_of
from games.verify import tables_of


@register("games")
def check_kinds(**_more: Any) -> list[CheckMessage]:
    """An error for each thing that is missing or wrong in the record of a kind, where game codes do not tell kinds
    apart; a warning where a kind's check cannot be part of the one file that checks games anywhere."""
    found: list[CheckMessage] = [
        Error(f"The kind {kind.name} is not complete: {fault}.", obj=kind.name, id="games.E001")
        for kind in KINDS.values()
        for fault in faults_of(kind)
    ]
    try:
        tables_of(checks())
    except ValueError as error:
        found.append(Error(str(error), id="games.E002"))
    found += [
        messages.Warning(f"verify.py leaves out the kind {name}: {fault}", obj=name, id="games.W001")
        for name, fault in unfit().items()
    ]
    missing = ((name, script) for name, script in scripts().items() if finders.find(script) is None)
    found += [
        Error(f"The kind {name} is not complete: there is no static file {script}.", obj=name, id="games.E001")
        for name, script in missing
    ]
    return found
