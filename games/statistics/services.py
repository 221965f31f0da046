"""The public statistics of deals: every finished game is counted once, in the background, and can be counted anew.

A game notes itself as uncounted in the transaction that ends it, and its counts are added in the one that deletes this
note: so it is in them once, however often a run is broken off, and one game at a time is all that is in memory.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.dispatch import receiver

from accounts.services import lock
from games.hooks import game_finished
from games.log.models import Game
from games.log.selectors import entries_of, table_of
from games.rules import Refused
from games.statistics import tallies
from games.statistics.models import Tally, Uncounted

logger = logging.getLogger(__name__)

#: Games in one transaction.
BATCH = 20
#: What following a log by rules that it was not played by may come to.
FAULTS = (Refused, ValueError, KeyError, TypeError, IndexError, AttributeError, AssertionError)


def _fair() -> QuerySet[Game]:
    """Games whose cards chance alone has dealt, of a table that is counted."""
    drawn = Game.objects.filter(cards=Game.Cards.DRAWN, forked_from=None, daily_try=None)
    return drawn.filter(status=Game.Status.FINISHED, players=4)


@receiver(game_finished)
def note_finished(game: Game, **_kwargs: Any) -> None:
    """A game that is to be counted. Whether it is fair is looked at then."""
    Uncounted.objects.get_or_create(game=game)


def count(seconds: float = 2.0) -> int:
    """Counts games that are not counted yet, for about so long. Returns how many it has looked at."""
    until = time.monotonic() + seconds
    done = 0
    while time.monotonic() < until:
        looked_at = _count_batch()
        done += looked_at
        if looked_at < BATCH:
            break
    return done


def _count_batch() -> int:
    with transaction.atomic():
        lock("deal statistics")  # one at a time: counts are read, and written with more
        ids = list(Uncounted.objects.order_by("pk").values_list("pk", flat=True)[:BATCH])
        found: Counter[tallies.Key] = Counter()
        for game in _fair().filter(pk__in=ids):
            try:
                found.update(tallies.of_game(table_of(game), entries_of(game)))
            except FAULTS:  # by rules of another time: it is in no count
                logger.warning("game %s cannot be counted", game.pk)
        _add(found)
        Uncounted.objects.filter(pk__in=ids).delete()
    return len(ids)


def _add(found: Counter[tallies.Key]) -> None:
    known = counts(name for name, _ in found)
    rows = [Tally(name=name, value=value, count=number + known[name, value]) for (name, value), number in found.items()]
    Tally.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=("name", "value"), update_fields=("count",), batch_size=500
    )


def counts(names: Iterable[str] | None = None) -> Counter[tallies.Key]:
    """What was counted so far, of these names or of all."""
    rows = Tally.objects.all() if names is None else Tally.objects.filter(name__in=set(names))
    return Counter({(row.name, row.value): row.count for row in rows})


def rebuild() -> int:
    """Forgets all counts and notes every fair game as uncounted, for `count` to go on with. Returns how many."""
    with transaction.atomic():
        lock("deal statistics")
        Tally.objects.all().delete()
        Uncounted.objects.all().delete()
        noted = 0
        batch: list[Uncounted] = []
        for pk in _fair().order_by("pk").values_list("pk", flat=True).iterator(chunk_size=2_000):
            batch.append(Uncounted(game_id=pk))
            if len(batch) == 2_000:
                Uncounted.objects.bulk_create(batch, ignore_conflicts=True)
                noted, batch = noted + len(batch), []
        Uncounted.objects.bulk_create(batch, ignore_conflicts=True)
    return noted + len(batch)
