"""What is stored of the ranked queue: tickets, ready checks, invitations, how long others waited."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _


class ReadyCheck(models.Model):
    """Some who wait are to be seated together, if all of them say in time that they are there."""

    ladder = models.ForeignKey("ladder.Ladder", on_delete=models.CASCADE)
    cpus = models.PositiveSmallIntegerField(default=0)
    until = models.DateTimeField()

    def __str__(self) -> str:
        return f"ready check {self.pk} of {self.ladder}"


class Ticket(models.Model):
    """Somebody waits for a ranked game: one for each user, whatever the ladder and however many pages are open.

    It ends by leaving, by silence, by a missed ready check, or with a seat.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="ticket"
    )
    ladder = models.ForeignKey("ladder.Ladder", on_delete=models.CASCADE)
    rating = models.DecimalField(max_digits=7, decimal_places=2)
    takes_cpu = models.BooleanField(default=False)
    partner = models.OneToOneField("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    joined_at = models.DateTimeField()
    seen_at = models.DateTimeField()
    ready_check = models.ForeignKey(
        ReadyCheck, null=True, blank=True, on_delete=models.SET_NULL, related_name="tickets"
    )
    is_ready = models.BooleanField(default=False)

    class Meta:
        verbose_name = _("ticket of the queue")
        verbose_name_plural = _("tickets of the queue")
        constraints = [models.CheckConstraint(condition=~Q(partner=F("user")), name="ticket_not_own_partner")]

    def __str__(self) -> str:
        return f"{self.user} waits for {self.ladder}"


class Invite(models.Model):
    """Somebody asks another to be his partner in the queue: one at a time."""

    inviter = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="+"
    )
    invited = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    ladder = models.ForeignKey("ladder.Ladder", on_delete=models.CASCADE)
    until = models.DateTimeField()
    is_declined = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"{self.inviter} invites {self.invited}"


class Wait(models.Model):
    """How long somebody waited before he was seated. Kept for a day, to tell others what to expect."""

    ladder = models.ForeignKey("ladder.Ladder", on_delete=models.CASCADE)
    seconds = models.PositiveIntegerField()
    at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=("ladder", "-at"), name="wait_recent")]

    def __str__(self) -> str:
        return f"{self.seconds} s for {self.ladder}"
