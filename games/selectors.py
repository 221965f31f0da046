"""Every read for pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from games import deals, seating
from games.models import Game, Player
from games.presets import SHIPPED, Preset
from games.rules import KINDS, options_for

#: The preset that *Play now* starts.
PLAY_NOW = {"hearts": "hearts-short", "spades": "spades-standard"}


@dataclass(frozen=True, slots=True)
class Chip:
    """A few words about one rule of a table, and the sentence behind them."""

    label: str
    title: str
    icon: str


def kind_label(kind: str) -> str:
    """The name of a kind in the reader's language."""
    return {"hearts": _("Hearts"), "spades": _("Spades")}[kind]


def play_now_preset(kind: str) -> Preset:
    """The shipped preset that *Play now* starts for a kind."""
    return next(preset for preset in SHIPPED if preset.slug == PLAY_NOW[kind])


def kinds_to_play() -> list[dict[str, str]]:
    """The games of the front page."""
    details = {
        "hearts": _("Four players to 50 points. Avoid hearts and the queen of spades."),
        "spades": _("Partners to 500 points. Bid your tricks and make them."),
    }
    return [{"kind": kind, "label": kind_label(kind), "detail": details[kind]} for kind in KINDS]


def limits_to_play() -> list[dict[str, Any]]:
    """The limits for a turn that the front page offers."""
    return [
        {"seconds": 0, "label": _("No limit")},
        *({"seconds": seconds, "label": _("%(seconds)s seconds") % {"seconds": seconds}} for seconds in (30, 60)),
    ]


def running_games(user: Any) -> list[dict[str, Any]]:
    """A user's running games, the latest first."""
    games = Game.objects.running_of(user)[:5]
    return [{"id": game.pk, "kind": game.kind, "label": kind_label(game.kind)} for game in games]


def game_for(user: Any, game_id: int) -> tuple[Game, int] | None:
    """A game that the user has a seat in, and the seat; None if there is none, or it is not his to see."""
    if not user.is_authenticated:
        return None
    player = Player.objects.filter(game_id=game_id, user=user).select_related("game").first()
    return (player.game, player.seat) if player else None


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


def boot_of(game: Game, seat: int, user: Any) -> dict[str, Any]:
    """What the table page knows before its socket opens: all that does not change during the game."""
    holders = list(Player.objects.filter(game=game).select_related("user").order_by("seat"))
    sides = [s % 2 for s in range(game.players)] if game.kind == "spades" else list(range(game.players))
    return {
        "game": game.pk,
        "kind": game.kind,
        "players": game.players,
        "ws": f"/ws/game/{game.pk}/",
        "version": 1,
        "seat": seat,
        "names": seating.distinct([_holder_name(holder, holders) for holder in holders]),
        "cpu": [holder.cpu_level or None for holder in holders],
        "code": deals.read_code(game.code).text if game.code else None,
        "options": game.options,
        "chips": [{"label": chip.label, "title": chip.title} for chip in chips(game.kind, game.options)],
        "sides": sides,
        "timer": game.timer_s,
        "score_sign": game.options.get("score_sign", "plus"),
        "home": "/",
        "guest": user.is_guest,
        "pace": settings.CPU_PACE,
    }


def _holder_name(holder: Player, holders: list[Player]) -> str:
    if holder.user is not None:
        return holder.user.display_name or holder.user.username
    number = sum(1 for other in holders if other.cpu_level and other.seat <= holder.seat)
    return _("CPU %(number)s") % {"number": number}
