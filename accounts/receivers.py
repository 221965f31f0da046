"""What happens to sessions when somebody logs out or gets a new password."""

from __future__ import annotations

from typing import Any

from allauth.account.signals import password_changed, password_reset, password_set
from allauth.usersessions.models import UserSession
from django.contrib.auth.signals import user_logged_out
from django.db.models.signals import post_delete
from django.dispatch import receiver
from django.http import HttpRequest

from accounts import members, sessions
from accounts.models import User


@receiver(user_logged_out)
def close_sockets(request: HttpRequest, **_kwargs: Any) -> None:
    """Sent before the session is emptied."""
    key = request.session.session_key
    if not UserSession.objects.filter(session_key=key).delete()[0]:
        sessions.end(key)  # one that is not among the devices, which tell of their own end


@receiver(post_delete, sender=UserSession)
def close_sockets_elsewhere(instance: UserSession, **_kwargs: Any) -> None:
    """Logged out from another browser, or found to be over."""
    sessions.end(instance.session_key)


@receiver((password_changed, password_set))
def end_other_sessions(request: HttpRequest, user: User, **_kwargs: Any) -> None:
    """Whoever knew the old password is out; this browser goes on under a new key."""
    key = request.session.session_key
    sessions.move(getattr(request, "session_key_before", None), key)
    members.end_sessions(user, but=key)


@receiver(password_reset)
def end_all_sessions(user: User, **_kwargs: Any) -> None:
    """A password that had to be reset may be in wrong hands."""
    members.end_sessions(user)
