"""A log as it is written through the ORM: rows for entries, and what a game's own row derives from them.

The path of a move goes past this, see `games.log.store`; here go openings and ends, which write more than the log.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.db import IntegrityError

from games.log import store
from games.log.models import Action, Game
from games.log.positions import Entry, Position


def add(game: Game, entries: Iterable[Entry]) -> None:
    """Adds entries to a game's log. Raises ClientIdTaken."""
    try:
        Action.objects.bulk_create(_row(game, entry) for entry in entries)
    except IntegrityError as error:
        if "action_client_id" in str(error):
            raise store.ClientIdTaken from None
        raise


def derive(game: Game, position: Position) -> None:
    """Sets what a game's row says of where it stands; saves nothing."""
    game.ply = position.ply
    game.asks = store.asks_json(position)
    game.deadline_at = position.deadline_at
    game.claimed_until, game.claims = None, 0


def _row(game: Game, entry: Entry) -> Action:
    return Action(
        game=game,
        ply=entry.ply,
        seat=entry.seat,
        kind=entry.kind,
        ask=entry.ask,
        data=entry.data,
        cause=entry.cause,
        client_id=entry.client_id,
        created_at=entry.created_at,
    )
