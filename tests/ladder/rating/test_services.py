"""Ratings as they are stored: once for each game, by its log alone, and proved from the games."""

from __future__ import annotations

import json
from datetime import timedelta
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from celery import current_app
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.utils import DatabaseError
from django.test import Client
from django.utils import timezone

from accounts.export import everything
from accounts.models import User
from games.hooks import game_finished
from games.models import Game
from ladder import tasks
from ladder.models import Abandon, LadderMove, QueueLock, RankedGame, Rating, RatingChange
from ladder.rating import services
from ladder.rating.proof import Proof
from tests.ladder.finished import Cause, ladder, members, ranked

pytestmark = pytest.mark.django_db


def deltas(game: Game, reason: str = "result") -> dict[int, Decimal]:
    return dict(RatingChange.objects.filter(game=game, reason=reason).values_list("user", "delta"))


def leaves(seat: int) -> Cause:
    """A seat that a CPU plays from the first card on."""
    return lambda _deal, at: "cpu" if at == seat else "player"


def differences() -> list[str]:
    return list(Proof().differences())


def test_a_finished_game_is_rated_once_however_often_that_is_asked() -> None:
    users = members()
    game = ranked(users)
    assert services.rate_game(game.pk)
    assert not services.rate_game(game.pk)
    assert RatingChange.objects.count() == 4
    assert abs(sum(deltas(game).values(), Decimal(0))) <= Decimal("0.02"), "nothing but rounding"
    for user in users:
        rating = Rating.objects.get(user=user)
        assert rating.rating == 1500 + deltas(game)[user.pk]
        assert rating.games == 1
    assert differences() == []


def test_a_game_that_runs_or_is_not_ranked_is_not_rated() -> None:
    game = ranked(members())
    Game.objects.filter(pk=game.pk).update(status="playing")
    with pytest.raises(services.NotSettled):
        services.rate_game(game.pk)
    RankedGame.objects.all().delete()
    Game.objects.filter(pk=game.pk).update(status="finished")
    with pytest.raises(services.NotSettled):
        services.rate_game(game.pk)


def test_the_receipt_tells_the_sum(django_assert_max_num_queries: Any) -> None:
    game = ranked(members())
    with django_assert_max_num_queries(40):
        services.rate_game(game.pk)
    for change in RatingChange.objects.all():
        rows = change.receipt["rows"]
        assert len(rows) == 3
        total = sum(Decimal(row["change"]) for row in rows)
        assert abs(total - change.delta) <= Decimal("0.006")
        for row in rows:
            product = row["k"] * Decimal(row["weight"]) * (Decimal(row["scored"]) - Decimal(row["expected"]))
            assert abs(product - Decimal(row["change"])) < Decimal("0.01")
        assert change.receipt["code"] == "hearts_placed"
        assert change.before + change.delta == change.after


def test_m10_a_cpu_has_no_rating_and_gives_none() -> None:
    users = members(3)
    game = ranked([*users, "normal"])
    services.rate_game(game.pk)
    assert set(deltas(game)) == {user.pk for user in users}
    assert abs(sum(deltas(game).values(), Decimal(0))) <= Decimal("0.02")
    assert differences() == []


def test_a_spades_side_wins_and_loses_together() -> None:
    users = members()
    game = ranked(users, kind="spades")
    services.rate_game(game.pk)
    found = deltas(game)
    assert found[users[0].pk] == found[users[2].pk] == -found[users[1].pk] == -found[users[3].pk]
    result: Any = game.result
    assert (found[users[0].pk] > 0) is (result["placings"][0] < result["placings"][1])
    assert differences() == []


def test_a_leaver_is_found_in_the_log_loses_and_pays_more_each_time() -> None:
    users = members()
    for extra in (0, -5, -10):
        game = ranked(users, cause=leaves(1))
        services.rate_game(game.pk)
        change = RatingChange.objects.get(game=game, user=users[1])
        assert change.has_left
        assert {row["scored"] for row in change.receipt["rows"]} == {"0"}
        assert Decimal(change.receipt["extra"]) == extra
    assert Abandon.objects.filter(user=users[1]).count() == 3
    assert Abandon.objects.exclude(user=users[1]).count() == 0
    assert differences() == []


