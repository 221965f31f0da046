"""Two ladders with many people, a season and one busy player: what pages are looked at with.

As a program it fills the database of a running site and says who the player is and by which session he is known.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
    import django

    django.setup()

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.utils import timezone

from accounts.models import User
from ladder.models import RatingChange
from ladder.rating import services
from ladder.rating.standing import season_of
from tests.ladder import crowd
from tests.ladder.crowd import Part
from tests.ladder.finished import ladder, members, ranked

NAMES = ("Aki", "月見うさぎ", "Maximilian Longname2", "さくら")
OTHERS = 130


def fill() -> User:
    """The busy player: sixty games, of late a draw of luck, one that somebody left, one that was taken back."""
    rng = random.Random(5)
    hearts = ladder()
    users = members()
    for user, name in zip(users, NAMES, strict=True):
        user.display_name = name
        user.save()
    others = crowd.people(OTHERS, "Player")
    crowd.ratings(hearts, others, [1900 - 4 * each for each in range(OTHERS)])
    crowd.season(hearts, str(season_of(timezone.now())), others, [1890 - 4 * each for each in range(OTHERS)])
    crowd.played(hearts, [_game(users, rng) for _ in range(60)])
    for seed in (1, 2):
        for kind in ("hearts", "spades"):
            services.rate_game(ranked(users, kind=kind, seed=seed).pk)
    services.rate_game(ranked(users, seed=3, cause=lambda deal, seat: "cpu" if seat == 1 else "player").pk)
    services.void_game(RatingChange.objects.latest("seq").game_id)
    services.rate_game(ranked(users, seed=4).pk)
    return users[0]


def _game(users: list[User], rng: random.Random) -> list[tuple[User, Part]]:
    order = rng.sample((1, 2, 3, 4), 4)
    gains = {1: "10.4", 2: "3.1", 3: "-3.3", 4: "-9.8"}
    return [
        (user, Part(place, gains[place], opposition=str(1480 + rng.randrange(90)), moons=int(rng.random() < 0.08)))
        for user, place in zip(users, order, strict=True)
    ]


def session_of(user: User) -> str:
    """The key of a session in which somebody is logged in."""
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    assert session.session_key
    return session.session_key


if __name__ == "__main__":
    player = fill()
    json.dump({"user": player.pk, "session": session_of(player)}, sys.stdout)
