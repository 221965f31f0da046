"""Background work of the ladder: rating what has ended, finding what was missed, proving it every night."""

from __future__ import annotations

import logging

from celery import shared_task

from games.log.models import Game
from ladder.boards import tables
from ladder.queue import matchmaking
from ladder.rating import services
from ladder.rating.models import RankedGame
from ladder.rating.proof import prove

logger = logging.getLogger(__name__)

#: Games that one sweep rates.
MOST_MISSED = 100
#: Differences that are named in the log.
MOST_NAMED = 20


@shared_task(name="ladder.rate_game", ignore_result=True, soft_time_limit=30, time_limit=40)
def rate_game(game_id: int) -> None:
    """Rates one game and tells its table. Run twice, it does nothing the second time."""
    if services.rate_game(game_id):
        tables.tell(game_id)


@shared_task(name="ladder.rate_missed", ignore_result=True, soft_time_limit=60, time_limit=70)
def rate_missed() -> None:
    """Rates finished ranked games whose own task was lost, in the order in which they ended."""
    missed = RankedGame.objects.filter(rated_at__isnull=True, game__status=Game.Status.FINISHED)
    for game_id in list(missed.order_by("game__moved_at", "pk").values_list("pk", flat=True)[:MOST_MISSED]):
        try:
            if services.rate_game(game_id):
                tables.tell(game_id)
        except Exception:  # one game that cannot be rated must not keep the others from it
            logger.exception("game %s cannot be rated", game_id)


@shared_task(name="ladder.check_drift", ignore_result=True, soft_time_limit=3600, time_limit=3700)
def check_drift() -> None:
    """Compares all stored ratings with what the games lead to; differences are errors in the log."""
    differences = prove()
    for line in differences[:MOST_NAMED]:
        logger.error("ratings drift: %s", line)
    if len(differences) > MOST_NAMED:
        logger.error("ratings drift: %s differences more", len(differences) - MOST_NAMED)


@shared_task(name="ladder.match", ignore_result=True)
def match() -> None:
    """Once a second: whatever is due in the queue. Two at once do no harm."""
    matchmaking.tick()
