"""Every write about users."""

from __future__ import annotations

import secrets

from django.contrib.auth import login
from django.http import HttpRequest
from django.utils.translation import gettext

from accounts.models import User

_BACKEND = "django.contrib.auth.backends.ModelBackend"


def player_of(request: HttpRequest) -> User:
    """The user of a request, or a new guest tied to the browser.

    Call it where somebody plays, never for a mere visit.
    """
    if isinstance(request.user, User):
        return request.user
    guest = User(
        username=f"guest-{secrets.token_hex(12)}",
        # Translators: the name of a player without an account; the number tells guests apart.
        display_name=gettext("Guest %(number)s") % {"number": secrets.randbelow(9000) + 1000},
        is_guest=True,
        locale=getattr(request, "LANGUAGE_CODE", ""),
    )
    guest.set_unusable_password()
    guest.save()
    token = request.META.get("CSRF_COOKIE")
    login(request, guest, backend=_BACKEND)
    if token is not None:
        # A guest has nothing that a form from before could take: other tabs of this visitor keep working.
        request.META["CSRF_COOKIE"] = token
    return guest
