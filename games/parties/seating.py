"""How many play at a party, and who sits where. Pure: seats are numbers, persons are whatever the caller has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from games.kinds import KINDS

#: Without a fixed number, so few are filled up to the usual number by CPUs.
FEW = 2
USUAL = 4
#: From this number on the host is asked whether it is meant.
LARGE = 6


def numbers(kind: str) -> tuple[int, ...]:
    """The numbers of players of a kind."""
    return KINDS[kind].options.PLAYERS


def capacity(kind: str, fixed: int | None) -> int:
    """How many can sit."""
    return fixed or max(numbers(kind))


def players_for(kind: str, sitting: int, fixed: int | None) -> int:
    """How many play when so many sit: a fixed number, or as many as sit, few being filled up by CPUs."""
    if fixed:
        return fixed
    return sitting if sitting > FEW and sitting in numbers(kind) else USUAL


def lowest_free(taken: Iterable[int]) -> int:
    """The first seat that nobody has."""
    held = set(taken)
    return next(seat for seat in range(len(held) + 1) if seat not in held)


def closed_up(seats: Sequence[int], players: int) -> list[int]:
    """The seats of a table of `players`, in the same order around it; as they are where they fit."""
    if all(seat < players for seat in seats):
        return list(seats)
    order = sorted(range(len(seats)), key=lambda index: seats[index])
    found = [0] * len(seats)
    for seat, index in enumerate(order):
        found[index] = seat
    return found
