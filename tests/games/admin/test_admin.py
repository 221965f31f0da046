"""The admin of games, users, reports and parties: who may see what, what is never shown, what is done and noted."""

from __future__ import annotations

import random
import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, Permission
from django.test import Client
from django.utils import timezone

from accounts.models import User
from games import models
from games.codes import deals
from games.log import logbook, services
from games.log.positions import Entry, walk
from games.models import Game, Mute, Report
from games.parties import codes
from games.people import support
from games.rules import Action
from tests import factories

pytestmark = pytest.mark.usefixtures("transactional_db")

CARD = re.compile(r"(?<![\w-])[2-9TJQKA][CDHS](?![\w-])")
SECTIONS = (
    "/admin/",
    "/admin/games/",
    "/admin/games/game/",
    "/admin/games/party/",
    "/admin/games/report/",
    "/admin/games/rulepreset/",
    "/admin/accounts/user/",
    "/admin/admin/logentry/",
    "/admin/auth/group/",
)


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def staff(name: str, *permissions: str, **fields: Any) -> User:
    user = factories.user(name, is_staff=True, is_guest=False, **fields)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    return user


@pytest.fixture
def root() -> User:
    return factories.user("root", is_staff=True, is_superuser=True, is_guest=False)


@pytest.fixture
def admin(root: User) -> Client:
    return signed_in(root)


def text_of(client: Client, address: str, language: str = "en") -> str:
    answer = client.get(address, headers={"accept-language": language})
    assert answer.status_code == 200, address
    return answer.content.decode()


def page_of(game: Any) -> str:
    return f"/admin/games/game/{game.pk if isinstance(game, Game) else game.id}/change/"


def moved(game_id: int, most: int, rng: random.Random) -> None:
    """Plays a game on, past services: entries are added as a process of the site would have added them."""
    game = Game.objects.get(pk=game_id)
    code = deals.read_code(models.GameSecret.objects.get(game=game).code)
    table, position = factories.table_of(game_id), factories.position_of(game_id)
    for _ in range(most):
        if position.state.phase == "over":
            break
        if position.state.phase == "deal":
            deal, attempt, _dealer = table.rules.next_deal(position.state)
            action: Action = Action("deal", pack=deals.shuffle(code.seed, deal, attempt, table.rules.deck))
            seat, cause, ask = None, "dealer", ""
        else:
            seat = rng.choice(sorted(position.asks))
            action = factories.random_answer(table, position, seat, rng)
            cause, ask = "player", position.asks[seat].id
        entry = Entry(position.ply + 1, seat, action.kind, ask, services.said(action), cause, None, timezone.now())
        logbook.add(game, [entry])
        position = walk(table, position, [entry])[-1].after
        logbook.derive(game, position)
    game.save()


def people(game: factories.Seated) -> list[User]:
    """The users at a game."""
    return [user for user in game.users if user is not None]


# --- secrets ----------------------------------------------------------------------------------------------------------


def seen_by_all(game_id: int) -> set[str]:
    """The cards that everybody at the table has seen played, in any deal."""
    found: set[str] = set()
    for entry in factories.log_of(game_id):
        if entry.kind in ("play", "finish"):
            found |= {entry.data["card"]} if entry.kind == "play" else set(entry.data.get("cards", ()))
    return found


@pytest.mark.parametrize(
    ("kind", "players", "options"),
    [
        ("hearts", 4, {"moon": "choose", "skip_right": "one_each"}),
        ("hearts", 3, {"surplus": "kitty"}),
        ("spades", 4, {"blind_nil": "yes"}),
    ],
)
def test_no_page_of_the_admin_names_a_card_of_a_running_game_that_a_spectator_may_not_know(
    admin: Client, kind: str, players: int, options: dict[str, Any]
) -> None:
    game = factories.game(players, kind=kind, options=options, timer_s=30)
    secret = models.GameSecret.objects.get(game_id=game.id)
    hidden = [secret.code, bytes(secret.secret or b"").hex(), deals.read_code(secret.code).seed.decode()]
    Report.objects.create(reporter=people(game)[0], reported=people(game)[1], game_id=game.id, reason="stalling")
    rng = random.Random(f"{kind} {players}")
    addresses = [
        page_of(game),
        f"/admin/games/game/{game.id}/history/",
        f"/admin/games/game/close/?ids={game.id}",
        f"/admin/games/game/?q={game.id}",
        "/admin/games/report/",
        f"/admin/games/report/{Report.objects.get().pk}/change/",
        *(f"/admin/accounts/user/{user.pk}/change/" for user in people(game)),
        *SECTIONS,
    ]
    checked = 0
    for number, most in enumerate((0, 2, 3, 9, 30, 40)):
        moved(game.id, most, rng)
        assert game.row.status == "playing"
        may = seen_by_all(game.id)
        for address in addresses:
            page = text_of(admin, address, ("en", "ja")[number % 2])
            assert set(CARD.findall(page)) <= may, address
            assert [text for text in hidden if text and text in page] == []
            checked += 1
    assert checked > 100
    assert set(CARD.findall(text_of(admin, page_of(game)))) & may, "played cards are shown"


