"""Ladders full of people, stored in bulk: ratings, changes and appearances as if so many games had been rated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import connection
from django.db.models import Model
from django.utils import timezone

from accounts.models import User
from games.kinds import KINDS
from games.models import Game, Player
from games.rules import RULES_VERSION
from ladder.models import Appearance, Ladder, Rating, RatingChange, SeasonRating
from ladder.rating.formula import START


def people(number: int, name: str = "Crowd", **fields: Any) -> list[User]:
    """Members with names that end in a number."""
    return User.objects.bulk_create(
        User(username=f"crowd-{name}-{each}", display_name=f"{name} {each}", **fields) for each in range(number)
    )


def ratings(
    ladder: Ladder, users: Sequence[User], values: Sequence[int | str], *, games: int = 40, at: datetime | None = None
) -> list[Rating]:
    """A rating for each of them."""
    return Rating.objects.bulk_create(
        Rating(user=user, ladder=ladder, rating=Decimal(value), games=games, last_game_at=at or timezone.now())
        for user, value in zip(users, values, strict=True)
    )


def season(
    ladder: Ladder, name: str, users: Sequence[User], values: Sequence[int | str], games: int = 25
) -> list[SeasonRating]:
    """How users closed a season."""
    return SeasonRating.objects.bulk_create(
        SeasonRating(user=user, ladder=ladder, season=name, rating=Decimal(value), games=games)
        for user, value in zip(users, values, strict=True)
    )


@dataclass(frozen=True)
class Part:
    """What a game was for one user. In Spades seats 0 and 2 play together."""

    place: int
    delta: str = "0"
    is_shared: bool = False
    moons: int = 0
    nils_made: int = 0
    nils_failed: int = 0
    opposition: str = "1500"
    has_left: bool = False
    counts: bool = True


Played = Sequence[tuple[User, Part]]  # seat by seat


def played(ladder: Ladder, games: Sequence[Played], *, at: datetime | None = None) -> list[Game]:
    """Rated games, in order. Ratings go on from where they stand; nothing of a log is stored."""
    at = at or timezone.now()
    stored = Game.objects.bulk_create(
        Game(
            kind=ladder.kind,
            players=4,
            options={KINDS[ladder.kind].limit_option: KINDS[ladder.kind].full_limit},
            rules_version=RULES_VERSION,
            status=Game.Status.FINISHED,
            result={"placings": [part.place for _, part in game], "scores": [], "reason": "target"},
        )
        for game in games
    )
    standing = {row.user_id: row for row in Rating.objects.filter(ladder=ladder)}
    rows: list[tuple[RatingChange, Part, int]] = []
    seats: list[Player] = []
    for game, parts in zip(stored, games, strict=True):
        for seat, (user, part) in enumerate(parts):
            own = standing.setdefault(user.pk, Rating(user=user, ladder=ladder, rating=START))
            delta = Decimal(part.delta)
            change = RatingChange(
                game=game,
                user=user,
                ladder=ladder,
                reason=RatingChange.Reason.RESULT,
                before=own.rating,
                delta=delta,
                after=own.rating + delta,
                counts=part.counts,
                has_left=part.has_left,
                receipt=_receipt(ladder, part),
                at=at,
            )
            own.rating, own.games, own.last_game_at = change.after, own.games + int(part.counts), at
            rows.append((change, part, seat))
            seats.append(Player(game=game, seat=seat, user=user))
    RatingChange.objects.bulk_create(change for change, _, _ in rows)
    Player.objects.bulk_create(seats)
    Appearance.objects.bulk_create(
        Appearance(
            change=change,
            user_id=change.user_id,
            ladder=ladder,
            seat=seat,
            place=part.place,
            is_shared=part.is_shared,
            opposition=Decimal(part.opposition),
            moons=part.moons,
            nils_made=part.nils_made,
            nils_failed=part.nils_failed,
            counts=part.counts,
        )
        for change, part, seat in rows
    )
    Rating.objects.bulk_create(
        standing.values(),
        update_conflicts=True,
        unique_fields=("user", "ladder"),
        update_fields=("rating", "games", "last_game_at"),
    )
    return stored


def _receipt(ladder: Ladder, part: Part) -> dict[str, Any]:
    """A receipt without a sum."""
    code = "hearts_placed" if ladder.kind == "hearts" else "spades_won" if part.place == 1 else "spades_lost"
    return {"rows": [], "extra": "0", "code": code, "parameters": {"place": part.place, "humans": 4}}


def analyse(*models: type[Model]) -> None:
    """Tells the planner what is in the tables, as autovacuum does some time later."""
    with connection.cursor() as cursor:
        for model in models:
            cursor.execute(f"analyze {model._meta.db_table}")
