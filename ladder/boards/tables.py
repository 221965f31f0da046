"""What the ladder puts on a ranked game's table: ratings beside the names, and what the game did to them."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from games.log import wakeups
from games.log.models import Game
from ladder.rating.formula import START
from ladder.rating.models import RankedGame, Rating
from ladder.rating.receipts import outcome_of
from ladder.rating.reckoning import users_of
from ladder.rating.standing import shown


def boot_of(game: Game) -> dict[str, Any] | None:
    """For the page of a ranked game: each seat's rating as people read it, where the receipt is, and the way to the
    next game, which the queue leads to. None for other games.
    """
    ranked = RankedGame.objects.filter(pk=game.pk).first()
    if ranked is None:
        return None
    seats = users_of(game)
    rows = {row.user_id: row for row in Rating.objects.filter(ladder=ranked.ladder_id, user__in=seats.values())}
    ratings: list[str | None] = [None] * game.players
    for seat, user in seats.items():
        row = rows.get(user)
        ratings[seat] = shown(row.rating, row.games) if row else shown(START, 0)
    return {
        "ratings": ratings,
        "receipt": reverse("receipt", args=(game.pk,)),
        "again": {"url": reverse("home") + "#ranked", "label": _("To the ranked queue")},
    }


def tell(game_id: int) -> None:
    """Tells everybody at the table what their game did to ratings. They fetch the receipt themselves."""
    outcome = outcome_of(game_id)
    if outcome is None or not outcome.receipts:
        return
    players = Game.objects.values_list("players", flat=True).get(pk=game_id)
    seats: list[dict[str, str] | None] = [None] * players
    for receipt in outcome.receipts:
        seats[receipt.seat] = {"before": receipt.before, "after": receipt.after, "change": receipt.change}
    wakeups.rated_soon(game_id, seats)
