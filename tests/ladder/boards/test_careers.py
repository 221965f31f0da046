"""What a player's page tells of his games on one ladder."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from games.models import Game, Player
from ladder.boards import careers
from ladder.models import Appearance, Rating, RatingChange
from ladder.rating import services
from ladder.rating.formula import START
from tests.ladder import crowd
from tests.ladder.crowd import Part
from tests.ladder.finished import ladder, members, ranked

pytestmark = pytest.mark.django_db


def four(users: list[User], *places: int, **own: Any) -> list[tuple[User, Part]]:
    """A game by its places; the first user's part has more to it."""
    return [
        (user, Part(place, **(own if seat == 0 else {})))
        for seat, (user, place) in enumerate(zip(users, places, strict=True))
    ]


def test_a_career_is_counted_from_the_games_that_count() -> None:
    users = crowd.people(4)
    games = [
        four(users, 1, 2, 3, 4, delta="10", moons=1, opposition="1650"),
        four(users, 1, 1, 3, 4, delta="5", is_shared=True, opposition="1700"),
        four(users, 4, 1, 2, 3, delta="-8"),
        four(users, 1, 2, 3, 4, delta="9", opposition="1500", moons=1),
        four(users, 1, 2, 3, 4, delta="0", counts=False, moons=5),
        four(users, 4, 1, 2, 3, delta="-12", has_left=True),
    ]
    stored = crowd.played(ladder(), games)
    found = careers.career(users[0], ladder())
    assert (found.games, found.firsts, found.draws, found.left) == (5, 3, 0, 1)
    assert found.share_of_firsts == 60
    assert found.places == {1: 3, 4: 2}
    assert (found.moons, found.longest_run) == (2, 2)
    assert found.best is not None
    assert (found.best.rating, found.best.game_id) == (Decimal(1700), stored[1].pk)
    assert [(shown.place, shown.outcome) for shown in found.form] == [
        (1, "first"),
        (1, "first"),
        (4, "other"),
        (1, "first"),
        (4, "other"),
    ]
    assert found.row.shown == "1504?"
    assert found.peak is None, "a provisional rating is no peak"


def test_the_form_is_that_of_the_last_twenty_games() -> None:
    users = crowd.people(4)
    games = crowd.played(ladder(), [four(users, 1 + number % 4, 2, 3, 4) for number in range(25)])
    form = careers.career(users[0], ladder()).form
    assert [shown.game_id for shown in form] == [game.pk for game in games[5:]]


def test_the_peak_is_the_highest_rating_from_the_tenth_game_on() -> None:
    users = crowd.people(4)
    deltas = ["60"] * 3 + ["-20"] * 6 + ["30", "40", "-10", "5"]
    games = crowd.played(ladder(), [four(users, 1, 2, 3, 4, delta=delta) for delta in deltas])
    peak = careers.career(users[0], ladder()).peak
    assert peak is not None
    assert (peak.rating, peak.game_id) == (Decimal(1630), games[10].pk)


def test_draws_and_partners_are_told_where_two_play_together() -> None:
    spades = ladder("spades")
    north, east, south, west = users = crowd.people(4)
    drawn = [(user, Part(1, is_shared=True)) for user in users]
    won = [(user, Part(1 + seat % 2, nils_made=seat == 0)) for seat, user in enumerate(users)]
    lost = [(user, Part(2 - seat % 2, nils_failed=2 * (seat == 0))) for seat, user in enumerate(users)]
    crowd.played(spades, [won, won, drawn, lost])
    found = careers.career(north, spades)
    assert (found.games, found.firsts, found.draws, found.longest_run) == (4, 2, 1, 2)
    assert (found.nils_made, found.nils_failed) == (2, 2)
    opponents, partners = careers.people_met(north, spades)
    assert {met.user_id for met in opponents} == {east.pk, west.pk}
    assert [(met.user_id, met.games, met.won, met.drawn, met.lost) for met in partners] == [(south.pk, 4, 2, 1, 1)]
    assert partners[0].score == Decimal("2.5")