def test_two_abandoned_games_lock_the_queue() -> None:
    users = members()
    services.rate_game(ranked(users, cause=leaves(1)).pk)
    assert services.locks_of([users[1].pk]).get(users[1].pk) is None
    services.rate_game(ranked(users, cause=leaves(1)).pk)
    until = services.locks_of([users[1].pk]).get(users[1].pk)
    assert until is not None
    assert timedelta(minutes=9) < until - timezone.now() <= timedelta(minutes=10)
    services.rate_game(ranked(users, cause=leaves(1)).pk)
    until = services.locks_of([users[1].pk]).get(users[1].pk)
    assert until is not None
    assert timedelta(minutes=29) < until - timezone.now() <= timedelta(minutes=30)
    QueueLock.objects.update(until=timezone.now())
    assert services.locks_of([users[1].pk]).get(users[1].pk) is None
    assert services.locks_of([users[0].pk]).get(users[0].pk) is None


def test_the_same_four_count_half_from_the_sixth_game_of_a_day_and_nothing_from_the_eleventh() -> None:
    users = members()
    codes = []
    for seed in range(11):
        game = ranked(users, seed=seed)
        services.rate_game(game.pk)
        codes.append(RatingChange.objects.filter(game=game)[0].receipt["code"])
    assert codes == ["hearts_placed"] * 5 + ["repeated_half"] * 5 + ["repeated"]
    assert set(deltas(game).values()) == {Decimal(0)}
    assert set(Rating.objects.values_list("games", flat=True)) == {10}, "the eleventh counts for nothing"
    other = ranked([*users[:3], *members(1)])
    services.rate_game(other.pk)
    assert any(deltas(other).values()), "another set of humans"
    assert differences() == []


def test_a_void_takes_back_once_what_the_game_gave_and_later_games_stay() -> None:
    users = members()
    first, second = ranked(users, seed=1), ranked(users, seed=2)
    services.rate_game(first.pk)
    services.rate_game(second.pk)
    later = deltas(second)
    assert services.void_game(first.pk)
    assert not services.void_game(first.pk)
    assert deltas(first, "void") == {user: -delta for user, delta in deltas(first).items()}
    assert deltas(second) == later
    for user in users:
        rating = Rating.objects.get(user=user)
        assert (rating.rating, rating.games) == (1500 + later[user.pk], 1)
    assert differences() == []


def test_nobody_has_abandoned_a_game_that_is_void() -> None:
    users = members()
    first = ranked(users, cause=leaves(1))
    services.rate_game(first.pk)
    services.void_game(first.pk)
    assert services.earlier_leaves(users[1].pk, before=timezone.now()) == 0
    second = ranked(users, cause=leaves(1))
    services.rate_game(second.pk)
    assert Decimal(RatingChange.objects.get(game=second, user=users[1]).receipt["extra"]) == 0
    assert services.locks_of([users[1].pk]).get(users[1].pk) is None
    assert differences() == []


def test_changes_cannot_be_changed_or_deleted() -> None:
    services.rate_game(ranked(members()).pk)
    for act in (lambda: RatingChange.objects.update(delta=1), lambda: RatingChange.objects.all().delete()):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            act()


def test_a_game_is_not_rated_twice_even_past_the_services() -> None:
    game = ranked(members())
    services.rate_game(game.pk)
    row = RatingChange.objects.filter(game=game)[0]
    row.pk = None
    with pytest.raises(DatabaseError, match="rating_change_once"), transaction.atomic():
        row.save(force_insert=True)


