"""When a ranked game ends without a result, and what that costs. README.md says how the rules are read.

A game that is void while it runs leaves no rating. `ladder.rating.services.void_game` takes back one that was
rated.
"""

from __future__ import annotations

from datetime import datetime

from django.db.models import Exists, OuterRef
from django.utils import timezone

from games.log.models import RUNNING, Action, Game, Player
from games.tables.models import Vote
from ladder.rating.models import Abandon, RankedGame
from ladder.rating.services import lock_queue
from ladder.rating.standing import day_bounds

#: Ranked games that a user may help to end by vote in one day.
VOTED_A_DAY = 2
#: Ranked games in one day that end because a user never came to them; further ones are played on without him.
UNPLAYED_A_DAY = 1


def may_vote(game_id: int, user_id: int) -> bool | None:
    """Whether a user may still be for ending this game by vote today; None for a game that is not ranked."""
    if not RankedGame.objects.filter(pk=game_id).exists():
        return None
    begins_at, ends_at = day_bounds(timezone.now())
    by_vote = Action.objects.filter(game=OuterRef("game"), kind="void", data__reason="vote")
    was_for = Vote.objects.filter(game=OuterRef("game"), about=Vote.About.VOID, seat=OuterRef("seat"))
    ended = Player.objects.filter(
        Exists(by_vote),
        Exists(was_for),
        user=user_id,
        game__ranked__isnull=False,
        game__status=Game.Status.VOID,
        game__moved_at__gte=begins_at,
        game__moved_at__lt=ends_at,
    )
    return ended.count() < VOTED_A_DAY


def ends_for(game_id: int, user_id: int) -> bool:
    """Whether a ranked game ends because a user never came to it, or is played on: he has had that today."""
    if not RankedGame.objects.filter(pk=game_id).exists():
        return False
    begins_at, ends_at = day_bounds(timezone.now())
    unplayed = Abandon.objects.filter(user=user_id, at__gte=begins_at, at__lt=ends_at, game__status=Game.Status.VOID)
    return unplayed.exclude(game=game_id).count() < UNPLAYED_A_DAY


def hit_by_outage(to_at: datetime) -> list[int]:
    """The ranked games that ran during an outage which was over at a moment."""
    running = RankedGame.objects.filter(game__status__in=RUNNING, game__created_at__lt=to_at)
    return list(running.order_by("pk").values_list("pk", flat=True))


def note_absent(game: Game) -> None:
    """Books the abandonment of a game that has just ended because somebody never came. In its transaction."""
    if not RankedGame.objects.filter(pk=game.pk).exists():
        return
    end = Action.objects.filter(game=game, kind="void").last()
    if end is None or end.seat is None or end.data.get("reason") != "absent":
        return
    user = Player.objects.filter(game=game, seat=end.seat).values_list("user", flat=True).first()
    if user is not None:
        Abandon.objects.get_or_create(user_id=user, game=game, defaults={"at": timezone.now()})
        lock_queue(user)


def has_abandoned(game_id: int, user_id: int | None) -> bool:
    """Whether it is booked that a user abandoned a game."""
    return user_id is not None and Abandon.objects.filter(game=game_id, user=user_id).exists()
