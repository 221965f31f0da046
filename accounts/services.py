"""Every write about users."""

from __future__ import annotations

import hashlib
import secrets
from contextlib import suppress

from django.conf import settings
from django.contrib.auth import login
from django.core.cache import cache
from django.db import connection, transaction
from django.http import HttpRequest
from django.utils.translation import gettext
from redis.exceptions import RedisError

from accounts import limits
from accounts.models import User

#: For so long a second request of the same browser, which had no session yet, is the same guest's.
ONE_VISITOR_S = 10
_BACKEND = "django.contrib.auth.backends.ModelBackend"


def player_of(request: HttpRequest) -> User:
    """The user of a request, or a new guest tied to the browser.

    Call it where somebody plays, never for a mere visit. Raises TooMany.
    """
    if isinstance(request.user, User):
        return request.user
    token = request.META.get("CSRF_COOKIE")
    with transaction.atomic():
        guest = _just_made(token) or _make_guest(request)
        _note_made(token, guest)
    login(request, guest, backend=_BACKEND)
    if token is not None:
        # A guest has nothing that a form from before could take: other tabs of this visitor keep working.
        request.META["CSRF_COOKIE"] = token
    return guest


def is_new(request: HttpRequest) -> bool:
    """Whether `player_of` would have to make a guest: nobody is signed in, nor was a guest made a moment ago."""
    if isinstance(request.user, User):
        return False
    with transaction.atomic():
        return _just_made(request.META.get("CSRF_COOKIE")) is None


def lock(name: str) -> None:
    """Waits for whoever else has this name locked, in any process; until the end of the transaction."""
    with connection.cursor() as cursor:
        cursor.execute("select pg_advisory_xact_lock(hashtextextended(%s, 0))", (name,))


def _just_made(token: str | None) -> User | None:
    """The guest that another request of this browser has just been given, as on a double click."""
    if token is None:
        return None
    lock(f"guest {token}")
    try:
        number = cache.get(_made_key(token))
    except RedisError:
        return None
    return User.objects.filter(pk=number, is_guest=True).first() if number else None


def _note_made(token: str | None, guest: User) -> None:
    if token is not None:
        with suppress(RedisError):
            cache.set(_made_key(token), guest.pk, ONE_VISITOR_S)


def _made_key(token: str) -> str:
    return f"guest:{hashlib.sha256(token.encode()).hexdigest()}"


def _make_guest(request: HttpRequest) -> User:
    limits.count("guests", limits.address_of(request), settings.GUESTS_A_MINUTE)
    guest = User(
        username=f"guest-{secrets.token_hex(12)}",
        # Translators: the name of a player without an account; the number tells guests apart.
        display_name=gettext("Guest %(number)s") % {"number": secrets.randbelow(9000) + 1000},
        is_guest=True,
        locale=getattr(request, "LANGUAGE_CODE", ""),
    )
    guest.set_unusable_password()
    guest.save()
    return guest
