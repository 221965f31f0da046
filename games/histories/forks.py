"""Playing on from a moment of a game that is over: a new game against CPUs that begins with the log so far.

It goes on with the hands of that moment; what is dealt later are cards of its own. The new game is rated nowhere and
counted nowhere: `Game.forked_from` tells it from all others.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone

from accounts.models import User
from games.histories import selectors
from games.histories.replays import Page
from games.kinds import KINDS, rules_for
from games.log import services
from games.log.models import Action, Game, GameSecret, Player
from games.log.positions import Entry, taken_over
from games.log.selectors import entries_of
from games.rules import RULES_VERSION, Refused
from games.rules.state import ACTION_KEYS
from games.tables.selectors import USUAL_LEVEL, levels_to_play, limits_to_play


class CannotPlayOn(Exception):
    """There is no game from there on. `code`: `over`; `unfit` where today's rules cannot follow the log; `sealed` while
    others may still meet its cards, whose code a fork would tell.
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def play_on(*, user: User, origin: Game, ply: int, seat: int, level: str, timer_s: int) -> Game:
    """Opens a game that begins with the entries of `origin` up to a ply; CPUs of a level have the other seats.

    The same wish within a few seconds is the same game. Raises CannotPlayOn, and TooMany.
    """
    entries = tuple(entry for entry in entries_of(origin) if entry.ply <= ply and entry.kind in ACTION_KEYS)
    _check(origin, entries)
    with services.opening_for(user):
        game = _just_opened(user, origin, len(entries), seat)
        if game is not None:
            return game
        services.check_may_open(user)
        return services.open_game(
            kind=origin.kind,
            seats=[user if other == seat else level for other in range(origin.players)],
            options=origin.options,
            timer_s=timer_s,
            preset_version=origin.preset_version,
            is_private=origin.is_private,
            fork=services.Fork(origin, entries, _spans(origin, entries)),
        )


def _check(origin: Game, entries: tuple[Entry, ...]) -> None:
    """Raises CannotPlayOn unless the entries lead to where somebody, or the dealer, has to act."""
    if origin.is_sealed:
        raise CannotPlayOn("sealed")
    if not entries or origin.rules_version != RULES_VERSION:
        raise CannotPlayOn("unfit")
    try:
        rules = rules_for(origin.kind, origin.players, origin.options)
        state = rules.start()
        for entry in entries:
            assert entry.action is not None
            state = rules.apply(state, entry.action)
    except (Refused, ValueError, KeyError, TypeError, IndexError):
        raise CannotPlayOn("unfit") from None
    if state.phase == "over":
        raise CannotPlayOn("over")


def _just_opened(user: User, origin: Game, length: int, seat: int) -> Game | None:
    """The same game, opened a moment ago, in which the user has done nothing: what a double click asks for."""
    since = timezone.now() - timedelta(seconds=services.ONE_CLICK_S)
    seats = Player.objects.filter(user=user, seat=seat, game__forked_from=origin, game__created_at__gt=since)
    for game in Game.objects.filter(pk__in=seats.values("game"), status=Game.Status.PLAYING):
        played = Action.objects.filter(game=game, ply__gt=length, cause=Action.Cause.PLAYER)
        if taken_over(entries_of(game)) == length and not played.exists():
            return game
    return None


def _spans(origin: Game, entries: tuple[Entry, ...]) -> list[dict[str, Any]]:
    """Up to which of these entries the cards are those of which game code; a fork's own log begins with such spans."""
    own = GameSecret.objects.filter(game=origin).values_list("code", flat=True).first() or origin.code
    length = len(entries)
    spans = []
    for span in [*(entries[0].data.get("forks") or ()), {"ply": length, "code": own}]:
        spans.append({"ply": min(span["ply"], length), "code": span["code"]})
        if span["ply"] >= length:
            break
    return spans


# --- the replay page --------------------------------------------------------------------------------------------------


def about(game: Game, seat: int | None, replay: Page, user: Any) -> dict[str, Any]:
    """What the replay page needs to offer playing on, and to say where a game was played on from."""
    found: dict[str, Any] = {
        "play_on": {
            "seats": [{"seat": other, "name": name} for other, name in enumerate(replay["names"])],
            "seat": 0 if seat is None else seat,
            "levels": levels_to_play(),
            "level": USUAL_LEVEL,
            "limits": limits_to_play(),
        }
        if game.kind in KINDS and game.rules_version == RULES_VERSION and not game.is_sealed
        else None
    }
    if replay["forked"]:
        found["origin"] = {
            "ply": _ply_there(game, replay["forked"]),
            "game": game.forked_from_id
            if game.forked_from_id is not None and selectors.finished_game(user, game.forked_from_id) is not None
            else None,
        }
    return found


def _ply_there(game: Game, length: int) -> int | None:
    """The ply of the entry in the other game's log with which the part that was taken over ends."""
    plies = Action.objects.filter(game=game.forked_from_id, kind__in=ACTION_KEYS).order_by("ply")
    return plies.values_list("ply", flat=True)[length - 1 : length].first()
