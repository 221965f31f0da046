"""Where django-allauth meets guests, sockets and languages."""

from __future__ import annotations

import logging
import smtplib
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import SESSION_KEY
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.translation import gettext, ngettext

from accounts import limits, members, sessions
from accounts.middleware import guest_of
from accounts.models import User

EMAIL_LENGTH = 254

logger = logging.getLogger(__name__)


class AccountAdapter(DefaultAccountAdapter):
    """The site's own steps in what allauth does."""

    def new_user(self, request: HttpRequest) -> User:
        """A guest who signs up keeps his row, and with it his games and open sockets."""
        return members.member_from(guest_of(request))

    def login(self, request: HttpRequest, user: User) -> None:
        """Logs in; what the guest of this browser has goes to the account."""
        before, guest = request.session.session_key, guest_of(request)
        stays = guest is not None or request.session.get(SESSION_KEY) == str(user.pk)
        super().login(request, user)
        if not request.session.session_key:
            request.session.save()
        if stays:
            sessions.move(before, request.session.session_key)
        else:
            sessions.end(before)
        if guest is not None and guest.pk != user.pk:
            left = members.merge_guest(guest=guest, member=user)
            if left:
                self.add_message(request, messages.WARNING, message=_seats_left(left))

    def post_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse:
        """The account's language comes with it; one without takes that of the page."""
        response = super().post_login(request, user, **kwargs)
        if user.locale:
            set_language_cookie(response, user.locale)
        else:
            members.remember_language(user, translation.get_language() or "")
        return response

    def clean_email(self, email: str) -> str:
        """An address that is longer than its column would be cut, which makes it another one."""
        if len(email) > EMAIL_LENGTH:
            raise ValidationError(gettext("This e-mail address is too long."), code="too_long")
        return str(super().clean_email(email))

    def get_client_ip(self, request: HttpRequest) -> str:
        """What limits on tries go by."""
        return limits.address_of(request)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """A mail server that fails must not make an account fail; whoever waits for the mail is told."""
        try:
            super().send_mail(template_prefix, email, context)
        except (smtplib.SMTPException, OSError) as error:
            logger.error("no mail sent: %s", error.__class__.__name__)
            request = context.get("request")
            if request is not None:
                text = gettext("The e-mail could not be sent. Please try again later.")
                self.add_message(request, messages.ERROR, message=text)


def set_language_cookie(response: HttpResponse, language: str) -> None:
    """As Django's own page for the choice of a language sets it."""
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        path=settings.LANGUAGE_COOKIE_PATH,
        secure=settings.LANGUAGE_COOKIE_SECURE,
        httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
        samesite=settings.LANGUAGE_COOKIE_SAMESITE,
    )


def _seats_left(number: int) -> str:
    return ngettext(
        "You had sat down twice in %(number)s game. The guest's seat there is left to a computer player.",
        "You had sat down twice in %(number)s games. The guest's seat there is left to a computer player.",
        number,
    ) % {"number": number}
