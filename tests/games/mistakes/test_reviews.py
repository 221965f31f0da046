"""The search for mistakes as the site does it: who may ask, how often, once for a game, and what survives a crash."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from datetime import timedelta
from typing import Any

import psutil
import pytest
from django.test import Client, override_settings
from django.utils import timezone

from accounts.models import User
from config.celery import app
from games import account_data, models
from games.histories import records
from games.mistakes import METHOD
from games.mistakes import services as reviews
from games.mistakes import tasks as review_tasks
from tests import factories
from tests.games.finished import played, stored
from tests.games.live_site import broker, take
from tests.games.processes import PROJECT, environment

pytestmark = pytest.mark.usefixtures("transactional_db")


@pytest.fixture(scope="module")
def record() -> records.Record:
    return played("hearts", 4, {"end_score": 30}, seed=11, most_deals=2)


@pytest.fixture
def players() -> list[User]:
    return [factories.user(), factories.user()]


@pytest.fixture
def game(record: records.Record, players: list[User]) -> models.Game:
    clear_queue()
    return stored(record, [*players, None, None])


def clear_queue() -> None:
    client = broker()
    client.delete("reviews", "turns")
    client.close()


def queued() -> list[int]:
    """The searches that wait for a worker, taken out of the queue."""
    found = []
    while task := take("reviews"):
        name, (review_id,), _ = task
        assert name == "games.review"
        found.append(review_id)
    return found


def visitor(user: User | None = None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def address(game: models.Game) -> str:
    return f"/game/{game.pk}/mistakes/"


def review_of(user: User, game: models.Game) -> models.Review:
    return models.Review.objects.get(player__user=user, player__game=game)


# --- asking -----------------------------------------------------------------------------------------------------------


def test_a_player_asks_once_sees_how_far_it_is_and_then_what_was_found(game: models.Game, players: list[User]) -> None:
    client = visitor(players[0])
    assert client.get(address(game)).json() == {"status": "none"}
    answer = client.post(address(game))
    assert (answer.status_code, answer.json()) == (202, {"status": "waiting", "share": 0.0})
    assert client.post(address(game)).json()["status"] == "waiting"
    (number,) = queued()
    review_tasks.review(number)
    read = client.get(address(game)).json()
    assert (read["status"], read["share"]) == ("done", 1.0)
    assert 0 < len(read["mistakes"]) <= 3
    assert client.post(address(game)).json() == read
    assert queued() == []
    before = review_of(players[0], game)
    review_tasks.review(number)  # a task that came twice
    assert review_of(players[0], game).touched_at == before.touched_at
    assert "no-store" in client.get(address(game))["Cache-Control"]


def test_the_same_game_has_the_same_mistakes_whenever_they_are_looked_for(
    game: models.Game, players: list[User]
) -> None:
    found = []
    for _ in range(2):
        models.Review.objects.all().delete()
        review = reviews.ask(user=players[0], player=reviews.seat_of(players[0], game.pk))  # type: ignore[arg-type]
        reviews.work(review.pk)
        found.append(review_of(players[0], game).mistakes or [])
    assert found[0] == found[1]
    for mistake in found[0]:
        entry = models.Action.objects.get(game=game, ply=mistake["ply"])
        assert (entry.seat, entry.cause) == (0, "player")


def test_nobody_else_sees_or_asks_and_a_running_game_has_none(game: models.Game, players: list[User]) -> None:
    visitor(players[0]).post(address(game))
    reviews.work(review_of(players[0], game).pk)
    for stranger in (factories.user(), factories.user(is_superuser=True, is_staff=True), None):
        for send in (visitor(stranger).get, visitor(stranger).post):
            assert send(address(game)).status_code == 404
    assert visitor(players[1]).get(address(game)).json() == {"status": "none"}  # his own, not his opponent's
    running = factories.game(1, 3)
    for send in (visitor(running.users[0]).get, visitor(running.users[0]).post):
        assert send(address(running.row)).status_code == 404
    assert visitor(players[0]).get(f"/game/{10**30}/mistakes/").status_code == 404
    assert visitor(players[0]).put(address(game)).status_code == 405
    replay = visitor(players[0]).get(f"/game/{game.pk}/replay/").content.decode()
    assert 'id="mistakes"' in replay
    assert 'id="mistakes"' not in visitor().get(f"/game/{game.pk}/replay/").content.decode()


def test_a_day_has_only_so_many_searches_and_a_sentence_says_so(record: records.Record, players: list[User]) -> None:
    games = [stored(record, [*players, None, None]) for _ in range(3)]
    client = visitor(players[0])
    with override_settings(REVIEWS_A_DAY=2):
        assert [client.post(address(game)).status_code for game in games] == [202, 202, 429]
        answer = client.post(address(games[2]))
        assert "Please come back tomorrow" in answer.json()["text"]
        assert 86_000 < int(answer["Retry-After"]) <= 86_400
        assert client.post(address(games[0])).status_code == 202  # that one is on its way already
        assert visitor(players[1]).post(address(games[2])).status_code == 202
        models.Review.objects.filter(player__game=games[0]).update(asked_at=timezone.now() - timedelta(days=1))
        assert client.post(address(games[2])).status_code == 202


def test_what_an_older_method_has_found_is_looked_for_anew(game: models.Game, players: list[User]) -> None:
    client = visitor(players[0])
    client.post(address(game))
    models.Review.objects.update(method=METHOD - 1, status="done", share=1.0, mistakes=[])
    assert client.get(address(game)).json() == {"status": "none"}
    assert client.post(address(game)).json()["status"] == "waiting"
    assert models.Review.objects.count() == 1


def test_the_search_of_a_guest_is_his_accounts_once_he_has_one(game: models.Game, players: list[User]) -> None:
    visitor(players[0]).post(address(game))
    member = factories.user(is_guest=False)
    models.Player.objects.filter(game=game, seat=0).update(user=member)  # as signing in does
    assert visitor(member).get(address(game)).json()["status"] == "waiting"


def test_what_was_found_is_in_the_export_of_the_account_and_of_no_other(game: models.Game, players: list[User]) -> None:
    visitor(players[0]).post(address(game))
    reviews.work(review_of(players[0], game).pk)
    own, other = (list(account_data.export_games(user)[1]) for user in players)
    assert own[0]["mistakes"] == review_of(players[0], game).mistakes
    assert "mistakes" not in other[0]


# --- what goes wrong --------------------------------------------------------------------------------------------------


def put_back(seconds: float) -> None:
    models.Review.objects.update(touched_at=timezone.now() - timedelta(seconds=seconds))


def test_a_search_whose_worker_was_killed_is_found_again_and_given_up_after_some_tries(
    game: models.Game, players: list[User]
) -> None:
    client = visitor(players[0])
    client.post(address(game))
    number = review_of(players[0], game).pk
    queued()
    for tries in (1, 2, 3):
        models.Review.objects.update(status="working", tries=tries)
        put_back(10)
        reviews.work(number)  # somebody may still be at it
        reviews.sweep()
        assert (review_of(players[0], game).status, queued()) == ("working", [])
        put_back(reviews.STALE_S + 1)
        reviews.sweep()
        expected = ("waiting", [number]) if tries < reviews.MOST_TRIES else ("failed", [])
        assert (review_of(players[0], game).status, queued()) == expected
    models.Review.objects.update(asked_at=timezone.now() - reviews.AGAIN_AFTER)
    assert client.post(address(game)).json()["status"] == "waiting"  # and may be asked for once more


def test_a_lost_task_is_sent_again(game: models.Game, players: list[User]) -> None:
    visitor(players[0]).post(address(game))
    queued()
    reviews.sweep()
    assert queued() == []
    put_back(reviews.STALE_S + 1)
    review_tasks.sweep_reviews()
    (number,) = queued()
    reviews.work(number)
    assert review_of(players[0], game).status == "done"


def test_a_log_that_cannot_be_followed_ends_as_a_failure(game: models.Game, players: list[User]) -> None:
    visitor(players[0]).post(address(game))
    models.Game.objects.filter(pk=game.pk).update(rules_version=99)
    reviews.work(review_of(players[0], game).pk)
    assert visitor(players[0]).get(address(game)).json()["status"] == "failed"


def test_what_has_failed_is_not_begun_again_at_once(game: models.Game, players: list[User]) -> None:
    visitor(players[0]).post(address(game))
    review = review_of(players[0], game)
    models.Review.objects.filter(pk=review.pk).update(status="failed")
    assert visitor(players[0]).post(address(game)).json()["status"] == "failed"
    models.Review.objects.filter(pk=review.pk).update(asked_at=review.asked_at - 2 * reviews.AGAIN_AFTER)
    assert visitor(players[0]).post(address(game)).json()["status"] == "waiting"


def test_searches_have_a_queue_of_their_own_and_their_sweep_is_the_clocks() -> None:
    routes = app.conf.task_routes
    assert routes["games.review"] == {"queue": "reviews"}
    assert routes["games.sweep_reviews"] == {"queue": "clock"}
    assert {"games.review", "games.sweep_reviews"} <= set(app.tasks)
    assert app.conf.beat_schedule["sweep_reviews"]["task"] == "games.sweep_reviews"


@pytest.mark.slow
def test_a_worker_for_nothing_else_does_it_and_steps_back(game: models.Game, players: list[User]) -> None:
    command = ("-m", "celery", "-A", "config", "worker", "-c", "1", "-Q", "reviews", "-l", "ERROR")
    quiet = ("--without-gossip", "--without-mingle", "--without-heartbeat")
    own = environment(REDIS_URL=os.environ["REDIS_URL"])
    with subprocess.Popen([sys.executable, *command, *quiet], cwd=PROJECT, env=own) as worker:
        try:
            client = visitor(players[0])
            client.post(address(game))
            heard: list[Any] = []
            until = time.monotonic() + 90
            while time.monotonic() < until and (not heard or heard[-1]["status"] != "done"):
                heard.append(client.get(address(game)).json())
                time.sleep(0.1)
            assert heard[-1]["status"] == "done"
            assert {one["status"] for one in heard} <= {"waiting", "working", "done"}
            here = os.getpriority(os.PRIO_PROCESS, 0)
            nices = [child.nice() for child in psutil.Process(worker.pid).children()]
            assert nices
            assert min(nices) >= min(here + 10, 19)
        finally:
            worker.terminate()
            worker.wait(30)
