"""Muting, blocking and reporting on pages: what is stored, who may do it, and what a page answers."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from games import models
from games.people import services as people
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def game() -> factories.Seated:
    return factories.game(3, 1)


def signed_in(user: User | None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def block(client: Client, **data: object) -> int:
    return client.post(reverse("set_block"), data).status_code


def stored() -> list[tuple[int, int, str]]:
    return list(models.Block.objects.order_by("pk").values_list("user", "other", "kind"))


def test_a_player_of_an_own_game_is_blocked_and_let_in_again(game: factories.Seated) -> None:
    first, other = game.users[0], game.users[1]
    assert first is not None
    assert other is not None
    client = signed_in(first)
    assert block(client, game=game.id, seat=1, kind="block") == 302
    assert stored() == [(first.pk, other.pk, "block")]
    assert people.are_apart([other, first])
    page = client.get(reverse("people")).content.decode()
    assert other.display_name in page
    assert block(client, user=other.pk, kind="mute") == 302
    assert stored() == [(first.pk, other.pk, "mute")]
    assert not people.are_apart([other, first])
    assert block(client, user=other.pk, kind="") == 302
    assert stored() == []


def test_the_account_page_leads_to_those_who_are_blocked() -> None:
    member = factories.user(is_guest=False)
    assert f'href="{reverse("people")}"' in signed_in(member).get(reverse("account")).content.decode()


@pytest.mark.parametrize(
    "data",
    [
        {"seat": 3, "kind": "block"},  # a CPU
        {"seat": 9, "kind": "block"},
        {"seat": 1, "kind": "kick"},
        {"seat": "x", "kind": "block"},
        {"seat": 1, "kind": "block", "game": 99_999_999},
        {"user": 1, "kind": "block", "game": ""},
        {"kind": "block", "game": ""},
    ],
)
def test_nobody_is_blocked_whom_one_has_not_played_with(game: factories.Seated, data: dict[str, object]) -> None:
    assert block(signed_in(game.users[0]), **{"game": game.id, **data}) == 404
    assert block(signed_in(factories.user()), game=game.id, seat=1, kind="block") == 404
    assert block(signed_in(None), game=game.id, seat=1, kind="block") == 404
    assert stored() == []


def test_a_report_reaches_the_administrators_once_a_game(game: factories.Seated) -> None:
    client = signed_in(game.users[0])
    address = reverse("report", args=(game.id, 1))
    assert client.get(address).status_code == 200
    assert client.post(address, {"reason": "stalling", "text": " waits "}).status_code == 302
    report = models.Report.objects.get()
    assert (report.reporter, report.reported, report.game_id) == (game.users[0], game.users[1], game.id)
    assert (report.reason, report.text) == ("stalling", "waits")
    again = client.post(address, {"reason": "other"})
    assert again.status_code == 400
    assert "already" in again.content.decode()
    assert models.Report.objects.count() == 1


@pytest.mark.parametrize("seat", [0, 3, 6])
def test_there_is_nobody_to_report_in_ones_own_seat_a_cpus_or_none(game: factories.Seated, seat: int) -> None:
    assert signed_in(game.users[0]).get(reverse("report", args=(game.id, seat))).status_code == 404


def test_whoever_has_sent_a_report_is_thanked_at_the_table_that_he_comes_back_to(game: factories.Seated) -> None:
    client = signed_in(game.users[0])
    answer = client.post(reverse("report", args=[game.id, 1]), {"reason": "name"}, follow=True)
    assert answer.redirect_chain == [(f"/game/{game.id}/", 302)]
    assert answer.context["boot"]["notice"] == "Thank you. An administrator will look at it."
    assert client.get(f"/game/{game.id}/").context["boot"]["notice"] == ""


def test_strangers_report_nobody(game: factories.Seated) -> None:
    address = reverse("report", args=(game.id, 1))
    for client in (signed_in(factories.user()), signed_in(None)):
        assert client.get(address).status_code == 404
        assert client.post(address, {"reason": "name"}).status_code == 404


@pytest.mark.parametrize("data", [{}, {"reason": "because"}, {"reason": "other", "text": "x" * 501}])
def test_a_report_without_a_reason_or_too_long_is_told_so(game: factories.Seated, data: dict[str, str]) -> None:
    answer = signed_in(game.users[0]).post(reverse("report", args=(game.id, 1)), data)
    assert answer.status_code == 400
    assert not models.Report.objects.exists()


def test_one_user_cannot_flood_the_administrators(game: factories.Seated, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people, "MOST_OPEN_REPORTS", 1)
    client = signed_in(game.users[0])
    assert client.post(reverse("report", args=(game.id, 1)), {"reason": "name"}).status_code == 302
    answer = client.post(reverse("report", args=(game.id, 2)), {"reason": "name"})
    assert answer.status_code == 400
    assert "waiting" in answer.content.decode()
