"""What is stored of daily deals: the deal of a day, what its cards come from, and who has tried it."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class DailyDeal(models.Model):
    """The same cards for everybody, of one kind on one day in Tokyo. Rules and CPU players are frozen with the row."""

    day = models.DateField()
    kind = models.CharField(max_length=16)
    preset_version = models.ForeignKey("games.PresetVersion", on_delete=models.PROTECT)
    cpu_level = models.CharField(max_length=16)
    cpu_version = models.CharField(
        max_length=16
    )  # what their choices come from: see `games.daily.services.cpu_version`
    commitment = models.CharField(max_length=64)  # SHA-256 of the secret, shown before the first game
    code = models.CharField(max_length=24, blank=True)  # the game code, once the day is over
    secret = models.CharField(max_length=64, blank=True)  # as hex, once the day is over
    published_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=("day", "kind"), name="daily_deal_of_day")]
        verbose_name = _("daily deal")
        verbose_name_plural = _("daily deals")

    def __str__(self) -> str:
        return f"{self.kind} of {self.day}"


class DailySecret(models.Model):
    """What the cards of a daily deal come from. A row of its own, so that whoever reads a deal has not read this."""

    daily = models.OneToOneField(DailyDeal, on_delete=models.CASCADE, primary_key=True)
    code = models.CharField(max_length=24)
    secret = models.BinaryField()

    def __str__(self) -> str:
        return f"secret of {self.daily_id}"


class DailyTry(models.Model):
    """One user's one game of a daily deal, and how it went: written when the game ends."""

    daily = models.ForeignKey(DailyDeal, on_delete=models.PROTECT, related_name="tries")
    #: Null: somebody has tried it as a guest and with his account, and this one, the later, counts for nothing.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT)
    game = models.OneToOneField("games.Game", on_delete=models.PROTECT, related_name="daily_try")
    began_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)
    is_late = models.BooleanField(default=False)  # the day was over before the game
    is_sealed = models.BooleanField(default=True)  # the game code is not with the game yet
    place = models.PositiveSmallIntegerField(null=True, blank=True)  # null: without a result
    score = models.IntegerField(null=True, blank=True)  # of the own side
    edge = models.IntegerField(null=True, blank=True)  # what decides between equal places; more is better
    deals = models.JSONField(default=list)  # what each deal has brought the own side

    class Meta:
        constraints = [models.UniqueConstraint(fields=("daily", "user"), name="daily_try_once")]
        indexes = [
            models.Index(fields=("daily", "place", "-edge"), name="daily_board"),
            models.Index(
                fields=("daily",), condition=Q(is_sealed=True, ended_at__isnull=False), name="daily_to_publish"
            ),
        ]

    def __str__(self) -> str:
        return f"try of {self.daily_id} by {self.user_id}"
