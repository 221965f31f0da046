"""What is stored of how people get along: blocks, reports, mutes."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Block(models.Model):
    """Somebody whom a user does not want to hear (`mute`), or not to play with either (`block`)."""

    class Kind(models.TextChoices):
        MUTE = "mute"
        BLOCK = "block"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="blocks")
    other = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="blocked_by")
    kind = models.CharField(max_length=5, choices=Kind.choices)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=("user", "other"), name="block_once")]

    def __str__(self) -> str:
        return f"{self.kind} of {self.other} by {self.user}"


class Report(models.Model):
    """A complaint about somebody, for the administrators."""

    class Reason(models.TextChoices):
        LEAVING = "leaving"
        STALLING = "stalling"
        COLLUSION = "collusion"
        NAME = "name"
        PHRASES = "phrases"
        OTHER = "other"

    reporter = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    reported = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    game = models.ForeignKey("games.Game", null=True, blank=True, on_delete=models.SET_NULL)
    reason = models.CharField(max_length=10, choices=Reason.choices)
    text = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    handled_at = models.DateTimeField(null=True, blank=True)
    handled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    note = models.CharField(max_length=500, blank=True)

    class Meta:
        verbose_name = _("report")
        verbose_name_plural = _("reports")
        ordering = ("-created_at",)
        constraints = [
            models.UniqueConstraint(
                fields=("reporter", "reported", "game"), condition=Q(game__isnull=False), name="report_once_a_game"
            )
        ]

    def __str__(self) -> str:
        return f"{self.reason}: {self.reported}"


class MuteQuerySet(models.QuerySet["Mute"]):
    def in_force(self) -> MuteQuerySet:
        """Mutes that have not run out."""
        return self.filter(Q(until_at__isnull=True) | Q(until_at__gt=timezone.now()))


class Mute(models.Model):
    """Somebody whom an administrator has silenced for everybody: the user's phrases are told to nobody."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="mute")
    until_at = models.DateTimeField(null=True, blank=True)  # null: until it is lifted
    reason = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    objects = MuteQuerySet.as_manager()

    class Meta:
        verbose_name = _("mute")
        verbose_name_plural = _("mutes")

    def __str__(self) -> str:
        return f"mute of {self.user}"
