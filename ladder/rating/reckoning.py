"""From the log of a finished ranked game to the changes of its ratings. Rating a game and proving it later are this
same function, so they cannot differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from games.kinds import KINDS, options_for
from games.kinds.kind import Kind
from games.log.models import Action, Game, Player
from ladder.rating.formula import Change, Human, group_weight, length_weight, rate_hearts, rate_spades
from ladder.rating.leaving import Played, leavers
from ladder.rating.models import RankedGame


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a user stands before a game."""

    rating: Decimal
    games: int
    earlier_leaves: int = 0


@dataclass(frozen=True, slots=True)
class Reckoned:
    """A game's change for each of its users, who left, and whether it counts as a rated game."""

    changes: dict[int, Change]
    left: frozenset[int]
    counts: bool


def users_of(game: Game) -> dict[int, int]:
    """The user of each human seat."""
    seats = Player.objects.filter(game=game, user__isnull=False).order_by("seat")
    return {seat: user for seat, user in seats.values_list("seat", "user_id") if user is not None}


def leavers_of(game: Game, users: Mapping[int, int]) -> frozenset[int]:
    """The seats whose users abandoned the game."""
    played, deal = [], 0
    for seat, kind, cause in Action.objects.filter(game=game).order_by("ply").values_list("seat", "kind", "cause"):
        if kind == "deal":
            deal += 1
        elif seat is not None:
            played.append(Played(seat, deal, cause, kind))
    return leavers(played, users)


def reckon(ranked: RankedGame, standings: Mapping[int, Standing], ordinal: int) -> Reckoned:
    """What a finished game does to the ratings of its users, the `ordinal`-th of this group on its day."""
    game = ranked.game
    users = users_of(game)
    gone = leavers_of(game, users)
    result: dict[str, Any] = game.result or {}
    group = group_weight(ordinal)
    kind = KINDS[game.kind]
    length = length_weight(int(game.options[kind.limit_option]), kind.full_limit)
    seats: list[Human | None] = []
    for seat in range(game.players):
        user = users.get(seat)
        if user is None:
            seats.append(None)
            continue
        points = 0 if kind.is_partnership else _points(kind, result["scores"][seat])
        standing = standings[user]
        seats.append(Human(standing.rating, standing.games, points, seat in gone, standing.earlier_leaves))
    if kind.is_partnership:
        found: tuple[Change | None, ...] = rate_spades(
            [seat for seat in seats if seat is not None], winner=_winner(result), length=length, group=group
        )
    else:
        winner_only = options_for(game.kind, game.options).only_first_counts
        found = rate_hearts(seats, length=length, group=group, winner_only=winner_only)
    changes = {users[seat]: change for seat, change in enumerate(found) if change is not None}
    return Reckoned(changes, frozenset(users[seat] for seat in gone), bool(group))


def _points(kind: Kind, score: int) -> int:
    """A score as the formula counts it: less is better."""
    return -score if kind.highest_wins else score


def _winner(result: Mapping[str, Any]) -> int | None:
    """The side that has won, by the placings of seats 0 and 1, which are of different sides."""
    first, second = result["placings"][:2]
    return None if first == second else int(first > second)