def test_opponents_are_ordered_by_games_and_scored_by_places() -> None:
    me, often, once, third, fourth = crowd.people(5)
    games = [
        four([me, often, third, fourth], 1, 2, 3, 4),
        four([me, often, third, once], 2, 2, 1, 4, is_shared=True),
        four([me, often, third, fourth], 4, 1, 2, 3),
        [(me, Part(4, has_left=True)), (often, Part(4, has_left=True)), (third, Part(1)), (fourth, Part(2))],
    ]
    crowd.played(ladder(), games)
    opponents, partners = careers.people_met(me, ladder())
    assert partners == []
    assert [(met.user_id, met.games) for met in opponents] == [
        (often.pk, 4),
        (third.pk, 4),
        (fourth.pk, 3),
        (once.pk, 1),
    ]
    assert (opponents[0].won, opponents[0].drawn, opponents[0].lost) == (1, 1, 1), "two who left have no score"


def test_the_curve_begins_at_the_start_and_ends_at_the_rating(monkeypatch: pytest.MonkeyPatch) -> None:
    users = crowd.people(4)
    assert careers.curve(users[0], ladder()) == []
    crowd.played(ladder(), [four(users, 1, 2, 3, 4, delta="1.5") for _ in range(23)])
    points = careers.curve(users[0], ladder())
    assert [point.number for point in points] == list(range(24))
    assert [point.rating for point in points] == [START + Decimal("1.5") * number for number in range(24)]
    monkeypatch.setattr(careers, "POINTS", 10)
    points = careers.curve(users[0], ladder())
    assert [point.number for point in points] == [0, 2, 5, 8, 11, 14, 17, 20, 23]
    assert points[-1].rating == Rating.objects.get(user=users[0]).rating


def test_the_list_of_changes_has_what_was_taken_back_and_goes_on_page_by_page() -> None:
    users = members()
    first, second = ranked(users), ranked(users, seed=2)
    for game in (first, second):
        services.rate_game(game.pk)
    services.void_game(first.pk)
    told, following = careers.changes_of(users[0], size=2)
    assert [(each.change.game_id, each.outcome == "void") for each in told] == [(first.pk, True), (second.pk, False)]
    assert [user for user, _ in told[0].others] == [user.pk for user in users[1:]]
    assert following is not None
    told, following = careers.changes_of(users[0], ladder(), before=following, size=2)
    assert [each.change.game_id for each in told] == [first.pk]
    assert following is None
    assert careers.career(users[0], ladder()).games == 1


def test_guests_have_no_page() -> None:
    guest, member = crowd.people(1, "Guest", is_guest=True)[0], crowd.people(1)[0]
    assert careers.player_of(guest.pk) is None
    assert careers.player_of(member.pk) == member
    assert careers.player_of(member.pk + 1_000) is None


def test_a_page_of_a_busy_player_costs_few_queries_and_no_table_is_read_through(
    django_assert_max_num_queries: Any,
) -> None:
    users, hearts = crowd.people(4_000), ladder()
    at = timezone.now() - timedelta(days=1)
    me = users[:4]
    quiet = [four(users[4 * table : 4 * table + 4], 1, 2, 3, 4) for table in range(1, 1_000) for _ in range(5)]
    busy = [four([me[0], *users[place : place + 3]], 1, 2, 3, 4, delta="0.1") for place in range(4, 604)]
    crowd.played(hearts, [*quiet, *busy], at=at)
    assert RatingChange.objects.count() > 20_000
    crowd.analyse(User, Game, Player, Rating, RatingChange, Appearance)
    with django_assert_max_num_queries(10):
        found = careers.career(me[0], hearts)
    assert (found.games, found.longest_run) == (600, 600)
    with django_assert_max_num_queries(2):
        assert len(careers.curve(me[0], hearts)) == 201
    with django_assert_max_num_queries(4):
        opponents, _ = careers.people_met(me[0], hearts)
    assert len(opponents) == careers.MET
    with django_assert_max_num_queries(4):
        assert len(careers.changes_of(me[0], hearts)[0]) == careers.PAGE
    counted = careers._counted(users[8], hearts)
    for rows in (
        counted.order_by("-change")[:20],
        RatingChange.objects.filter(user=users[8], ladder=hearts).order_by("-seq")[:10],
    ):
        plan = rows.explain()
        assert "Index" in plan
        assert "Seq Scan" not in plan