def test_rebuild_proves_the_stored_ratings_and_names_what_differs() -> None:
    users = members()
    for seed in range(3):
        services.rate_game(ranked(users, seed=seed).pk)
    services.rate_game(ranked(members(), kind="spades").pk)
    told = StringIO()
    call_command("rebuild_ratings", "--repair", stdout=told)
    assert "16 changes follow" in told.getvalue()
    Rating.objects.filter(user=users[2]).update(rating=Decimal("1600.00"))
    assert [f"user {users[2].pk} on hearts-ranked" in line for line in differences()] == [True]
    call_command("rebuild_ratings", "--repair", stdout=told)
    assert differences() == []


def test_rebuild_finds_a_change_that_does_not_follow_from_its_game() -> None:
    users = members()
    game = ranked(users)
    services.rate_game(game.pk)
    with connection.cursor() as cursor:
        cursor.execute("set constraints all immediate")
        cursor.execute("alter table ladder_ratingchange disable trigger user")
        cursor.execute("update ladder_ratingchange set delta = delta + 1 where user_id = %s", [users[0].pk])
        cursor.execute("alter table ladder_ratingchange enable trigger user")
    assert len(differences()) == 1
    with pytest.raises(CommandError, match="1 differences"):
        call_command("rebuild_ratings", "--repair", stdout=StringIO())


def test_what_was_missed_is_rated_by_the_sweep_and_one_bad_game_stops_none(monkeypatch: pytest.MonkeyPatch) -> None:
    bad, good = ranked(members()), ranked(members())
    rate = services.rate_game

    def failing(game_id: int) -> bool:
        if game_id == bad.pk:
            raise ValueError("a game that cannot be rated")
        return rate(game_id)

    monkeypatch.setattr(services, "rate_game", failing)
    tasks.rate_missed()
    assert RankedGame.objects.get(pk=good.pk).rated_at is not None
    assert RankedGame.objects.get(pk=bad.pk).rated_at is None


def test_the_end_of_a_ranked_game_books_its_rating_after_the_commit(django_capture_on_commit_callbacks: Any) -> None:
    game = ranked(members())
    with django_capture_on_commit_callbacks() as booked:
        game_finished.send(Game, game=game)
    assert len(booked) == 2, "its rating, and that its players may queue again"
    RankedGame.objects.all().delete()
    with django_capture_on_commit_callbacks() as booked:
        game_finished.send(Game, game=game)
    assert booked == []


@pytest.mark.parametrize("entry", settings.CELERY_BEAT_SCHEDULE)
def test_what_the_beat_sends_can_be_sent(entry: str) -> None:
    """Celery refuses a task whose soft limit is the longer one, and says so in a log only."""
    current_app.loader.import_default_modules()
    task = current_app.tasks[settings.CELERY_BEAT_SCHEDULE[entry]["task"]]
    soft, hard = settings.CELERY_TASK_SOFT_TIME_LIMIT, settings.CELERY_TASK_TIME_LIMIT
    assert (task.soft_time_limit or soft) < (task.time_limit or hard)


def test_drift_is_an_error_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    services.rate_game(ranked(members()).pk)
    tasks.check_drift()
    assert caplog.records == []
    Rating.objects.update(games=7)
    tasks.check_drift()
    assert [record.levelname for record in caplog.records] == ["ERROR"] * 4


def test_moving_a_ladder_is_noted_and_keeps_ratings() -> None:
    services.rate_game(ranked(members()).pk)
    kept = list(Rating.objects.values_list("user", "rating"))
    moved, version = ladder(), ladder("spades").preset_version
    chief = User.objects.create_superuser("chief", "chief@example.org", "x")
    for _ in range(2):
        services.move_ladder(ladder=moved, version=version, by=chief)
    move = LadderMove.objects.get()
    assert (move.ladder, move.after, move.by) == (moved, version, chief)
    assert list(Rating.objects.values_list("user", "rating")) == kept
    assert differences() == []


