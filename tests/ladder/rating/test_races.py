"""Several workers at once: every game is rated once, whoever rates it, and everybody seated once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from decimal import Decimal
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction

from accounts import members as accounts_members
from accounts.models import User
from games.models import RUNNING, Game, Player
from ladder.models import RankedGame, Rating, RatingChange, ReadyCheck, Ticket
from ladder.queue import matchmaking, tickets
from ladder.queue.tickets import Declined
from ladder.rating import services
from ladder.rating.proof import prove
from tests.ladder.finished import members, ranked
from tests.ladder.queue.queueing import join, season


@pytest.fixture
def users(transactional_db: None) -> list[User]:
    return members(6)


def rate(game: int) -> bool:
    try:
        return services.rate_game(game)
    finally:
        connection.close()


def test_workers_who_rate_the_same_games_at_once_rate_each_once(users: list[User]) -> None:
    tables = [users[:4], users[2:], [users[5], users[0], users[3], users[1]], users[1:5]]
    games = [ranked(table, seed=seed).pk for seed, table in enumerate(tables)]
    with ThreadPoolExecutor(4) as workers:
        done = list(workers.map(rate, [*games, *reversed(games), *games]))
    assert sum(done) == len(games)
    assert RatingChange.objects.count() == 4 * len(games)
    assert prove() == []
    total = sum((row.rating - 1500 for row in Rating.objects.all()), Decimal(0))
    assert abs(total) <= Decimal("0.02") * len(games)


def test_games_of_the_same_four_that_are_rated_at_once_on_two_ladders_are_counted_one_after_the_other(
    users: list[User],
) -> None:
    four, gone = users[:4], lambda _deal, seat: "cpu" if seat == 1 else "player"
    games = [ranked(four, kind=kind, seed=seed, cause=gone).pk for seed in range(6) for kind in ("hearts", "spades")]
    with ThreadPoolExecutor(4) as workers:
        assert all(workers.map(rate, games))
    codes = RatingChange.objects.filter(user=four[1]).order_by("seq").values_list("receipt__code", flat=True)
    assert [code if code.startswith("repeated") else "full" for code in codes] == (
        ["full"] * 5 + ["repeated_half"] * 5 + ["repeated"] * 2
    )
    extras = RatingChange.objects.filter(user=four[1]).order_by("seq").values_list("receipt__extra", flat=True)
    assert [Decimal(extra) for extra in extras] == [0, -5, *[-10] * 8, 0, 0]
    assert prove() == []


def test_voiding_and_rating_at_once_leave_ratings_that_can_be_proved(users: list[User]) -> None:
    first, second, third = (ranked(users[:4], seed=seed).pk for seed in range(3))
    rate(first)
    with ThreadPoolExecutor(4) as workers:
        jobs = [workers.submit(rate, second), workers.submit(void, first), workers.submit(rate, third)]
        jobs.append(workers.submit(void, first))
        assert sorted(job.result() for job in (jobs[1], jobs[3])) == [False, True]
        assert jobs[0].result()
        assert jobs[2].result()
    assert RatingChange.objects.count() == 16
    assert prove() == []


def void(game: int) -> bool:
    try:
        return services.void_game(game)
    finally:
        connection.close()


# --- the queue --------------------------------------------------------------------------------------------------------


def alone(function: Callable[..., Any], *args: Any) -> Any:
    """Calls something as a process of its own would: with a connection that is closed afterwards."""
    try:
        return function(*args)
    except Declined as declined:
        return declined.code
    finally:
        connection.close()


def at_once(*calls: tuple[Any, ...]) -> list[Any]:
    with ThreadPoolExecutor(len(calls)) as workers:
        return [job.result() for job in [workers.submit(alone, *call) for call in calls]]


def test_m01_many_taps_at_once_make_one_ticket(users: list[User]) -> None:
    season(users[0])
    at_once(*[(join, users[0])] * 8)
    assert Ticket.objects.count() == 1


def test_two_matchers_at_once_ask_and_seat_nobody_twice(users: list[User]) -> None:
    people = [*users, *members(6)]
    for user in people:
        season(user)
    join(*people)
    at_once(*[(matchmaking.tick,)] * 4)
    assert ReadyCheck.objects.count() == 3
    at_once(*[(matchmaking.ready, user.pk) for user in people], *[(matchmaking.tick,)] * 4)
    at_once(*[(matchmaking.tick,)] * 2)
    assert RankedGame.objects.count() == 3
    seated = list(Player.objects.filter(game__ranked__isnull=False).values_list("user", flat=True))
    assert sorted(filter(None, seated)) == sorted(user.pk for user in people)
    assert not Ticket.objects.exists()


def test_joining_again_while_the_table_is_made_leaves_no_ticket_beside_the_game(users: list[User]) -> None:
    people = users[:4]
    for user in people:
        season(user)
    for _ in range(5):
        join(*people)
        matchmaking.tick()
        for user in people[:3]:
            matchmaking.ready(user.pk)
        at_once((matchmaking.ready, people[3].pk), *[(join, user) for user in people])
        assert RankedGame.objects.filter(game__status__in=RUNNING).count() == 1
        assert not Ticket.objects.exists()
        Game.objects.update(status="finished")


def test_leaving_while_the_table_is_made_is_a_seat_or_no_seat_for_all(users: list[User]) -> None:
    people = users[:4]
    for user in people:
        season(user)
    for _ in range(5):
        join(*people)
        matchmaking.tick()
        for user in people[:3]:
            matchmaking.ready(user.pk)
        at_once((tickets.leave, people[0].pk), (matchmaking.ready, people[3].pk), (close_account, people[1].pk))
        running = RankedGame.objects.filter(game__status__in=RUNNING).count()
        assert (running, Ticket.objects.count()) in ((1, 0), (0, 3), (0, 2))
        tickets.leave(people[0].pk)
        Ticket.objects.all().delete()
        Game.objects.update(status="finished")
        User.objects.filter(pk=people[1].pk).update(is_active=True, closed_at=None)


def close_account(user_id: int) -> None:
    accounts_members.close_account(user=User.objects.get(pk=user_id))


def test_a_process_killed_while_it_seats_leaves_every_ticket(users: list[User]) -> None:
    people = users[:4]
    for user in people:
        season(user)
    join(*people)
    matchmaking.tick()
    Ticket.objects.update(is_ready=True)
    ready, go = threading.Event(), threading.Event()

    def seat_and_die() -> int:
        with suppress(OperationalError), transaction.atomic():
            matchmaking.seat(ReadyCheck.objects.get().pk)
            with connection.cursor() as cursor:
                cursor.execute("select pg_backend_pid()")
                found.append(cursor.fetchone()[0])
            ready.set()
            go.wait(20)
        return found[0]

    found: list[int] = []
    with ThreadPoolExecutor(1) as worker:
        job = worker.submit(alone, seat_and_die)
        assert ready.wait(20)
        with connection.cursor() as cursor:
            cursor.execute("select pg_terminate_backend(%s)", [found[0]])
        go.set()
        job.result()
    assert (Ticket.objects.count(), RankedGame.objects.count()) == (4, 0)
    matchmaking.tick()
    assert (Ticket.objects.count(), RankedGame.objects.count()) == (0, 1)


def test_one_who_hangs_does_not_keep_others_waiting_for_ever(
    users: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    season(users[0])
    monkeypatch.setattr(tickets, "HELD_S", 1)
    hangs, go = threading.Event(), threading.Event()

    def hang() -> None:
        with tickets.held():
            hangs.set()
            go.wait(20)

    with ThreadPoolExecutor(1) as worker:
        job = worker.submit(alone, hang)
        assert hangs.wait(20)
        with pytest.raises(OperationalError):
            join(users[0])
        go.set()
        job.result()
    join(users[0])
