"""Everything that is stored about a user, as JSON and as text for reading, part by part."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.utils.translation import gettext

from accounts.models import User
from accounts.signals import exporting

FORMAT = 1


def everything(user: User) -> dict[str, Any]:
    """Sections by title: the account, and what the other apps answer. Secrets (password, keys) are not in it.

    A section of many things is an iterator.
    """
    answers: list[Any] = exporting.send(User, user=user)
    sections = {"format": FORMAT, "account": _account(user)}
    for _, (title, found) in answers:
        sections[title] = found
    return sections


def _account(user: User) -> dict[str, Any]:
    return {
        "id": user.pk,
        "name": user.display_name,
        "name_changed_at": _time(user.name_changed_at),
        "email_addresses": [
            {"email": address.email, "confirmed": address.verified, "primary": address.primary}
            for address in EmailAddress.objects.filter(user=user).order_by("pk")
        ],
        "language": user.locale,
        "table_settings": user.table_settings,
        "joined_at": _time(user.date_joined),
        "last_login_at": _time(user.last_login),
        "second_factors": [
            {"type": found.type, "added_at": _time(found.created_at), "used_at": _time(found.last_used_at)}
            for found in Authenticator.objects.filter(user=user).order_by("pk")
        ],
        "sessions": [
            {
                "began_at": _time(session.created_at),
                "seen_at": _time(session.last_seen_at),
                "ip": session.ip,
                "browser": session.user_agent,
            }
            for session in UserSession.objects.filter(user=user).order_by("pk")
        ],
    }


def _time(at: Any) -> str | None:
    return at.isoformat() if at else None


def as_json(sections: dict[str, Any]) -> Iterator[bytes]:
    """The sections as one JSON object, in parts of bounded size."""
    for number, (title, value) in enumerate(sections.items()):
        yield f"{',' if number else '{'}\n{json.dumps(title)}: ".encode()
        if isinstance(value, Iterator):
            yield b"["
            for place, each in enumerate(value):
                yield f"{',' if place else ''}\n{_json(each)}".encode()
            yield b"\n]"
        else:
            yield _json(value).encode()
    yield b"\n}\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def as_text(sections: dict[str, Any]) -> Iterator[bytes]:
    """The same for a reader: one line for each value, indented by what it belongs to."""
    return _text(gettext("Everything that Moonshot stores about you"), sections)


def _text(title: str, sections: dict[str, Any]) -> Iterator[bytes]:
    yield f"{title}\n\n".encode()
    for name, value in sections.items():
        if isinstance(value, Iterator):
            yield f"{name}:\n".encode()
            for each in value:
                yield _joined(_lines([each], 1))
        else:
            yield _joined(_lines({name: value}, 0))


def _joined(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _lines(value: Any, depth: int) -> list[str]:
    indent = "  " * depth
    if isinstance(value, dict):
        found = []
        for key, inner in value.items():
            if isinstance(inner, (dict, list)) and inner:
                found += [f"{indent}{key}:", *_lines(inner, depth + 1)]
            else:
                found.append(f"{indent}{key}: {_plain(inner)}")
        return found
    if isinstance(value, list):
        if all(not isinstance(inner, (dict, list)) for inner in value):
            return [f"{indent}{', '.join(map(_plain, value))}"]
        found = []
        for inner in value:
            if isinstance(inner, dict) and not any(isinstance(each, (dict, list)) for each in inner.values()):
                found.append(f"{indent}- " + ", ".join(f"{key} {_plain(each)}" for key, each in inner.items()))
                continue
            first, *rest = _lines(inner, depth + 1) or [""]
            found += [f"{indent}- {first.strip()}", *rest]
        return found
    return [f"{indent}{_plain(value)}"]


def _plain(value: Any) -> str:
    if value is None or value == [] or value == {}:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    # A name or browser cannot pretend to be another line.
    return " ".join(str(value).split())
