"""Every read of games for pages: who sits there, the log, where a game stands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext as _

from games.kinds import rules_for
from games.log.models import Action, Game, Player
from games.log.positions import Entry, Holder, Position, Table, fold


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
    is_daily = Game.objects.filter(pk=game.pk, daily_try__isnull=False).exists()
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
        game: [SeatHolder(holder.user_id, holder_name(holder, holders)) for holder in holders]
        for game, holders in seated.items()
    }


def holder_name(holder: Player, holders: list[Player]) -> str:
    """The name of one of the holders of a table's seats, in the reader's language: CPUs are numbered."""
    if holder.user is not None:
        return holder.user.display_name or holder.user.username
    number = sum(1 for other in holders if other.cpu_level and other.seat <= holder.seat)
    return _("CPU %(number)s") % {"number": number}
