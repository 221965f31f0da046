"""Users: registered players, and guests tied to a browser."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils.translation import gettext_lazy as _


class User(AbstractUser):
    """Somebody who holds seats. A guest has no password and is known by the session alone."""

    display_name = models.CharField(_("display name"), max_length=40, blank=True)
    locale = models.CharField(_("language"), max_length=8, blank=True)
    is_guest = models.BooleanField(_("guest"), default=False)

    def __str__(self) -> str:
        return self.display_name or self.username
