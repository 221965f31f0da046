"""What a ranked game's table is told of ratings: beside the names, when the game is rated, and as a receipt."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.test import Client
from jsonschema import Draft202012Validator

from accounts.models import User
from games import models
from games.log import live, services
from games.tables import protocol
from ladder import tasks
from ladder.models import RankedGame, Rating, RatingChange
from ladder.rating import services as ladder_services
from tests import factories
from tests.games.live_site import Browser, eventually, is_over, orm, play_until
from tests.ladder.finished import ladder, members, ranked
from tests.ladder.rating.test_services import leaves
from tests.ladder.rating.test_voids import open_ranked


def visitor(user: User | None, language: str = "en") -> Client:
    client = Client(headers={"accept-language": language})
    if user is not None:
        client.force_login(user)
    return client


def boot_of(page: str) -> Any:
    found = re.search(r'<script id="boot" type="application/json">(.*?)</script>', page, re.S)
    assert found
    return json.loads(found[1])


def receipt(game: int, user: User | None, language: str = "en") -> str:
    answer = visitor(user, language).get(f"/ladder/receipt/{game}/")
    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]
    return answer.content.decode()


# --- over the socket --------------------------------------------------------------------------------------------------


async def rate(game: int) -> None:
    await orm(tasks.rate_game, game)


async def test_m07_everybody_at_the_table_is_told_old_and_new_ratings_once_the_game_is_rated(site: None) -> None:
    users = await orm(members, 4)
    game = await orm(open_ranked, users)
    await play_until(game, is_over)
    browsers = [await Browser(game, user).open() for user in (users[0], users[3], None)]
    await rate(game)
    for browser in browsers:
        told = await browser.until("rated")
        Draft202012Validator(protocol.schemas()["rated"]).validate(told)
        for seat, user in zip(told["seats"], users, strict=True):
            change = await orm(RatingChange.objects.get, game=game, user=user)
            assert (seat["before"], seat["after"]) == (f"{change.before:.0f}?", f"{change.after:.0f}?")
            assert seat["change"].replace("−", "-") == (f"{change.delta:+.2f}" if change.delta else "0")
    await rate(game)
    assert not await browsers[0].has("news-that-is-none")
    assert sum(frame["type"] == "rated" for frame in browsers[0].frames) == 1, "rated once, told once"


async def test_m07_a_table_with_a_cpu_is_told_nothing_of_its_rating(site: None) -> None:
    users = await orm(members, 3)
    game = await orm(open_ranked, [*users, "normal"])
    await play_until(game, is_over)
    browser = await Browser(game, users[0]).open()
    await orm(tasks.rate_missed)
    told = await browser.until("rated")
    Draft202012Validator(protocol.schemas()["rated"]).validate(told)
    assert [seat is None for seat in told["seats"]] == [False, False, False, True]


async def test_the_end_of_a_ranked_game_is_told_again_when_its_rating_is_taken_back(site: None) -> None:
    users = await orm(members, 4)
    game = await orm(open_ranked, users)
    await play_until(game, is_over)
    await orm(ladder_services.rate_game, game)
    browser = await Browser(game, users[0]).open()
    chief = await orm(User.objects.create_superuser, "chief", "chief@example.org", "x")

    def take_back() -> None:
        visitor(chief).post(f"/admin/ladder/rankedgame/void/?ids={game}", {"note": "A fault."})

    await orm(take_back)
    told = await browser.until("rated")
    Draft202012Validator(protocol.schemas()["rated"]).validate(told)
    assert {seat["after"] for seat in told["seats"]} == {"1500?"}


async def test_a_game_that_is_not_ranked_is_told_nothing(site: None) -> None:
    game = await orm(factories.game, 1, 3, options=factories.SHORT, code=factories.ONE_DEAL)
    browser = await Browser(game.id, game.users[0]).open()
    await play_until(game.id, is_over)
    await orm(tasks.rate_missed)
    await eventually(lambda: orm(models.Game.objects.filter(pk=game.id, status="finished").exists))
    await browser.settle()
    assert not await browser.has("rated")
    assert (await live.refresh(game.id))[1].is_over


# --- on the page ------------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_the_table_shows_the_ratings_of_its_players_and_no_other_table_does() -> None:
    users = members(3)
    game = services.open_game(kind="hearts", seats=[*users, "normal"], timer_s=30, may_watch=True)
    ladder_services.enter(game=game, ladder=ladder())
    Rating.objects.create(user=users[1], ladder=ladder(), rating="1612.50", games=12)
    for user in (users[0], None):
        boot = boot_of(visitor(user).get(f"/game/{game.pk}/").content.decode())
        assert boot["ratings"] == ["1500?", "1612", "1500?", None]
        assert boot["receipt"] == f"/ladder/receipt/{game.pk}/"
        assert boot["again"]["url"].startswith("/")
    RankedGame.objects.all().delete()
    boot = boot_of(visitor(users[0]).get(f"/game/{game.pk}/").content.decode())
    assert "ratings" not in boot
    assert "receipt" not in boot


@pytest.mark.django_db
def test_the_receipt_is_there_once_the_game_is_over_and_says_that_it_is_being_rated() -> None:
    users = members()
    game = ranked(users)
    models.Game.objects.filter(pk=game.pk).update(status="playing")
    assert visitor(users[0]).get(f"/ladder/receipt/{game.pk}/").status_code == 404
    models.Game.objects.filter(pk=game.pk).update(status="finished")
    assert 'data-status="pending"' in receipt(game.pk, users[0])
    ladder_services.rate_game(game.pk)
    own = receipt(game.pk, users[0])
    assert 'data-status="rated"' in own
    assert own.count("receipt-sum") == 4
    assert "Your rating: 1500? →" in " ".join(own.split())
    watched = receipt(game.pk, None)
    assert "Your rating" not in watched
    for user in users:
        assert str(user) in watched
    ladder_services.void_game(game.pk)
    assert 'data-status="taken_back"' in receipt(game.pk, users[0])


@pytest.mark.django_db
def test_there_is_no_receipt_of_a_game_that_is_not_ranked_or_not_to_be_seen() -> None:
    users = members()
    game = ranked(users)
    models.Game.objects.filter(pk=game.pk).update(is_private=True)
    assert visitor(None).get(f"/ladder/receipt/{game.pk}/").status_code == 404
    assert visitor(users[0]).get(f"/ladder/receipt/{game.pk}/").status_code == 200
    RankedGame.objects.all().delete()
    assert visitor(users[0]).get(f"/ladder/receipt/{game.pk}/").status_code == 404
    assert visitor(users[0]).get("/ladder/receipt/999999999/").status_code == 404
    assert visitor(users[0]).post(f"/ladder/receipt/{game.pk}/").status_code == 405


@pytest.mark.django_db
def test_the_receipt_of_a_leaver_tells_what_leaving_costs() -> None:
    users = members()
    for seed in range(2):
        game = ranked(users, cause=leaves(1), seed=seed)
        ladder_services.rate_game(game.pk)
    page = receipt(game.pk, users[1])
    assert "For leaving" in page
    assert "−5.00" in page


@pytest.mark.django_db
def test_a_game_that_is_void_says_that_no_rating_changes_and_tells_who_never_came(
    django_capture_on_commit_callbacks: Any,
) -> None:
    users = members()
    game = ranked(users)
    models.Game.objects.filter(pk=game.pk).update(status="void")
    assert "No rating changes." in receipt(game.pk, users[0])
    from ladder.models import Abandon  # noqa: PLC0415

    Abandon.objects.create(user=users[2], game=game, at=game.moved_at)
    assert "abandoned" in receipt(game.pk, users[2])
    assert "abandoned" not in receipt(game.pk, users[0])


@pytest.mark.django_db
def test_names_are_written_as_text_in_a_receipt() -> None:
    users = members()
    users[1].display_name = "<b>Eve</b>"
    users[1].save()
    game = ranked(users)
    ladder_services.rate_game(game.pk)
    assert "<b>Eve</b>" not in receipt(game.pk, users[0])
    assert "&lt;b&gt;Eve" in receipt(game.pk, users[0])
