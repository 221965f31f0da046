"""Pages of parties, as visitors, guests, members and hosts meet them; every option from the form to the engine."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from games import models
from games.kinds import KINDS, options_for
from games.parties import codes as party_codes
from games.parties import forms as party_forms
from games.parties import selectors as party_selectors
from games.parties import services as parties
from games.parties import views as party_views
from games.presets.forms import field_name
from games.rules import Option, Refused
from tests import factories
from tests.games.parties.test_parties import finish, now, version

pytestmark = pytest.mark.usefixtures("transactional_db")


def visitor(user: User | None = None, **more: Any) -> Client:
    client = Client(**more)
    if user is not None:
        client.force_login(user)
    return client


def make(client: Client, slug: str = "hearts-standard", **more: str) -> models.Party:
    """Makes a party as the button does."""
    answer = client.post(reverse("party_open"), {"preset": slug, **more})
    assert answer.status_code == 302
    made = models.Party.objects.latest("pk")
    assert answer["Location"] == reverse("party", args=[made.code])
    return made


def post(client: Client, name: str, made: models.Party, **data: Any) -> Any:
    return client.post(reverse(f"party_{name}", args=[made.code]), data, headers={"accept": "application/json"})


def page(client: Client, made: models.Party, status: int = 200) -> str:
    answer = client.get(reverse("party", args=[made.code]))
    assert answer.status_code == status
    return html.unescape(answer.content.decode())


def form_of(made: models.Party, **changed: Any) -> dict[str, Any]:
    """What the settings form sends if nothing but this is changed."""
    made = now(made)
    form = party_forms.SettingsForm(made, len(party_selectors.sitting_at(made)))
    data = {name: form[name].value() for name in form.fields}
    sent = {name: value for name, value in {**data, **changed}.items() if value is not False and value is not None}
    return {name: "on" if value is True else value for name, value in sent.items()}


# --- visitors and guests ----------------------------------------------------------------------------------------------


def test_looking_at_parties_makes_nobody_a_guest() -> None:
    made = make(visitor())
    client = visitor()
    users = User.objects.count()
    for path in ("/", "/party/new/", f"/party/{made.code}/", f"/party/{made.code}/now/", "/party/find/?code=x"):
        client.get(path)
    assert User.objects.count() == users
    assert "sessionid" not in client.cookies


def test_a_visitor_makes_a_party_and_another_sits_down_by_its_link() -> None:
    host, other = visitor(), visitor()
    made = make(host, "hearts-stadium")
    assert "Begin with 3 computer players" in page(host, made)
    assert "Sit down" in page(other, made)
    answer = other.post(reverse("party_sit", args=[made.code]))
    assert (answer.status_code, answer["Location"]) == (302, reverse("party", args=[made.code]))
    assert User.objects.filter(is_guest=True).count() == 2
    assert "begins the game" in page(other, made)
    assert "Begin with 2 computer players" in page(host, made)


def test_a_party_of_an_unknown_or_hidden_preset_is_not_made() -> None:
    models.RulePreset.objects.filter(slug="spades-short").update(is_active=False)
    for slug in ("", "poker", "spades-short"):
        assert visitor().post(reverse("party_open"), {"preset": slug}).status_code == 404
    assert (models.Party.objects.count(), User.objects.count()) == (0, 0)


def test_a_full_party_and_a_running_game_make_no_guest_either() -> None:
    host = visitor()
    made = make(host, "spades-standard")
    for _ in range(3):
        parties.sit(party_id=made.pk, user=factories.user())
    users = User.objects.count()
    answer = post(visitor(), "sit", made)
    assert (answer.status_code, answer.json()["code"]) == (409, "full")
    assert "taken" in answer.json()["text"]
    post(host, "start", made, revision=now(made).revision)
    answer = post(visitor(), "sit", made)
    assert (answer.status_code, answer.json()["code"]) == (409, "running")
    assert User.objects.count() == users


def test_a_refusal_is_a_sentence_on_the_page_for_whoever_has_no_script() -> None:
    made = make(visitor(), "spades-standard")
    for _ in range(3):
        parties.sit(party_id=made.pk, user=factories.user())
    answer = visitor().post(reverse("party_sit", args=[made.code]), follow=True)
    assert "every seat was taken before you" in answer.content.decode()
    assert answer.status_code == 200


@pytest.mark.parametrize("name", ["leave", "shuffle", "start", "agree", "send_away"])
def test_whoever_does_not_sit_does_nothing_at_a_party(name: str) -> None:
    made = make(visitor())
    for client in (visitor(), visitor(factories.user())):
        answer = post(client, name, made, revision=now(made).revision, member=1)
        assert answer.status_code in (200, 403, 409)
        assert name == "leave" or answer.json()["code"] in ("not_sitting", "not_host", "first_game")
    assert models.PartyMember.objects.count() == 1
    assert models.Game.objects.count() == 0


@pytest.mark.parametrize("data", [{}, {"revision": "x"}, {"revision": "9" * 40}, {"revision": "-1"}, {"seat": "٣"}])
def test_a_form_with_nonsense_is_answered_clearly(data: dict[str, str]) -> None:
    client = visitor()
    made = make(client)
    answer = post(client, "start", made, **data)
    assert (answer.status_code, answer.json()["code"]) == (409, "changed")
    assert post(client, "sit", made, **data).status_code == 200
    assert post(client, "send_away", made, member="x").json()["code"] == "not_sitting"


def test_every_refusal_has_a_sentence() -> None:
    assert all(party_views.sentence(code) for code in parties.CODES)


# --- codes ------------------------------------------------------------------------------------------------------------


def test_a_code_is_read_however_it_is_typed() -> None:
    made = make(visitor())
    models.Party.objects.filter(pk=made.pk).update(code="BZS7QG")
    for typed in ("BZS7QG", "bzs7qg", " bzs 7qg ", "bzs-7qg", "825706", "ＢＺＳ７ＱＧ", "8zs.7O6", "BZ5 7QG"):
        answer = visitor().get(reverse("party_find"), {"code": typed})
        assert answer["Location"] == "/party/BZS7QG/", typed
    assert visitor().get("/party/bzs7q6/")["Location"] == "/party/BZS7QG/"


@pytest.mark.parametrize(
    "typed", ["", "ABC", "ABCDEFGH", "<b>x</b>", "ABCDE!", "あいうえおか", "AAAAAA", "%00", "x" * 500]
)
def test_a_wrong_code_gets_a_page_that_says_so_and_a_field_to_try_again(typed: str) -> None:
    answer = visitor().get(reverse("party_find"), {"code": typed})
    assert answer.status_code == 404
    assert "No party with this code" in answer.content.decode()
    assert "<b>x" not in answer.content.decode()
    assert 'name="code"' in answer.content.decode()


def test_codes_have_no_signs_that_look_alike() -> None:
    assert not set(party_codes.CHARS) & set(party_codes.LOOK_ALIKES)
    assert set(party_codes.LOOK_ALIKES.values()) <= set(party_codes.CHARS)
    assert all(party_codes.read(code) == code for code in (party_codes.draw() for _ in range(200)))


# --- what each sees ---------------------------------------------------------------------------------------------------


def test_whoever_was_sent_away_gets_a_page_that_says_so() -> None:
    host, other = visitor(), visitor()
    made = make(host)
    post(other, "sit", made)
    member = models.PartyMember.objects.latest("pk")
    assert post(host, "send_away", made, member=member.pk).status_code == 200
    assert "You were sent away" in page(other, made, 403)
    assert other.get(reverse("party_now", args=[made.code])).status_code == 403
    answer = post(other, "sit", made)
    assert (answer.status_code, answer.json()["code"]) == (403, "sent_away")


def test_a_party_that_is_over_says_so() -> None:
    host = visitor()
    made = make(host)
    assert post(host, "leave", made).json() == {"to": "/"}
    assert "This party is over" in page(visitor(), made, 410)
    assert post(visitor(), "sit", made).status_code == 410


def test_the_party_leads_to_the_running_game_and_others_to_watching_it() -> None:
    host, other = visitor(), visitor()
    made = make(host)
    answer = post(host, "start", made, revision=now(made).revision)
    game = models.Game.objects.get()
    assert answer.json() == {"to": f"/game/{game.pk}/"}
    assert "Back to the table" in page(host, made)
    assert f'href="/game/{game.pk}/"' in page(host, made)
    assert "Watch the game" in page(other, made)
    assert f'href="/game/{game.pk}/?party={made.code}"' in page(other, made)
    models.Party.objects.update(may_watch=False)
    assert "Watch the game" not in page(other, made)
    assert "Sit down" not in page(other, made)


def test_the_table_leads_back_to_its_party() -> None:
    host = visitor()
    made = make(host)
    post(host, "start", made, revision=now(made).revision)
    text = host.get(f"/game/{models.Game.objects.get().pk}/").content.decode()
    assert f'href="/party/{made.code}/"' in text


def test_a_stranger_at_a_private_partys_table_does_not_learn_its_code() -> None:
    host = visitor()
    made = make(host)
    post(host, "start", made, revision=now(made).revision)
    answer = visitor().get(f"/game/{models.Game.objects.get().pk}/")
    assert (answer.status_code, made.code in answer.content.decode()) == (404, False)
    listed = make(host, is_listed="on")
    post(host, "start", listed, revision=now(listed).revision)
    assert visitor().get(f"/game/{models.Game.objects.latest('pk').pk}/").status_code == 200


def test_a_preset_with_a_sign_that_cannot_be_stored_is_not_found() -> None:
    assert visitor().post(reverse("party_open"), {"preset": "hearts\0short"}).status_code == 404


def test_the_second_tab_of_the_guest_who_took_the_last_seat_hears_of_his_seat() -> None:
    host = visitor()
    made = make(host, "spades-standard")
    for _ in range(2):
        visitor_there = visitor()
        post(visitor_there, "sit", made)
    first, second = visitor(), visitor()
    first.get(reverse("party_new"))
    token = first.cookies["csrftoken"].value
    second.cookies["csrftoken"] = token
    assert post(first, "sit", made).status_code == 200
    assert post(second, "sit", made).status_code == 200
    assert len(party_selectors.sitting_at(now(made))) == 4
    assert post(visitor(), "sit", made).json()["code"] == "full"


def test_names_are_shown_as_text() -> None:
    user = factories.user()
    User.objects.filter(pk=user.pk).update(display_name="<script>alert(1)</script>")
    made = make(visitor(user), is_listed="on")
    for path in (reverse("party", args=[made.code]), "/"):
        text = visitor().get(path).content.decode()
        assert "<script>alert(1)" not in text
        assert "&lt;script&gt;alert(1)" in text


def test_the_front_page_lists_open_parties_and_the_visitors_own() -> None:
    host = visitor()
    hidden, listed = make(host, "spades-standard"), make(host, "hearts-stadium", is_listed="on")
    text = visitor().get("/").content.decode()
    assert f'data-party="{listed.code}"' in text
    assert hidden.code not in text
    own = host.get("/").content.decode()
    assert f'href="/party/{hidden.code}/"' in own


def test_too_many_parties_of_one_host_are_refused_with_a_sentence() -> None:
    host = visitor()
    for _ in range(parties.MOST_OPEN):
        make(host)
    answer = host.post(reverse("party_open"), {"preset": "hearts-standard"}, follow=True)
    assert "host of several open parties" in answer.content.decode()


def test_a_party_speaks_the_language_of_each_reader() -> None:
    made = make(visitor())
    for language in ("en", "ja"):
        text = visitor().get(reverse("party", args=[made.code]), headers={"accept-language": language}).content.decode()
        assert f'<html lang="{language}">' in text


# --- settings ---------------------------------------------------------------------------------------------------------


def allowed(option: Option) -> list[str | int]:
    """Every value of an option; of a whole number the ends and the default."""
    if option.type == "choice":
        return [value.value for value in option.values]
    return sorted({option.low, int(option.default), option.high})


def company(kind: str, name: str, value: str | int) -> dict[str, str | int]:
    """A value with what it needs beside it."""
    try:
        options_for(kind, {name: value})
    except Refused:
        return {"jack_of_diamonds": "minus_ten", name: value}
    return {name: value}


GRID = [
    (kind, option.name, value)
    for kind in sorted(KINDS)
    for option in KINDS[kind].options.declared()
    for value in allowed(option)
]


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_value_of_every_option_is_set_from_the_form_and_reaches_the_engine(kind: str) -> None:
    client = visitor()
    seen = set()
    for _, name, value in [entry for entry in GRID if entry[0] == kind]:
        made = make(client, f"{kind}-standard")
        options = company(kind, name, value)
        data = form_of(made, **{field_name(option): chosen for option, chosen in options.items()})
        answer = client.post(reverse("party_change", args=[made.code]), data)
        assert answer.status_code == 302, (name, value)
        post(client, "start", made, revision=now(made).revision)
        game = models.Game.objects.latest("pk")
        assert game.options == options_for(kind, options).to_json()
        assert game.party_id == made.pk
        seen.add((name, game.options[name]))
        post(client, "leave", made)
        finish(game)
    assert seen == {(name, value) for found, name, value in GRID if found == kind}


@pytest.mark.parametrize(
    ("name", "value", "column", "stored"),
    [
        ("timer", "0", "timer_s", 0),
        ("timer", "30", "timer_s", 30),
        ("timer", "60", "timer_s", 60),
        ("players", "2", "players", 2),
        ("players", "6", "players", 6),
        ("players", "7", "players", 7),
        ("players", "", "players", 4),
        ("may_watch", False, "may_watch", False),
        ("may_watch", True, "may_watch", True),
        ("is_listed", True, "is_private", False),
        ("is_listed", False, "is_private", True),
    ],
)
def test_every_setting_of_the_table_reaches_the_game(name: str, value: Any, column: str, stored: Any) -> None:
    client = visitor()
    made = make(client)
    assert client.post(reverse("party_change", args=[made.code]), form_of(made, **{name: value})).status_code == 302
    post(client, "start", made, revision=now(made).revision, confirmed="yes")
    assert getattr(models.Game.objects.get(), column) == stored


def test_every_level_of_cpu_players_reaches_the_game() -> None:
    for level in party_forms.LEVELS:
        client = visitor()
        made = make(client)
        client.post(reverse("party_change", args=[made.code]), form_of(made, cpu_level=level))
        post(client, "start", made, revision=now(made).revision)
        rows = models.Player.objects.filter(game=models.Game.objects.latest("pk"), user=None)
        assert {row.cpu_level for row in rows} == {level}


def test_a_bad_combination_is_shown_at_its_field_and_changes_nothing() -> None:
    client = visitor()
    made = make(client)
    data = form_of(made, option_jack_in_moon="required", timer="30")
    answer = client.post(reverse("party_change", args=[made.code]), data)
    text = html.unescape(answer.content.decode())
    assert answer.status_code == 422
    assert re.search(r'id="id_option_jack_in_moon_error">[^<]*does not go with', text)
    assert "<details" in text
    assert now(made).timer_s == 0


def test_two_players_and_the_jack_of_diamonds_do_not_go_together() -> None:
    client = visitor()
    made = make(client)
    data = form_of(made, option_jack_of_diamonds="minus_ten", players="2")
    assert client.post(reverse("party_change", args=[made.code]), data).status_code == 422
    assert now(made).players is None


@pytest.mark.parametrize(
    "changed", [{"timer": "45"}, {"cpu_level": "x"}, {"players": "9"}, {"option_end_score": "1e3"}, {"seen": ""}]
)
def test_a_value_that_cannot_be_is_refused_at_its_field(changed: dict[str, str]) -> None:
    client = visitor()
    made = make(client)
    before = now(made).revision
    answer = client.post(reverse("party_change", args=[made.code]), {**form_of(made), **changed})
    assert answer.status_code == 422
    assert now(made).revision == before


def test_only_the_host_changes_settings_and_only_as_he_saw_them() -> None:
    host, other = visitor(), visitor()
    made = make(host)
    post(other, "sit", made)
    data = form_of(made, timer="30")
    assert "Only the host" in other.post(reverse("party_change", args=[made.code]), data, follow=True).content.decode()
    assert (
        "Only the host" in visitor().post(reverse("party_change", args=[made.code]), data, follow=True).content.decode()
    )
    host.post(reverse("party_change", args=[made.code]), form_of(made, timer="60"))  # his other tab
    answer = host.post(reverse("party_change", args=[made.code]), data, follow=True)
    assert "changed meanwhile" in answer.content.decode()
    assert now(made).timer_s == 60


def test_settings_may_be_changed_though_somebody_has_sat_down_meanwhile() -> None:
    host = visitor()
    made = make(host)
    data = form_of(made, timer="30")
    post(visitor(), "sit", made)
    assert host.post(reverse("party_change", args=[made.code]), data).status_code == 302
    assert now(made).timer_s == 30


def test_a_preset_that_leaves_little_open_offers_that_alone() -> None:
    client = visitor()
    made = make(client, "hearts-stadium")
    names = set(re.findall(r'name="(option_\w+)"', page(client, made)))
    assert names == {"option_end_score", "option_passing", "option_first_lead", "option_moon"}


# --- once more --------------------------------------------------------------------------------------------------------


def test_a_rematch_with_changed_options_shows_the_changes_and_takes_everyones_agreement() -> None:
    host, other = visitor(), visitor()
    made = make(host)
    post(other, "sit", made)
    post(host, "start", made, revision=now(made).revision)
    first = models.Game.objects.get()
    finish(first)
    seen = now(made).revision
    assert post(other, "agree", made, revision=seen).json() == {"to": f"/party/{made.code}/"}
    assert "1 of 2 have agreed" in page(host, made)
    host.post(reverse("party_change", args=[made.code]), form_of(made, option_moon="off"))
    text = page(other, made)
    assert "0 of 2 have agreed" in text
    assert "Changed since the last game" in text
    assert "No moon" in text
    assert post(other, "agree", made, revision=seen).json()["code"] == "changed"
    assert post(other, "agree", made, revision=now(made).revision).status_code == 200
    answer = post(host, "agree", made, revision=now(made).revision)
    second = models.Game.objects.latest("pk")
    assert answer.json() == {"to": f"/game/{second.pk}/"}
    assert (second.options["moon"], second.rematch_of) == ("off", first)


def test_whoever_agrees_can_take_it_back() -> None:
    host, other = visitor(), visitor()
    made = make(host)
    post(other, "sit", made)
    post(host, "start", made, revision=now(made).revision)
    finish(models.Game.objects.get())
    post(other, "agree", made, revision=now(made).revision)
    assert "Take my agreement back" in page(other, made)
    post(other, "agree", made, revision=now(made).revision, agreed="no")
    post(host, "agree", made, revision=now(made).revision)
    assert models.Game.objects.count() == 1


@pytest.mark.parametrize("slug", ["hearts-standard", "spades-standard"])
def test_the_version_of_a_preset_that_a_party_was_made_from_stays(slug: str) -> None:
    client = visitor()
    made = make(client, slug)
    models.PresetVersion.objects.create(preset=version(slug).preset, number=9, options={})
    post(client, "start", made, revision=now(made).revision)
    found = models.Game.objects.get().preset_version
    assert found is not None
    assert found.number == 1
