"""Visitors who use the pages of accounts as a browser does, with CSRF checks."""

from __future__ import annotations

import re
from typing import Any

from django.core import mail
from django.test import Client

from accounts.models import User

PASSWORD = "a long walk by the sea"


class Visitor:
    """A browser."""

    def __init__(self, language: str = "en", **headers: str) -> None:
        self.client = Client(enforce_csrf_checks=True, headers={"accept-language": language, **headers})

    def get(self, path: str) -> Any:
        return self.client.get(path)

    def text(self, path: str) -> str:
        answer = self.client.get(path)
        assert answer.status_code == 200, (path, answer.status_code, answer.headers.get("Location"))
        return str(answer.content.decode())

    def post(self, path: str, *, page: str = "", **fields: str) -> Any:
        """Sends a form with the token of the page it is on."""
        found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', self.text(page or path))
        assert found is not None
        return self.client.post(path, {"csrfmiddlewaretoken": found[1], **fields})

    @property
    def session_key(self) -> str | None:
        morsel = self.client.cookies.get("sessionid")
        return morsel.value if morsel else None

    @property
    def user(self) -> User | None:
        pk = self.client.session.get("_auth_user_id")
        return User.objects.get(pk=pk) if pk else None

    def sign_up(self, name: str, email: str = "", password: str = PASSWORD) -> Any:
        email = email or f"{name.lower()}@example.org"
        return self.post("/account/signup/", display_name=name, email=email, password1=password)

    def log_in(self, email: str, password: str = PASSWORD, **fields: str) -> Any:
        return self.post("/account/login/", login=email, password=password, **fields)

    def confirm(self) -> Visitor:
        """Types the password again, as what cannot be undone asks for."""
        assert self.post("/account/reauthenticate/", password=PASSWORD).status_code == 302
        return self

    def log_out(self) -> Any:
        return self.post("/account/logout/")

    def play(self, kind: str = "hearts") -> int:
        """Starts a game as whoever this is, and tells its number."""
        answer = self.post(f"/play/{kind}/", page="/")
        return int(answer["Location"].strip("/").split("/")[-1])


def member(name: str = "Rosalind") -> Visitor:
    """A browser that has signed up."""
    visitor = Visitor()
    answer = visitor.sign_up(name)
    assert answer.status_code == 302, errors(answer)
    return visitor


def errors(answer: Any) -> list[str]:
    """What a form says is wrong."""
    return re.findall(r'<ul class="errorlist[^>]*>\s*<li>(.*?)</li>', answer.content.decode())


def link_in_mail(pattern: str) -> str:
    """The path of a link in the latest mail."""
    found = re.search(rf"https?://[^/\s]+({pattern}\S*)", str(mail.outbox[-1].body))
    assert found is not None, mail.outbox[-1].body
    return found[1]
