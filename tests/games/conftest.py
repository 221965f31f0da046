"""What tests of the live site share: a database, a site on the test's own loop, and a clock that can be put forward."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from django.contrib.admin.models import LogEntry
from django.contrib.sessions.models import Session
from django.db import connection, connections, transaction
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from accounts.models import User
from games import models
from games.log import store
from games.parties.rooms import hub as party_hub
from games.presets import services as preset_store
from games.tables.rooms import hub
from ladder import after_migrate
from ladder import models as ladder_models
from ladder.queue.rooms import hub as queue_hub
from tests.games.live_site import Browser, Clock, broker

#: What tests leave behind, in an order in which it can be deleted.
LEFT = (
    LogEntry,
    ladder_models.Ticket,
    ladder_models.ReadyCheck,
    ladder_models.Invite,
    ladder_models.Wait,
    ladder_models.QueueLock,
    ladder_models.Appearance,
    ladder_models.SeasonRating,
    ladder_models.Abandon,
    ladder_models.Rating,
    ladder_models.RankedGame,
    ladder_models.LadderMove,
    ladder_models.Ladder,
    models.Uncounted,
    models.Tally,
    models.DailyTry,
    models.DailySecret,
    models.DailyDeal,
    models.Vote,
    models.Report,
    models.Block,
    models.Mute,
    models.OpenedRecord,
    models.Action,
    models.Review,
    models.Player,
    models.GameSecret,
    models.Game,
    models.PartyMember,
    models.Party,
    models.PresetVersion,
    models.RulePreset,
    models.ShippedPreset,
    models.Heartbeat,
    models.Outage,
    Session,
    User.groups.through,
    User.user_permissions.through,
    User,
)


@pytest.fixture
def transactional_db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """In place of pytest-django's: real transactions, undone by deleting, twenty times as fast as by flushing."""
    with django_db_blocker.unblock():
        preset_store.sync_shipped()  # the test before has deleted them
        after_migrate.sync_shipped()
        connection.close()
        yield
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("set local moonshot.purge = 'on'")
            if ladder_models.RatingChange.objects.exists():
                cursor.execute(
                    "truncate ladder_ratingchange, ladder_appearance"
                )  # a trigger keeps it from being deleted
            for model in LEFT:
                cursor.execute(f"delete from {model._meta.db_table}")
        connection.close()


@pytest.fixture
async def site(transactional_db: None) -> AsyncIterator[None]:
    """Postgres and Valkey as the site uses them. Whatever holds on to the test's loop is let go at the end."""
    client = broker()
    client.delete("turns", "clock", "reviews", "ladder")
    client.close()
    yield
    for browser in Browser.opened:
        await browser.close()
    Browser.opened.clear()
    await party_hub.stop()
    await queue_hub.stop()
    await hub.stop()
    layer = get_channel_layer()
    assert layer is not None
    await layer.flush()
    await store.close_pool()
    # Communicators of Channels keep the connections of the ORM's thread open.
    await sync_to_async(connections.close_all)()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The site's clock."""
    clock = Clock()
    monkeypatch.setattr(timezone, "now", clock.now)
    return clock


@pytest.fixture
def no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests open many recorded games in a minute."""
    monkeypatch.setattr("games.histories.record_views.OPENED_A_MINUTE", 10_000)
