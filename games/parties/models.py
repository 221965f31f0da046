"""What is stored of parties: people and settings that outlive one game."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Party(models.Model):
    """People and settings that outlive one game: a table that is made, shared by a link and played at again."""

    code = models.CharField(max_length=12, unique=True)  # drawn by whoever makes the party: `games.parties.codes`
    host = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    preset_version = models.ForeignKey("games.PresetVersion", on_delete=models.PROTECT)
    options = models.JSONField(
        default=dict, help_text="what the next game is played with; only differences from defaults"
    )
    players = models.PositiveSmallIntegerField(null=True, blank=True, help_text="null: as many as sit")
    timer_s = models.PositiveSmallIntegerField(default=0)
    cpu_level = models.CharField(max_length=16, default="normal")
    may_watch = models.BooleanField(default=True)
    is_listed = models.BooleanField(default=False)
    is_closed = models.BooleanField(default=False)
    #: Raised by every change of what the next game is played with; whoever is ready is so for one revision.
    revision = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(default=timezone.now)
    touched_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("party")
        verbose_name_plural = _("parties")
        indexes = [models.Index(fields=("touched_at",), condition=Q(is_closed=False), name="party_open")]

    def __str__(self) -> str:
        return f"party {self.code}"

    @property
    def kind(self) -> str:
        """The kind that is played."""
        return self.preset_version.preset.kind


class PartyMember(models.Model):
    """Somebody who sits at a party, by seat of the next game; or who was sent away from it."""

    party = models.ForeignKey(Party, on_delete=models.CASCADE, related_name="members")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    seat = models.PositiveSmallIntegerField(null=True, blank=True)  # null: sent away, may not come back
    ready_for = models.PositiveIntegerField(default=0)  # the revision of the settings that was agreed to
    joined_at = models.DateTimeField(default=timezone.now)
    seen_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=("party", "user"), name="party_user"),
            models.UniqueConstraint(
                fields=("party", "seat"), name="party_seat", deferrable=models.Deferrable.DEFERRED
            ),  # at the commit, so that two may change places
            models.CheckConstraint(condition=Q(seat__isnull=True) | Q(seat__lte=6), name="party_seat_exists"),
        ]

    def __str__(self) -> str:
        return f"{self.user} at {self.party}"
