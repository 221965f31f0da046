"""Every read for pages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from games.codes import deals
from games.cpu import LEVELS
from games.daily.models import DailyTry
from games.kinds import KINDS, options_for, rules_for
from games.log.models import Action, Game, Player
from games.log.positions import Entry, Holder, Position, Table, fold
from games.parties import seating
from games.presets.models import PresetVersion
from games.tables import phrases

#: The preset that *Play now* starts while it is switched on.
PLAY_NOW = {"hearts": "hearts-short", "spades": "spades-standard"}
#: How CPU players play for whoever does not say.
USUAL_LEVEL = "normal"


@dataclass(frozen=True, slots=True)
class Chip:
    """A few words about one rule of a table, and the sentence behind them."""

    label: str
    title: str
    icon: str


def kind_label(kind: str) -> str:
    """The name of a kind in the reader's language."""
    return {"hearts": _("Hearts"), "spades": _("Spades")}[kind]


def play_now_preset(kind: str) -> PresetVersion | None:
    """What *Play now* starts: the usual preset, or the first one that is offered; None if none of the kind is."""
    offered = list(PresetVersion.objects.offered(kind))
    usual = (version for version in offered if version.preset.slug == PLAY_NOW.get(kind))
    return next(usual, offered[0] if offered else None)


def kinds_to_play() -> list[dict[str, str]]:
    """The games of the front page: the kinds of which a preset is offered, with the rules that *Play now* starts."""
    details = {
        "hearts": _("%(rules)s. Avoid hearts and the queen of spades."),
        "spades": _("%(rules)s. Bid your tricks with your partner and make them."),
    }
    shown = []
    for kind in KINDS:
        version = play_now_preset(kind)
        if version is not None:
            rules = version.preset.local_name, *(chip.label for chip in chips(kind, version.options))
            detail = details[kind] % {"rules": " · ".join(rules)}
            shown.append({"kind": kind, "label": kind_label(kind), "detail": detail})
    return shown


def limits_to_play() -> list[dict[str, Any]]:
    """The limits for a turn that the front page offers."""
    return [
        {"seconds": 0, "label": _("No limit")},
        *({"seconds": seconds, "label": _("%(seconds)s seconds") % {"seconds": seconds}} for seconds in (30, 60)),
    ]


def levels_to_play() -> list[dict[str, str]]:
    """The levels of CPU players that the front page offers, from weak to strong."""
    return [{"level": level, "label": level_name(level)} for level in LEVELS]


def level_name(level: str) -> str:
    """A level of CPU players in the reader's language."""
    names = {"beginner": _("CPU: beginner"), "normal": _("CPU: normal"), "expert": _("CPU: expert")}
    return names.get(level, level)


def running_games(user: Any) -> list[dict[str, Any]]:
    """A user's running games, the latest first."""
    games = Game.objects.running_of(user)[:5]
    return [{"id": game.pk, "kind": game.kind, "label": kind_label(game.kind)} for game in games]


def game_for(user: Any, game_id: int, code: str = "") -> tuple[Game, int | None] | None:
    """A game that the user has a seat in, and the seat; without a seat if it may be watched. None: not his to see.

    `code`: of the party that he has come from. A private one's game is watched by nobody else, and only while it runs.
    """
    if user.is_authenticated:
        player = Player.objects.filter(game_id=game_id, user=user).select_related("game").first()
        if player is not None:
            return player.game, player.seat
    game = Game.objects.filter(pk=game_id, may_watch=True).select_related("party").first()
    if game is None:
        return None
    if game.is_private and game.party is not None:
        is_his_to_see = game.is_running and game.party.code == code
        return (game, None) if is_his_to_see else None
    return game, None


def chips(kind: str, options: dict[str, Any]) -> list[Chip]:
    """What differs from the defaults, and the score that ends the game, in the reader's language."""
    chosen = options_for(kind, options)
    differences = chosen.differences()
    shown = []
    for option in chosen.declared():
        value = getattr(chosen, option.name)
        if option.type == "whole":
            shown.append(Chip(_(option.chip) % {"value": value}, _(option.label), option.icon))
        elif option.name in differences:
            chip = next(allowed.chip for allowed in option.values if allowed.value == value)
            shown.append(Chip(_(chip), _(option.effect), option.icon))
    return shown


