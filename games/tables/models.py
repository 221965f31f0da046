"""What is stored of a table beside its game: votes."""

from __future__ import annotations

from django.db import models
from django.utils import timezone


class Vote(models.Model):
    """One player's wish about a running game: a CPU for an absent seat, or no result for anybody."""

    class About(models.TextChoices):
        STAND_IN = "stand_in"
        VOID = "void"

    game = models.ForeignKey("games.Game", on_delete=models.CASCADE)
    about = models.CharField(max_length=8, choices=About.choices)
    target = models.PositiveSmallIntegerField(null=True, blank=True)  # the absent seat
    seat = models.PositiveSmallIntegerField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=("game", "about", "target", "seat"), nulls_distinct=False, name="vote_once")
        ]

    def __str__(self) -> str:
        return f"{self.about} of seat {self.seat} in game {self.game_id}"
