"""What is stored of the search for a player's mistakes."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone


class Review(models.Model):
    """The search for a player's mistakes in a game that is over, and what it found; seen by that player alone.

    A row for each player of a game: once found, mistakes stay. Whoever works on it touches it every few seconds.
    """

    class Status(models.TextChoices):
        WAITING = "waiting"
        WORKING = "working"
        DONE = "done"
        FAILED = "failed"

    player = models.OneToOneField("games.Player", on_delete=models.CASCADE, related_name="review")
    method = models.PositiveSmallIntegerField()  # `games.mistakes.METHOD` when it was asked for
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.WAITING)
    share = models.FloatField(default=0)  # of the work that is done
    tries = models.PositiveSmallIntegerField(default=0)
    mistakes = models.JSONField(null=True, blank=True)
    asked_at = models.DateTimeField(default=timezone.now)
    touched_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [
            models.Index(fields=("touched_at",), condition=Q(status__in=("waiting", "working")), name="review_open")
        ]

    def __str__(self) -> str:
        return f"review of {self.player}"
