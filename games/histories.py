"""Finished games: who may see one, its record, and lists of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F, Func, IntegerField, QuerySet
from django.db.models.fields.json import KeyTransform
from django.utils import translation
from django.utils.translation import gettext as _

from games import deals, records, replays, selectors, verify
from games.models import Game, GameSecret, Player, PresetVersion, RulePreset
from games.rules import KINDS, Refused

#: The statuses of a game that is over: only then does anything here know it.
OVER = (Game.Status.FINISHED, Game.Status.VOID)
PAGE = 25
RESULTS = ("won", "lost", "void")


class Unfollowable(Exception):
    """The log of a game cannot be followed by the rules of today."""


class Sealed(Exception):
    """Others may still meet the cards of this game."""


# --- one game ---------------------------------------------------------------------------------------------------------


def finished_game(user: Any, game_id: int) -> tuple[Game, int | None] | None:
    """A game that is over and the visitor's seat in it, if he may see it. None also for one that is running."""
    games = Game.objects.filter(status__in=OVER).select_related("preset_version__preset")
    game = games.filter(pk=game_id).first()
    if game is None:
        return None
    seat: int | None = None
    if user.is_authenticated:
        seat = Player.objects.filter(game=game, user=user).values_list("seat", flat=True).first()
    return (game, seat) if seat is not None or not (game.is_private or game.is_sealed) else None


def record_of(game: Game) -> records.Record:
    """The record of a game that is over. Raises Sealed while its code is not to be told."""
    if game.status not in OVER:
        raise ValueError("a running game has no record")
    if game.is_sealed:
        raise Sealed
    return _record(game)


def _record(game: Game) -> records.Record:
    table, entries = selectors.table_of(game), selectors.entries_of(game)
    with translation.override("en"):  # the same file for every reader
        names = selectors.names_of(game)
    version = game.preset_version
    secret = GameSecret.objects.filter(game=game).values_list("secret", flat=True).first()
    return records.build(
        table=table,
        entries=entries,
        names=names,
        rules_version=game.rules_version,
        preset=None if version is None else (version.preset.slug, version.number),
        commitment=game.commitment,
        secret=None if secret is None else bytes(secret),
        result=game.result,
    )


def faults_of(game: Game) -> list[str]:
    """What of a stored game does not follow from its log and its code: sentences; empty if all is well."""
    if game.ply != game.action_set.count():
        return [f"its ply is {game.ply}, but its log has {game.action_set.count()} entries"]
    record = _record(game)
    code = record["code"] or GameSecret.objects.get(game=game).code
    void = record["log"][-1]["kind"] == "void"
    if void != (game.status == Game.Status.VOID):
        return [f"its status is {game.status}, but its log says otherwise"]
    rules = records.table_of(record).rules
    from_code = deals.check_game(
        rules,
        code=code,
        dealer=record["log"][0]["data"]["dealer"],
        packs=verify.packs_of(record["log"]),
        secret=None if record["secret"] is None else bytes.fromhex(record["secret"]),
        commitment_shown=None if game.is_sealed else record["commitment"],  # its secret is with the daily deal
        nonces=[bytes.fromhex(nonce) for nonce in record["nonces"]],
    )
    return records.faults(record) + from_code


def replay_of(game: Game, seat: int | None, user: Any) -> dict[str, Any]:
    """What the replay page is made from. Raises Unfollowable."""
    table, entries = selectors.table_of(game), selectors.entries_of(game)
    try:
        return replays.page(
            selectors.boot_of(game, seat, user), table, entries, result=game.result, commitment=game.commitment or None
        )
    except (Refused, ValueError, KeyError, TypeError, IndexError) as error:
        raise Unfollowable from error


# --- lists ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Filters:
    """What a list is narrowed down to; empty texts are no limits."""

    kind: str = ""
    preset: str = ""
    result: str = ""

    @classmethod
    def of(cls, asked: Any) -> Filters:
        """The filters of an address; what is not known counts as left out."""
        kind, preset, result = (asked.get(name, "") for name in ("kind", "preset", "result"))
        return cls(
            kind if kind in KINDS else "",
            preset if len(preset) <= 50 else "",
            result if result in RESULTS else "",
        )

    def query(self, **more: Any) -> dict[str, Any]:
        """As the parameters of an address."""
        return {
            name: value
            for name, value in (("kind", self.kind), ("preset", self.preset), ("result", self.result), *more.items())
            if value
        }


