"""Pages: the front page, a game at once, the table for its players alone, and whether the site is well."""

from __future__ import annotations

import json
import re
import socket
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from config import health
from games import models
from games.kinds import KINDS
from games.presets.selectors import play_now_preset
from tests import factories

pytestmark = pytest.mark.usefixtures("transactional_db")


def boot_of(text: str) -> dict[str, Any]:
    """What the table page tells its script."""
    found = re.search(r'<script id="boot" type="application/json">(.*?)</script>', text, re.S)
    assert found is not None
    boot: dict[str, Any] = json.loads(found[1])
    return boot


def visitor(user: User | None = None, **more: Any) -> Client:
    client = Client(**more)
    if user is not None:
        client.force_login(user)
    return client


def play_now(client: Client, kind: str = "hearts") -> models.Game:
    """Presses the button of the front page."""
    answer = client.post(reverse("play", args=[kind]))
    assert answer.status_code == 302
    game = models.Game.objects.latest("pk")
    assert answer["Location"] == reverse("table", args=[game.pk])
    return game


# --- the front page ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("language", "lang"), [("en", "en"), ("ja", "ja"), ("ja-JP,ja;q=0.9", "ja"), ("de", "en")])
def test_the_front_page_speaks_the_language_of_the_browser_and_has_a_button_for_each_game(
    language: str, lang: str
) -> None:
    answer = visitor().get("/", headers={"accept-language": language})
    text = answer.content.decode()
    assert answer.status_code == 200
    assert f'<html lang="{lang}">' in text
    for kind in KINDS:
        assert f'formaction="/play/{kind}/"' in text
    assert ("Hearts" in text, "ハーツ" in text) == (lang == "en", lang == "ja")


def test_a_language_that_was_chosen_is_remembered() -> None:
    client = visitor()
    client.post("/i18n/setlang/", {"language": "ja", "next": "/"}, headers={"accept-language": "en"})
    assert '<html lang="ja">' in client.get("/", headers={"accept-language": "en"}).content.decode()


def test_a_mere_visit_makes_no_user_no_game_and_no_session() -> None:
    client = visitor()
    for path in ("/", "/game/1/", "/health/live", "/i18n/js/", "/nothing/"):
        client.get(path)
        client.head(path)
    assert (User.objects.count(), models.Game.objects.count()) == (0, 0)
    assert "sessionid" not in client.cookies


def test_running_games_are_offered_again_and_finished_ones_are_not() -> None:
    client = visitor()
    first, second = play_now(client), play_now(client, "spades")
    text = client.get("/").content.decode()
    assert text.index(f"/game/{second.pk}/") < text.index(f"/game/{first.pk}/")
    models.Game.objects.filter(pk=first.pk).update(status="finished")
    text = client.get("/").content.decode()
    assert (f"/game/{first.pk}/" in text, f"/game/{second.pk}/" in text) == (False, True)
    other = visitor().get("/").content.decode()
    assert f"/game/{second.pk}/" not in other


# --- a game at once ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_play_now_makes_a_guest_seats_him_and_deals(kind: str) -> None:
    client = visitor()
    game = play_now(client, kind)
    (guest,) = User.objects.all()
    assert guest.is_guest
    assert guest.display_name
    assert not guest.has_usable_password()
    version = play_now_preset(kind)
    assert version is not None
    assert (game.kind, game.players, game.status, game.timer_s) == (kind, 4, "playing", 0)
    assert game.preset_version == version
    assert {name: game.options[name] for name in version.options} == version.options
    seats = list(models.Player.objects.filter(game=game).order_by("seat").values_list("user", "cpu_level"))
    assert seats == [(guest.pk, ""), *[(None, "normal")] * 3]
    assert models.Action.objects.filter(game=game).count() == 2
    assert client.get(f"/game/{game.pk}/").status_code == 200


def test_a_guest_stays_the_same_guest_and_his_seat_is_tied_to_the_browser() -> None:
    client = visitor()
    first, second = play_now(client), play_now(client)
    assert User.objects.count() == 1
    for game in (first, second):
        assert client.get(f"/game/{game.pk}/").status_code == 200
    other = visitor()
    play_now(other)
    assert User.objects.count() == 2
    assert other.get(f"/game/{first.pk}/").status_code == 404
    # The tab closed, and a year later opened again.
    again = Client()
    again.cookies["sessionid"] = client.cookies["sessionid"].value
    assert again.get(f"/game/{first.pk}/").status_code == 200
    assert client.cookies["sessionid"]["max-age"] >= 60 * 60 * 24 * 300