def test_the_export_of_an_account_has_its_ratings() -> None:
    users = members()
    services.rate_game(ranked(users).pk)
    found = everything(users[0])["ladder"]
    assert found["ratings"][0]["ladder"] == "hearts-ranked"
    assert len(found["changes"]) == 1
    json.dumps(found)


# --- in the admin -----------------------------------------------------------------------------------------------------


@pytest.fixture
def chief() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("chief", "chief@example.org", "x"))
    return client


def test_an_administrator_voids_a_game_with_its_rating(chief: Client) -> None:
    game = ranked(members())
    services.rate_game(game.pk)
    form = {"action": "void_ratings", "_selected_action": [game.pk]}
    asked = chief.post("/admin/ladder/rankedgame/", form)
    assert asked.status_code == 302
    assert chief.get(asked["Location"]).status_code == 200
    assert chief.post(asked["Location"], {"note": ""}).status_code == 200, "without a reason nothing is done"
    assert RatingChange.objects.count() == 4
    for _ in range(2):
        assert chief.post(asked["Location"], {"note": "Two accounts of one person."}).status_code == 302
    noted = LogEntry.objects.get()
    assert (noted.object_id, noted.user.username) == (str(game.pk), "chief")
    assert noted.change_message.endswith("Two accounts of one person.")
    assert set(Rating.objects.values_list("rating", "games")) == {(Decimal("1500.00"), 0)}
    assert RatingChange.objects.count() == 8


def test_whoever_may_only_look_cannot_take_ratings_back() -> None:
    game = ranked(members())
    services.rate_game(game.pk)
    helper = User.objects.create_user("helper", "helper@example.org", "x", is_staff=True)
    helper.user_permissions.add(Permission.objects.get(codename="view_rankedgame"))
    client = Client()
    client.force_login(helper)
    address = f"/admin/ladder/rankedgame/void/?ids={game.pk}"
    assert client.get("/admin/ladder/rankedgame/").status_code == 200
    assert client.get(address).status_code == 403
    assert client.post(address, {"note": "no"}).status_code == 403
    assert not RatingChange.objects.filter(reason="void").exists()


def test_a_game_that_is_void_is_nobodys_last_one_and_gives_back_the_lock_of_its_leaver() -> None:
    users = members()
    first, second = ranked(users, cause=leaves(1)), ranked(users, cause=leaves(1))
    for game in (first, second):
        services.rate_game(game.pk)
    assert services.locks_of([users[1].pk]).get(users[1].pk) is not None
    services.void_game(second.pk)
    assert services.locks_of([users[1].pk]).get(users[1].pk) is None
    at = RatingChange.objects.filter(game=first)[0].at
    assert set(Rating.objects.values_list("last_game_at", flat=True)) == {at}
    services.void_game(first.pk)
    assert set(Rating.objects.values_list("last_game_at", flat=True)) == {None}


def test_an_administrator_moves_a_ladder_and_that_is_noted(chief: Client) -> None:
    moved = ladder()
    versions = moved.preset_version.preset.versions
    version, casual = versions.create(number=99, options={}, ranked_players=4), versions.create(number=100, options={})
    path, form = f"/admin/ladder/ladder/{moved.pk}/change/", {"is_open": "on"}
    assert chief.post(path, {"preset_version": casual.pk, **form}).status_code == 200, "not made for ranked games"
    assert chief.post(path, {"preset_version": version.pk, **form}).status_code == 302
    moved.refresh_from_db()
    assert moved.preset_version == version
    assert LadderMove.objects.get().after == version


@pytest.mark.parametrize(
    "page", ["ratingchange", "rankedgame", "ladder", "rating", "abandon", "queuelock", "laddermove"]
)
def test_what_is_stored_can_be_looked_at_and_not_made_by_hand(chief: Client, page: str) -> None:
    services.rate_game(ranked(members(), cause=leaves(1)).pk)
    assert chief.get(f"/admin/ladder/{page}/").status_code == 200
    assert chief.get(f"/admin/ladder/{page}/add/").status_code == (200 if page == "ladder" else 403)
