"""Lists of finished games: a user's own, or those of somebody else that everybody may see.

The games of a page are picked from the seats alone, by the one index `player_ended`; then the page is read.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.names import skeleton
from games import paging
from games.kinds import KINDS, options_for
from games.kinds.words import kind_label
from games.log.models import Game, Player
from games.presets.models import RulePreset

PAGE = 25
RESULTS = tuple(Player.Outcome.values)
RANKED = ("yes", "no")
LONGEST_NAME = 40


@dataclass(frozen=True, slots=True)
class Filters:
    """What a list is narrowed down to; empty texts and None are no limits. Dates are of the end, both inclusive."""

    kind: str = ""
    preset: str = ""
    ranked: str = ""
    result: str = ""
    other: str = ""  # the name of somebody else at the table
    since: date | None = None
    until: date | None = None

    @classmethod
    def of(cls, asked: Any) -> Filters:
        """The filters of an address; what is not known counts as left out."""

        def one_of(name: str, known: Any) -> str:
            value = str(asked.get(name, ""))
            return value if value in known else ""

        preset = str(asked.get("preset", ""))
        return cls(
            kind=one_of("kind", KINDS),
            preset=preset if len(preset) <= 50 else "",
            ranked=one_of("ranked", RANKED),
            result=one_of("result", RESULTS),
            other=str(asked.get("with", "")).replace("\0", "").strip()[:LONGEST_NAME],
            since=_date(asked.get("from", "")),
            until=_date(asked.get("to", "")),
        )

    def query(self, **more: Any) -> dict[str, str]:
        """As the parameters of an address."""
        named = {
            "kind": self.kind,
            "preset": self.preset,
            "ranked": self.ranked,
            "result": self.result,
            "with": self.other,
            "from": self.since,
            "to": self.until,
            **more,
        }
        return {name: str(value) for name, value in named.items() if value}


def _date(text: str) -> date | None:
    try:
        return parse_date(text)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Chip:
    """One limit of a list in the reader's language, and the parameters of the list without it."""

    text: str
    without: dict[str, str]


@dataclass(frozen=True, slots=True)
class Line:
    """One game of a list."""

    id: int
    kind: str
    label: str
    rules: str
    at: datetime
    is_ranked: bool
    outcome: str  # won, draw, lost, void
    outcome_text: str
    standing: str
    others: str
    may_replay: bool  # its cards can be played again, from the game's code


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a list. Behind the games `newer` and `older` the pages next to it begin; None: there is none."""

    lines: list[Line]
    newer: int | None
    older: int | None


# --- what a list holds ------------------------------------------------------------------------------------------------


def owner_of(user_id: int) -> User | None:
    """Somebody whose games may be looked at; None for an account that is closed."""
    return User.objects.filter(pk=user_id, is_active=True, closed_at__isnull=True).first()


def seats_of(owner: User, viewer: Any, filters: Filters) -> QuerySet[Player]:
    """The owner's seats in games that are over and that the viewer may see, in no order."""
    seats = Player.objects.filter(user=owner, ended_at__isnull=False)
    if viewer != owner:
        allowed = Q(is_private=False)
        if viewer.is_authenticated:
            allowed |= Q(Exists(Player.objects.filter(game=OuterRef("game"), user=viewer)))
        seats = seats.filter(allowed)
    if filters.kind:
        seats = seats.filter(kind=filters.kind)
    if filters.preset:
        # Looked up beforehand, so that the index alone answers.
        presets = list(RulePreset.objects.filter(slug=filters.preset).values_list("pk", flat=True))
        seats = seats.filter(preset__in=presets)
    if filters.ranked:
        seats = seats.filter(is_ranked=filters.ranked == "yes")
    if filters.result:
        seats = seats.filter(outcome=filters.result)
    if filters.since:
        seats = seats.filter(ended_at__gte=_midnight(filters.since))
    if filters.until and filters.until < date.max:
        seats = seats.filter(ended_at__lt=_midnight(filters.until + timedelta(days=1)))
    if filters.other:
        # Left to a join, Postgres may choose whose games it goes through.
        others = list(named(filters.other).exclude(pk=owner.pk).values_list("pk", flat=True))
        seats = seats.filter(Exists(Player.objects.filter(game=OuterRef("game"), user__in=others)))
    return seats


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))


def named(name: str) -> QuerySet[User]:
    """The account of this name, or of one that is easily taken for it."""
    key = skeleton(name)
    return User.objects.filter(name_key=key) if key else User.objects.none()


def picked(seats: QuerySet[Player], edge: tuple[datetime, int] | None, *, newer: bool = False) -> QuerySet[Player]:
    """The seats that follow an edge (end and id of a game), older or newer, in this order."""
    return paging.after(seats, ("ended_at", "game_id") if newer else ("-ended_at", "-game_id"), edge)