def test_a_guest_speaks_the_language_he_came_with() -> None:
    client = visitor(headers={"accept-language": "ja"})
    play_now(client)
    assert User.objects.get().locale == "ja"


def test_somebody_with_an_account_plays_as_himself() -> None:
    user = factories.user("member", is_guest=False)
    play_now(visitor(user))
    assert models.Player.objects.get(user__isnull=False).user == user
    assert User.objects.count() == 1


@pytest.mark.parametrize("method", ["get", "head", "put", "delete"])
def test_a_crawler_starts_no_game(method: str) -> None:
    assert getattr(visitor(), method)("/play/hearts/").status_code == 405
    assert (User.objects.count(), models.Game.objects.count()) == (0, 0)


def test_another_site_cannot_start_a_game() -> None:
    client = visitor(enforce_csrf_checks=True)
    assert client.post("/play/hearts/").status_code == 403
    assert User.objects.count() == 0
    text = client.get("/").content.decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', text)
    assert token is not None
    assert client.post("/play/hearts/", {"csrfmiddlewaretoken": token[1]}).status_code == 302


def test_a_kind_that_is_not_played_here_makes_no_guest() -> None:
    assert visitor().post("/play/poker/").status_code == 404
    assert User.objects.count() == 0


# --- the table --------------------------------------------------------------------------------------------------------


def test_n02_the_table_page_is_its_players_alone() -> None:
    game = factories.game(2, 2)
    stranger = factories.user()
    for user in game.users[:2]:
        assert visitor(user).get(f"/game/{game.id}/").status_code == 200
    for user in (stranger, None):
        assert visitor(user).get(f"/game/{game.id}/").status_code == 404
    for game_id in (0, game.id + 1, 10**30):
        assert visitor(game.users[0]).get(f"/game/{game_id}/").status_code == 404


def test_nothing_is_written_by_looking_at_a_table() -> None:
    game = factories.game(2, 2)
    assert visitor(game.users[0]).post(f"/game/{game.id}/").status_code == 405


def test_r05_the_page_knows_its_seat_by_the_number_that_the_socket_uses() -> None:
    game = factories.game(3, 1, timer_s=30)
    for seat, user in enumerate(game.users[:3]):
        boot = boot_of(visitor(user).get(f"/game/{game.id}/").content.decode())
        assert (boot["seat"], type(boot["seat"])) == (seat, int)
        assert (boot["game"], boot["ws"], boot["players"], boot["timer"]) == (game.id, f"/ws/game/{game.id}/", 4, 30)
        assert [bool(level) for level in boot["cpu"]] == [False, False, False, True]
        assert len(set(boot["names"])) == 4


def test_the_page_tells_what_stays_the_same_and_nothing_of_the_cards() -> None:
    game = factories.game(4)
    boot = boot_of(visitor(game.users[0]).get(f"/game/{game.id}/").content.decode())
    assert boot["code"] is None
    assert {"hand", "view", "pack", "secret", "nonces", "result"} & set(boot) == set()


def test_a_table_page_is_never_kept_by_a_cache() -> None:
    game = factories.game(1, 3)
    answer = visitor(game.users[0]).get(f"/game/{game.id}/")
    assert "no-store" in answer["Cache-Control"]
    assert "private" in answer["Cache-Control"]


def test_a_name_is_text_wherever_it_is_shown() -> None:
    user = factories.user("mallory")
    User.objects.filter(pk=user.pk).update(display_name="</script><script>alert(1)</script>")
    user.refresh_from_db()
    play_now(visitor(user))
    text = visitor(user).get(f"/game/{models.Game.objects.get().pk}/").content.decode()
    assert "<script>alert(1)" not in text
    assert boot_of(text)["names"][0] == user.display_name


