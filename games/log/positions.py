"""From the log of a game to where it stands: the state of the rules, who holds each seat, what is asked and until when.

Pure: a position is a fold of the log, so live play, reconnects, workers and replays cannot differ. No Django in here.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from games.rules import Action, Rules, State
from games.rules.state import ACTION_KEYS

#: How long the site waits for a CPU's answer before it looks for a lost task, in seconds.
CPU_PATIENCE_S = 3.0
#: Answers that take more time than a turn, as multiples of it.
LONG_ANSWERS = {"pass": 2, "bid": 2, "blind": 2, "exchange": 2}
MOON_S = 15.0
#: Turns in a row that a seat may miss before a CPU stands in for it.
MISSES_UNTIL_STAND_IN = 2


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a seat. Exactly one of `user_id` and `cpu_level` is set."""

    user_id: int | None
    cpu_level: str
    name: str


def limit_s(timer_s: int, phase: str, time_scale: float) -> float | None:
    """Seconds a human has to answer in a phase at a table with this limit, or None."""
    if not timer_s:
        return None
    return (MOON_S if phase == "moon" else timer_s * LONG_ANSWERS.get(phase, 1)) / time_scale


@dataclass(frozen=True, slots=True)
class Table:
    """What does not change during a game. `time_scale` divides every duration."""

    game_id: int
    rules: Rules
    timer_s: int
    holders: tuple[Holder, ...]
    code: str
    time_scale: float = 1.0
    may_watch: bool = False
    commitment: str = ""  # to the secret that the cards come from; empty if nothing was promised
    private_code: str = ""  # of the party that alone leads to this table; empty if it is nobody's secret
    is_daily: bool = False  # others meet the same cards, and CPUs that choose alike

    def is_open_to(self, code: str, *, is_over: bool) -> bool:
        """Whether somebody without a seat may look, who knows this code of a party.

        A private party's game is for those who find the party, and when it is over for its players alone.
        """
        return self.may_watch and (not self.private_code or (code == self.private_code and not is_over))

    def seat_of(self, user_id: int | None) -> int | None:
        """The seat a user holds, or None."""
        for seat, holder in enumerate(self.holders):
            if user_id is not None and holder.user_id == user_id:
                return seat
        return None

    @property
    def is_solo(self) -> bool:
        """One human among CPUs: nobody else is kept waiting, so the seat is never taken over."""
        return sum(holder.user_id is not None for holder in self.holders) == 1

    def limit_s(self, phase: str) -> float | None:
        """Seconds a human has to answer in this phase, or None."""
        return limit_s(self.timer_s, phase, self.time_scale)


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the log."""

    ply: int
    seat: int | None
    kind: str
    ask: str
    data: dict[str, Any]
    cause: str
    client_id: str | None
    created_at: datetime

    @property
    def action(self) -> Action | None:
        """What the rules are told, or None for an entry that is not theirs."""
        if self.kind not in ACTION_KEYS:
            return None
        key = ACTION_KEYS[self.kind]
        said = {key: self.data[key]} if key is not None and key in self.data else {}
        seat = {} if self.seat is None else {"seat": self.seat}
        return Action.from_json({"kind": self.kind, **seat, **said})


@dataclass(frozen=True, slots=True)
class Asked:
    """An open question: its id, and when its time is up (None: no limit)."""

    id: str
    due_at: datetime | None


@dataclass(frozen=True, slots=True)
class Position:
    """Where a game stands after `ply` entries of its log."""

    ply: int
    state: State
    stand_ins: frozenset[int]
    misses: tuple[int, ...]  # turns missed in a row, by seat
    asks: dict[int, Asked]
    void: str = ""  # why the game ended without a result, e.g. "vote"

    @property
    def is_open(self) -> bool:
        """Whether the cards are still being prepared: nothing is dealt, nothing is asked."""
        return self.ply == 0

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, with a result or without."""
        return self.state.phase == "over" or bool(self.void)

    @property
    def deadline_at(self) -> datetime | None:
        """When the first open question runs out."""
        return min((asked.due_at for asked in self.asks.values() if asked.due_at), default=None)


@dataclass(frozen=True, slots=True)
class Step:
    """One entry with the positions before and after it: what events are told from."""

    before: Position
    entry: Entry
    after: Position


def start(table: Table) -> Position:
    """The position before the first entry."""
    return Position(0, table.rules.start(), frozenset(), (0,) * table.rules.players, {})


def is_cpu(table: Table, position: Position, seat: int) -> bool:
    """Whether a CPU answers for this seat: its own, or a stand-in."""
    return table.holders[seat].user_id is None or seat in position.stand_ins


