"""Forms of accounts. Names are judged by `accounts.names`; each refusal has its sentence here."""

from __future__ import annotations

from typing import Any

from allauth.account import forms as allauth_forms
from allauth.mfa.webauthn.forms import AddWebAuthnForm
from django import forms
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest
from django.utils import translation
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts import members, names
from accounts.models import User

#: Why a name is refused.
NAME_REFUSED = {
    "too_short": _("A name has at least two characters, or one kanji."),
    "too_long": _("A name has at most twenty characters."),
    "characters": _("Letters, digits, spaces and the signs - _ . ' ・ may be in a name; this one has something else."),
    "letters": _("A name needs a letter."),
    "mixed": _("This name mixes scripts that look alike, such as Latin and Cyrillic letters."),
    "reserved": _("This name could be taken for a part of the site. Please choose another."),
    "taken": _("Somebody has this name, or one that looks like it. Please choose another."),
}


class NameField(forms.CharField):
    """A display name, cleaned or refused with a sentence."""

    def __init__(self, **kwargs: Any) -> None:
        attributes = {"autocomplete": "nickname", "maxlength": names.LONGEST, "spellcheck": "false"}
        super().__init__(
            label=_("Name"),
            help_text=_("What other players see, at most twenty characters."),
            widget=forms.TextInput(attrs=attributes),
            **kwargs,
        )

    def to_python(self, value: Any) -> Any:
        """Oversized text is refused before anything is done with it."""
        raw = super().to_python(value)
        if not raw:
            return raw
        try:
            return names.clean(raw)
        except names.BadName as bad:
            raise ValidationError(NAME_REFUSED[bad.code], code=bad.code) from None


class SignupForm(allauth_forms.SignupForm):
    """E-mail address, password, and the name that others see."""

    field_order = ("display_name", "email", "password1")
    display_name = NameField()

    def clean_display_name(self) -> str:
        """The name, if it is free."""
        name: str = self.cleaned_data["display_name"]
        if not members.is_name_free(name):
            raise ValidationError(NAME_REFUSED["taken"], code="taken")
        return name

    def save(self, request: HttpRequest) -> User:
        """The new account, whole or not at all."""
        with transaction.atomic():
            member: User = super().save(request)
            members.name_member(
                member=member, name=self.cleaned_data["display_name"], locale=translation.get_language() or ""
            )
        return member


class AddPasskeyForm(AddWebAuthnForm):
    """A passkey, unless its owner wants it as a second factor only."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].label = gettext("Name")
        self.fields["passwordless"].label = gettext("Sign in with it alone, without a password")
        self.fields["passwordless"].initial = True


class NameForm(forms.Form):
    """Another display name."""

    display_name = NameField()

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["display_name"] = user.display_name
        self.user = user

    def clean(self) -> dict[str, Any]:
        """Renames, so that what the database refuses is told at the field."""
        name = self.cleaned_data.get("display_name")
        if name:
            try:
                members.rename(user=self.user, name=name)
            except members.NameTaken:
                self.add_error("display_name", ValidationError(NAME_REFUSED["taken"], code="taken"))
            except members.NameKept as kept:
                day = date_format(localtime(kept.until), "DATE_FORMAT")
                text = gettext("A name can be changed once in 30 days: this one from %(day)s on.") % {"day": day}
                self.add_error("display_name", ValidationError(text, code="kept"))
        return self.cleaned_data


class CloseForm(forms.Form):
    """The last question before an account is deleted."""

    sure = forms.BooleanField(label=_("Yes, delete my account. This cannot be undone."))
