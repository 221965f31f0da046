"""Every read of tables for pages: what is offered to sit down at, whose table it is, what its page knows."""

from __future__ import annotations

from typing import Any, NotRequired

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _
from typing_extensions import TypedDict

from games.codes import deals
from games.cpu import LEVELS
from games.kinds import rules_for
from games.kinds.words import kind_label, level_name, traits_of
from games.log.models import Game, Player
from games.log.names import distinct
from games.log.selectors import holder_name
from games.presets.selectors import chips
from games.tables import phrases
from games.tables.told import Kept


class Sayable(TypedDict):
    """A phrase that may be said, in the reader's language."""

    key: str
    group: str
    text: str


class Phrases(TypedDict):
    """The phrases, and the keys of those that the table offers by itself at its `start` and its `end`."""

    phrases: list[Sayable]
    greetings: dict[str, str]


class Boot(Kept, Phrases):
    """What the table page knows before its socket opens: all that does not change during the game.

    The page adds the last four, and other apps what is theirs: see `games.hooks.table_shown`.
    """

    game: int
    ws: str
    version: int
    ply: int
    commitment: str | None
    home: str
    guest: bool
    record: str
    report: str
    humans: list[bool]
    players_at: str
    accounts: list[int | None]
    pace: float
    daily: NotRequired[str | None]
    party: NotRequired[dict[str, Any] | None]
    code_of_party: NotRequired[str]
    notice: NotRequired[str]


#: How CPU players play for whoever does not say.
USUAL_LEVEL = "normal"


def limits_to_play() -> list[dict[str, Any]]:
    """The limits for a turn that the front page offers."""
    return [
        {"seconds": 0, "label": _("No limit")},
        *({"seconds": seconds, "label": _("%(seconds)s seconds") % {"seconds": seconds}} for seconds in (30, 60)),
    ]


def levels_to_play() -> list[dict[str, str]]:
    """The levels of CPU players that the front page offers, from weak to strong."""
    return [{"level": level, "label": level_name(level)} for level in LEVELS]


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


def phrases_to_say() -> Phrases:
    """The phrases in the reader's language, and those that a table offers by itself."""
    said: list[Sayable] = [
        {"key": phrase.key, "group": phrase.group, "text": _(phrase.text)} for phrase in phrases.PHRASES
    ]
    return {"phrases": said, "greetings": {"start": phrases.AT_START, "end": phrases.AT_END}}


def boot_of(game: Game, seat: int | None, user: Any) -> Boot:
    """What the table page knows before its socket opens, as a viewer is told it."""
    holders = list(Player.objects.filter(game=game).select_related("user").order_by("seat"))
    rules = rules_for(game.kind, game.players, game.options)
    sides = [rules.side(s) for s in range(game.players)]
    return {
        "game": game.pk,
        "kind": game.kind,
        "traits": traits_of(rules),
        "players": game.players,
        "ws": f"/ws/game/{game.pk}/",
        "version": 1,
        "ply": game.ply,
        "seat": seat,
        "names": distinct([holder_name(holder, holders) for holder in holders]),
        "cpu": [holder.cpu_level or None for holder in holders],
        "code": deals.read_code(game.code).text if game.code else None,
        "commitment": game.commitment or None,
        "options": game.options,
        "chips": [{"label": chip.label, "title": chip.title} for chip in chips(game.kind, game.options)],
        "sides": sides,
        "timer": game.timer_s,
        "score_sign": "minus" if rules.options.shown_sign < 0 else "plus",
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
