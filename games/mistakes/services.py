"""The search for a player's mistakes: asked for, queued, worked on, found again where a worker was killed."""

from __future__ import annotations

import logging
import time
from datetime import timedelta
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from accounts import limits
from accounts.models import User
from accounts.services import lock
from games.histories.selectors import OVER
from games.log import wakeups
from games.log.models import Player
from games.log.selectors import entries_of, table_of
from games.mistakes import METHOD
from games.mistakes.models import Review
from games.rules import RULES_VERSION, Refused

logger = logging.getLogger(__name__)

#: A search that nobody has touched for so long is nobody's, in seconds.
STALE_S = 40.0
MOST_TRIES = 3
#: How often a worker says how far it is, in seconds.
TELL_EVERY_S = 0.4
DAY = timedelta(days=1)
#: What has failed may be asked for again after this, so that a game that cannot be gone through holds up no worker.
AGAIN_AFTER = timedelta(minutes=10)

WAITING, WORKING, DONE, FAILED = Review.Status.WAITING, Review.Status.WORKING, Review.Status.DONE, Review.Status.FAILED


def seat_of(user: Any, game_id: int) -> Player | None:
    """The user's seat in a game that is over; None in any other, and for anybody else."""
    if not user.is_authenticated:
        return None
    players = Player.objects.filter(game_id=game_id, game__status__in=OVER, user=user)
    return players.select_related("review", "game").first()


def of(player: Player) -> Review | None:
    """The search for the mistakes of a player by the method of today, if there was one."""
    return Review.objects.filter(player=player, method=METHOD).first()


def ask(*, user: User, player: Player) -> Review:
    """Begins the search, once for a game: what is found stays, and what is on its way goes on. Raises TooMany."""
    with transaction.atomic():
        lock(f"reviews {user.pk}")
        known = of(player)
        now = timezone.now()
        if known is not None and (known.status != FAILED or known.asked_at > now - AGAIN_AFTER):
            return known
        _check_may_ask(user)
        anew = {"method": METHOD, "status": WAITING, "share": 0.0, "tries": 0, "mistakes": None}
        review, _ = Review.objects.update_or_create(
            player=player, defaults={**anew, "asked_at": now, "touched_at": now}
        )
        transaction.on_commit(lambda: wakeups.review(review.pk), robust=True)
    return review


def _check_may_ask(user: User) -> None:
    """Raises TooMany where the user has had his mistakes looked for in many games within a day."""
    now = timezone.now()
    asked = Review.objects.filter(player__user=user, asked_at__gt=now - DAY).order_by("asked_at")
    times = list(asked.values_list("asked_at", flat=True))
    if len(times) >= settings.REVIEWS_A_DAY:
        first = times[0] if times else now
        raise limits.TooMany("reviews", max(60, round((first + DAY - now).total_seconds())))


# --- the work ---------------------------------------------------------------------------------------------------------


def work(review_id: int) -> None:
    """Looks for the mistakes, unless somebody else is at it or has done it."""
    now = timezone.now()
    free = Q(status=WAITING) | Q(status=WORKING, touched_at__lt=now - _stale())
    taken = Review.objects.filter(free, pk=review_id).update(status=WORKING, touched_at=now, tries=F("tries") + 1)
    if not taken:
        return
    review = Review.objects.select_related("player__game").get(pk=review_id)
    try:
        found = _find(review)
    except (Refused, ValueError, KeyError, TypeError, IndexError):
        logger.exception("the mistakes of %s cannot be looked for", review.player)
        _note(review_id, status=FAILED)
    except SoftTimeLimitExceeded:
        logger.warning("the search for mistakes of %s took too long", review.player)
        _note(review_id, status=FAILED)
    else:
        _note(review_id, status=DONE, share=1.0, mistakes=found)


def _find(review: Review) -> list[dict[str, Any]]:
    from games.mistakes.search import find  # noqa: PLC0415 - loads the compiled search of the experts

    player = review.player
    game = player.game
    if game.status not in OVER or game.rules_version != RULES_VERSION:
        raise ValueError("only a game that is over, and by the rules of today")
    told_at = time.monotonic()

    def progress(share: float) -> None:
        nonlocal told_at
        if time.monotonic() - told_at > TELL_EVERY_S:
            told_at = time.monotonic()
            _note(review.pk, share=share)

    seed = game.pk * 8 + player.seat
    return find(table_of(game), entries_of(game), player.seat, seed, progress)


def _note(review_id: int, **fields: Any) -> None:
    Review.objects.filter(pk=review_id, status=WORKING).update(touched_at=timezone.now(), **fields)


def _stale() -> timedelta:
    return timedelta(seconds=STALE_S / settings.TIME_SCALE)


def sweep() -> None:
    """Queues again what nobody works on: its task was lost or its worker killed. After some tries it has failed."""
    now = timezone.now()
    stale = Review.objects.filter(status__in=(WAITING, WORKING), touched_at__lt=now - _stale())
    for review_id, tries in list(stale.order_by("touched_at").values_list("pk", "tries")[:100]):
        mine = stale.filter(pk=review_id)
        if tries >= MOST_TRIES:
            mine.update(status=FAILED, touched_at=now)
        elif mine.update(status=WAITING, touched_at=now):
            wakeups.review(review_id)
