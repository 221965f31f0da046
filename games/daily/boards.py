"""What pages say of a daily deal: how a try stands, the board of the day, the text to share. None names a card."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games import paging
from games.daily import days
from games.daily.models import DailyDeal, DailyTry
from games.kinds import KINDS, options_for
from games.kinds.words import kind_label
from games.log.models import Game, Player

#: Finished games, of any kind, from which on an account is on boards.
GAMES_TO_BE_LISTED = 3
#: Rows of a board that are shown.
MOST_ROWS = 100
#: Days of the list of past ones that are shown at a time.
DAYS = 14
#: Grades where there are no colours but in the text.
SIGNS = {"good": "🟩", "fair": "🟨", "poor": "🟧", "bad": "🟥"}


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a board. `game` is there once its replay may be seen."""

    rank: int
    name: str
    outcome: str
    grades: list[str]
    game: int | None
    is_own: bool


@dataclass(frozen=True, slots=True)
class Board:
    """The best tries of a deal, how many are listed, and the reader's rank, if he is."""

    rows: list[Row]
    listed: int
    own_rank: int | None

    @property
    def own_is_below(self) -> bool:
        """Whether the reader is listed further down than the board shows."""
        return self.own_rank is not None and not any(row.is_own for row in self.rows)


@dataclass(frozen=True, slots=True)
class Standing:
    """A daily deal as one reader meets it. `state`: new, running, done, late, void, or gone for a day that is over."""

    daily: DailyDeal
    label: str
    state: str
    game: int | None
    outcome: str
    grades: list[str]
    told: str  # what was taken or made, deal by deal, for those who do not see the grades

    @property
    def ends_at(self) -> datetime:
        """When its day is over."""
        return days.ends_at(self.daily.day)


def standing_of(daily: DailyDeal, user: Any, today: date) -> Standing:
    """How a daily deal stands for a reader."""
    found = None
    if user.is_authenticated:
        found = DailyTry.objects.filter(daily=daily, user=user).first()
    label = kind_label(daily.kind)
    if found is None:
        return Standing(daily, label, "new" if daily.day == today else "gone", None, "", [], "")
    if found.ended_at is None:
        return Standing(daily, label, "running", found.game_id, "", [], "")
    if found.place is None:
        return Standing(daily, label, "void", found.game_id, "", [], "")
    state = "late" if found.is_late else "done"
    return Standing(daily, label, state, found.game_id, outcome_of(daily, found), grades_of(daily, found), _told(found))


def address_of(game: Game) -> str | None:
    """The page of the daily deal that a game is of; None for any other game."""
    daily = DailyDeal.objects.filter(tries__game=game).first()
    return None if daily is None else reverse("daily_day", args=(daily.day.isoformat(), daily.kind))


def outcome_of(daily: DailyDeal, found: DailyTry) -> str:
    """A try's result in a few words: won or lost and both scores of two sides, else place and points."""
    if found.place is None or found.score is None or found.edge is None:
        return _("No result")
    if KINDS[daily.kind].is_partnership:
        scores = {"own": _signed(found.score), "other": _signed(found.score - found.edge)}
        if found.place == 1:
            return _("Won %(own)s : %(other)s") % scores
        return _("Lost %(own)s : %(other)s") % scores
    shown = {"points": _signed(_shown(daily, found.score))}
    points = ngettext("%(points)s point", "%(points)s points", abs(found.score)) % shown
    return _("Place %(place)s of 4 · %(points)s") % {"place": found.place, "points": points}


def _short(daily: DailyDeal, found: DailyTry) -> str:
    """The same in a column of a board."""
    if KINDS[daily.kind].is_partnership or found.score is None:
        return outcome_of(daily, found)
    return _("%(place)s of 4 · %(points)s") % {"place": found.place, "points": _signed(_shown(daily, found.score))}


def _shown(daily: DailyDeal, score: int) -> int:
    """A score with the sign that its rules give it."""
    return score * options_for(daily.kind, daily.preset_version.options).shown_sign


