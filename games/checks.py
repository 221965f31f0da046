"""System checks: a kind that is not complete is refused by name before anything is served."""

from __future__ import annotations

from typing import Any

from django.core.checks import CheckMessage, Error, register

from games.kinds import KINDS
from games.kinds.checks import checks
from games.kinds.faults import faults_of
from games.verify import tables_of


@register("games")
def check_kinds(**_more: Any) -> list[CheckMessage]:
    """An error for each thing that is missing or wrong in the record of a kind, and where game codes do not tell kinds
    apart."""
    found: list[CheckMessage] = [
        Error(f"The kind {kind.name} is not complete: {fault}.", obj=kind.name, id="games.E001")
        for kind in KINDS.values()
        for fault in faults_of(kind)
    ]
    try:
        tables_of(checks())
    except ValueError as error:
        found.append(Error(str(error), id="games.E002"))
    return found
