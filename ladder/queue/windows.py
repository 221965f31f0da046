"""Who may be seated together: how far apart ratings may be, and which of those who wait make a table. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice
from random import Random

#: How far apart two ratings may be at first, and by how much more with each second of waiting.
FIRST_WINDOW = 100
GROWTH = 5
#: After so many seconds any rating will do.
OPEN_AFTER_S = 120
#: After so many seconds three who agree may be joined by a CPU.
CPU_AFTER_S = 45
#: Two who want to be partners may be so far apart.
PAIR_APART = 400
#: Those who have waited longest are looked at for one table; all would be too many to try.
MOST_TRIED = 40


@dataclass(frozen=True, slots=True)
class Waiter:
    """One user who waits, or two who want to be partners. `rating` is their mean."""

    users: tuple[int, ...]
    rating: Decimal
    waited_s: float
    takes_cpu: bool = False
    #: How far away another rating may be; None: anywhere. Asked for with everybody else who waits, so it is kept.
    window: int | None = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "window", window(self.waited_s))


def window(waited_s: float) -> int | None:
    """How far away from his own a rating may be after so many seconds of waiting; None: anywhere."""
    if waited_s >= OPEN_AFTER_S:
        return None
    return FIRST_WINDOW + GROWTH * int(max(0.0, waited_s))


def fit(one: Waiter, other: Waiter) -> bool:
    """Whether both windows reach the other: nobody is given to a stranger far away for the other's impatience."""
    apart = abs(one.rating - other.rating)
    return (one.window is None or apart <= one.window) and (other.window is None or apart <= other.window)


def may_pair(one: Decimal, other: Decimal) -> bool:
    """Whether two may be partners by their own wish."""
    return abs(one - other) <= PAIR_APART


@dataclass(frozen=True, slots=True)
class Found:
    """Those who make a table, and how many CPUs sit with them."""

    waiters: tuple[Waiter, ...]
    cpus: int = 0

    @property
    def users(self) -> tuple[int, ...]:
        return tuple(user for waiter in self.waiters for user in waiter.users)


def tables(
    waiters: Sequence[Waiter], players: int, apart: Collection[frozenset[int]], *, with_cpu: bool = False
) -> Iterator[Found]:
    """Every table that can be made now. Whoever has waited longest is served first, by the next longest who fit.

    `apart`: pairs of users who are never seated together. `with_cpu`: whether one seat may be a CPU's, where all others
    agree and the first of them has waited long enough; full tables come first.
    """
    left = sorted(waiters, key=lambda waiter: (-waiter.waited_s, waiter.users))
    for cpus in (0, 1) if with_cpu else (0,):
        tried: list[Waiter] = []
        while left:
            first, *others = left
            found = _complete(first, others, players, apart, cpus)
            if found is None:
                tried.append(first)
                left = others
                continue
            yield Found(found, cpus)
            left = [waiter for waiter in others if waiter not in found]
        left = tried


def _complete(
    first: Waiter, others: Sequence[Waiter], players: int, apart: Collection[frozenset[int]], cpus: int
) -> tuple[Waiter, ...] | None:
    """The first of those who wait, with enough of the others; None if there are not enough who fit."""
    if cpus and (not first.takes_cpu or first.waited_s < CPU_AFTER_S):
        return None
    candidates = (other for other in others if (other.takes_cpu or not cpus) and _may_meet(first, other, apart))
    return _fill((first,), list(islice(candidates, MOST_TRIED)), players - cpus, apart)


def _fill(
    group: tuple[Waiter, ...], candidates: Sequence[Waiter], wanted: int, apart: Collection[frozenset[int]]
) -> tuple[Waiter, ...] | None:
    size = sum(len(waiter.users) for waiter in group)
    if size >= wanted:
        return group if size == wanted else None
    for number, candidate in enumerate(candidates):
        if size + len(candidate.users) <= wanted and all(_may_meet(candidate, other, apart) for other in group):
            found = _fill((*group, candidate), candidates[number + 1 :], wanted, apart)
            if found is not None:
                return found
    return None


def _may_meet(one: Waiter, other: Waiter, apart: Collection[frozenset[int]]) -> bool:
    if not fit(one, other) or not set(one.users).isdisjoint(other.users):
        return False
    return not apart or not any(frozenset((user, stranger)) in apart for user in one.users for stranger in other.users)


def seats(units: Sequence[tuple[int, ...]], players: int, rng: Random) -> list[int | None]:
    """Users by seat, drawn by lot; None is a CPU's seat. Two who go together sit across from each other."""
    found: list[int | None] = [None] * players
    pairs = [unit for unit in units if len(unit) == 2]
    sides = rng.sample(range(players // 2), len(pairs))
    for side, pair in zip(sides, pairs, strict=True):
        found[side], found[side + players // 2] = rng.sample(pair, 2)
    taken = {seat for side in sides for seat in (side, side + players // 2)}
    free = [seat for seat in range(players) if seat not in taken]
    singles = [unit[0] for unit in units if len(unit) == 1]
    for seat, user in zip(rng.sample(free, len(singles)), singles, strict=True):
        found[seat] = user
    return found