def test_the_code_of_a_solo_game_is_shown_once_it_is_over(admin: Client) -> None:
    game = factories.game(1, 3)
    code = models.GameSecret.objects.get(game_id=game.id).code
    assert game.row.code == code, "its player sees it"
    assert code not in text_of(admin, page_of(game))
    services.close_game(game_id=game.id, reason="admin", by=factories.user())
    page = text_of(admin, page_of(game))
    assert code in page
    assert len(set(CARD.findall(page))) == 52, "all of the log"


def test_secrets_and_logs_have_no_pages_of_their_own(admin: Client) -> None:
    for address in ("gamesecret", "action", "player", "presetversion"):
        assert admin.get(f"/admin/games/{address}/").status_code == 404
    game = factories.game(4)
    for address in (f"/admin/games/game/{game.id}/delete/", "/admin/games/game/add/"):
        assert admin.get(address).status_code == 403
    assert admin.post(page_of(game), {"status": "void"}).status_code == 403
    assert game.row.status == "playing"


# --- games ------------------------------------------------------------------------------------------------------------


def test_games_are_found_by_number_by_name_and_when_they_are_stuck(admin: Client) -> None:
    fine, late, old = factories.game(2, 2, timer_s=30), factories.game(4, timer_s=30), factories.game(4)
    long_ago = timezone.now() - timedelta(days=40)
    Game.objects.filter(pk=late.id).update(deadline_at=timezone.now() - timedelta(minutes=5))
    Game.objects.filter(pk=old.id).update(moved_at=long_ago)

    def found(query: str) -> set[int]:
        page = text_of(admin, f"/admin/games/game/?{query}")
        return {int(number) for number in re.findall(r"/admin/games/game/(\d+)/change/", page)}

    assert found("") == {fine.id, late.id, old.id}
    assert found("stuck=overdue") == {late.id}
    assert found("stuck=day") == found("stuck=month") == {old.id}
    assert fine.id in found(f"q={fine.id}")
    assert fine.id in found(f"q={people(fine)[0].display_name}")
    assert found(f"q={'9' * 40}") == set()
    assert admin.get("/admin/games/game/?q=%00").status_code == 404
    assert "overdue" in text_of(admin, page_of(late))


def test_a_game_is_closed_with_a_reason_and_noted(admin: Client, root: User) -> None:
    game, over = factories.game(2, 2), factories.game(4)
    services.close_game(game_id=over.id, reason="vote", by=factories.user())
    address = f"/admin/games/game/close/?ids={game.id},{over.id},999999,x"
    assert address.split(",", maxsplit=1)[0] in text_of(admin, page_of(game))
    page = text_of(admin, address)
    assert "count for nobody" in page
    assert f"/game/{over.id}/" not in page
    assert game.row.status == "playing", "it asks first"
    assert admin.post(address, {"reason": "boredom"}).status_code == 200
    assert game.row.status == "playing"
    assert admin.post(address, {"reason": "outage", "note": "lost deal"}).status_code == 302
    assert (game.row.status, factories.log_of(game.id)[-1].data) == ("void", {"reason": "outage"})
    entry = LogEntry.objects.get(user=root)
    assert (entry.user, entry.object_id) == (root, str(game.id))
    assert "lost deal" in entry.change_message
    assert "lost deal" in text_of(admin, f"/admin/games/game/{game.id}/history/")
    assert "lost deal" in text_of(admin, "/admin/admin/logentry/")
    assert "Close without a result" not in text_of(admin, page_of(game)).split("object-tools")[1].split("</ul>")[0]
    assert "None of these games is running" in text_of(admin, address)


def test_several_stuck_games_are_closed_from_the_list(admin: Client) -> None:
    games = [factories.game(4) for _ in range(3)]
    answer = admin.post("/admin/games/game/", {"_selected_action": [g.id for g in games], "action": "close_chosen"})
    assert admin.post(answer["Location"], {"reason": "admin"}).status_code == 302
    assert {game.row.status for game in games} == {"void"}
    assert LogEntry.objects.count() == 3


