"""Presets in the admin: written field by field, refused at the field, looked at before they are stored."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from games import models
from games.kinds import KINDS, options_for
from games.models import PresetVersion, RulePreset
from games.presets import services as preset_store
from games.presets.selectors import play_now_preset
from games.presets.shipped import shipped_presets
from tests import factories

pytestmark = pytest.mark.usefixtures("transactional_db")

LIST = "/admin/games/rulepreset/"
IMPORT = f"{LIST}import/"


def preset(slug: str = "hearts-short") -> RulePreset:
    return RulePreset.objects.get(slug=slug)


def versions(slug: str = "hearts-short") -> list[PresetVersion]:
    return list(preset(slug).versions.order_by("number"))


@pytest.fixture
def admin() -> Client:
    client = Client()
    client.force_login(factories.user("root", is_staff=True, is_superuser=True, is_guest=False))
    return client


def page_of(slug: str) -> str:
    return f"{LIST}{preset(slug).pk}/change/"


def fields_in(page: str) -> dict[str, Any]:
    """What a browser would send of the form on a page if nothing was touched."""
    form = page[page.index('id="rulepreset_form"') :]
    form = form[: form.index("</form>")]
    sent: dict[str, Any] = {}
    for tag in re.findall(r"<input[^>]*>", form):
        found = dict(re.findall(r'([\w-]+)="([^"]*)"', tag))
        name, kind = found.get("name"), found.get("type")
        if not name or kind == "submit" or (kind in ("checkbox", "radio") and " checked" not in tag):
            continue
        value = unescape(found.get("value", "on" if kind == "checkbox" else ""))
        if kind == "checkbox" and name in sent:
            sent[name] = [*(sent[name] if isinstance(sent[name], list) else [sent[name]]), value]
        else:
            sent[name] = value
    for name, options in re.findall(r'<select name="(\w+)"[^>]*>(.*?)</select>', form, re.S):
        chosen = re.search(r'value="([^"]*)" selected', options)
        first = re.search(r'value="([^"]*)"', options)
        assert first is not None
        sent[name] = unescape((chosen or first)[1])
    for name, text in re.findall(r'<textarea name="(\w+)"[^>]*>\n?(.*?)</textarea>', form, re.S):
        sent[name] = unescape(text)
    return sent


def opened(client: Client, slug: str = "hearts-short") -> dict[str, Any]:
    answer = client.get(page_of(slug))
    assert answer.status_code == 200
    return fields_in(answer.content.decode())


def saved(client: Client, slug: str = "hearts-short", **changes: Any) -> Any:
    """The answer to saving a preset with some fields changed."""
    return client.post(page_of(slug), {**opened(client, slug), **changes})


def errors_in(answer: Any) -> dict[str, str]:
    assert answer.status_code == 200, "it was stored"
    return {name: " ".join(map(str, errors)) for name, errors in answer.context["adminform"].form.errors.items()}


# --- the form ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_there_is_a_field_for_every_option_with_its_words(admin: Client, kind: str) -> None:
    page = unescape(admin.get(f"{LIST}add/?kind={kind}").content.decode())
    for option in options_for(kind, {}).declared():
        assert f'name="option_{option.name}"' in page
        assert option.label in page
        assert option.effect in page


@pytest.mark.parametrize("slug", [shipped.slug for shipped in shipped_presets()])
def test_saving_what_was_not_touched_changes_nothing(admin: Client, slug: str) -> None:
    before = preset_store.fingerprint(preset(slug))
    assert saved(admin, slug).status_code == 302
    assert preset_store.fingerprint(preset(slug)) == before
    assert len(versions(slug)) == 1


def test_a_change_of_options_makes_a_version_and_a_running_game_keeps_its_own(admin: Client) -> None:
    player = Client()
    player.post("/play/hearts/")
    game = models.Game.objects.get()
    answer = saved(admin, option_end_score="70", name_ja="七十点")
    assert answer.status_code == 302
    assert [(v.number, v.options["end_score"]) for v in versions()] == [(1, 50), (2, 70)]
    game.refresh_from_db()
    assert (game.options["end_score"], game.preset_version) == (50, versions()[0])
    assert '"end_score": 50' in player.get(f"/game/{game.pk}/").content.decode()
    Client().post("/play/hearts/")
    assert models.Game.objects.latest("pk").options["end_score"] == 70
    page = admin.get(answer["Location"]).content.decode()
    assert "Version 2 was made" in page
    history = admin.get(page_of("hearts-short")).content.decode()
    assert "End score: 50 → 70" in history
    entry = LogEntry.objects.latest("pk")
    assert (entry.object_repr, entry.is_change()) == ("hearts-short", True)
    assert "End score" in entry.get_change_message()


@pytest.mark.parametrize(
    ("changes", "field", "said"),
    [
        ({"option_jack_in_moon": "required"}, "option_jack_in_moon", "Jack of diamonds: Off"),
        ({"option_hold_deal": "skip", "option_passing": "off"}, "option_hold_deal", "No passing"),
        (
            {"option_jack_of_diamonds": "minus_ten", "players": ["2", "4"]},
            "option_jack_of_diamonds",
            "number of players",
        ),
        ({"option_end_score": "5"}, "option_end_score", "20"),
        ({"option_end_score": "x"}, "option_end_score", "whole number"),
        ({"option_moon": "blue"}, "option_moon", "blue"),
        ({"players": []}, "players", "required"),
        ({"players": ["9"]}, "players", "9"),
        ({"ranked_players": "5"}, "ranked_players", "one of its own"),
        ({"name": ""}, "name", "required"),
        ({"note": "x" * 301}, "note", "300"),
        ({"order": "-1"}, "order", "0"),
        ({"limits": "some", "may_end_score": "40, five"}, "may_end_score", "commas"),
        ({"limits": "some", "may_end_score": "40, 500"}, "may_end_score", "value"),
        ({"limits": "some", "may_moon": ["blue"]}, "may_moon", "blue"),
    ],
)
def test_what_is_wrong_is_said_at_its_field_and_nothing_is_stored(
    admin: Client, changes: dict[str, Any], field: str, said: str
) -> None:
    before = preset_store.fingerprint(preset())
    answer = saved(admin, name_ja="nobody", **changes)
    errors = errors_in(answer)
    assert list(errors) == [field]
    assert said in errors[field]
    assert preset_store.fingerprint(preset()) == before
    assert LogEntry.objects.count() == 0


def test_a_new_preset_is_made_for_the_kind_that_was_chosen(admin: Client) -> None:
    assert "?kind=spades" in admin.get(f"{LIST}add/").content.decode()
    address = f"{LIST}add/?kind=spades"
    form = fields_in(admin.get(address).content.decode())
    form |= {
        "slug": "spades-long",
        "name": "Long",
        "option_target": "1000",
        "limits": "some",
        "may_floor": ["no", "yes"],
    }
    assert admin.post(address, form).status_code == 302
    (version,) = versions("spades-long")
    assert (version.options, version.choices) == ({"target": 1000}, {"floor": ["yes", "no"]})
    assert (version.preset.kind, version.preset.players) == ("spades", [4])
    assert errors_in(admin.post(address, form)).keys() == {"slug"}
    bad = errors_in(admin.post(address, {**form, "slug": "Spades_2"}))
    assert bad.keys() == {"slug"}
    for kind in ("poker", "", "hearts\x00"):
        assert "?kind=hearts" in admin.get(f"{LIST}add/", {"kind": kind}).content.decode()


def test_the_short_name_and_the_game_of_a_preset_stay(admin: Client) -> None:
    form = opened(admin) | {"slug": "other", "name": "Quick"}
    assert admin.post(page_of("hearts-short"), form).status_code == 302
    assert (preset().name, preset().kind) == ("Quick", "hearts")
    admin.post(page_of("hearts-short") + "?kind=spades", opened(admin))
    assert preset().kind == "hearts"


def test_what_a_table_may_change_is_marked_option_by_option(admin: Client) -> None:
    saved(admin, limits="some", may_end_score="40, 60、30", may_moon=["off"])
    assert versions()[-1].choices == {"moon": ["off", "add"], "end_score": [30, 40, 50, 60]}
    form = opened(admin)
    assert (form["limits"], form["may_end_score"]) == ("some", "30, 40, 50, 60")
    saved(admin, limits="all")
    assert versions()[-1].choices is None


def test_two_administrators_at_once_the_second_is_told_and_overwrites_nothing(admin: Client) -> None:
    other = Client()
    other.force_login(factories.user("other", is_staff=True, is_superuser=True, is_guest=False))
    mine, theirs = opened(admin), opened(other)
    assert other.post(page_of("hearts-short"), {**theirs, "name": "Theirs"}).status_code == 302
    answer = admin.post(page_of("hearts-short"), {**mine, "name": "Mine", "option_end_score": "90"})
    assert "Somebody else has changed this preset" in errors_in(answer)["__all__"]
    assert (preset().name, len(versions())) == ("Theirs", 1)
    # Pressing the button once more does not make it right.
    again = admin.post(page_of("hearts-short"), fields_in(answer.content.decode()))
    assert list(errors_in(again)) == ["__all__"]
    assert admin.post(page_of("hearts-short"), {**opened(admin), "name": "Mine"}).status_code == 302
    assert preset().name == "Mine"


def test_a_new_version_of_a_ranked_preset_is_not_ranked_and_that_is_said(admin: Client) -> None:
    answer = saved(admin, "hearts-standard", option_end_score="80")
    assert "the new one is not" in admin.get(answer["Location"]).content.decode()
    assert [v.ranked_players for v in versions("hearts-standard")] == [4, None]
    assert opened(admin, "hearts-standard")["ranked_players"] == ""
    saved(admin, "hearts-standard", ranked_players="4")
    assert [v.ranked_players for v in versions("hearts-standard")] == [4, 4]


def test_presets_are_switched_off_and_on_from_the_list_and_noted(admin: Client) -> None:
    chosen = {"_selected_action": [preset().pk, preset("hearts-stadium").pk]}
    admin.post(LIST, {**chosen, "action": "switch_off"})
    assert (preset().is_active, preset("hearts-stadium").is_active) == (False, False)
    version = play_now_preset("hearts")
    assert version is not None
    assert version.preset.slug == "hearts-standard"
    assert LogEntry.objects.count() == 2
    admin.post(LIST, {**chosen, "action": "switch_on"})
    admin.post(LIST, {**chosen, "action": "switch_on"})
    assert (preset().is_active, LogEntry.objects.count()) == (True, 4)


def test_a_preset_that_is_used_cannot_be_deleted_and_another_can(admin: Client) -> None:
    Client().post("/play/hearts/")
    used, unused = (f"{LIST}{preset(slug).pk}/delete/" for slug in ("hearts-short", "hearts-stadium"))
    assert admin.get(used).status_code == 403
    assert admin.post(used, {"post": "yes"}).status_code == 403
    assert "deletelink" not in admin.get(page_of("hearts-short")).content.decode()
    assert "deletelink" in admin.get(page_of("hearts-stadium")).content.decode()
    assert admin.get(unused).status_code == 200
    assert admin.post(unused, {"post": "yes"}).status_code == 302
    assert not RulePreset.objects.filter(slug="hearts-stadium").exists()
    admin.post(LIST, {"_selected_action": [preset().pk], "action": "delete_selected", "post": "yes"})
    assert preset().pk


# --- the preview ------------------------------------------------------------------------------------------------------


def test_the_preview_is_the_rules_page_of_what_is_in_the_form_and_stores_nothing(admin: Client) -> None:
    before = preset_store.fingerprint(preset())
    form = opened(admin) | {"option_end_score": "83", "name": "", "seen": "old"}
    answer = admin.post(f"{LIST}preview/?preset={preset().pk}", form)
    assert answer.status_code == 200
    assert "83" in answer.content.decode()
    assert "A preview of rules" in answer.content.decode()
    assert preset_store.fingerprint(preset()) == before
    new = fields_in(admin.get(f"{LIST}add/?kind=spades").content.decode())
    page = admin.post(f"{LIST}preview/?kind=spades", {**new, "option_target": "321"}).content.decode()
    assert "321" in page
    japanese = admin.post(f"{LIST}preview/?kind=spades", new, headers={"accept-language": "ja"}).content.decode()
    assert '<html lang="ja">' in japanese
    assert RulePreset.objects.count() == 9


def test_the_preview_of_what_cannot_be_played_says_why(admin: Client) -> None:
    form = opened(admin) | {"option_jack_in_moon": "required"}
    answer = admin.post(f"{LIST}preview/?preset={preset().pk}", form)
    assert answer.status_code == 422
    assert "does not go with" in answer.content.decode()
    for query in ("?preset=0", "?preset=x", f"?preset={10**30}"):
        assert admin.post(f"{LIST}preview/{query}", form).status_code == 404
    assert admin.get(f"{LIST}preview/").status_code == 403


# --- files ------------------------------------------------------------------------------------------------------------


def exported(client: Client) -> bytes:
    answer = client.get(f"{LIST}export/")
    assert answer["Content-Type"].startswith("application/json")
    assert "presets.json" in answer["Content-Disposition"]
    return answer.content


def looked_at(answer: Any) -> dict[str, str]:
    """What the page with the plan would send when it is confirmed."""
    page = answer.content.decode()
    mark = re.search(r'name="looked_at" value="(\w+)"', page)
    text = re.search(r'<textarea name="text" hidden>\n(.*?)</textarea>', page, re.S)
    assert mark is not None
    assert text is not None
    return {"looked_at": mark[1], "text": unescape(text[1]), "store": "Import"}


def changed_file(client: Client, **options: Any) -> bytes:
    data = json.loads(exported(client))
    next(item for item in data["presets"] if item["slug"] == "hearts-short")["options"] |= options
    return json.dumps(data).encode()


def test_an_import_shows_first_what_it_would_change_and_then_changes_that(admin: Client) -> None:
    file = SimpleUploadedFile("presets.json", changed_file(admin, end_score=40))
    shown = admin.post(IMPORT, {"file": file})
    page = shown.content.decode()
    assert "End score: 50 → 40" in page
    assert page.count("plan-same") == 8
    assert len(versions()) == 1, "nothing yet"
    answer = admin.post(IMPORT, looked_at(shown))
    assert answer.status_code == 302
    assert [v.options["end_score"] for v in versions()] == [50, 40]
    assert LogEntry.objects.get().object_repr == "hearts-short"
    assert "1 preset was imported" in admin.get(LIST).content.decode()


def test_an_import_that_would_do_something_else_by_now_is_shown_anew(admin: Client) -> None:
    shown = admin.post(IMPORT, {"text": changed_file(admin, end_score=40).decode()})
    saved(admin, option_end_score="45")
    answer = admin.post(IMPORT, looked_at(shown))
    assert "changed meanwhile" in answer.content.decode()
    assert "End score: 45 → 40" in answer.content.decode()
    assert [v.options["end_score"] for v in versions()] == [50, 45]
    assert admin.post(IMPORT, looked_at(answer)).status_code == 302
    assert [v.options["end_score"] for v in versions()] == [50, 45, 40]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Choose a file"),
        ("[", "line 1, column 2"),
        ('{"format": "moonshot-presets", "version": 1}', "This key is missing."),
        ('{"format": "moonshot-presets", "version": 1, "presets": [{"slug": "<script>alert(1)"}]}', "presets[0].kind"),
        ("\x00", "line 1, column 1"),
    ],
)
def test_a_broken_import_is_one_clear_message(admin: Client, text: str, said: str) -> None:
    answer = admin.post(IMPORT, {"text": text})
    assert answer.status_code == 200
    page = unescape(answer.content.decode())
    assert page.count("Nothing was imported.") == 1
    assert said in page
    assert "<script>alert" not in answer.content.decode()
    assert RulePreset.objects.count() == 9


def test_chosen_presets_are_exported_alone_and_come_back_the_same(admin: Client) -> None:
    answer = admin.post(LIST, {"_selected_action": [preset().pk], "action": "export_chosen"})
    assert [item["slug"] for item in json.loads(answer.content)["presets"]] == ["hearts-short"]
    first = exported(admin)
    shown = admin.post(IMPORT, {"text": first.decode()})
    assert "as it is here already" in shown.content.decode()
    assert exported(admin) == first


# --- languages and permissions ----------------------------------------------------------------------------------------


def test_the_pages_are_there_in_japanese_with_japanese_names(admin: Client) -> None:
    saved(admin, name_ja="短期戦", option_end_score="40")
    for address in (LIST, page_of("hearts-short"), f"{LIST}add/", f"{LIST}add/?kind=spades", IMPORT):
        answer = admin.get(address, headers={"accept-language": "ja"})
        assert answer.status_code == 200
        assert '<html lang="ja"' in answer.content.decode()
    page = admin.get(LIST, headers={"accept-language": "ja"}).content.decode()
    assert "短期戦" in page
    assert "ブラインドニル" in page
    refused = admin.post(
        page_of("hearts-short"), opened(admin) | {"option_jack_in_moon": "required"}, headers={"accept-language": "ja"}
    )
    assert "ムーン" in errors_in(refused)["option_jack_in_moon"]


@pytest.mark.parametrize(
    "address", [reverse("admin:games_rulepreset_changelist"), f"{LIST}export/", IMPORT, f"{LIST}preview/"]
)
def test_staff_without_permission_see_nothing(address: str) -> None:
    client = Client()
    client.force_login(factories.user("clerk", is_staff=True, is_guest=False))
    assert client.get(address).status_code == 403
    assert client.post(address).status_code == 403
    player = Client()
    player.force_login(factories.user("player", is_guest=False))
    assert player.get(address).status_code == 302