def page_of(owner: User, viewer: Any, filters: Filters, *, before: int | None = None, after: int | None = None) -> Page:
    """A page: what follows the game `before`, or what comes ahead of `after`; else the first. A game that is not in
    the owner's history, as the viewer may see it, counts as left out.
    """
    seats = seats_of(owner, viewer, filters)
    if (edge := _edge(owner, viewer, after)) is not None:
        games, newest = paging.cut(picked(seats, edge, newer=True).values_list("game_id", flat=True), PAGE)
        if newest is not None:
            return Page(_lines(owner, games[::-1]), newest, games[0])
        edge = None  # that is the first page, and it is to be a full one
    else:
        edge = _edge(owner, viewer, before)
    games, older = paging.cut(picked(seats, edge).values_list("game_id", flat=True), PAGE)
    ahead = games[0] if games else before
    return Page(_lines(owner, games), None if edge is None else ahead, older)


def _edge(owner: User, viewer: Any, game_id: int | None) -> tuple[datetime, int] | None:
    """The end of a game that the viewer may see: of no other it is told whether the owner was there, or when."""
    if game_id is None:
        return None
    seats = seats_of(owner, viewer, Filters()).filter(game=game_id)
    ended_at = seats.values_list("ended_at", flat=True).first()
    return None if ended_at is None else (ended_at, game_id)


# --- how it is shown --------------------------------------------------------------------------------------------------


def _lines(owner: User, games: list[int]) -> list[Line]:
    rows = Game.objects.select_related("preset_version__preset").in_bulk(games)
    holders: dict[int, list[Player]] = {game: [] for game in games}
    for holder in Player.objects.filter(game__in=games).select_related("user").order_by("seat"):
        holders[holder.game_id].append(holder)
    return [_line(owner, rows[game], holders[game]) for game in games]


def _line(owner: User, game: Game, holders: list[Player]) -> Line:
    version = game.preset_version
    own = next(holder for holder in holders if holder.user_id == owner.pk)
    humans = [holder for holder in holders if holder.user is not None and holder is not own]
    others = [str(holder.user) for holder in humans]
    cpus = len(holders) - 1 - len(humans)
    if cpus:
        others.append(_("%(count)s CPU players") % {"count": cpus} if cpus > 1 else _("a CPU player"))
    return Line(
        id=game.pk,
        kind=game.kind,
        label=kind_label(game.kind),
        rules=version.preset.local_name if version is not None else "",
        at=own.ended_at or game.moved_at,
        is_ranked=own.is_ranked,
        outcome=own.outcome,
        outcome_text=_lost(game, own) if own.outcome == "lost" else result_text(own.outcome),
        standing=_standing(game, own.seat),
        others=_("with %(names)s") % {"names": ", ".join(others)},
        may_replay=bool(game.code),
    )


def _lost(game: Game, own: Player) -> str:
    """Of two sides one wins and one loses; of more, each has a place."""
    sides = len((game.result or {}).get("scores", ()))
    return _("Lost") if sides == 2 else _("Place %(place)s") % {"place": own.place}


def result_text(result: str) -> str:
    """A result in the reader's language."""
    return {"won": _("Won"), "draw": _("Draw"), "lost": _("Not won"), "void": _("No result")}[result]


def _standing(game: Game, seat: int) -> str:
    """The final scores, the own side's first."""
    if not game.result:
        return ""
    sign = options_for(game.kind, game.options).shown_sign
    scores = [sign * score for score in game.result["scores"]]
    side = KINDS[game.kind].side(seat)
    ordered = [scores[side], *(score for other, score in enumerate(scores) if other != side)]
    return "\N{NO-BREAK SPACE}· ".join(str(score).replace("-", "−") for score in ordered)


def chips_of(filters: Filters) -> list[Chip]:
    """The limits of a list, each with the way to be rid of it."""
    preset = RulePreset.objects.filter(slug=filters.preset).first() if filters.preset else None
    shown = {
        "kind": kind_label(filters.kind) if filters.kind else "",
        "preset": preset.local_name if preset else filters.preset,
        "ranked": {"yes": _("Ranked"), "no": _("Unranked"), "": ""}[filters.ranked],
        "result": result_text(filters.result) if filters.result else "",
        "other": _("with %(names)s") % {"names": filters.other} if filters.other else "",
        "since": _("from %(day)s") % {"day": date_format(filters.since)} if filters.since else "",
        "until": _("until %(day)s") % {"day": date_format(filters.until)} if filters.until else "",
    }
    rest = {"since": None, "until": None}
    return [
        Chip(text, replace(filters, **{name: rest.get(name, "")}).query())  # type: ignore[arg-type]
        for name, text in shown.items()
        if text
    ]


def presets_of(kind: str) -> list[RulePreset]:
    """The presets that a list can be narrowed down to."""
    found = RulePreset.objects.all() if not kind else RulePreset.objects.filter(kind=kind)
    return list(found)
