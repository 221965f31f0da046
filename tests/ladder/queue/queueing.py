"""What tests of the queue share: people who may queue, a clock, and the whole way to a table."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

from django.utils import timezone

from accounts.models import User
from games.models import Game, Player
from ladder.models import Ladder, Rating, ReadyCheck, Ticket
from ladder.queue import matchmaking, tickets
from tests import factories


def seasoned(number: int = 4) -> list[User]:
    """Members who have finished the three games that it takes."""
    return [season(factories.user(is_guest=False)) for _ in range(number)]


def season(user: User, games: int = 3) -> User:
    """Gives somebody so many finished games."""
    for _ in range(games):
        game = Game.objects.create(kind="hearts", players=4, options={}, rules_version=1, status="finished")
        Player.objects.create(game=game, seat=0, user=user)
    return user


def rated(user: User, rating: float, ladder: str = "hearts") -> User:
    """Gives somebody a rating."""
    Rating.objects.update_or_create(
        user=user, ladder=Ladder.objects.get(slug=ladder), defaults={"rating": Decimal(str(rating))}
    )
    return user


def join(*users: User, ladder: str = "hearts", cpu: bool = False) -> None:
    for user in users:
        tickets.join(user_id=user.pk, ladder=ladder, takes_cpu=cpu)


def waited(seconds: float, *users: User) -> None:
    """Lets these have waited so long already, without a break in their signs of life."""
    Ticket.objects.filter(user__in=users).update(joined_at=timezone.now() - timedelta(seconds=seconds))


def silent(seconds: float, *users: User) -> None:
    """Lets these not have been heard of for so long."""
    Ticket.objects.filter(user__in=users).update(seen_at=timezone.now() - timedelta(seconds=seconds))


def waiting() -> list[int]:
    """Who has a ticket, whoever has waited longest first."""
    return list(Ticket.objects.order_by("joined_at", "user_id").values_list("user_id", flat=True))


def asked() -> set[int]:
    """Who is asked whether he is there."""
    return set(Ticket.objects.filter(ready_check__isnull=False).values_list("user_id", flat=True))


def pair_up(first: User, second: User, ladder: str = "spades") -> None:
    """Two who queue as partners."""
    name(second)
    tickets.invite(user_id=first.pk, ladder=ladder, name=second.display_name)
    tickets.accept(user_id=second.pk, inviter_id=first.pk)


def name(user: User) -> None:
    """Gives somebody the key by which he is found; members have it from their sign-up."""
    user.name_key = f"key{user.pk}".replace("0", "z").replace("1", "y")
    user.display_name = user.name_key
    user.save()


def say_ready(*users: User) -> Game | None:
    """All say that they are there; the game that comes of it."""
    game = None
    for user in users:
        game = matchmaking.ready(user.pk) or game
    return game


def seat(*users: User, ladder: str = "hearts") -> Game:
    """The whole way from the queue to a table."""
    join(*users, ladder=ladder)
    matchmaking.tick()
    game = say_ready(*users)
    assert game is not None
    return game


def overdue(check: ReadyCheck | None = None) -> None:
    """Lets ready checks have run out."""
    checks = ReadyCheck.objects.all() if check is None else ReadyCheck.objects.filter(pk=check.pk)
    checks.update(until=timezone.now() - timedelta(seconds=1))
