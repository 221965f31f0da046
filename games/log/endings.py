"""The end of a game, written at its seats: when it was, the place of each, and what a list is narrowed down by.

All of it follows from the log and the game's row; `check_histories` compares, and `--repair` writes it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from games.log.models import Game, GameSecret, Player

Outcome = Player.Outcome
#: The columns of a seat that are written here.
COLUMNS = ("ended_at", "place", "outcome", "kind", "preset_id", "is_ranked", "is_private")


@dataclass(frozen=True, slots=True)
class End:
    """How a game has ended for one seat."""

    place: int | None
    outcome: str


def ends_of(players: int, result: dict[str, Any] | None) -> list[End]:
    """How a game has ended for each seat, by its result; None is a game without one."""
    if result is None:
        return [End(None, Outcome.VOID)] * players
    places = result["placings"]
    seats_of_a_side = players // len(result["scores"])
    first = Outcome.DRAW if places.count(1) > seats_of_a_side else Outcome.WON
    return [End(place, first if place == 1 else Outcome.LOST) for place in places]


def columns_of(game: Game, ended_at: datetime, seat: int) -> dict[str, Any]:
    """What has to stand at a seat of a game that is over."""
    end = ends_of(game.players, game.result)[seat]
    version = game.preset_version
    return {
        "ended_at": ended_at,
        "place": end.place,
        "outcome": str(end.outcome),
        "kind": game.kind,
        "preset_id": None if version is None else version.preset_id,
        "is_ranked": game.is_ranked,
        "is_private": game.is_private or game.is_sealed,  # lists show nobody what he may not open
    }


def code_to_show(game: Game) -> str:
    """The game code of a game that is over.

    That of a fork deals other cards from the first deal on, so it has none. That of a daily deal comes when its day has
    ended: `dailies.publish`.
    """
    if game.forked_from_id is not None or Game.objects.filter(pk=game.pk, daily_try__is_sealed=True).exists():
        return ""
    return GameSecret.objects.get(game=game).code


def code_while_running(game: Game) -> str:
    """The game code of a game that is not over: that of one person among CPUs, who may go by it. Of cards that were
    promised, and so of those of a daily deal, nobody is told it yet, and that of a fork is never told.
    """
    if game.commitment or game.forked_from_id is not None:
        return ""
    return GameSecret.objects.get(game=game).code


def note_end(game: Game, ended_at: datetime) -> None:
    """Writes the end of a game at its seats; in the transaction that ends it."""
    players = list(Player.objects.filter(game=game).order_by("pk"))
    for player in players:
        for name, value in columns_of(game, ended_at, player.seat).items():
            setattr(player, name, value)
    Player.objects.bulk_update(players, [name.removesuffix("_id") for name in COLUMNS])


def forget_end(game: Game) -> None:
    """Takes an end away from the seats of a game that is not over: no list may hold it."""
    nothing = {"ended_at": None, "place": None, "outcome": "", "kind": "", "preset": None}
    Player.objects.filter(game=game).update(**nothing, is_ranked=False, is_private=False)


def faults_of(game: Game, ended_at: datetime, players: Sequence[Player]) -> list[str]:
    """What stands wrongly at the seats of a game that is over: sentences without their stop."""
    return [
        f"at seat {player.seat} it says {name} {getattr(player, name)!r}, not {value!r}"
        for player in players
        for name, value in columns_of(game, ended_at, player.seat).items()
        if getattr(player, name) != value
    ]
