"""The read API: what it says is what its description promises, pages are whole, nothing is told that is not public."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.conf import settings
from django.core.cache import cache
from django.test import Client
from django.utils import timezone
from jsonschema import Draft202012Validator

from accounts.members import close_account
from accounts.models import User
from config.api import FRESH_S
from games.histories import records
from games.log import services
from games.models import Game, GameSecret
from ladder.models import RankedGame, Rating, RatingChange
from ladder.rating import services as ladder_services
from ladder.rating.standing import season_of
from tests import factories
from tests.api_client import check, description, get, operation_of, walk
from tests.ladder import crowd
from tests.ladder.finished import SHORT, finish, ladder, members, ranked

pytestmark = pytest.mark.django_db


def rated(users: list[Any] | None = None, **more: Any) -> Game:
    """A ranked game that is over and rated."""
    game = ranked(users or members(), **more)
    ladder_services.rate_game(game.pk)
    return game


def played(*, humans: int = 1, is_private: bool = False, kind: str = "hearts", **fields: Any) -> Game:
    """A finished game that is not ranked."""
    seats: list[Any] = [*(factories.user(**fields) for _ in range(humans)), *["normal"] * (4 - humans)]
    game = services.open_game(kind=kind, seats=seats, options=SHORT[kind], is_private=is_private)
    factories.deal(game.pk)
    finish(game, lambda deal, seat: "player", random.Random(3))
    return Game.objects.get(pk=game.pk)


# --- the description --------------------------------------------------------------------------------------------------


def references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for each in node.values():
            yield from references(each)
    elif isinstance(node, list):
        for each in node:
            yield from references(each)


def test_the_description_is_a_valid_openapi_document() -> None:
    found = description()
    assert re.fullmatch(r"3\.1\.\d", found["openapi"])
    assert found["info"]["title"]
    assert found["info"]["version"] == settings.VERSION
    schemas = found["components"]["schemas"]
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)
    for reference in references(found):
        assert reference.startswith("#/components/schemas/")
        assert reference.rpartition("/")[2] in schemas
    names = []
    for path, methods in found["paths"].items():
        assert set(methods) == {"get"}, "it is for reading only"
        names.append(methods["get"]["operationId"])
        assert methods["get"]["summary"]
        inside = {each["name"] for each in methods["get"].get("parameters", ()) if each["in"] == "path"}
        assert inside == set(re.findall(r"{(\w+)}", path))
        for status in ("200", "404", "422", "429", "500"):
            assert status in methods["get"]["responses"]
        for each in methods["get"].get("parameters", ()):
            Draft202012Validator.check_schema(each["schema"])
            assert each.get("description") or each["in"] == "path"
    assert len(set(names)) == len(names)


def test_every_address_answers_as_described() -> None:
    users = members()
    game = rated(users)
    rated(users, kind="spades")
    crowd.ratings(ladder(), crowd.people(3), [1700, 1650, 1600])
    number = users[0].pk
    paths = [
        "/api/ladders",
        "/api/ladders/hearts-ranked",
        "/api/ladders/hearts-ranked/board",
        f"/api/players/{number}",
        f"/api/players/{number}/records/hearts-ranked",
        f"/api/players/{number}/records/spades-ranked",
        f"/api/players/{number}/curve/hearts-ranked",
        f"/api/players/{number}/changes",
        "/api/games",
        f"/api/games/{game.pk}",
        f"/api/games/{game.pk}/record",
        f"/api/games/{game.pk}/ratings",
    ]
    for path in paths:
        assert get(path)
    assert {operation_of(path)[0] for path in paths} == set(description()["paths"])


def test_ratings_are_texts_with_two_decimals_and_follow_from_each_other() -> None:
    game = rated()
    for change in get(f"/api/games/{game.pk}/ratings")["changes"]:
        for key in ("before", "change", "after"):
            assert re.fullmatch(r"-?\d+\.\d\d", change[key])
        assert Decimal(change["before"]) + Decimal(change["change"]) == Decimal(change["after"])
        for row in change["rows"]:
            product = row["k"] * Decimal(row["weight"]) * (Decimal(row["scored"]) - Decimal(row["expected"]))
            assert abs(product - Decimal(row["change"])) < Decimal("0.01")


# --- faults -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/api/games/999999", 404, "not_found"),
        ("/api/games/999999/record", 404, "not_found"),
        ("/api/players/999999", 404, "not_found"),
        ("/api/ladders/none", 404, "not_found"),
        ("/api/ladders/none/board", 404, "not_found"),
        ("/api/games/0", 422, "invalid"),
        ("/api/games/abc", 422, "invalid"),
        ("/api/games/99999999999999999999999", 422, "invalid"),
        ("/api/games?limit=0", 422, "invalid"),
        ("/api/games?limit=101", 422, "invalid"),
        ("/api/games?kind=chess", 422, "invalid"),
        ("/api/games?player=-1", 422, "invalid"),
        ("/api/games?cursor=nonsense", 422, "bad_cursor"),
        ("/api/games?cursor=WzEsMl0x", 422, "bad_cursor"),
        ("/api/games?cursor=W10", 422, "bad_cursor"),
        ("/api/games?cursor=WyJhIiwxXQ", 422, "bad_cursor"),
        ("/api/games?cursor=WzQ2MTE2ODYwMTg0MjczODc5MDMsMV0", 422, "bad_cursor"),
        ("/api/games?cursor=%C3%BC", 422, "bad_cursor"),
        ("/api/ladders/hearts-ranked/board?season=2026-Q5", 422, "invalid"),
        ("/api/ladders/hearts-ranked/board?season=0001-Q1", 404, "not_found"),
        ("/api/ladders/hearts-ranked/board?cursor=WyJOYU4iLDFd", 422, "bad_cursor"),
        ("/api/ladders/hearts-ranked/board?search=" + "x" * 41, 422, "invalid"),
        ("/api/ladders/%00", 404, "not_found"),
        ("/api/ladders/hearts-ranked/board?search=a%00b", 404, "not_found"),
        ("/api/players/1/changes?ladder=%00", 404, "not_found"),
    ],
)
def test_a_fault_is_an_object_with_a_code(path: str, status: int, code: str) -> None:
    ladder()
    answer = Client(raise_request_exception=False).get(path)
    body = answer.json()
    assert (answer.status_code, body["code"]) == (status, code)
    assert body["message"]
    assert (status == 422 and code == "invalid") is bool(body["faults"])
    assert "no-store" in answer["Cache-Control"]
    check(path.partition("?")[0], status, body)


@pytest.mark.parametrize(("path", "status"), [("/api/nothing", 404), ("/api/games/1/2/3", 404), ("/api/openapi", 404)])
def test_what_is_no_part_of_the_api_is_answered_as_json_too(path: str, status: int) -> None:
    answer = Client().get(path)
    assert (answer.status_code, answer.json()["code"]) == (status, "not_found")


def test_nothing_can_be_written() -> None:
    for method in ("post", "put", "patch", "delete"):
        answer = getattr(Client(enforce_csrf_checks=True), method)("/api/games")
        assert (answer.status_code, answer.json()["code"]) == (405, "not_allowed")
        assert "GET" in answer["Allow"]


def test_a_fault_of_the_site_tells_nothing_of_its_insides(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_args: object, **_more: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("games.histories.api.told", broken)
    answer = Client(raise_request_exception=False).get("/api/games")
    assert (answer.status_code, answer.json()["code"]) == (500, "server_error")
    assert "secret" not in answer.content.decode()
    check("/api/games", 500, answer.json())


# --- limits and what may be kept --------------------------------------------------------------------------------------


def test_too_many_requests_from_one_address_are_told_when_to_come_back(settings: Any) -> None:
    settings.API_A_MINUTE = 3
    cache.clear()
    client = Client(REMOTE_ADDR="192.0.2.7")
    answers = [client.get("/api/ladders") for _ in range(7)]  # a minute may begin in between
    refused = [answer for answer in answers if answer.status_code == 429]
    assert refused
    assert 1 <= int(refused[0]["Retry-After"]) <= 60
    assert refused[0].json()["code"] == "too_many"
    check("/api/ladders", 429, refused[0].json())
    assert Client(REMOTE_ADDR="192.0.2.8").get("/api/ladders").status_code == 200
    cache.clear()


def test_an_answer_that_has_not_changed_is_304_and_may_be_kept_by_anybody() -> None:
    users = members()
    rated(users)
    for path in ("/api/games", "/api/ladders", f"/api/players/{users[0].pk}/changes"):
        first = Client().get(path)
        assert set(first["Cache-Control"].split(", ")) == {"public", f"max-age={FRESH_S}"}
        assert "Cookie" not in first.get("Vary", "")
        assert not first.cookies
        again = Client().get(path, headers={"if-none-match": first["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert again["ETag"] == first["ETag"]
    rated(users, seed=2)
    assert Client().get("/api/games", headers={"if-none-match": first["ETag"]}).status_code == 200


def test_answers_are_the_same_whoever_asks_and_in_whatever_language() -> None:
    users = members(3)
    game = rated([*users, "normal"])
    client = Client(headers={"accept-language": "ja"})
    client.force_login(users[0])
    for path in ("/api/games", f"/api/games/{game.pk}", f"/api/players/{users[0].pk}"):
        assert client.get(path).content == Client().get(path).content
    assert get(f"/api/games/{game.pk}")["seats"][3] == {"seat": 3, "name": "CPU 1", "player": None, "cpu": "normal"}


# --- pages ------------------------------------------------------------------------------------------------------------


def test_a_walk_through_finished_games_finds_each_once_the_latest_first(django_assert_max_num_queries: Any) -> None:
    users = members()
    now = timezone.now()
    crowd.played(ladder(), [[(user, crowd.Part(1)) for user in users]] * 57)
    for number, game in enumerate(Game.objects.order_by("?")):
        # Several end at the same moment.
        Game.objects.filter(pk=game.pk).update(moved_at=now - timedelta(seconds=number // 4))
    Game.objects.update(options={"end_score": 50})
    for limit in (1, 7, 50, 100):
        found = walk("/api/games", "games", limit=limit)
        assert [game["id"] for game in found] == list(
            Game.objects.order_by("-moved_at", "-pk").values_list("pk", flat=True)
        )
    with django_assert_max_num_queries(6):
        get("/api/games", limit=100)


def test_finished_games_are_narrowed_by_kind_and_player() -> None:
    users = members()
    hearts, spades = rated(users), rated([users[0], *members(3)], kind="spades")
    casual = played(humans=2, is_guest=False)
    assert [game["id"] for game in walk("/api/games", "games", kind="spades")] == [spades.pk]
    assert [game["id"] for game in walk("/api/games", "games", player=users[0].pk, limit=1)] == [spades.pk, hearts.pk]
    assert [game["id"] for game in walk("/api/games", "games")] == [casual.pk, spades.pk, hearts.pk]
    assert walk("/api/games", "games", player=users[1].pk, kind="spades") == []


@pytest.mark.parametrize("limit", [1, 3, 100])
def test_a_walk_through_a_board_finds_everybody_once_with_the_rank_that_equals_share(limit: int) -> None:
    values = [1800, 1750, 1750, 1750, 1700, 1650, 1650, 1600]
    crowd.ratings(ladder(), crowd.people(8), values)
    rows = walk("/api/ladders/hearts-ranked/board", "rows", limit=limit)
    assert [row["rank"] for row in rows] == [1, 2, 2, 2, 5, 6, 6, 8]
    assert [row["rating"] for row in rows] == [f"{value}.00" for value in values]
    assert len({row["player"]["id"] for row in rows}) == 8


def test_a_board_is_searched_by_name_and_keeps_its_ranks() -> None:
    people = [*crowd.people(3, "Fox"), *crowd.people(3, "Owl")]
    crowd.ratings(ladder(), people, [1800, 1700, 1600, 1750, 1700, 1500])
    rows = walk("/api/ladders/hearts-ranked/board", "rows", search="owl", limit=2)
    assert [(row["player"]["name"], row["rank"]) for row in rows] == [("Owl 0", 2), ("Owl 1", 3), ("Owl 2", 6)]
    assert walk("/api/ladders/hearts-ranked/board", "rows", search="%") == []


def test_a_season_has_a_board_of_its_own() -> None:
    people = crowd.people(3)
    crowd.season(ladder(), "2025-Q3", people, [1600, 1700, 1650])
    rows = walk("/api/ladders/hearts-ranked/board", "rows", season="2025-Q3", limit=2)
    assert [row["rating"] for row in rows] == ["1700.00", "1650.00", "1600.00"]
    assert get("/api/ladders/hearts-ranked/board", season="2020-Q1")["rows"] == []
    seasons = get("/api/ladders/hearts-ranked")["seasons"]
    assert seasons[0] == str(season_of(timezone.now()))
    assert seasons[-1] == "2025-Q3"


def test_a_walk_through_a_players_games_finds_each_change_once() -> None:
    users = members()
    games = [rated(users, seed=seed) for seed in range(5)]
    ladder_services.void_game(games[1].pk)
    changes = walk(f"/api/players/{users[0].pk}/changes", "changes", limit=2)
    stored = RatingChange.objects.filter(user=users[0]).order_by("-seq")
    assert [change["id"] for change in changes] == list(stored.values_list("seq", flat=True))
    assert [change["reason"] for change in changes].count("void") == 1
    assert changes[0]["place"] is None
    spades = walk(f"/api/players/{users[0].pk}/changes", "changes", ladder=ladder("spades").slug)
    assert spades == []
    assert get(f"/api/games/{games[1].pk}/ratings")["status"] == "taken_back"


# --- what is not told -------------------------------------------------------------------------------------------------


def every_path(game: Game) -> list[str]:
    return [f"/api/games/{game.pk}{more}" for more in ("", "/record", "/ratings")]


def everything() -> str:
    """All that the API says without being asked for one thing, and of everybody and every game that it names."""
    said = [get("/api/ladders")]
    for slug in (each["slug"] for each in said[0]["ladders"]):
        said += [walk(f"/api/ladders/{slug}/board", "rows")]
    said += [walk("/api/games", "games")]
    for user in User.objects.all():
        for path in (f"/api/players/{user.pk}", f"/api/players/{user.pk}/changes"):
            answer = Client().get(path)
            assert answer.status_code in (200, 404)
            said.append(answer.json())
    for game in Game.objects.all():
        for path in every_path(game):
            answer = Client().get(path)
            assert answer.status_code in (200, 404)
            said.append(answer.json())
    return json.dumps(said)


def test_n03_of_a_running_game_nothing_is_told_by_any_address() -> None:
    users = members()
    rated(users)
    running = services.open_game(kind="hearts", seats=users, timer_s=30, may_watch=True)
    factories.deal(running.pk)
    ladder_services.enter(game=running, ladder=ladder())
    client = Client()
    client.force_login(users[0])
    for path in every_path(running):
        assert client.get(path).status_code == Client().get(path).status_code == 404
    said = everything()
    assert f'"game": {running.pk}' not in said
    assert running.pk not in [game["id"] for game in walk("/api/games", "games")]
    assert running.commitment not in said
    secret = GameSecret.objects.get(game=running)  # its code would tell every card
    assert secret.code not in said
    state = factories.position_of(running.pk).state
    assert json.dumps(list(state.hands[0])) not in said


def test_a_game_of_a_private_party_is_told_to_nobody_not_even_to_its_players() -> None:
    game = played(humans=2, is_private=True, is_guest=False)
    for path in every_path(game):
        assert Client().get(path).status_code == 404
    assert walk("/api/games", "games") == []
    assert game.code not in everything()


def test_m10_cpus_and_guests_are_on_no_board_and_no_players() -> None:
    users = members(3)
    game = rated([*users, "normal"])
    guest = factories.user("visitor")
    crowd.ratings(ladder(), crowd.people(1), [1700])
    assert [row["player"]["name"] for row in walk("/api/ladders/hearts-ranked/board", "rows")] == ["Crowd 0"]
    assert get("/api/ladders/hearts-ranked")["listed"] == 1
    assert get(f"/api/players/{guest.pk}", 404)["code"] == "not_found"
    assert [change["seat"] for change in get(f"/api/games/{game.pk}/ratings")["changes"]] == [0, 1, 2]
    casual = played(humans=2)
    assert {seat["player"] for seat in get(f"/api/games/{casual.pk}")["seats"]} == {None}


def test_who_has_never_played_ranked_is_nobody_to_the_api() -> None:
    stranger = members(1)[0]
    for more in ("", "/changes", "/curve/hearts-ranked", "/records/hearts-ranked"):
        ladder()
        assert get(f"/api/players/{stranger.pk}{more}", 404)["code"] == "not_found"


def test_who_has_closed_his_account_is_there_under_the_name_that_replaced_his() -> None:
    users = members()
    users[1].display_name, users[1].email = "Shimura Takashi", "shimura@example.org"
    users[1].save()
    game = rated(users)
    Rating.objects.filter(user=users[1]).update(games=40)
    close_account(user=users[1])
    said = everything()
    assert "Shimura" not in said
    assert "shimura" not in said
    users[1].refresh_from_db()
    assert get(f"/api/games/{game.pk}")["seats"][1]["name"] == users[1].display_name
    assert get(f"/api/players/{users[1].pk}")["name"] == users[1].display_name


def test_nothing_personal_is_told_of_anybody() -> None:
    users = members()
    for number, user in enumerate(users):
        user.email, user.username = f"someone{number}@example.org", f"login-name-{number}"
        user.save()
    rated(users)
    said = everything()
    assert "@" not in said
    assert "login-name" not in said


def test_a_record_is_the_file_that_the_site_exports() -> None:
    game = rated()
    exported = Client().get(f"/game/{game.pk}/record.json").content
    assert Client().get(f"/api/games/{game.pk}/record").content == exported
    assert records.faults(records.from_bytes(exported)) == []


def test_a_ranked_game_without_a_result_has_no_changes() -> None:
    game = ranked(members())
    assert get(f"/api/games/{game.pk}/ratings")["status"] == "pending"
    Game.objects.filter(pk=game.pk).update(status="void", result=None)
    found = get(f"/api/games/{game.pk}/ratings")
    assert (found["status"], found["changes"]) == ("void", [])
    assert get(f"/api/games/{game.pk}")["result"] is None
    assert walk("/api/games", "games") == [], "the list has games with a result"
    RankedGame.objects.all().delete()
    assert get(f"/api/games/{game.pk}/ratings", 404)["code"] == "not_found"


def test_the_largest_numbers_that_are_asked_for_are_answered() -> None:
    for path in (f"/api/games/{2**62 - 1}", f"/api/players/{2**62 - 1}"):
        assert get(path, 404)["code"] == "not_found"
    assert get("/api/games", player=2**62 - 1)["games"] == []