def grades_of(daily: DailyDeal, found: DailyTry) -> list[str]:
    """How each deal went: good, fair, poor or bad."""
    kind = KINDS[daily.kind]
    reached = operator.ge if kind.highest_wins else operator.le
    return [next((grade for bound, grade in kind.grades if reached(change, bound)), "bad") for change in found.deals]


def _told(found: DailyTry) -> str:
    return _("Points by deal: %(points)s") % {"points": ", ".join(_signed(change) for change in found.deals)}


def _signed(number: int) -> str:
    return str(number).replace("-", "−")


def share_text(daily: DailyDeal, found: Standing, rank: int | None, link: str) -> str:
    """What somebody may tell others who have not played yet: no card, no code, of a deal only what it cost."""
    signs = "".join(SIGNS[grade] for grade in found.grades)
    head = _("Moonshot daily deal %(day)s %(game)s") % {"day": daily.day.isoformat(), "game": found.label}
    told = found.outcome if rank is None else _("%(outcome)s · no. %(rank)s") % {"outcome": found.outcome, "rank": rank}
    return "\n".join((head, told, signs, link))


# --- boards -----------------------------------------------------------------------------------------------------------


def listed(daily: DailyDeal) -> QuerySet[DailyTry]:
    """The tries on a board, the best first: in time, with a result, by accounts with some finished games."""
    finished = Player.objects.filter(user=OuterRef("user"), game__status=Game.Status.FINISHED, game__forked_from=None)
    enough = finished.order_by("-game")[GAMES_TO_BE_LISTED - 1 : GAMES_TO_BE_LISTED]
    tries = DailyTry.objects.filter(daily=daily, is_late=False, place__isnull=False)
    members = tries.filter(user__is_guest=False, user__closed_at=None, user__is_active=True)
    return members.filter(Exists(enough)).order_by("place", "-edge", "ended_at")


def board_of(daily: DailyDeal, user: Any, most: int = MOST_ROWS) -> Board:
    """The board of a deal as a reader sees it."""
    tries = listed(daily)
    rows: list[Row] = []
    for number, found in enumerate(tries.select_related("user")[:most], 1):
        mine = user.is_authenticated and found.user_id == user.pk
        rows.append(
            Row(
                rank=_rank_beside(rows, number, _short(daily, found)),
                name=str(found.user),
                outcome=_short(daily, found),
                grades=grades_of(daily, found),
                game=found.game_id if mine or not found.is_sealed else None,
                is_own=mine,
            )
        )
    own = tries.filter(user=user.pk).first() if user.is_authenticated else None
    rank = None
    if own is not None:
        rank = 1 + tries.filter(Q(place__lt=own.place) | Q(place=own.place, edge__gt=own.edge)).count()
    return Board(rows, tries.count(), rank)


def _rank_beside(rows: Sequence[Row], number: int, outcome: str) -> int:
    """The same rank for the same result."""
    return rows[-1].rank if rows and rows[-1].outcome == outcome else number


@dataclass(frozen=True, slots=True)
class Past:
    """A past day and the kinds that were played on it."""

    day: date
    dailies: list[DailyDeal]


def past_days(before: date) -> tuple[list[Past], bool]:
    """Days before one, the latest first, and whether there are earlier ones."""
    known = paging.after(DailyDeal.objects.all(), ("-day",), (before,))
    found, last = paging.cut(known.values_list("day", flat=True).distinct(), DAYS)
    rows: dict[date, list[DailyDeal]] = {day: [] for day in found}
    for daily in DailyDeal.objects.filter(day__in=found).order_by("-day", "kind"):
        rows[daily.day].append(daily)
    return [Past(day, dailies) for day, dailies in rows.items()], last is not None


def day_text(day: date) -> str:
    """A day as it is written in the reader's language."""
    return date_format(day, "DATE_FORMAT")
