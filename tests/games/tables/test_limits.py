"""Opening games: a double click is one game, and nobody opens them without end. Counted where all processes look."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.http import HttpRequest
from django.test import Client

from accounts import limits
from accounts.models import User
from games import models
from games.log import services
from tests import factories

pytestmark = pytest.mark.usefixtures("transactional_db")


@pytest.fixture(autouse=True)
def _fresh_counts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    cache.clear()
    monkeypatch.setattr(limits, "time", SimpleNamespace(time=lambda: 6_010.0))  # in the middle of a minute
    yield
    cache.clear()


def press(cookies: dict[str, str], kind: str = "hearts", **more: Any) -> tuple[int, str, str]:
    """Play now, as a browser with these cookies does: status, where it leads to, the session afterwards."""
    client = Client(**more)
    for name, value in cookies.items():
        client.cookies[name] = value
    try:
        answer = client.post(f"/play/{kind}/", {"timer": "0"})
    finally:
        connection.close()
    session = client.cookies.get("sessionid")
    return answer.status_code, answer.get("Location", ""), session.value if session else ""


def signed_in(user: User) -> dict[str, str]:
    client = Client()
    client.force_login(user)
    return {"sessionid": client.cookies["sessionid"].value}


def twice(cookies: dict[str, str]) -> list[tuple[int, str, str]]:
    with ThreadPoolExecutor(2) as pool:
        return [asked.result() for asked in [pool.submit(press, cookies) for _ in range(2)]]


# --- a double click ---------------------------------------------------------------------------------------------------


def test_a_double_click_opens_one_game() -> None:
    (first, second) = twice(signed_in(factories.user()))
    assert first[:2] == second[:2]
    assert models.Game.objects.count() == 1


def test_a_double_click_of_a_newcomer_makes_one_guest_and_one_game() -> None:
    client = Client()
    client.get("/")
    both = twice({"csrftoken": client.cookies["csrftoken"].value})
    assert {status for status, _, _ in both} == {302}
    assert len({place for _, place, _ in both}) == 1
    assert (models.Game.objects.count(), User.objects.count()) == (1, 1)
    # Whichever answer the browser takes last, it has the seat.
    for _, place, session in both:
        client = Client()
        client.cookies["sessionid"] = session
        assert client.get(place).status_code == 200


def test_newcomers_with_other_cookies_are_other_guests() -> None:
    places = []
    for _ in range(2):
        client = Client()
        client.get("/")
        places.append(press({"csrftoken": client.cookies["csrftoken"].value})[1])
    assert len(set(places)) == User.objects.count() == 2


def test_another_kind_or_a_game_that_was_played_in_is_another_game(monkeypatch: pytest.MonkeyPatch) -> None:
    cookies = signed_in(factories.user())
    first = press(cookies)[1]
    assert press(cookies, "spades")[1] != first
    assert press(cookies)[1] == first
    game = models.Game.objects.get(pk=first.split("/")[2])
    models.Action.objects.create(
        game=game, ply=game.ply + 1, seat=0, kind="pass", data={}, cause="player", created_at=game.created_at
    )
    second = press(cookies)[1]
    assert second != first
    monkeypatch.setattr(services, "ONE_CLICK_S", 0)
    assert press(cookies)[1] not in (first, second)


# --- limits -----------------------------------------------------------------------------------------------------------


def test_whoever_opens_games_without_end_gets_a_page_that_says_so_and_when(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.GAMES_A_MINUTE = 3
    monkeypatch.setattr(services, "ONE_CLICK_S", 0)
    cookies, other = signed_in(factories.user()), signed_in(factories.user())
    assert [press(cookies)[0] for _ in range(5)] == [302, 302, 302, 429, 429]
    client = Client()
    client.cookies["sessionid"] = cookies["sessionid"]
    answer = client.post("/play/hearts/", headers={"accept-language": "en"})
    assert answer["Retry-After"] == "50"
    assert "try again in a minute" in answer.content.decode()
    assert press(other)[0] == 302
    monkeypatch.setattr(limits, "time", SimpleNamespace(time=lambda: 6_061.0))
    assert press(cookies)[0] == 302
    assert models.Game.objects.count() == 5


def test_whoever_has_very_many_unfinished_games_is_asked_to_go_on_with_one(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.RUNNING_GAMES = 2
    monkeypatch.setattr(services, "ONE_CLICK_S", 0)
    cookies = signed_in(factories.user())
    assert [press(cookies)[0] for _ in range(3)] == [302, 302, 429]
    # One that nobody has touched for a day does not count, nor one that is over.
    first, second = models.Game.objects.order_by("pk")
    models.Game.objects.filter(pk=first.pk).update(moved_at="2020-01-01T00:00:00Z")
    assert press(cookies)[0] == 302
    models.Game.objects.filter(pk=second.pk).update(status="finished")
    assert press(cookies)[0] == 302


def test_guests_from_one_address_are_limited_and_those_from_others_are_not(settings: Any) -> None:
    settings.GUESTS_A_MINUTE = 3
    statuses = [press({}, REMOTE_ADDR="192.0.2.7")[0] for _ in range(5)]
    assert statuses == [302, 302, 302, 429, 429]
    assert User.objects.count() == 3
    assert press({}, REMOTE_ADDR="192.0.2.8")[0] == 302
    # Those who are there already play on.
    assert press(signed_in(factories.user()), REMOTE_ADDR="192.0.2.7")[0] == 302


@pytest.mark.parametrize(
    ("https", "forwarded", "address"),
    [
        (False, "", "192.0.2.7"),
        (False, "198.51.100.1", "192.0.2.7"),
        (True, "198.51.100.1", "198.51.100.1"),
        (True, "203.0.113.9, 198.51.100.1", "198.51.100.1"),
        (True, "", "192.0.2.7"),
    ],
)
def test_an_address_is_what_the_own_proxy_says(https: bool, forwarded: str, address: str, settings: Any) -> None:
    settings.HTTPS = https
    request = HttpRequest()
    request.META = {"REMOTE_ADDR": "192.0.2.7", **({"HTTP_X_FORWARDED_FOR": forwarded} if forwarded else {})}
    assert limits.address_of(request) == address


def test_without_redis_nobody_is_kept_from_playing(settings: Any, tmp_path: Any) -> None:
    settings.GAMES_A_MINUTE = settings.GUESTS_A_MINUTE = 0
    settings.CACHES = {"default": {**settings.CACHES["default"], "LOCATION": f"unix://{tmp_path}/none"}}
    client = Client()
    client.get("/")
    assert press({"csrftoken": client.cookies["csrftoken"].value})[0] == 302
