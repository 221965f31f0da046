"""What pages count of a rated game: stored with its change, by its log alone, and proved with it."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from decimal import Decimal
from io import StringIO
from unittest.mock import patch

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from games.log.positions import Entry, Position, Table
from games.models import Game
from games.rules import Action
from games.rules.state import DealScore, Line
from ladder.models import Appearance, RatingChange, SeasonRating
from ladder.rating import services
from ladder.rating.appearances import count_deeds, stand_in_deals
from ladder.rating.proof import Proof
from ladder.rating.standing import Season, season_of
from tests import factories
from tests.ladder.finished import members, ranked

pytestmark = pytest.mark.django_db


def differences() -> list[str]:
    return list(Proof().differences())


def parts(game: Game) -> list[Appearance]:
    return list(Appearance.objects.filter(change__game=game).order_by("seat"))


def test_a_game_of_hearts_is_kept_with_its_places_and_the_strength_of_the_others() -> None:
    users = members()
    game = ranked(users)
    services.rate_game(game.pk)
    assert game.result is not None
    kept = parts(game)
    assert [part.place for part in kept] == game.result["placings"]
    assert [part.user_id for part in kept] == [user.pk for user in users]
    assert {part.opposition for part in kept} == {Decimal(1500)}
    assert all(part.counts for part in kept)
    services.rate_game(ranked(users, seed=2).pk)
    latest = Appearance.objects.order_by("change")[4:]
    before = {part.user_id: part.change.before for part in latest}
    for part in latest:
        others = [rating for user, rating in before.items() if user != part.user_id]
        assert part.opposition == (sum(others, Decimal(0)) / 3).quantize(Decimal("0.01"))
    assert differences() == []


def test_whoever_left_is_placed_behind_all_who_stayed() -> None:
    game = ranked(members(), cause=lambda deal, seat: "cpu" if seat == 2 else "player")
    services.rate_game(game.pk)
    kept = parts(game)
    assert kept[2].place == 4
    assert sorted(part.place for part in kept) in ([1, 2, 3, 4], [1, 1, 3, 4], [1, 2, 2, 4])


def test_a_cpu_in_the_fourth_seat_takes_no_place() -> None:
    game = ranked([*members(3), "normal"])
    services.rate_game(game.pk)
    assert len(parts(game)) == 3
    assert max(part.place for part in parts(game)) <= 3


def test_a_game_of_spades_is_won_or_lost_by_both_partners() -> None:
    game = ranked(members(), kind="spades")
    services.rate_game(game.pk)
    places = [part.place for part in parts(game)]
    assert places[:2] == places[2:]
    assert set(places) == {1, 2}
    assert differences() == []


def test_moons_and_nils_are_counted_for_whoever_did_them() -> None:
    sheet = [
        DealScore(1, (Line(0, "moon", 0, 0), Line(1, "moon", 26, 0), Line(2, "moon", 26, 0)), (), (), ()),
        DealScore(2, (Line(0, "hearts", 5, 0), Line(1, "queen", 13, 1)), (), (), ()),
        DealScore(3, (Line(0, "nil", 100, 2), Line(1, "failed_blind_nil", -200, 3), Line(0, "bags", 1)), (), (), ()),
    ]
    assert count_deeds(sheet, set()) == {(0, "moons"): 1, (2, "nils_made"): 1, (3, "nils_failed"): 1}
    assert count_deeds(sheet, {(1, 0), (3, 3)}) == {(2, "nils_made"): 1}


def test_what_a_stand_in_did_is_nobodys() -> None:
    def plays(deal: int, seat: int, *causes: str) -> list[Entry]:
        at = timezone.now()
        return [Entry(1, seat, "play", f"{deal}.0.play.1", {}, cause, None, at) for cause in causes]

    log = [
        *plays(1, 0, "player", "player", "timeout"),
        *plays(1, 1, "player", "cpu", "cpu"),
        *plays(2, 1, "player", "cpu"),
        *plays(2, 2, "timeout"),
    ]
    assert stand_in_deals(log) == {(1, 1), (2, 2)}


def test_nils_of_a_whole_game_are_kept_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    at_random = factories.random_answer

    def answer(table: Table, position: Position, seat: int, rng: random.Random) -> Action:
        if position.state.phase == "bid" and seat == 1:
            return Action("bid", seat, bid=0)
        return at_random(table, position, seat, rng)

    monkeypatch.setattr(factories, "random_answer", answer)
    game = ranked(members(), kind="spades")
    services.rate_game(game.pk)
    sheet = factories.position_of(game.pk).state.sheet
    made = sum(line.what == "nil" for row in sheet for line in row.lines if line.seat == 1)
    assert (parts(game)[1].nils_made, parts(game)[1].nils_failed) == (made, len(sheet) - made)
    assert sum(part.nils_failed + part.nils_made for part in parts(game)) >= len(sheet) > 0
    assert differences() == []


def test_a_log_that_cannot_be_followed_is_rated_without_moons(caplog: pytest.LogCaptureFixture) -> None:
    game = ranked(members())
    with patch("ladder.rating.appearances.fold", side_effect=ValueError("another version of the rules")):
        assert services.rate_game(game.pk)
    assert len(parts(game)) == 4
    assert "cannot be followed" in caplog.text


def test_a_game_taken_back_counts_for_nothing_and_comes_off_its_season() -> None:
    users = members()
    first, second = ranked(users), ranked(users, seed=2)
    for game in (first, second):
        services.rate_game(game.pk)
    services.void_game(first.pk)
    assert not any(part.counts for part in parts(first))
    assert all(part.counts for part in parts(second))
    for row in SeasonRating.objects.all():
        assert row.games == 1
        assert row.season == str(season_of(timezone.now()))
        assert row.rating == RatingChange.objects.filter(user=row.user_id).latest("seq").after
    assert differences() == []


def test_a_game_taken_back_in_a_later_season_leaves_how_the_earlier_one_was_closed() -> None:
    users = members()
    game = ranked(users)
    autumn, winter = Season(2026, 3), Season(2026, 4)
    with patch("ladder.rating.services.timezone.now", return_value=autumn.starts_at + timedelta(days=3)):
        services.rate_game(game.pk)
    closed = dict(SeasonRating.objects.values_list("user", "rating"))
    with patch("ladder.rating.services.timezone.now", return_value=winter.starts_at):
        services.void_game(game.pk)
    then, now = (SeasonRating.objects.filter(season=str(season)) for season in (autumn, winter))
    assert dict(then.values_list("user", "rating")) == closed
    assert set(then.values_list("games", flat=True)) == {0}
    assert set(now.values_list("rating", "games")) == {(Decimal(1500), 0)}
    assert differences() == []


@pytest.mark.parametrize("second", [0, -1])
def test_a_season_begins_in_tokyo(second: int) -> None:
    game = ranked(members())
    at: datetime = Season(2027, 1).starts_at + timedelta(seconds=second)
    with patch("ladder.rating.services.timezone.now", return_value=at):
        services.rate_game(game.pk)
    assert set(SeasonRating.objects.values_list("season", flat=True)) == {"2027-Q1" if second == 0 else "2026-Q4"}


def test_what_is_stored_beside_the_changes_is_proved_and_repaired() -> None:
    users = members()
    game = ranked(users)
    services.rate_game(game.pk)
    services.rate_game(ranked(users, kind="spades", seed=random.Random(1).randrange(9)).pk)
    Appearance.objects.filter(change__game=game, seat=0).update(moons=9)
    Appearance.objects.filter(change__game=game, seat=1).delete()
    SeasonRating.objects.filter(user=users[2]).update(games=7)
    SeasonRating.objects.filter(user=users[3]).delete()
    assert len(differences()) == 6
    with pytest.raises(CommandError):
        call_command("rebuild_ratings", stdout=StringIO())
    call_command("rebuild_ratings", "--repair", stdout=StringIO())
    assert differences() == []
    assert Appearance.objects.count() == 8
