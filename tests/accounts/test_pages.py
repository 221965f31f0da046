"""Accounts as somebody at a browser meets them: signing up, in and out, mail, name, settings, export, deletion."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django.core import mail
from django.utils import timezone

from accounts import members
from accounts.models import User
from accounts.templatetags.devices import device
from games.models import Block, Game, Player, Report
from tests import factories
from tests.accounts.people import PASSWORD, Visitor, errors, link_in_mail, member
from tests.streams import whole

pytestmark = pytest.mark.django_db


# --- signing up -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_visitor_signs_up_is_in_at_once_and_gets_a_mail(language: str) -> None:
    visitor = Visitor(language)
    answer = visitor.sign_up("さくら", "sakura@example.org")
    assert (answer.status_code, answer["Location"]) == (302, "/")
    user = visitor.user
    assert user is not None
    assert (user.display_name, user.email, user.locale, user.is_guest) == (
        "さくら",
        "sakura@example.org",
        language,
        False,
    )
    assert user.check_password(PASSWORD)
    assert "さくら" in visitor.text("/")
    assert [message.to for message in mail.outbox] == [["sakura@example.org"]]
    assert "sakura@example.org" in visitor.text("/account/")


def test_passwords_are_stored_with_argon2() -> None:
    from config import settings as site  # noqa: PLC0415 - the tests hash quickly

    assert site.PASSWORD_HASHERS[0].endswith("Argon2PasswordHasher")


def test_an_address_is_confirmed_by_the_link_in_the_mail() -> None:
    visitor = member()
    path = link_in_mail("/account/confirm-email/")
    assert not EmailAddress.objects.get().verified
    assert visitor.get(path).status_code == 200
    assert not EmailAddress.objects.get().verified, "looking at it, as mail programs do, is not enough"
    assert visitor.post(path).status_code == 302
    assert EmailAddress.objects.get().verified


def test_a_guests_game_goes_on_as_the_new_members() -> None:
    visitor = Visitor()
    game = visitor.play()
    guest = visitor.user
    assert guest is not None
    assert visitor.sign_up("Rosalind").status_code == 302
    user = visitor.user
    assert user is not None
    assert (user.pk, user.is_guest, user.display_name) == (guest.pk, False, "Rosalind"), "the row is kept"
    assert visitor.get(f"/game/{game}/").status_code == 200
    assert User.objects.count() == 1
    assert not user.username.startswith("guest")


def test_a_guest_is_a_visitor_on_the_pages_of_accounts() -> None:
    visitor = Visitor()
    visitor.play()
    assert "Sign in" in visitor.text("/account/login/")
    for path in ("/account/", "/account/email/", "/account/password/set/", "/account/password/change/", "/account/2fa/",
                 "/account/sessions/", "/account/export.json", "/account/close/"):  # fmt: skip
        answer = visitor.get(path)
        assert answer.status_code == 302, path
        assert answer["Location"].startswith("/account/login/"), path


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("Pаul", "mixes scripts"),
        ("admin", "taken for a part of the site"),
        ("x" * 500, "at most"),
        ("a\u200bb", "something else"),
    ],
)
def test_a_name_that_may_not_be_is_refused_with_a_sentence(name: str, sentence: str) -> None:
    answer = Visitor().sign_up(name, "somebody@example.org")
    assert answer.status_code == 200
    assert sentence in " ".join(errors(answer))
    assert User.objects.count() == 0


def test_a_name_that_looks_like_anothers_is_taken() -> None:
    member("Ivan")
    answer = Visitor().sign_up("lvan", "other@example.org")
    assert "looks like it" in " ".join(errors(answer))
    assert User.objects.count() == 1


def test_two_who_ask_for_a_name_at_once_do_not_both_get_it() -> None:
    first, second = factories.user(is_guest=False), factories.user(is_guest=False)
    members.name_member(member=first, name="Rosalind", locale="en")
    members.name_member(member=second, name="Rosalind", locale="en")
    assert first.display_name == "Rosalind"
    assert second.display_name.startswith("Player ")
    assert members.name_kept_until(second) is None, "it can be changed at once"


# --- signing in and out -----------------------------------------------------------------------------------------------


def test_a_member_signs_out_and_in_again_and_finds_his_games() -> None:
    visitor = member()
    game = visitor.play()
    assert visitor.log_out().status_code == 302
    assert visitor.user is None
    assert visitor.get(f"/game/{game}/").status_code == 404
    assert visitor.log_in("ROSALIND@example.org").status_code == 302
    assert visitor.get(f"/game/{game}/").status_code == 200


def test_a_guests_games_go_to_the_account_at_log_in() -> None:
    account = member()
    owner = account.user
    visitor = Visitor()
    game = visitor.play()
    guest = visitor.user
    assert guest is not None
    assert visitor.log_in("rosalind@example.org").status_code == 302
    assert visitor.user == owner
    assert Player.objects.get(game=game, user__isnull=False).user == owner
    assert visitor.get(f"/game/{game}/").status_code == 200
    assert account.get(f"/game/{game}/").status_code == 200, "and on the other device"
    guest.refresh_from_db()
    assert not guest.is_active


def test_a_guest_who_sits_where_his_account_sits_leaves_that_seat_and_is_told() -> None:
    account = member()
    owner = account.user
    visitor = Visitor()
    own = visitor.play()
    guest = visitor.user
    assert owner is not None
    assert guest is not None
    both = factories.game(2, 2)
    Player.objects.filter(game=both.id, seat=0).update(user=owner)
    Player.objects.filter(game=both.id, seat=1).update(user=guest)
    answer = visitor.log_in("rosalind@example.org")
    assert [player.user for player in Player.objects.filter(game=both.id, user__isnull=False).order_by("seat")] == [
        owner,
        guest,
    ]
    assert Player.objects.get(game=own, user__isnull=False).user == owner
    assert "sat down twice" in visitor.text(answer["Location"])


def test_blocks_and_complaints_of_a_guest_go_along() -> None:
    account = member()
    owner = account.user
    visitor = Visitor()
    visitor.play()
    guest, other, third = visitor.user, factories.user(), factories.user()
    assert owner is not None
    assert guest is not None
    game = factories.game(1, 3).row
    for blocker in (owner, guest):
        Block.objects.create(user=blocker, other=other, kind="mute")
        Report.objects.create(reporter=blocker, reported=other, game=game, reason="name")
    Block.objects.create(user=third, other=guest, kind="block")
    Block.objects.create(user=guest, other=owner, kind="mute")
    visitor.log_in("rosalind@example.org")
    assert set(Block.objects.values_list("user", "other")) == {(owner.pk, other.pk), (third.pk, owner.pk)}
    assert Report.objects.filter(reporter=owner).count() == 1


def test_the_language_of_an_account_comes_with_it() -> None:
    visitor = member()
    visitor.post("/i18n/setlang/", page="/", language="ja", next="/")
    assert visitor.user is not None
    assert visitor.user.locale == "ja"
    elsewhere = Visitor("en")
    elsewhere.log_in("rosalind@example.org")
    assert '<html lang="ja">' in elsewhere.text("/")


def test_a_language_that_is_not_offered_is_not_remembered() -> None:
    visitor = member()
    visitor.post("/i18n/setlang/", page="/", language="xx", next="/")
    assert visitor.user is not None
    assert visitor.user.locale == "en"


def test_a_forgotten_password_is_reset_by_mail_and_every_session_ends() -> None:
    visitor = member()
    elsewhere = Visitor()
    assert elsewhere.post("/account/password/reset/", email="rosalind@example.org").status_code == 302
    path = link_in_mail("/account/password/reset/key/")
    form = elsewhere.get(path)["Location"]
    assert elsewhere.post(form, password1="another long walk", password2="another long walk").status_code == 302
    assert visitor.get("/account/")["Location"].startswith("/account/login/")
    assert UserSession.objects.count() == 0
    assert elsewhere.log_in("rosalind@example.org").status_code == 200, "the old password"
    assert elsewhere.log_in("rosalind@example.org", "another long walk").status_code == 302
    assert Visitor().get(path).status_code in (200, 302)
    assert "Bad Token" in Visitor().text(path) or "invalid" in Visitor().text(path), "a link is good once"


def test_a_new_password_ends_the_sessions_elsewhere_and_keeps_this_one() -> None:
    visitor, elsewhere = member(), Visitor()
    elsewhere.log_in("rosalind@example.org")
    fields = {"oldpassword": PASSWORD, "password1": "another long walk", "password2": "another long walk"}
    answer = visitor.post("/account/password/change/", **fields)
    assert answer.status_code == 302, errors(answer)
    assert visitor.user is not None
    assert visitor.text("/account/")
    assert elsewhere.get("/account/").status_code == 302


def test_devices_are_listed_and_others_signed_out() -> None:
    visitor = member()
    elsewhere = Visitor(**{"user-agent": "The other browser"})
    elsewhere.log_in("rosalind@example.org")
    page = visitor.text("/account/sessions/")
    assert "The other browser" in page
    assert page.count("This device") == 1
    assert visitor.post("/account/sessions/").status_code == 302
    assert elsewhere.get("/account/").status_code == 302
    assert visitor.text("/account/")


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0 Safari/537.36 Edg/140.0", "Edge · Windows"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) CriOS/140.0 Safari/604", "Chrome · iPhone"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605 Version/18 Safari/605", "Safari · Mac"),
        ("curl/8.0", "curl/8.0"),
        ("x" * 500, "x" * 60),
        ("", "–"),
    ],
)
def test_a_device_is_called_by_its_browser_and_system(user_agent: str, name: str) -> None:
    assert device(user_agent) == name


# --- name and settings ------------------------------------------------------------------------------------------------


def test_a_name_changes_once_in_thirty_days() -> None:
    visitor = member()
    assert visitor.post("/account/", display_name="Orlando").status_code == 302
    assert visitor.user is not None
    assert visitor.user.display_name == "Orlando"
    answer = visitor.client.post("/account/", {"display_name": "Celia", "csrfmiddlewaretoken": _token(visitor)})
    assert "once in 30 days" in " ".join(errors(answer))
    User.objects.update(name_changed_at=timezone.now() - timedelta(days=30, seconds=1))
    assert visitor.post("/account/", display_name="Celia").status_code == 302
    member("Orlando")  # which is free again


def _token(visitor: Visitor) -> str:
    return str(visitor.client.cookies["csrftoken"].value)


def test_a_name_may_change_its_spelling_but_not_become_anothers() -> None:
    member("Celia")
    visitor = member("Rosalind")
    answer = visitor.post("/account/", display_name="CeIia")
    assert "looks like it" in " ".join(errors(answer))
    assert visitor.user is not None
    assert visitor.user.display_name == "Rosalind"
    assert visitor.post("/account/", display_name="ROSALIND").status_code == 302


def test_table_settings_are_kept_with_the_account() -> None:
    visitor = member()
    kept = {"speed": 1.25, "theme": "dark", "confirm": False}
    assert _save(visitor, json.dumps(kept)) == 204
    assert visitor.user is not None
    assert visitor.user.table_settings == kept
    elsewhere = Visitor()
    elsewhere.log_in("rosalind@example.org")
    assert '"theme": "dark"' in elsewhere.text("/")


@pytest.mark.parametrize(
    "body",
    ["", "[]", "null", "{", '{"a b": 1}', '{"theme": "</script>"}', '{"speed": 1e9}', '{"x": NaN}', '{"x": {"y": 1}}',
     '{"x": null}', json.dumps({"a" * n: 1 for n in range(1, 32)}), '{"x": "' + "y" * 5000 + '"}', "\x00", "[" * 3000],
)  # fmt: skip
def test_anything_else_is_no_table_setting(body: str) -> None:
    visitor = member()
    assert _save(visitor, body) in (400, 413)
    assert visitor.user is not None
    assert visitor.user.table_settings == {}


def test_a_guests_settings_stay_in_his_browser() -> None:
    visitor = Visitor()
    visitor.play()
    assert _save(visitor, '{"theme": "dark"}') == 401
    assert "account-settings" not in visitor.text("/")


def _save(visitor: Visitor, body: str) -> int:
    headers = {"X-CSRFToken": _token(visitor)}
    return int(
        visitor.client.post("/table-settings/", body, content_type="application/json", headers=headers).status_code
    )


# --- export and deletion ----------------------------------------------------------------------------------------------


def test_everything_about_a_user_can_be_downloaded_as_json_and_text() -> None:
    visitor = member().confirm()
    game = visitor.play()
    answer = visitor.get("/account/export.json")
    assert answer["Content-Disposition"].startswith("attachment")
    found = json.loads(whole(answer))
    assert found["account"]["name"] == "Rosalind"
    assert found["account"]["email_addresses"][0]["email"] == "rosalind@example.org"
    assert [each["game"] for each in found["games"]] == [game]
    text = whole(visitor.get("/account/export.txt")).decode()
    assert "rosalind@example.org" in text
    assert "password" not in text
    assert f"game: {game}" in text


def test_s03_the_export_of_a_running_game_holds_no_card_that_the_seat_may_not_know() -> None:
    visitor = member().confirm()
    game = Game.objects.get(pk=visitor.play())
    state = factories.position_of(game.pk).state
    found = json.loads(whole(visitor.get("/account/export.json")))["games"][0]
    assert sorted(found.pop("hand")) == sorted(state.hands[0])
    text = json.dumps(found["log"])
    played = {entry.data.get("card") for entry in factories.log_of(game.pk)}
    assert not [card for hand in state.hands[1:] for card in hand if f'"{card}"' in text and card not in played]
    assert "pack" not in text
    assert "secret" not in text


def test_the_export_of_a_finished_game_has_its_whole_log() -> None:
    visitor = member().confirm()
    game = visitor.play()
    Game.objects.filter(pk=game).update(status="finished")
    found = json.loads(whole(visitor.get("/account/export.json")))["games"][0]
    assert len(found["log"]) == len(factories.log_of(game))
    assert any(len(entry.get("pack", "").split()) == 52 for entry in found["log"])


def test_export_and_deletion_ask_for_the_password_again() -> None:
    visitor = member()
    for path in ("/account/export.json", "/account/close/"):
        answer = visitor.get(path)
        assert answer.status_code == 302, path
        assert answer["Location"].startswith("/account/reauthenticate/")
    assert visitor.post("/account/reauthenticate/", password=PASSWORD).status_code == 302
    assert visitor.get("/account/close/").status_code == 200


def test_a_deleted_account_leaves_a_locked_row_for_the_games_of_others() -> None:
    visitor, elsewhere = member().confirm(), Visitor()
    elsewhere.log_in("rosalind@example.org")
    game = visitor.play()
    user = visitor.user
    assert user is not None
    assert visitor.post("/account/close/").status_code == 200, "not without the tick"
    answer = visitor.post("/account/close/", sure="on")
    assert answer["Location"] == "/account/closed/"
    assert "deleted" in visitor.text("/account/closed/")
    row = User.objects.get(pk=user.pk)
    assert row.display_name.startswith("Former player")
    assert (row.email, row.name_key, row.locale, row.is_active, row.has_usable_password()) == ("", "", "", False, False)
    assert "rosalind" not in str(vars(row)).lower()
    assert EmailAddress.objects.count() == UserSession.objects.count() == 0
    assert Player.objects.get(game=game, user__isnull=False).user == row, "the seat stays"
    assert elsewhere.get("/account/").status_code == 302
    assert elsewhere.log_in("rosalind@example.org").status_code == 200
    member("Rosalind")  # name and address are free again