def stored_position(game: Game) -> tuple[Table, Position]:
    """Where a game stands, read anew; for pages and rare writes, which have no event loop to share a cache with."""
    table = table_of(game)
    return table, fold(table, entries_of(game))


def table_of(game: Game) -> Table:
    """What does not change during a game."""
    holders = Player.objects.filter(game=game).select_related("user").order_by("seat")
    seated = tuple(
        Holder(holder.user_id, holder.cpu_level, holder.user.display_name if holder.user else "") for holder in holders
    )
    rules = rules_for(game.kind, game.players, game.options)
    is_daily = DailyTry.objects.filter(game=game).exists()
    return Table(
        game.pk,
        rules,
        game.timer_s,
        seated,
        game.code,
        settings.TIME_SCALE,
        may_watch=game.may_watch,
        commitment=game.commitment,
        private_code=game.party.code if game.party is not None and game.is_private else "",
        is_daily=is_daily,
    )


def entries_of(game: Game) -> list[Entry]:
    """The log of a game, in order."""
    rows = Action.objects.filter(game=game).order_by("ply")
    return [
        Entry(row.ply, row.seat, row.kind, row.ask, row.data, row.cause, row.client_id, row.created_at) for row in rows
    ]


def phrases_to_say() -> dict[str, Any]:
    """The phrases in the reader's language, and those that a table offers by itself."""
    said = [{"key": phrase.key, "group": phrase.group, "text": _(phrase.text)} for phrase in phrases.PHRASES]
    return {"phrases": said, "greetings": {"start": phrases.AT_START, "end": phrases.AT_END}}


def boot_of(game: Game, seat: int | None, user: Any) -> dict[str, Any]:
    """What the table page knows before its socket opens: all that does not change during the game."""
    holders = list(Player.objects.filter(game=game).select_related("user").order_by("seat"))
    sides = [s % 2 for s in range(game.players)] if game.kind == "spades" else list(range(game.players))
    return {
        "game": game.pk,
        "kind": game.kind,
        "players": game.players,
        "ws": f"/ws/game/{game.pk}/",
        "version": 1,
        "ply": game.ply,
        "seat": seat,
        "names": seating.distinct([_holder_name(holder, holders) for holder in holders]),
        "cpu": [holder.cpu_level or None for holder in holders],
        "code": deals.read_code(game.code).text if game.code else None,
        "commitment": game.commitment or None,
        "options": game.options,
        "chips": [{"label": chip.label, "title": chip.title} for chip in chips(game.kind, game.options)],
        "sides": sides,
        "timer": game.timer_s,
        "score_sign": game.options.get("score_sign", "plus"),
        "home": "/",
        "guest": not user.is_authenticated or user.is_guest,
        **phrases_to_say(),
        "record": reverse("record_json", args=(game.pk,)),
        "report": reverse("report", args=(game.pk, 0)).removesuffix("0/"),  # and the seat, and a slash
        "humans": [holder.user is not None for holder in holders],
        "players_at": reverse("player", args=(0,)).removesuffix("0/"),  # and the number of an account, and a slash
        "accounts": [holder.user_id if holder.user and not holder.user.is_guest else None for holder in holders],
        "pace": settings.CPU_PACE,
    }


def names_of(game: Game) -> list[str]:
    """The names of the seats in the reader's language, in order."""
    return [holder.name for holder in holders_of({game.pk})[game.pk]]


@dataclass(frozen=True, slots=True)
class SeatHolder:
    """Who holds a seat: a user or a CPU, and the name in the reader's language."""

    user_id: int | None
    name: str


def holders_of(games: Iterable[int]) -> dict[int, list[SeatHolder]]:
    """The holders of the seats of some games, in order."""
    seated: dict[int, list[Player]] = {game: [] for game in games}
    for player in Player.objects.filter(game__in=seated).select_related("user").order_by("game", "seat"):
        seated[player.game_id].append(player)
    return {
        game: [SeatHolder(holder.user_id, _holder_name(holder, holders)) for holder in holders]
        for game, holders in seated.items()
    }


def _holder_name(holder: Player, holders: list[Player]) -> str:
    if holder.user is not None:
        return holder.user.display_name or holder.user.username
    number = sum(1 for other in holders if other.cpu_level and other.seat <= holder.seat)
    return _("CPU %(number)s") % {"number": number}
