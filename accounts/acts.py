"""The log of what administrators do, in Django's own LogEntry: the admin's forms write it themselves, all else here."""

from __future__ import annotations

from typing import Any

from django.contrib.admin.models import ADDITION, CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import Model


def note_act(by: Any, target: Model, what: str, *, added: bool = False) -> None:
    """Notes that an administrator did something to a row. Call it in the transaction that does it."""
    LogEntry.objects.create(
        user_id=by.pk,
        content_type=ContentType.objects.get_for_model(target),
        object_id=str(target.pk),
        object_repr=str(target)[:200],
        action_flag=ADDITION if added else CHANGE,
        change_message=what,
    )
