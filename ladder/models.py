"""What is stored of ladders. The games are the truth: every rating is a fold of its changes, and every change follows
from the log of its game (`ladder.reckoning`).
"""

from __future__ import annotations

from decimal import Decimal

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from games.models import KIND_CHOICES, Game, PresetVersion
from ladder.rating import START


class Ladder(models.Model):
    """A rated pool: kind, number of players, time for a turn and one frozen version of a preset."""

    slug = models.SlugField(unique=True)
    kind = models.CharField(max_length=16, choices=KIND_CHOICES)
    players = models.PositiveSmallIntegerField(default=4)
    timer_s = models.PositiveSmallIntegerField(default=30)
    preset_version = models.ForeignKey(PresetVersion, on_delete=models.PROTECT)
    is_open = models.BooleanField(default=True)

    class Meta:
        ordering = ("kind", "slug")

    def __str__(self) -> str:
        return self.slug


class LadderMove(models.Model):
    """An administrator has moved a ladder to another version: games opened later are played with that."""

    ladder = models.ForeignKey(Ladder, on_delete=models.CASCADE, related_name="moves")
    before = models.ForeignKey(PresetVersion, on_delete=models.PROTECT, related_name="+")
    after = models.ForeignKey(PresetVersion, on_delete=models.PROTECT, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"{self.ladder}: {self.before} to {self.after}"


class RankedGame(models.Model):
    """A game that counts for a ladder. `humans` are its users' ids in order: repeated groups count less and less."""

    game = models.OneToOneField(Game, on_delete=models.PROTECT, primary_key=True, related_name="ranked")
    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT)
    humans = models.CharField(max_length=120)
    rated_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=("humans", "rated_at"), name="ranked_humans"),
            models.Index(fields=("game",), condition=Q(rated_at__isnull=True), name="ranked_unrated"),
        ]

    def __str__(self) -> str:
        return f"ranked {self.game}"


class Rating(models.Model):
    """Where somebody stands on a ladder: the fold of his changes."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="ratings")
    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT)
    rating = models.DecimalField(max_digits=7, decimal_places=2, default=Decimal(START))
    games = models.PositiveIntegerField(default=0)
    last_game_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=("user", "ladder"), name="rating_once")]
        indexes = [models.Index(fields=("ladder", "-rating"), name="rating_board")]

    def __str__(self) -> str:
        return f"{self.user} on {self.ladder}: {self.rating}"


class RatingChange(models.Model):
    """What one game did to one rating; never changed, never deleted (a trigger sees to it).

    `seq` is the order of rating: whoever writes changes holds the ratings' rows, so for each of them it is the order of
    time. A void takes back a result, and later games stay as they are.
    """

    class Reason(models.TextChoices):
        RESULT = "result"
        VOID = "void"

    seq = models.BigAutoField(primary_key=True)
    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="rating_changes")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="rating_changes")
    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT)
    reason = models.CharField(max_length=6, choices=Reason.choices)
    before = models.DecimalField(max_digits=7, decimal_places=2)
    delta = models.DecimalField(max_digits=6, decimal_places=2)
    after = models.DecimalField(max_digits=7, decimal_places=2)
    counts = models.BooleanField(help_text="whether the game is one of the user's rated games")
    has_left = models.BooleanField(default=False)
    receipt = models.JSONField(default=dict)
    at = models.DateTimeField()

    class Meta:
        ordering = ("seq",)
        constraints = [models.UniqueConstraint(fields=("game", "user", "reason"), name="rating_change_once")]
        indexes = [models.Index(fields=("user", "ladder", "seq"), name="rating_change_curve")]

    def __str__(self) -> str:
        return f"{self.reason} of game {self.game_id} for user {self.user_id}: {self.delta}"


class Abandon(models.Model):
    """Somebody has abandoned a ranked game."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="abandons")
    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=("user", "game"), name="abandon_once")]
        indexes = [models.Index(fields=("user", "at"), name="abandon_recent")]

    def __str__(self) -> str:
        return f"{self.user} left {self.game}"


class QueueLock(models.Model):
    """A time in which somebody may not queue, for abandoning games."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="+")
    until = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.user} until {self.until:%Y-%m-%d %H:%M}"
