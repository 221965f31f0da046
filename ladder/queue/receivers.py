"""What the queue does when a ranked game ends, when an account is closed, or when it wants its data."""

from __future__ import annotations

from typing import Any

from django.db.models import Q
from django.dispatch import receiver

from accounts.models import User
from accounts.signals import closing, exporting
from games.hooks import game_finished, game_voided
from games.log.models import Game, Player
from ladder.queue.models import Invite, Ticket
from ladder.queue.tickets import leave, tell
from ladder.rating.models import QueueLock, RankedGame


@receiver((game_finished, game_voided))
def tell_players(game: Game, **_kwargs: Any) -> None:
    """Whoever played a ranked game may queue again."""
    if RankedGame.objects.filter(pk=game.pk).exists():
        tell(user for user in Player.objects.filter(game=game).values_list("user_id", flat=True) if user is not None)


@receiver(closing)
def leave_queue(user: User, **_kwargs: Any) -> None:
    """A closed account does not wait for a game."""
    leave(user.pk)
    Invite.objects.filter(Q(inviter=user) | Q(invited=user)).delete()


@receiver(exporting)
def export_queue(user: User, **_kwargs: Any) -> tuple[str, Any]:
    """A ticket, and a time in which the user may not queue."""
    ticket = Ticket.objects.filter(user=user).select_related("ladder").first()
    lock = QueueLock.objects.filter(user=user).first()
    return "queue", {
        "waits_for": ticket and {"ladder": ticket.ladder.slug, "since": ticket.joined_at.isoformat()},
        "locked_until": lock and lock.until.isoformat(),
    }
