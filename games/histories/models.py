"""What is stored of recorded games that somebody has opened."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone


class OpenedRecord(models.Model):
    """A recorded game that somebody has brought along to look at. It is nobody's game: in no history, no rating.

    Only he sees it, and it is kept for some time (`games.histories.opened_records`).
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    code = models.CharField(max_length=16, unique=True)
    content = models.BinaryField()  # the record's one written form, compressed
    created_at = models.DateTimeField(default=timezone.now, db_index=True)

    def __str__(self) -> str:
        return f"record {self.code}"