def test_a_game_that_cannot_be_read_any_more_is_shown_and_closed(admin: Client) -> None:
    game = factories.game(4)
    Game.objects.filter(pk=game.id).update(options={"joker": "wild"})
    assert "cannot be read any more" in text_of(admin, page_of(game))
    assert "joker: wild" in text_of(admin, page_of(game))
    admin.post(f"/admin/games/game/close/?ids={game.id}", {"reason": "outage"})
    assert game.row.status == "void"
    assert "cannot be read any more" in text_of(admin, page_of(game))


# --- people and reports -----------------------------------------------------------------------------------------------


def test_users_are_found_switched_off_and_muted_and_each_act_is_noted(admin: Client, root: User) -> None:
    loud, other = factories.user("loud"), factories.user("other")
    assert "Loud" in text_of(admin, "/admin/accounts/user/?q=loud")
    assert "Other" not in text_of(admin, "/admin/accounts/user/?q=loud").split("result_list")[1]
    chosen = {"_selected_action": [loud.pk, root.pk]}
    admin.post("/admin/accounts/user/", {**chosen, "action": "switch_off"})
    assert list(User.objects.filter(is_active=False)) == [loud], "nobody switches himself off"
    admin.post("/admin/accounts/user/", {**chosen, "action": "switch_on"})
    loud.refresh_from_db()
    assert loud.is_active
    for _ in range(2):
        admin.post("/admin/accounts/user/", {"_selected_action": [loud.pk], "action": "mute"})
    assert Mute.objects.in_force().get().user == loud
    Mute.objects.update(until_at=timezone.now() - timedelta(seconds=1))
    assert not Mute.objects.in_force().exists()
    assert "mute" in text_of(admin, f"/admin/accounts/user/{loud.pk}/change/")
    admin.post("/admin/accounts/user/", {"_selected_action": [loud.pk, other.pk], "action": "unmute"})
    assert not Mute.objects.exists()
    notes = [(entry.object_repr, entry.change_message) for entry in LogEntry.objects.order_by("pk")]
    said = ("Switched off.", "Switched on.", "Muted.", "Mute lifted.")
    assert notes == [("Loud", text) for text in said]


def test_a_report_is_handled_with_a_note_and_nothing_else_of_it_changes(admin: Client, root: User) -> None:
    game = factories.game(2, 2)
    report = Report.objects.create(
        reporter=people(game)[0], reported=people(game)[1], game_id=game.id, reason="name", text="<b>rude</b>"
    )
    address = f"/admin/games/report/{report.pk}/change/"
    assert "&lt;b&gt;rude" in text_of(admin, address)
    assert f"/admin/games/report/{report.pk}/" in text_of(admin, "/admin/games/report/?handled=no")
    admin.post(address, {"note": "Renamed.", "is_handled": "on", "reason": "other", "text": "nice"})
    report.refresh_from_db()
    assert (report.note, report.handled_by, report.reason, report.text) == ("Renamed.", root, "name", "<b>rude</b>")
    assert report.handled_at is not None
    text_of(admin, "/admin/")  # where the message that it was changed is shown
    assert f"/admin/games/report/{report.pk}/" not in text_of(admin, "/admin/games/report/?handled=no")
    assert "Note" in LogEntry.objects.get().get_change_message()
    first = report.handled_at
    admin.post(address, {"note": "Renamed twice.", "is_handled": "on"})
    report.refresh_from_db()
    assert report.handled_at == first
    admin.post(address, {"note": "Open again."})
    report.refresh_from_db()
    assert (report.handled_at, report.handled_by) == (None, None)
    assert len(admin.post(address, {"note": "x" * 501}).context["adminform"].form.errors) == 1


def test_parties_are_seen_with_their_members(admin: Client) -> None:
    host, away = factories.user("host"), factories.user("away")
    version = models.PresetVersion.objects.offered("hearts")[0]
    party = models.Party.objects.create(code=codes.draw(), host=host, preset_version=version, options={"end_score": 60})
    party.members.create(user=host, seat=0)
    party.members.create(user=away, seat=None)
    page = text_of(admin, f"/admin/games/party/{party.pk}/change/")
    assert "End score: 60" in page
    assert "Away (sent away)" in page
    assert party.code in text_of(admin, "/admin/games/party/?q=host")


# --- languages and permissions ----------------------------------------------------------------------------------------


