"""Recorded games that somebody has brought along: kept for some time for him alone, and shown as a replay."""

from __future__ import annotations

import secrets
import zlib
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from accounts.models import User
from accounts.services import lock
from games.codes import deals
from games.histories import records, replays
from games.histories.models import OpenedRecord
from games.histories.records import BadRecord
from games.kinds.words import traits_of
from games.log import names
from games.presets.selectors import chips
from games.tables.told import Kept

#: For so long a record is kept, and so many for each user: the latest.
KEPT_FOR = timedelta(days=30)
MOST_KEPT = 20


def keep(user: User, record: records.Record) -> OpenedRecord:
    """Keeps a record that the rules can follow for its reader; opened again, it is the same one, kept longer."""
    content = zlib.compress(records.to_bytes(record), 9)
    with transaction.atomic():
        lock(f"records of {user.pk}")
        kept = OpenedRecord.objects.filter(user=user)
        opened = kept.filter(content=content).first()
        if opened is None:
            opened = OpenedRecord(user=user, content=content, code=secrets.token_urlsafe(12))
        opened.created_at = timezone.now()
        opened.save()
        latest = list(kept.order_by("-created_at", "-pk").values_list("pk", flat=True)[:MOST_KEPT])
        kept.exclude(pk__in=latest).delete()
    return opened


def kept_by(user: Any, code: str) -> OpenedRecord | None:
    """A record that this user keeps."""
    return _kept(user).filter(code=code).first() if user.is_authenticated else None


def record_of(kept: OpenedRecord) -> records.Record:
    """What is in it."""
    return records.from_bytes(zlib.decompress(bytes(kept.content)))


def list_of(user: Any) -> list[OpenedRecord]:
    """The records that a user keeps, the latest first, without what is in them."""
    return list(_kept(user).defer("content").order_by("-created_at", "-pk")) if user.is_authenticated else []


def _kept(user: User) -> QuerySet[OpenedRecord]:
    return OpenedRecord.objects.filter(user=user, created_at__gt=timezone.now() - KEPT_FOR)


def forget() -> int:
    """Lets go of the records whose time is up."""
    return OpenedRecord.objects.filter(created_at__lte=timezone.now() - KEPT_FOR).delete()[0]


def replay_of(record: records.Record) -> replays.Page:
    """What the replay page is made from: all hands, since nobody knows whose game it was."""
    table, entries = records.table_of(record), records.entries_of(record)
    kind, players = record["kind"], record["players"]
    options = table.rules.options.to_json()
    boot: Kept = {
        "kind": kind,
        "traits": traits_of(table.rules),
        "players": players,
        "seat": None,
        "names": names.distinct([seat["name"] for seat in record["seats"]]),
        "cpu": [seat["cpu"] for seat in record["seats"]],
        "code": _code(record["code"]),
        "options": options,
        "chips": [{"label": chip.label, "title": chip.title} for chip in chips(kind, options)],
        "sides": [table.rules.side(seat) for seat in range(players)],
        "timer": record["timer_s"],
        "score_sign": "minus" if table.rules.options.shown_sign < 0 else "plus",
    }
    return replays.page(boot, table, entries, result=record["result"], commitment=record["commitment"])


def _code(text: str) -> str:
    try:
        return deals.read_code(text).text
    except deals.BadCode:
        return text


def sentence(bad: BadRecord) -> str:
    """What is wrong with a record, in the reader's language."""
    values = {name: sentence(value) if isinstance(value, BadRecord) else value for name, value in bad.values.items()}
    return gettext(bad.text) % values
