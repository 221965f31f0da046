"""Names at a table. Pure."""

from __future__ import annotations

from collections.abc import Sequence


def distinct(names: Sequence[str]) -> list[str]:
    """The names, with a number behind each that was there before."""
    found: list[str] = []
    used: set[str] = set()
    for name in names:
        shown, number = name, 1
        while shown.casefold() in used:
            number += 1
            shown = f"{name} ({number})"
        used.add(shown.casefold())
        found.append(shown)
    return found