def everything() -> list[str]:
    """An address of every page of the admin, with something on it."""
    game = factories.game(2, 2, timer_s=30)
    report = Report.objects.create(reporter=people(game)[0], reported=people(game)[1], game_id=game.id, reason="other")
    version = models.PresetVersion.objects.offered("hearts")[0]
    party = models.Party.objects.create(code=codes.draw(), host=people(game)[0], preset_version=version)
    Mute.objects.create(user=people(game)[1], reason="loud")
    services.close_game(game_id=factories.game(4).id, reason="admin", by=User.objects.get(username="root"))
    return [
        page_of(game),
        f"/admin/games/report/{report.pk}/change/",
        f"/admin/games/party/{party.pk}/change/",
        f"/admin/games/rulepreset/{version.preset_id}/change/",
        f"/admin/accounts/user/{people(game)[1].pk}/change/",
        f"/admin/admin/logentry/{LogEntry.objects.latest('pk').pk}/change/",
    ]


def test_every_page_is_there_in_both_languages(admin: Client) -> None:
    for address in (*everything(), *SECTIONS):
        for language in ("en", "ja"):
            assert f'<html lang="{language}' in text_of(admin, address, language)


def test_staff_without_permission_see_nothing(root: User) -> None:
    client = signed_in(staff("clerk"))
    addresses = everything()
    page = text_of(client, "/admin/")
    assert "/admin/games/" not in page
    assert "/admin/accounts/" not in page
    for address in (*addresses, *(section for section in SECTIONS if section.count("/") > 3)):
        assert client.get(address).status_code == 403, address
        assert client.post(address, {}).status_code == 403, address
    for user in (factories.user("player", is_guest=False), factories.user("guest")):
        for address in addresses:
            assert signed_in(user).get(address).status_code == 302


def test_the_support_group_sees_and_changes_nothing(root: User) -> None:
    support.make_group()  # a flush takes what the migrations made
    helper = staff("helper")
    helper.groups.add(Group.objects.get(name=support.NAME))
    client = signed_in(helper)
    addresses = everything()
    game = Game.objects.filter(status="playing").get()
    for address in addresses:
        page = text_of(client, address)
        assert 'name="_save"' not in page, address
        assert client.post(address, {"note": "x", "name": "x", "username": "x"}).status_code == 403, address
    assert "argon2" not in text_of(client, addresses[4])
    for action, section in (("switch_off", "rulepreset"), ("close_chosen", "game")):
        chosen = {"_selected_action": [game.pk], "action": action}
        client.post(f"/admin/games/{section}/", chosen)
    client.post("/admin/accounts/user/", {"_selected_action": [helper.pk], "action": "mute"})
    assert client.post(f"/admin/games/game/close/?ids={game.pk}", {"reason": "admin"}).status_code == 403
    assert client.get("/admin/games/rulepreset/import/").status_code == 403
    assert client.get("/admin/auth/group/").status_code == 403
    game.refresh_from_db()
    assert (game.status, Mute.objects.count()) == ("playing", 1)
    assert not models.RulePreset.objects.filter(is_active=False).exists()


def test_the_support_group_is_made_once_and_then_left_as_it_is() -> None:
    Group.objects.filter(name=support.NAME).delete()
    support.make_group()
    group = Group.objects.get(name=support.NAME)
    names = set(group.permissions.values_list("codename", flat=True))
    assert names
    assert all(name.startswith("view_") for name in names)
    group.permissions.clear()
    support.make_group()
    assert group.permissions.count() == 0


def test_who_may_change_users_cannot_make_himself_a_superuser(root: User) -> None:
    boss = staff("boss", "view_user", "change_user")
    client = signed_in(boss)
    address = f"/admin/accounts/user/{boss.pk}/change/"
    assert 'name="is_superuser"' not in text_of(client, address)
    form = {"username": "boss", "display_name": "Boss", "is_active": "on", "is_superuser": "on", "is_staff": "on"}
    inline = {"mute-TOTAL_FORMS": "0", "mute-INITIAL_FORMS": "0"}
    assert client.post(address, {**form, **inline}).status_code == 302
    boss.refresh_from_db()
    assert (boss.is_superuser, boss.is_staff) == (False, True)
    above = f"/admin/accounts/user/{root.pk}/change/"
    assert client.post(above, {**form, **inline, "username": "x"}).status_code in (302, 403)
    client.post("/admin/accounts/user/", {"_selected_action": [root.pk], "action": "switch_off"})
    root.refresh_from_db()
    assert (root.username, root.is_active) == ("root", True)
