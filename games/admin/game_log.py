"""What the admin shows of a game: as much as a spectator may know while it runs, everything once it is over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.utils.translation import gettext as _

from games.admin.base import moment
from games.log.models import Game, Player
from games.log.positions import Position, Table
from games.log.selectors import entries_of, stored_position

KINDS: dict[str, Callable[[], str]] = {
    "open": lambda: _("Game opened"),
    "deal": lambda: _("Cards dealt"),
    "skip": lambda: _("Deal called off"),
    "pass": lambda: _("Cards passed"),
    "blind": lambda: _("Blind nil answered"),
    "bid": lambda: _("Bid"),
    "exchange": lambda: _("Cards exchanged"),
    "play": lambda: _("Card played"),
    "moon": lambda: _("Moon choice"),
    "finish": lambda: _("Deal finished"),
    "stand_in": lambda: _("CPU stands in"),
    "back": lambda: _("Owner is back"),
    "outage": lambda: _("Time given back"),
    "void": lambda: _("Closed without a result"),
}
CAUSES: dict[str, Callable[[], str]] = {
    "dealer": lambda: _("site"),
    "player": lambda: _("player"),
    "cpu": lambda: _("CPU"),
    "timeout": lambda: _("time was up"),
}
#: What everybody at the table hears at once. Of all else a running game shows only that it happened.
PUBLIC = {"play": ("card",), "bid": ("bid",), "moon": ("choice",), "outage": ("seconds",), "void": ("reason",)}
STATUSES: dict[str, Callable[[], str]] = {
    "open": lambda: _("open"),
    "playing": lambda: _("playing"),
    "finished": lambda: _("finished"),
    "void": lambda: _("void"),
}


@dataclass(frozen=True, slots=True)
class LogRow:
    """An entry of the log as it is shown."""

    ply: int
    at: datetime
    seat: str
    what: str
    cause: str
    said: str


@dataclass(frozen=True, slots=True)
class SeatRow:
    """Who has a seat, and whether something is asked of it."""

    seat: int
    user: Any  # None: a CPU
    level: str
    is_stand_in: bool
    seen: str
    asked: str
    due: str
    is_overdue: bool


def status_of(game: Game) -> str:
    """The status in the reader's language."""
    return STATUSES[game.status]()


def is_running(game: Game) -> bool:
    """Whether it has not ended yet."""
    return game.is_running


def is_hidden(game: Game) -> bool:
    """Whether somebody could still gain by knowing the cards: those of a daily deal are for others, too."""
    return is_running(game) or game.is_sealed


def log_rows(game: Game) -> list[LogRow]:
    """The log, the latest entry first."""
    hidden = is_hidden(game)
    rows = []
    for entry in entries_of(game):
        keys = PUBLIC.get(entry.kind, ()) if hidden else tuple(entry.data)
        said = " ".join(_said(entry.data[key]) for key in keys if key in entry.data and entry.data[key] not in ("", []))
        what = KINDS[entry.kind]() if entry.kind in KINDS else entry.kind
        cause = CAUSES[entry.cause]() if entry.cause in CAUSES else entry.cause
        rows.append(
            LogRow(entry.ply, entry.created_at, "–" if entry.seat is None else str(entry.seat), what, cause, said)
        )
    return rows[::-1]


def _said(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def standing(game: Game) -> tuple[Table, Position] | None:
    """Where the game stands; None where its log cannot be read any more."""
    try:
        return stored_position(game)
    except Exception:  # whatever is wrong with it: this page is where somebody comes to close it
        return None


def seat_rows(game: Game, position: Position | None, now: datetime) -> list[SeatRow]:
    """The seats, in order."""
    rows = []
    for player in Player.objects.filter(game=game).select_related("user").order_by("seat"):
        asked = game.asks.get(str(player.seat))
        due = None if asked is None or asked[1] is None else datetime.fromtimestamp(asked[1] / 1000, UTC)
        rows.append(
            SeatRow(
                seat=player.seat,
                user=player.user,
                level=player.cpu_level,
                is_stand_in=position is not None and player.seat in position.stand_ins,
                seen=moment(player.seen_at),
                asked="–" if asked is None else asked[0],
                due=moment(due),
                is_overdue=due is not None and due < now,
            )
        )
    return rows