@dataclass(frozen=True, slots=True)
class Line:
    """One game of a list."""

    id: int
    kind: str
    label: str
    rules: str
    at: datetime
    outcome: str  # won, lost, void
    outcome_text: str
    standing: str
    others: str


class _Own(Func):
    """An element of a JSON list, at a place that another column says."""

    template = "(%(expressions)s)::int"
    arg_joiner = " -> "
    output_field = IntegerField()


def seats_of(user: Any, filters: Filters, before: int | None = None) -> QuerySet[Player]:
    """A user's seats in games that are over, the game opened last first; below a game's id, for the next page."""
    seats = Player.objects.filter(user=user, game__status__in=OVER).order_by("-game_id")
    if before is not None:
        seats = seats.filter(game_id__lt=before)
    if filters.kind:
        seats = seats.filter(game__kind=filters.kind)
    if filters.preset:
        versions = list(PresetVersion.objects.filter(preset__slug=filters.preset).values_list("pk", flat=True))
        seats = seats.filter(game__preset_version__in=versions)
    if filters.result == "void":
        seats = seats.filter(game__status=Game.Status.VOID)
    elif filters.result:
        seats = seats.filter(game__status=Game.Status.FINISHED)
        seats = seats.annotate(place=_Own(KeyTransform("placings", "game__result"), F("seat")))
        seats = seats.filter(place=1) if filters.result == "won" else seats.filter(place__gt=1)
    return seats


def page_of(user: Any, filters: Filters, before: int | None = None) -> tuple[list[Line], int | None]:
    """A page of a user's history, and from where the next page goes on."""
    found = seats_of(user, filters, before).select_related("game__preset_version__preset")
    seats = list(found[: PAGE + 1])
    games = [seat.game for seat in seats[:PAGE]]
    holders: dict[int, list[Player]] = {game.pk: [] for game in games}
    for holder in Player.objects.filter(game__in=games).select_related("user").order_by("seat"):
        holders[holder.game_id].append(holder)
    lines = [_line(seat, holders[seat.game_id]) for seat in seats[:PAGE]]
    return lines, (games[-1].pk if len(seats) > PAGE else None)


def _line(own: Player, holders: list[Player]) -> Line:
    game = own.game
    version = game.preset_version
    place = game.result["placings"][own.seat] if game.result else None
    humans = [holder for holder in holders if holder.user is not None and holder.seat != own.seat]
    others = [str(holder.user) for holder in humans]
    cpus = len(holders) - 1 - len(humans)
    if cpus:
        others.append(_("%(count)s CPU players") % {"count": cpus} if cpus > 1 else _("a CPU player"))
    if place is None:
        outcome, text = "void", _("No result")
    elif place == 1:
        outcome, text = "won", _("Won")
    else:
        outcome, text = "lost", _("Place %(place)s") % {"place": place}
    return Line(
        id=game.pk,
        kind=game.kind,
        label=selectors.kind_label(game.kind),
        rules=version.preset.local_name if version is not None else "",
        at=game.created_at,
        outcome=outcome,
        outcome_text=text,
        standing=_standing(game, own.seat),
        others=_("with %(names)s") % {"names": ", ".join(others)},
    )


def _standing(game: Game, seat: int) -> str:
    """The final scores, the own side's first."""
    if not game.result:
        return ""
    sign = -1 if game.options.get("score_sign") == "minus" else 1
    scores = [sign * score for score in game.result["scores"]]
    side = seat % 2 if game.kind == "spades" else seat
    ordered = [scores[side], *(score for other, score in enumerate(scores) if other != side)]
    return " · ".join(str(score).replace("-", "−") for score in ordered)


def presets_of(kind: str) -> list[RulePreset]:
    """The presets that a list can be narrowed down to."""
    found = RulePreset.objects.all() if not kind else RulePreset.objects.filter(kind=kind)
    return list(found)


def schema_text() -> str:
    """The published schema of records."""
    return json.dumps(records.SCHEMA, ensure_ascii=False, indent=1) + "\n"
