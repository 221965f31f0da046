"""Pages of the daily deal: what each reader is offered, and an answer to whatever is asked."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from games import models
from games.daily import days
from games.daily import services as dailies
from tests import factories
from tests.games.daily.test_daily import DAY, deal_of, ended, member, veteran
from tests.games.live_site import Clock

pytestmark = pytest.mark.usefixtures("transactional_db")


def client_of(user: User | None = None, language: str = "en") -> Client:
    client = Client(headers={"accept-language": language})
    if user is not None:
        client.force_login(user)
    return client


def text_of(client: Client, path: str, **more: Any) -> str:
    answer = client.get(path, **more)
    assert answer.status_code == 200, (path, answer.status_code)
    return str(answer.content.decode())


def path_of(kind: str = "hearts", more: str = "") -> str:
    return f"/daily/{dailies.today().isoformat()}/{kind}/{more}"


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_newcomer_is_offered_both_deals_and_makes_no_guest_by_looking(language: str) -> None:
    client = client_of(language=language)
    for path in ("/", "/daily/"):
        text = text_of(client, path)
        assert path_of("hearts", "play/") in text
        assert path_of("spades", "play/") in text
    for kind in ("hearts", "spades"):
        text = text_of(client, path_of(kind))
        assert deal_of(kind).commitment in text
    assert not User.objects.exists()


def test_one_press_deals_and_the_next_leads_back() -> None:
    client = client_of()
    first = client.post(path_of("hearts", "play/"))
    second = client.post(path_of("hearts", "play/"))
    assert first.status_code == second.status_code == 302
    assert first["Location"] == second["Location"]
    assert client.get(first["Location"]).status_code == 200
    game = models.Game.objects.get()
    assert (game.timer_s, game.code, game.may_watch) == (0, "", False)
    assert game.commitment == deal_of().commitment
    for path in ("/", "/daily/", path_of()):
        text = text_of(client, path)
        assert path_of("hearts", "play/") not in text
        assert f"/game/{game.pk}/" in text
    assert client.get(path_of("hearts", "play/")).status_code == 405


def test_a_result_stands_where_the_deal_was_offered() -> None:
    user = veteran("ann")
    ended(user, 1, 23, deals=[10, 0, 13])
    client = client_of(user)
    for path in ("/", "/daily/", path_of()):
        text = text_of(client, path)
        assert "Place 1 of 4 · 23 points" in text
        assert re.findall(r'data-grade="(\w+)"', text)[:3] == ["poor", "good", "bad"]
        assert "Points by deal: 10, 0, 13" in text
    day = text_of(client, path_of())
    assert "🟧🟩🟥" in day
    assert "No. 1 of 1 on the board." in day
    assert "Ann" in day
    assert f"Moonshot daily deal {dailies.today()} Hearts" in day
    assert 'class="own"' in day
    assert f"http://testserver{path_of()}" in day


def test_spades_says_both_scores() -> None:
    user = member("ann")
    ended(user, 2, -112, kind="spades", edge=-400, deals=[-112])
    assert "Lost −112 : 288" in text_of(client_of(user), path_of("spades"))


def test_readers_are_told_why_they_are_not_on_the_board() -> None:
    guest, newcomer = factories.user("guest"), member("newcomer")
    for user, told in ((guest, "The board lists accounts. Sign up"), (newcomer, "with 3 finished games")):
        ended(user, 1, 23)
        text = text_of(client_of(user), path_of())
        assert told in text
        assert "Nobody is on this board yet." in text


def test_after_midnight_the_page_of_yesterday_leads_to_today(clock: Clock) -> None:
    client, yesterday = client_of(), path_of()
    deal_of()
    clock.forward(DAY)
    answer = client.post(yesterday + "play/", follow=True)
    assert answer.redirect_chain == [(path_of(), 302)]
    assert "That day is over in Tokyo." in answer.content.decode()
    assert not models.Game.objects.exists()
    text = text_of(client, yesterday)
    assert "play/" not in text
    assert "You did not try this one." in text


def test_the_replay_of_the_own_game_has_its_file_and_check_when_the_day_is_over(clock: Clock) -> None:
    user = veteran("ann")
    ended(user, 1, 23)
    game_id = models.DailyTry.objects.get().game_id
    client, replay = client_of(user), f"/game/{game_id}/replay/"
    text = text_of(client, replay)
    assert "record.json" not in text.partition('<div class="replay-head">')[2]
    assert 'id="check"' not in text
    assert "This is a daily deal" in text
    answer = client.get(f"/game/{game_id}/record.json")
    assert answer.status_code == 403
    assert "when the day is over" in answer.content.decode()
    clock.forward(DAY)
    dailies.publish(timezone.now())
    text = text_of(client, replay)
    assert 'id="check"' in text
    assert client.get(f"/game/{game_id}/record.json").status_code == 200


def test_past_days_have_their_board_replays_code_and_secret(clock: Clock) -> None:
    ended(veteran("ann"), 1, 23)
    found = models.DailyTry.objects.select_related("game").get()
    past = path_of()
    replay = f"/game/{found.game_id}/replay/"
    assert replay not in text_of(client_of(member()), past)
    clock.forward(DAY)
    dailies.publish(timezone.now())
    text = text_of(client_of(), past)
    kept = models.DailySecret.objects.get(daily=found.daily_id)
    for told in ("Ann", replay, kept.code, bytes(kept.secret).hex()):
        assert told in text
    assert past in text_of(client_of(), "/daily/")
    assert past in text_of(client_of(), path_of())
    assert path_of() in text_of(client_of(), past)


def test_past_days_are_paged(clock: Clock) -> None:
    for _ in range(16):
        deal_of("hearts")
        clock.forward(DAY)
    first = text_of(client_of(), "/daily/")
    assert first.count("<time") == 14
    place = f"?before={dailies.today() - timedelta(days=14)}"
    assert place in first
    rest = text_of(client_of(), f"/daily/{place}")
    assert rest.count("<time") == 2
    assert "Latest days" in rest


@pytest.mark.parametrize(
    "path",
    [
        "/daily/2026-4-1/hearts/",
        "/daily/20260401/hearts/",
        "/daily/2026-02-30/hearts/",
        "/daily/today/hearts/",
        "/daily/9999-12-31/hearts/",
        "/daily/0001-01-01/spades/",
        "/daily/2026-04-01%00/hearts/",
        f"/daily/{'9' * 4000}/hearts/",
    ],
)
def test_what_is_no_day_of_a_deal_is_not_found(path: str) -> None:
    for client in (client_of(), client_of(member())):
        assert client.get(path).status_code == 404
        assert client.post(path + "play/").status_code == 404
        assert client.get("/daily/", {"before": path}).status_code == 200
    assert client_of().get(path_of("bridge")).status_code == 404


def test_a_day_ends_where_the_next_begins() -> None:
    day = dailies.today()
    assert days.ends_at(day) == days.begins_at(day + timedelta(days=1))
    assert days.day_of(days.begins_at(day)) == day == days.day_of(days.ends_at(day) - timedelta(microseconds=1))


def test_a_change_of_the_cpus_during_the_day_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    deal_of()
    assert "were renewed" not in text_of(client_of(), path_of())
    monkeypatch.setattr(dailies, "cpu_version", lambda: "another")
    assert "were renewed" in text_of(client_of(), path_of())