@pytest.mark.parametrize("language", ["en", "ja"])
def test_r05_cpus_have_names_of_their_own_in_either_language(language: str) -> None:
    game = factories.game(1, 3)
    client = visitor(game.users[0], headers={"accept-language": language})
    names = boot_of(client.get(f"/game/{game.id}/").content.decode())["names"]
    assert len(set(names)) == 4
    assert all(names)


# --- health -----------------------------------------------------------------------------------------------------------


def test_a_process_says_that_it_lives_and_asks_nobody() -> None:
    answer = visitor().get("/health/live")
    assert (answer.status_code, answer.json()) == (200, {"ok": True})


def test_the_site_is_ready_while_postgres_and_redis_answer() -> None:
    answer = visitor().get("/health/ready")
    assert (answer.status_code, answer.json()) == (200, {"ok": True, "postgres": True, "redis": True, "overdue_s": 0})


def test_c07_a_question_that_nobody_settles_shows_in_the_health_of_the_site() -> None:
    game = factories.game(4, timer_s=30)
    late = timezone.now() - timedelta(seconds=90)
    models.Game.objects.filter(pk=game.id).update(deadline_at=late)
    assert 89 < visitor().get("/health/ready").json()["overdue_s"] < 120
    models.Game.objects.filter(pk=game.id).update(status="finished")
    assert visitor().get("/health/ready").json()["overdue_s"] == 0


def test_the_site_is_not_ready_without_redis(settings: Any, tmp_path: Any) -> None:
    settings.REDIS_URL = f"unix://{tmp_path}/none"
    answer = visitor().get("/health/ready")
    assert answer.status_code == 503
    assert (answer.json()["ok"], answer.json()["redis"], answer.json()["postgres"]) == (False, False, True)


@pytest.mark.parametrize("silent", ["postgres", "redis", "both"])
def test_what_does_not_answer_is_named_soon_and_the_other_is_not(
    silent: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:  # takes a connection and says nothing
        port = listener.getsockname()[1]
        if silent != "redis":
            params = {"host": "127.0.0.1", "port": port, "dbname": "x", "user": "x"}
            monkeypatch.setattr(health, "connection", SimpleNamespace(get_connection_params=lambda: params))
        if silent != "postgres":
            settings.REDIS_URL = f"redis://127.0.0.1:{port}/0"
        for _ in range(6):  # more often than there are threads that wait
            answer = visitor().get("/health/ready")
            assert answer.status_code == 503
            found = answer.json()
            assert (found["postgres"], found["redis"]) == (silent == "redis", silent == "postgres")
            assert (found["overdue_s"] is None) == (silent != "redis")
    assert health.PATIENCE_S <= 1


@pytest.mark.parametrize(("asked", "timer_s"), [("30", 30), ("60", 60), ("0", 0), ("7", 0), ("", 0), ("x" * 50, 0)])
def test_play_now_takes_a_limit_for_a_turn_and_remembers_it(asked: str, timer_s: int) -> None:
    client = visitor()
    client.post("/play/spades/", {"timer": asked})
    assert models.Game.objects.get().timer_s == timer_s
    assert f'value="{timer_s}" checked' in client.get("/").content.decode()


@pytest.mark.parametrize(
    ("asked", "level"), [("beginner", "beginner"), ("expert", "expert"), ("", "normal"), ("god", "normal")]
)
def test_play_now_takes_a_level_of_cpu_players_and_remembers_it(asked: str, level: str) -> None:
    client = visitor()
    client.post("/play/hearts/", {"level": asked})
    levels = models.Player.objects.filter(user=None).values_list("cpu_level", flat=True)
    assert list(levels) == [level] * 3
    assert f'value="{level}" checked' in client.get("/").content.decode()


def test_becoming_a_guest_leaves_the_forms_of_other_tabs_good() -> None:
    client = visitor(enforce_csrf_checks=True)
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', client.get("/").content.decode())
    assert token is not None
    form = {"csrfmiddlewaretoken": token[1]}
    assert client.post("/play/hearts/", form).status_code == 302
    assert client.post("/play/spades/", form).status_code == 302, "a second tab, opened before"
    assert User.objects.count() == 1


def test_a_form_that_is_refused_leads_back_to_the_site() -> None:
    answer = visitor(enforce_csrf_checks=True).post("/play/hearts/")
    assert answer.status_code == 403
    assert 'href="/"' in answer.content.decode()
