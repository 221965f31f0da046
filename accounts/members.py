"""Every write about members: from guest to member, names, settings, the end of an account."""

from __future__ import annotations

import re
import secrets
from datetime import datetime, timedelta
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext

from accounts import names
from accounts.models import User
from accounts.signals import closing, merging

#: A name may be changed so often.
NAME_KEPT = timedelta(days=30)
#: Settings that a browser may have, and how one is called.
MOST_SETTINGS = 30
SETTING_NAME = re.compile(r"[A-Za-z]{1,20}")
SETTING_TEXT = re.compile(r"[A-Za-z0-9-]{0,20}")


class NameTaken(Exception):
    """Somebody has this name, or one that looks like it."""


class NameKept(Exception):
    """The name was changed not long ago; it may be from `until` on."""

    def __init__(self, until: datetime) -> None:
        super().__init__(until)
        self.until = until


# --- names ------------------------------------------------------------------------------------------------------------


def is_name_free(name: str, user: User | None = None) -> bool:
    """Whether nobody else has a name that looks like this one."""
    taken = User.objects.filter(name_key=names.skeleton(name))
    return not (taken.exclude(pk=user.pk) if user is not None and user.pk else taken).exists()


def name_kept_until(user: User) -> datetime | None:
    """Until when a user has to keep his name; None if he may change it now."""
    if user.name_changed_at is None:
        return None
    until = user.name_changed_at + NAME_KEPT
    return until if until > timezone.now() else None


def rename(*, user: User, name: str) -> None:
    """Gives a user another name. Raises BadName, NameTaken or NameKept."""
    name = names.clean(name)
    with transaction.atomic():
        locked = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        if name == locked.display_name:
            return
        until = name_kept_until(locked)
        if until is not None:
            raise NameKept(until)
        _set_name(locked, name)
        locked.name_changed_at = timezone.now()
        locked.save(update_fields=("name_changed_at",))
    user.refresh_from_db()


def _set_name(user: User, name: str) -> None:
    """Stores a clean name. Raises NameTaken: the database has the last word."""
    user.display_name, user.name_key = name, names.skeleton(name)
    try:
        with transaction.atomic():
            user.save(update_fields=("display_name", "name_key"))
    except IntegrityError as error:
        if "user_name_key" not in str(error):
            raise
        raise NameTaken(name) from None


# --- from guest to member ---------------------------------------------------------------------------------------------


def member_from(guest: User | None) -> User:
    """The row of a new account, not saved: the guest's own if there is one, so that his games and sockets are kept."""
    member = guest if guest is not None else User()
    member.username = f"member-{secrets.token_hex(12)}"
    member.is_guest = False
    member.date_joined = timezone.now()
    return member


def name_member(*, member: User, name: str, locale: str) -> None:
    """A new account gets its name; should that be taken in this very moment, one that can be changed at once."""
    member.locale = locale
    member.save(update_fields=("locale",))
    try:
        _set_name(member, names.clean(name))
    except NameTaken:
        member.name_key = ""
        # Translators: the name of a new player until he chooses one; the number tells players apart.
        member.display_name = gettext("Player %(number)s") % {"number": secrets.randbelow(900000) + 100000}
        member.save(update_fields=("display_name", "name_key"))


def merge_guest(*, guest: User, member: User) -> int:
    """What a guest has goes to the account he logged in to. Returns how many things could not, such as a seat at a
    table where the account sits already; those stay with the guest, whom nobody can be any more.
    """
    with transaction.atomic():
        # In order of their ids, so that two log-ins cannot wait for each other.
        list(User.objects.select_for_update(no_key=True).filter(pk__in=(guest.pk, member.pk)).order_by("pk"))
        answers: list[Any] = merging.send(User, guest=guest, member=member)
        User.objects.filter(pk=guest.pk).update(is_active=False)
    return sum(left or 0 for _, left in answers)


# --- settings ---------------------------------------------------------------------------------------------------------


def remember_language(user: Any, language: str) -> None:
    """The language that somebody chose is his on every device."""
    if isinstance(user, User) and user.locale != language:
        User.objects.filter(pk=user.pk).update(locale=language)


def keep_table_settings(*, user: User, given: Any) -> None:
    """Stores what a player has set for his tables: switches, numbers and words by name. Raises ValueError."""
    if not isinstance(given, dict) or len(given) > MOST_SETTINGS:
        raise ValueError("not table settings")
    for name, value in given.items():
        if not SETTING_NAME.fullmatch(name):
            raise ValueError("not the name of a setting")
        is_text = isinstance(value, str) and SETTING_TEXT.fullmatch(value) is not None
        if not (is_text or isinstance(value, bool) or (isinstance(value, (int, float)) and abs(value) < 1_000)):
            raise ValueError(f"not a value of {name}")
    User.objects.filter(pk=user.pk).update(table_settings=given)


# --- the end ----------------------------------------------------------------------------------------------------------


def end_sessions(user: User, *, but: str | None = None) -> None:
    """Logs a user out everywhere, but for one session key. Their sockets close."""
    for session in UserSession.objects.filter(user=user).exclude(session_key=but or ""):
        session.end()


def close_account(*, user: User) -> None:
    """Deletes an account: all that is personal goes; the locked row stays, for the games of others."""
    with transaction.atomic():
        locked = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        closing.send(User, user=locked)
        end_sessions(locked)
        for left in (EmailAddress, Authenticator):
            left.objects.filter(user=locked).delete()
        for group in (locked.groups, locked.user_permissions):
            group.clear()
        # Translators: the name of a player who has deleted his account; the number tells them apart.
        locked.display_name = gettext("Former player %(number)s") % {"number": secrets.randbelow(900000) + 100000}
        locked.username = f"closed-{secrets.token_hex(12)}"
        locked.name_key = locked.first_name = locked.last_name = locked.email = locked.locale = ""
        locked.table_settings = {}
        locked.is_active = locked.is_staff = locked.is_superuser = False
        locked.last_login = locked.name_changed_at = None
        locked.closed_at = timezone.now()
        locked.set_unusable_password()
        locked.save()
