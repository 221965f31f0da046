"""What workers do about parties: seats of those who have gone, parties that nobody is at any more.

Reading touches nothing: a party is idle since somebody last was there or did something, however often it is looked at.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from celery import shared_task
from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from games.log.models import RUNNING, Game, Heartbeat, Outage
from games.parties import services as parties
from games.parties.models import Party, PartyMember

logger = logging.getLogger(__name__)

#: Somebody who was not seen for so long loses the seat, where others are there and wait, in seconds.
UNSEEN_S = 180.0
#: A party at which nobody was seen for so long is closed, in seconds.
IDLE_S = 1800.0
#: Without a web process for so long nobody can be seen, in seconds.
BLIND_S = 10.0


@shared_task(name="games.sweep_parties")
def sweep_parties() -> None:
    """Three times a minute: takes the seats of those who have gone, and closes what is idle."""
    now = timezone.now()
    unseen_since = now - timedelta(seconds=UNSEEN_S / settings.TIME_SCALE)
    if _was_blind(now, unseen_since):
        return
    for party_id in _with_members_unseen_since(unseen_since):
        _try(party_id, unseen_since=unseen_since)
    idle_since = now - timedelta(seconds=IDLE_S / settings.TIME_SCALE)
    for party_id in _open().filter(touched_at__lt=idle_since).values_list("pk", flat=True):
        _try(party_id, idle_since=idle_since)


def _open() -> QuerySet[Party]:
    """Open parties without a running game."""
    running = Game.objects.filter(party=OuterRef("pk"), status__in=RUNNING)
    return Party.objects.filter(~Exists(running), is_closed=False)


def _with_members_unseen_since(at: datetime) -> list[int]:
    gone = PartyMember.objects.filter(party=OuterRef("pk"), seat__isnull=False, seen_at__lt=at)
    return list(_open().filter(Exists(gone)).values_list("pk", flat=True))


def _was_blind(now: datetime, since: datetime) -> bool:
    """Whether the site itself was away, or is, so that people could not be seen."""
    blind_since = now - timedelta(seconds=BLIND_S / settings.TIME_SCALE)
    if Heartbeat.objects.filter(name="web", seen_at__lt=blind_since).exists():
        return True
    return Outage.objects.filter(to_at__gt=since).exists()


def _try(party_id: int, *, unseen_since: datetime | None = None, idle_since: datetime | None = None) -> None:
    """Does something about one party. One that is broken must not keep the others."""
    try:
        if unseen_since is not None:
            parties.remove_unseen(party_id=party_id, unseen_since=unseen_since)
        if idle_since is not None:
            parties.close_idle(party_id=party_id, idle_since=idle_since)
    except parties.PartyRefused:
        pass  # it was closed meanwhile
    except Exception:
        logger.exception("nothing can be done about party %s", party_id)
