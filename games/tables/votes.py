"""What the people at a running game may decide together: a CPU for an absent player, no result for anybody.

A vote for a stand-in counts only while its target is absent; whoever is heard of again has outvoted it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from channels.db import database_sync_to_async
from django.conf import settings
from django.utils import timezone

from games.log import live, services, store, voids, wakeups
from games.log.positions import Position, Table
from games.log.refusals import Rejected
from games.tables import protocol
from games.tables.models import Vote

#: At a table without a limit, somebody not heard of for so long may be voted off, in seconds.
ABSENT_S = 120.0

About = Vote.About


@dataclass(frozen=True, slots=True)
class Tally:
    """How a vote stands: the seats for it, and how many it takes."""

    about: str
    target: int | None
    seats: tuple[int, ...]
    needed: int

    @property
    def is_carried(self) -> bool:
        """Whether enough are for it."""
        return len(self.seats) >= self.needed

    def to_json(self) -> protocol.Tally:
        return {"about": self.about, "target": self.target, "seats": list(self.seats), "needed": self.needed}


async def vote(*, game_id: int, seat: int, about: str, target: int | None, on: bool) -> list[Tally]:
    """Gives or takes back one vote, and does what is carried by it. Returns how the votes stand.

    Raises Rejected: `stale` after the end, `no_vote` where this cannot be voted on (now), `void_limit` for somebody who
    may not end another game without a result.
    """
    table, position = await live.refresh(game_id)
    if position.is_over:
        raise Rejected("stale")
    seen = await _seen(game_id)
    _check(table, position, seen, seat, about, target)
    if on and about == About.VOID and not await voids.may_vote(table, seat):
        raise Rejected("void_limit")
    await database_sync_to_async(_store)(game_id, seat, about, target, on)
    return await recount(game_id=game_id)


async def recount(*, game_id: int) -> list[Tally]:
    """Does what is carried, and tells the table how the votes stand. Returns that.

    Called after every vote, and where a seat has changed hands: it may be that only he was not for it.
    """
    standing: list[Tally] = []
    for _ in range(2):  # a CPU in one seat may be what the others waited for
        standing = await tallies(game_id)
        carried = [tally for tally in standing if tally.is_carried]
        for tally in carried:
            await _carry_out(game_id, tally)
        if not carried or any(tally.about == About.VOID for tally in carried):
            break
    await wakeups.votes(game_id, [tally.to_json() for tally in standing])
    return standing


async def tallies(game_id: int) -> list[Tally]:
    """The votes that anybody is for, as they stand now."""
    table, position = await live.position_of(game_id)
    if table.is_solo or position.is_over:
        return []
    seen = await _seen(game_id)
    votes = await database_sync_to_async(_votes)(game_id)
    found: dict[tuple[str, int | None], list[int]] = {}
    for about, target, seat, created_at in votes:
        if seat in position.stand_ins or not _still_counts(position, seen, target, created_at):
            continue
        found.setdefault((about, target), []).append(seat)
    return [
        Tally(about, target, tuple(sorted(seats)), _needed(table, position, seen, about, target))
        for (about, target), seats in found.items()
    ]


def may_stand_in(table: Table, position: Position, seen: list[datetime | None], target: int | None) -> bool:
    """Whether a CPU for this seat may be voted on: somebody is waited for, without a limit, and is not there.

    Who is not asked holds up nobody, so a seat that is no table's own is refused with the rest.
    """
    return (
        target is not None
        and not table.is_solo
        and not table.timer_s
        and target in position.asks
        and table.holders[target].user_id is not None
        and target not in position.stand_ins
        and not _is_present(seen, target)
    )


def _check(
    table: Table, position: Position, seen: list[datetime | None], seat: int, about: str, target: int | None
) -> None:
    if seat in position.stand_ins:
        raise Rejected("stood_in")
    if table.is_solo:
        raise Rejected("no_vote")
    if about == About.VOID and target is None:
        return
    if about == About.VOID or target == seat or not may_stand_in(table, position, seen, target):
        raise Rejected("no_vote")


def _still_counts(position: Position, seen: list[datetime | None], target: int | None, created_at: datetime) -> bool:
    if target is None:  # about no result for anybody
        return True
    at = seen[target]
    return target not in position.stand_ins and (at is None or at < created_at)


def _needed(table: Table, position: Position, seen: list[datetime | None], about: str, target: int | None) -> int:
    """Everybody who has not been replaced for a void; for a stand-in, more than half of those who are there."""
    humans = [
        seat
        for seat, holder in enumerate(table.holders)
        if holder.user_id is not None and seat not in position.stand_ins
    ]
    if about == About.VOID:
        return len(humans)
    there = [seat for seat in humans if seat != target and _is_present(seen, seat)]
    return max(1, len(there) // 2 + 1)


def _is_present(seen: list[datetime | None], seat: int) -> bool:
    at = seen[seat]
    return at is not None and timezone.now() - at <= timedelta(seconds=ABSENT_S / settings.TIME_SCALE)


async def _seen(game_id: int) -> list[datetime | None]:
    return (await store.glance([game_id]))[0][2]


def _store(game_id: int, seat: int, about: str, target: int | None, on: bool) -> None:
    key: dict[str, Any] = {"game_id": game_id, "about": About(about), "target": target, "seat": seat}
    if on:
        Vote.objects.update_or_create(**key, defaults={"created_at": timezone.now()})
    else:
        Vote.objects.filter(**key).delete()


def _votes(game_id: int) -> list[tuple[str, int | None, int, datetime]]:
    rows = Vote.objects.filter(game_id=game_id).order_by("created_at", "pk")
    return list(rows.values_list("about", "target", "seat", "created_at"))


async def _carry_out(game_id: int, tally: Tally) -> None:
    try:
        if tally.about == About.VOID:
            await services.void_game(game_id=game_id, reason="vote")
        elif tally.target is not None:
            await services.stand_in(game_id=game_id, seat=tally.target, by="vote")
    except Rejected as rejected:
        if rejected.code != "stale":  # else another vote at the same moment has carried it
            raise
