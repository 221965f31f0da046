"""Opens tables of four users each, straight in the database, and prints them as JSON for tests/bench/tables.py.

A program of its own, so that the load client carries no Django. Run: python -m tests.bench.seating [tables]
"""

from __future__ import annotations

import json
import os
import secrets
import sys

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY  # noqa: E402 - needs the apps
from django.contrib.sessions.backends.db import SessionStore  # noqa: E402
from django.contrib.sessions.models import Session  # noqa: E402

from accounts.models import User  # noqa: E402
from games.log import openings, services  # noqa: E402

#: The longest game that the options allow, so that none ends while it is measured.
OPTIONS = {"end_score": 300}


def make_users(count: int) -> list[User]:
    """Guests that nobody else has."""
    run = secrets.token_hex(6)
    made = [User(username=f"bench-{run}-{number}", display_name=f"P{number}", is_guest=True) for number in range(count)]
    for user in made:
        user.set_unusable_password()
    return User.objects.bulk_create(made)


def sign_in(users: list[User]) -> list[str]:
    """A session for each user; returns the keys, which are what browsers hold."""
    rows: list[Session] = []
    for user in users:
        store = SessionStore()
        store[SESSION_KEY] = str(user.pk)
        store[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
        store[HASH_SESSION_KEY] = user.get_session_auth_hash()
        row = store.create_model_instance(dict(store.items()))
        assert isinstance(row, Session)
        rows.append(row)
    return [row.session_key for row in Session.objects.bulk_create(rows)]


def main() -> None:
    count = int(sys.argv[1])
    users = make_users(4 * count)
    keys = sign_in(users)
    tables = []
    for number in range(count):
        four = slice(4 * number, 4 * number + 4)
        game = services.open_game(kind="hearts", seats=users[four], options=OPTIONS)
        for seat in range(4):
            openings.add_nonce(game_id=game.pk, seat=seat, nonce=secrets.token_hex(16))
        tables.append({"game": game.pk, "sessions": keys[four]})
    print(json.dumps(tables))


if __name__ == "__main__":
    main()