def advance(table: Table, position: Position, entry: Entry) -> Position:
    """The position after one more entry. Raises Refused if the rules refuse it."""
    if entry.ply != position.ply + 1:
        raise ValueError(f"entry {entry.ply} does not follow ply {position.ply}")
    if position.void:
        raise ValueError(f"entry {entry.ply} follows the end without a result")
    moved = replace(position, ply=entry.ply)
    if entry.kind == "void":
        return replace(moved, asks={}, void=entry.data["reason"])
    if entry.kind == "stand_in" and entry.seat is not None:
        moved = replace(moved, stand_ins=position.stand_ins | {entry.seat})
        return _asks_anew(table, moved, entry)
    if entry.kind == "back" and entry.seat is not None:
        misses = _put(position.misses, entry.seat, 0)
        moved = replace(moved, stand_ins=position.stand_ins - {entry.seat}, misses=misses)
        return _asks_anew(table, moved, entry)
    if entry.kind == "outage":
        return replace(moved, asks=_longer(table, position, entry))
    action = entry.action
    if action is None:
        return moved
    if entry.seat is not None and entry.cause in ("player", "timeout"):
        missed = position.misses[entry.seat] + 1 if entry.cause == "timeout" else 0
        moved = replace(moved, misses=_put(position.misses, entry.seat, missed))
    moved = replace(moved, state=table.rules.apply(position.state, action))
    return replace(moved, asks=_open_asks(table, moved, position.asks, entry.created_at))


def taken_over(entries: Sequence[Entry]) -> int:
    """Up to which ply a log was taken over from another game; 0 where none of it was."""
    spans = entries[0].data.get("forks") if entries else None
    return int(spans[-1]["ply"]) if spans else 0


def walk(table: Table, position: Position, entries: Iterable[Entry]) -> list[Step]:
    """Every step of some entries that follow a position."""
    steps = []
    for entry in entries:
        after = advance(table, position, entry)
        steps.append(Step(position, entry, after))
        position = after
    return steps


def fold(table: Table, entries: Iterable[Entry], position: Position | None = None) -> Position:
    """The position that entries lead to."""
    return functools.reduce(functools.partial(advance, table), entries, position or start(table))


def _due(table: Table, position: Position, seat: int, opened_at: datetime) -> datetime | None:
    if is_cpu(table, position, seat):
        return _in_ms(opened_at + timedelta(seconds=CPU_PATIENCE_S / table.time_scale))
    seconds = table.limit_s(position.state.phase)
    return None if seconds is None else _in_ms(opened_at + timedelta(seconds=seconds))


def _in_ms(at: datetime) -> datetime:
    """As exact as the times of questions are stored."""
    return at.replace(microsecond=at.microsecond // 1000 * 1000)


def _open_asks(table: Table, position: Position, earlier: dict[int, Asked], at: datetime) -> dict[int, Asked]:
    """The questions now open. One that was open already keeps its time."""
    asks = {}
    for seat in table.rules.due(position.state).seats:
        name = table.rules.ask_id(position.state, seat) or ""
        known = earlier.get(seat)
        asks[seat] = known if known and known.id == name else Asked(name, _due(table, position, seat, at))
    return asks


def _asks_anew(table: Table, position: Position, entry: Entry) -> Position:
    """A seat has changed hands: its open question gets the time of who holds it now."""
    seat = entry.seat
    if seat is None or seat not in position.asks:
        return position
    asked = Asked(position.asks[seat].id, _due(table, position, seat, entry.created_at))
    return replace(position, asks={**position.asks, seat: asked})


def _longer(table: Table, position: Position, entry: Entry) -> dict[int, Asked]:
    """The open questions with the time of an outage given back to every human."""
    gap = timedelta(seconds=entry.data["seconds"])
    full = timedelta(seconds=table.limit_s(position.state.phase) or 0)
    asks = {}
    for seat, asked in position.asks.items():
        if asked.due_at is None or is_cpu(table, position, seat):
            asks[seat] = asked
        else:
            asks[seat] = Asked(asked.id, lengthened(asked.due_at, gap, entry.created_at, full))
    return asks


def lengthened(due_at: datetime, gap: timedelta, at: datetime, full: timedelta) -> datetime:
    """When a question runs out that is given a gap back at some moment.

    Nobody has more than a full turn left, as one would whose question opened during the outage.
    """
    return max(due_at, min(due_at + gap, _in_ms(at + full)))


def _put(row: tuple[int, ...], seat: int, value: int) -> tuple[int, ...]:
    return (*row[:seat], value, *row[seat + 1 :])
