"""Attacks on log-in and accounts that are refused."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core import mail

from accounts.models import User
from tests.accounts.people import PASSWORD, Visitor, errors, member

pytestmark = pytest.mark.django_db


def shown(answer: Any) -> str:
    """A page without what differs each time, and without what was typed."""
    return re.sub(r'value="[^"]*"', "", answer.content.decode())


# --- enumeration ------------------------------------------------------------------------------------------------------


def test_a_wrong_password_and_an_unknown_address_are_answered_alike() -> None:
    member()
    known = Visitor().log_in("rosalind@example.org", "wrong password")
    unknown = Visitor().log_in("nobody@example.org", "wrong password")
    assert known.status_code == unknown.status_code == 200
    assert shown(known) == shown(unknown)


def test_an_unknown_address_costs_as_much_work_as_a_known_one(monkeypatch: pytest.MonkeyPatch) -> None:
    hashed: list[str] = []
    member()
    for name in ("set_password", "check_password"):
        monkeypatch.setattr(User, name, _counted(getattr(User, name), hashed))
    Visitor().log_in("rosalind@example.org", "wrong password")
    work, hashed[:] = len(hashed), []
    Visitor().log_in("nobody@example.org", "wrong password")
    assert len(hashed) == work == 1


def _counted(method: Any, calls: list[str]) -> Any:
    def counted(self: User, raw: str) -> Any:
        calls.append(method.__name__)
        return method(self, raw)

    return counted


def test_a_reset_does_not_tell_whether_an_address_has_an_account() -> None:
    member()
    mail.outbox.clear()
    answers = [
        Visitor().post("/account/password/reset/", email=f"{name}@example.org") for name in ("rosalind", "nobody")
    ]
    assert answers[0].status_code == answers[1].status_code == 302
    assert answers[0]["Location"] == answers[1]["Location"]
    assert len(mail.outbox) == 2, "both get a mail, so both take as long"


def test_signing_up_does_not_tell_whether_an_address_has_an_account() -> None:
    member()
    known = Visitor().sign_up("Orlando", "rosalind@example.org")
    unknown = Visitor().sign_up("Celia", "nobody@example.org")
    assert (known.status_code, known["Location"]) == (unknown.status_code, unknown["Location"]) == (302, "/")
    owner = User.objects.get(display_name="Rosalind")
    assert owner.check_password(PASSWORD)


def test_a_second_account_with_an_address_does_not_get_into_the_first() -> None:
    member()
    Visitor().sign_up("Orlando", "rosalind@example.org", "the thief's password")
    thief, owner = Visitor(), Visitor()
    thief.log_in("rosalind@example.org", "the thief's password")
    owner.log_in("rosalind@example.org")
    assert thief.user is not None
    assert owner.user is not None
    assert (thief.user.display_name, owner.user.display_name) == ("Orlando", "Rosalind")


# --- brute force ------------------------------------------------------------------------------------------------------


def test_passwords_of_one_account_cannot_be_tried_on_and_on() -> None:
    member()
    for _ in range(5):
        Visitor().log_in("rosalind@example.org", "wrong password")
    answer = Visitor().log_in("rosalind@example.org")
    assert answer.status_code == 200, "not even the right one"
    assert "Too many failed" in " ".join(errors(answer))


def test_one_address_cannot_try_many_accounts() -> None:
    answers = [Visitor().log_in(f"somebody{number}@example.org", "wrong password") for number in range(31)]
    assert answers[0].status_code == 200
    assert answers[-1].status_code == 429 or "Too many" in answers[-1].content.decode()


def test_a_forwarded_address_is_not_believed_without_a_proxy() -> None:
    answers = []
    for number in range(12):
        visitor = Visitor(**{"x-forwarded-for": f"198.51.100.{number}"})
        answers.append(visitor.log_in(f"somebody{number}@example.org", "wrong password"))
    assert "Too many" in answers[-1].content.decode()


def test_administrators_have_no_other_door() -> None:
    User.objects.create_superuser("chief", "chief@example.org", PASSWORD)
    answer = Visitor().get("/admin/login/")
    assert answer.status_code == 302
    assert answer["Location"].startswith("/account/login/")
    visitor = Visitor()
    assert visitor.log_in("chief@example.org").status_code == 302
    assert visitor.get("/admin/").status_code == 200


# --- sessions, forms, addresses ---------------------------------------------------------------------------------------


def test_a_session_that_was_planted_before_is_not_the_one_after_logging_in() -> None:
    member()
    visitor = Visitor()
    visitor.play()  # a guest's session, whose key somebody else may have planted
    planted = visitor.session_key
    visitor.log_in("rosalind@example.org")
    assert visitor.session_key not in (None, planted)
    thief = Visitor()
    thief.client.cookies["sessionid"] = str(planted)
    assert thief.get("/account/").status_code == 302


def test_a_session_that_was_planted_before_is_not_the_one_after_signing_up() -> None:
    visitor = Visitor()
    game = visitor.play()
    planted = visitor.session_key
    visitor.sign_up("Rosalind")
    assert visitor.session_key not in (None, planted)
    thief = Visitor()
    thief.client.cookies["sessionid"] = str(planted)
    assert thief.get("/account/").status_code == 302
    assert thief.get(f"/game/{game}/").status_code == 404


@pytest.mark.parametrize(
    "path",
    ["/account/login/", "/account/signup/", "/account/logout/", "/account/password/reset/", "/account/close/",
     "/account/email/",     "/account/", "/account/sessions/", "/table-settings/", "/i18n/setlang/"],
)  # fmt: skip
def test_no_form_is_taken_from_another_site(path: str) -> None:
    visitor = member()
    assert visitor.client.post(path, {"sure": "on", "language": "ja"}).status_code == 403
    assert User.objects.get().is_active


@pytest.mark.parametrize(
    "there",
    ["https://evil.example/", "//evil.example/", "/\\evil.example/", "https:evil.example", "javascript:alert(1)",
     "http:///evil.example", "\x00//evil.example", " https://evil.example"],
)  # fmt: skip
def test_nobody_is_led_to_another_site_after_logging_in(there: str) -> None:
    member()
    answer = Visitor().log_in("rosalind@example.org", next=there)
    assert answer.status_code == 302
    assert answer["Location"] == "/"


def test_within_the_site_one_is_led_where_one_wanted_to_go() -> None:
    member()
    assert Visitor().log_in("rosalind@example.org", next="/account/sessions/")["Location"] == "/account/sessions/"


def test_mails_are_not_made_with_a_host_that_is_not_ours() -> None:
    member()
    mail.outbox.clear()
    visitor = Visitor()
    visitor.text("/account/password/reset/")
    fields = {
        "email": "rosalind@example.org",
        "csrfmiddlewaretoken": str(visitor.client.cookies["csrftoken"].value),
    }
    answer = visitor.client.post("/account/password/reset/", fields, headers={"host": "evil.example"})
    assert answer.status_code == 400
    headers = {"x-forwarded-host": "evil.example"}
    assert visitor.client.post("/account/password/reset/", fields, headers=headers).status_code == 302
    assert [message for message in mail.outbox if "evil" in str(message.body)] == []
    assert len(mail.outbox) == 1


@pytest.mark.parametrize(
    "email", ["a@b.example\nBcc: all@example.org", "x" * 300 + "@example.org", "no address", "a@b\x00.org"]
)
def test_an_address_that_is_none_is_refused(email: str) -> None:
    answer = Visitor().sign_up("Rosalind", email)
    assert answer.status_code == 200
    assert errors(answer)
    assert User.objects.count() == 0
    assert mail.outbox == []


@pytest.mark.parametrize("size", [5_000, 1_000_000])
def test_oversized_names_and_passwords_are_refused_or_harmless(size: int) -> None:
    answer = Visitor().sign_up("x" * size, "somebody@example.org")
    assert errors(answer)
    answer = Visitor().log_in("x" * size, "y" * size)
    assert answer.status_code == 200
    assert User.objects.count() == 0


def test_pages_with_passwords_are_not_framed_cached_or_scripted_from_elsewhere() -> None:
    answer = Visitor().get("/account/login/")
    assert "frame-ancestors 'none'" in answer["Content-Security-Policy"]
    assert "script-src" not in answer["Content-Security-Policy"], "default-src is the site itself"
    assert "no-store" in answer["Cache-Control"]
    assert answer["X-Frame-Options"] == "DENY"
    assert answer["Referrer-Policy"] == "same-origin"
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_a_name_is_text_in_every_page_and_mail() -> None:
    visitor = member()
    User.objects.update(display_name="<b>Rosalind")
    assert "<b>Rosalind" not in visitor.text("/account/")
    assert "<b>Rosalind" not in visitor.text("/")


def test_a_session_of_a_locked_account_is_good_for_nothing() -> None:
    visitor = member()
    User.objects.update(is_active=False)
    assert visitor.get("/account/").status_code == 302
