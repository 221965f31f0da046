"""Users: registered players, and guests tied to a browser."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class User(AbstractUser):
    """Somebody who holds seats. A guest has no password and is known by the session alone.

    A closed account stays as a row without anything personal, since games of others refer to it.
    """

    display_name = models.CharField(_("display name"), max_length=40, blank=True)
    #: What the name looks like (`accounts.names.skeleton`); empty for guests and closed accounts.
    name_key = models.CharField(max_length=120, blank=True, editable=False)
    name_changed_at = models.DateTimeField(null=True, blank=True, editable=False)
    locale = models.CharField(_("language"), max_length=8, blank=True)
    table_settings = models.JSONField(default=dict, blank=True)
    is_guest = models.BooleanField(_("guest"), default=False)
    closed_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta(AbstractUser.Meta):
        constraints = [models.UniqueConstraint(fields=("name_key",), condition=~Q(name_key=""), name="user_name_key")]

    def __str__(self) -> str:
        return self.display_name or self.username

    @property
    def is_member(self) -> bool:
        """Whether somebody has an account, and not just a seat in this browser."""
        return not self.is_guest and self.closed_at is None


class SessionEnd(models.Model):
    """A session that is over, or goes on under another key: its open sockets have to know. Kept for a day.

    Session keys open doors, so only their digests are stored.
    """

    session = models.CharField(max_length=64)
    became = models.CharField(max_length=64, blank=True)
    at = models.DateTimeField(default=timezone.now, db_index=True)

    def __str__(self) -> str:
        return f"end of session {self.session[:8]}"
