"""Presets in the database: versions that stay as they are, what Play now starts, files out and in."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.utils import translation

from accounts.models import User
from games import models
from games.kinds import options_for
from games.log import services
from games.models import PresetVersion, RulePreset
from games.parties import codes
from games.presets import services as preset_store
from games.presets.drafts import BadPresets, Draft, checked, from_bytes, to_text
from games.presets.selectors import play_now_preset
from games.presets.services import draft_of, export, save, store_all
from games.presets.shipped import shipped_presets
from ladder.models import Ladder
from tests import factories

pytestmark = pytest.mark.usefixtures("transactional_db")


def preset(slug: str = "hearts-short") -> RulePreset:
    return RulePreset.objects.get(slug=slug)


def edited(slug: str = "hearts-short", **changes: Any) -> tuple[RulePreset, preset_store.Change]:
    """A preset stored again with some of its parts changed."""
    return save(replace(draft_of(preset(slug)), **changes))


def versions(slug: str = "hearts-short") -> list[PresetVersion]:
    return list(preset(slug).versions.order_by("number"))


def everything() -> str:
    """All that is stored of presets, versions included."""
    rows = PresetVersion.objects.order_by("pk").values("pk", "preset", "number", "options", "choices", "ranked_players")
    return str([list(RulePreset.objects.order_by("pk").values()), list(rows)])


# --- what a new site starts with --------------------------------------------------------------------------------------


def test_the_shipped_presets_are_stored_each_as_version_one() -> None:
    for shipped in shipped_presets():
        (version,) = versions(shipped.slug)
        assert (version.number, version.ranked_players) == (1, shipped.ranked)
        assert options_for(shipped.kind, version.options) == options_for(shipped.kind, shipped.options)
        assert version.preset.players == list(shipped.players)
        assert (version.choices is None) == (shipped.choices is None)
        for name, values in (shipped.choices or {}).items():
            assert sorted((version.choices or {})[name], key=str) == sorted(values, key=str)
    assert [version.preset.slug for version in PresetVersion.objects.offered()] == [p.slug for p in shipped_presets()]


def test_names_are_shown_in_the_language_of_the_reader() -> None:
    stored = preset()
    with translation.override("ja"):
        assert stored.local_name == "ショート", "a shipped name has its Japanese in the catalogue"
        stored.name_ja = "短期戦"
        assert stored.local_name == "短期戦"
        stored.note, stored.note_ja = "", ""
        assert stored.local_note == ""
    with translation.override("en"):
        assert stored.local_name == "Short"


# --- versions ---------------------------------------------------------------------------------------------------------


def test_a_change_of_options_makes_a_version_and_any_other_change_none() -> None:
    _, change = edited(name="Quick", order=40, is_active=False, note_ja="早い")
    assert (change.makes_version, len(versions())) == (False, 1)
    assert (preset().name, preset().order, preset().is_active) == ("Quick", 40, False)
    _, change = edited(options={"end_score": 60, "tie_for_first": "shared"})
    assert change.makes_version
    assert [(v.number, v.options["end_score"]) for v in versions()] == [(1, 50), (2, 60)]
    edited(choices={"end_score": [40, 60]})
    assert [(v.number, v.choices) for v in versions()][1:] == [(2, None), (3, {"end_score": [40, 60]})]


def test_the_same_options_make_no_version_however_they_are_written() -> None:
    same = {"tie_for_first": "shared", "end_score": 50, "moon": "add"}  # the last is the default
    preset_row, change = edited(options=same)
    assert (change.changed, change.is_any, len(versions())) == ((), False, 1)
    assert preset_row.pk == preset().pk


def test_a_game_keeps_the_options_it_began_with_and_play_now_takes_the_new_ones() -> None:
    client = Client()
    client.post("/play/hearts/")
    before = models.Game.objects.get()
    edited(options={"end_score": 70})
    Client().post("/play/hearts/")
    after = models.Game.objects.latest("pk")
    before.refresh_from_db()
    assert (before.options["end_score"], before.options["tie_for_first"]) == (50, "shared")
    assert (after.options["end_score"], after.options["tie_for_first"]) == (70, "play_on")
    assert before.preset_version is not None
    assert after.preset_version is not None
    assert (before.preset_version.number, after.preset_version.number) == (1, 2)
    assert client.get(f"/game/{before.pk}/").status_code == 200
    services.close_game(game_id=before.pk, reason="admin", by=factories.user())
    assert before.preset_version.options["end_score"] == 50


@pytest.mark.parametrize(
    "statement",
    [
        "update games_presetversion set options = '{}' where number = 1",
        "update games_presetversion set number = 7 where number = 1",
        'update games_presetversion set choices = \'{"moon": ["off"]}\'',
        "update games_presetversion set created_at = now()",
        "update games_presetversion set preset_id = (select max(id) from games_rulepreset)",
    ],
)
def test_the_database_itself_refuses_to_change_a_version(statement: str) -> None:
    with pytest.raises(IntegrityError, match="never changed"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


def test_the_model_cannot_change_a_version_either_but_may_rank_it() -> None:
    version = versions()[0]
    version.options = {"end_score": 55}
    with pytest.raises(IntegrityError, match="never changed"), transaction.atomic():
        version.save()
    version.refresh_from_db()
    version.ranked_players = 4
    version.save()
    assert versions()[0].ranked_players == 4


def test_a_version_that_follows_a_ranked_one_is_not_ranked_until_it_is_said() -> None:
    _, change = edited("hearts-standard", options={"end_score": 80})
    assert change.loses_rank
    assert [v.ranked_players for v in versions("hearts-standard")] == [4, None]
    _, change = edited("hearts-standard", ranked_players=4)
    assert (change.changed, change.makes_version) == (("ranked_players",), False)
    assert [v.ranked_players for v in versions("hearts-standard")] == [4, 4]


def test_a_preset_that_is_used_is_not_deleted_and_one_that_is_not_is() -> None:
    Client().post("/play/hearts/")
    assert (preset_store.is_used(preset()), preset_store.is_used(preset("hearts-stadium"))) == (True, False)
    with pytest.raises(preset_store.PresetInUse):
        preset_store.delete(preset())
    assert len(versions()) == 1
    preset_store.delete(preset("hearts-stadium"))
    assert not RulePreset.objects.filter(slug="hearts-stadium").exists()
    host = factories.user()
    models.Party.objects.create(code=codes.draw(), host=host, preset_version=versions("spades-short")[0])
    assert preset_store.is_used(preset("spades-short"))
    with pytest.raises(preset_store.PresetInUse):
        preset_store.delete(preset("spades-short"))


def test_two_who_save_at_once_make_two_versions_one_after_the_other() -> None:
    faults: list[Exception] = []
    start = threading.Barrier(6)

    def work(number: int) -> None:
        try:
            start.wait()
            edited(options={"end_score": 60 + number})
        except Exception as error:
            faults.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert [v.number for v in versions()] == [1, 2, 3, 4, 5, 6, 7]
    assert {v.options["end_score"] for v in versions()} == {50, *range(60, 66)}


# --- Play now ---------------------------------------------------------------------------------------------------------


def test_play_now_takes_the_first_preset_that_is_on_and_says_so_if_there_is_none() -> None:
    def slug() -> str | None:
        version = play_now_preset("spades")
        return version.preset.slug if version else None

    assert slug() == "spades-standard"
    edited("spades-standard", is_active=False)
    assert slug() == "spades-short"
    edited("spades-short", order=90)
    assert slug() == "spades-blind-nil"
    RulePreset.objects.filter(kind="spades").update(is_active=False)
    assert slug() is None
    client = Client()
    page = client.get("/").content.decode()
    assert ("/play/hearts/" in page, 'formaction="/play/spades/"' in page) == (True, False)
    answer = client.post("/play/spades/")
    assert (answer.status_code, "This game is not offered just now" in answer.content.decode()) == (404, True)
    assert (User.objects.count(), models.Game.objects.count()) == (0, 0)
    edited("spades-standard", is_active=True)
    assert client.post("/play/spades/").status_code == 302


def test_the_front_page_says_what_play_now_starts() -> None:
    assert "Short · To 50 · Ties shared" in Client().get("/").content.decode()
    edited(options={"end_score": 60}, name="Quick")
    assert "Quick · To 60." in Client().get("/").content.decode()


# --- drafts -----------------------------------------------------------------------------------------------------------

GOOD = Draft("hearts-mine", "hearts", (4, 3), "Mine", options={"end_score": 50})


def test_a_draft_has_one_form() -> None:
    draft = checked(replace(GOOD, options={"moon": "add", "end_score": 50}, choices={"moon": ("add", "off")}))
    assert (draft.players, draft.options, draft.choices) == ((3, 4), {"end_score": 50}, {"moon": ["off", "add"]})
    assert checked(draft) == draft


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"slug": "Hearts Mine"}, "slug"),
        ({"slug": ""}, "slug"),
        ({"slug": "x" * 51}, "slug"),
        ({"name": "  "}, "name"),
        ({"name": "x" * 81}, "name"),
        ({"note": "a\x00b"}, "note"),
        ({"note_ja": "\ud800"}, "note_ja"),
        ({"name_ja": 5}, "name_ja"),
        ({"kind": "poker"}, "kind"),
        ({"kind": []}, "kind"),
        ({"players": ()}, "players"),
        ({"players": (4, 4)}, "players"),
        ({"players": (True,)}, "players"),
        ({"players": (9,)}, "players"),
        ({"players": "4"}, "players"),
        ({"order": -1}, "order"),
        ({"order": 10**400}, "order"),
        ({"order": 1.5}, "order"),
        ({"is_active": 1}, "is_active"),
        ({"options": {"joker": 1}}, "options.joker"),
        ({"options": {"end_score": "50"}}, "options.end_score"),
        ({"options": {"end_score": 301}}, "options.end_score"),
        ({"options": {"moon": []}}, "options.moon"),
        ({"options": []}, "options"),
        ({"options": {"jack_in_moon": "required"}}, "options.jack_in_moon"),
        ({"options": {"jack_of_diamonds": "minus_ten"}, "players": (2, 3)}, "options.jack_of_diamonds"),
        ({"choices": {"joker": ["yes"]}}, "choices.joker"),
        ({"choices": {"moon": ["blue"]}}, "choices.moon"),
        ({"choices": {"moon": []}}, "choices.moon"),
        ({"choices": {"moon": ["off", "off"]}}, "choices.moon"),
        ({"choices": {"moon": ["off", "choose"]}}, "choices.moon"),
        ({"choices": {"moon": "off"}}, "choices.moon"),
        ({"choices": ["moon"]}, "choices"),
        ({"ranked_players": 5}, "ranked_players"),
        ({"ranked_players": "4"}, "ranked_players"),
    ],
)
def test_a_draft_that_cannot_be_played_is_refused_with_the_place(changes: dict[str, Any], place: str) -> None:
    with pytest.raises(BadPresets) as caught:
        checked(replace(GOOD, **changes))
    assert caught.value.place == place
    assert len(str(caught.value)) < 300


def test_japanese_with_its_own_blanks_is_a_name() -> None:
    draft = checked(replace(GOOD, name_ja="短期　戦", note_ja="五十点まで。"))
    assert draft.name_ja == "短期　戦"


# --- files ------------------------------------------------------------------------------------------------------------


def exported() -> str:
    return export(RulePreset.objects.all())


def test_what_is_exported_imports_and_exports_to_the_same_bytes() -> None:
    edited(name_ja="短期　戦", note="With “quotes”, ♦ and \\.", choices={"end_score": [40, 50]})
    edited("spades-short", is_active=False, ranked_players=4)
    first = exported()
    Ladder.objects.all().delete()  # they keep what they are played by
    for row in RulePreset.objects.all():
        preset_store.delete(row)
    assert RulePreset.objects.count() == 0
    changes = store_all(from_bytes(first.encode()))
    assert all(change.is_new for change in changes)
    assert exported() == first
    before = everything()
    assert not any(change.is_any for change in store_all(from_bytes(first.encode())))
    assert everything() == before, "a second import of the same file changes nothing"
    assert from_bytes(b"\xef\xbb\xbf" + first.encode()) == from_bytes(first.encode())


def test_an_import_changes_what_differs_adds_versions_and_leaves_the_rest() -> None:
    data = json.loads(export([preset(), preset("spades-short")]))
    data["presets"][0]["options"]["end_score"] = 40
    data["presets"].append({**data["presets"][1], "slug": "spades-long", "options": {"target": 1000}})
    admin = factories.user("root", is_staff=True)
    changes = store_all(from_bytes(json.dumps(data).encode()), by=admin)
    assert [(c.is_new, c.makes_version, c.is_any) for c in changes] == [
        (False, True, True),
        (False, False, False),
        (True, True, True),
    ]
    assert [v.options["end_score"] for v in versions()] == [50, 40]
    assert versions("spades-long")[0].options == {"target": 1000}
    assert preset("hearts-stadium").is_active
    with connection.cursor() as cursor:
        cursor.execute("select object_repr, action_flag from django_admin_log order by id")
        assert cursor.fetchall() == [("hearts-short", 2), ("spades-long", 1)]


def changed(change: Callable[[dict[str, Any]], Any]) -> Callable[[], bytes]:
    """The bytes of an export in which something was changed."""

    def make() -> bytes:
        data = json.loads(exported())
        change(data)
        return json.dumps(data).encode()

    return make


BROKEN: dict[str, tuple[Callable[[], bytes], str]] = {
    "empty": (lambda: b"", "line 1, column 1"),
    "cut off": (lambda: exported().encode()[:-40], "line"),
    "not UTF-8": (lambda: exported().encode("utf-16"), "byte 1"),
    "a list": (lambda: b"[]", ""),
    "deeply nested": (lambda: b"[" * 200_000, ""),
    "a number of a million digits": (lambda: b"9" * 1_000_000, ""),
    "too large": (lambda: b" " * 3_000_000, ""),
    "NaN": (lambda: b'{"format": NaN}', "NaN"),
    "another format": (changed(lambda data: data.update(format="deck")), "format"),
    "another version": (changed(lambda data: data.update(version=2)), "version"),
    "no presets": (changed(lambda data: data.pop("presets")), "presets"),
    "presets no list": (changed(lambda data: data.update(presets={})), "presets"),
    "a preset no object": (changed(lambda data: data["presets"].append("x")), "presets[9]"),
    "a key too many": (changed(lambda data: data["presets"][3].update(colour="red")), "presets[3].colour"),
    "a key too few": (changed(lambda data: data["presets"][8].pop("note_ja")), "presets[8].note_ja"),
    "a key twice": (lambda: b'{"format": "a", "format": "b"}', "format"),
    "a short name twice": (changed(lambda data: data["presets"].append(data["presets"][0])), "presets[9].slug"),
    "an unknown option": (changed(lambda data: data["presets"][8]["options"].update(x=1)), "presets[8].options.x"),
    "a bad value": (changed(lambda data: data["presets"][8]["options"].update(target=7)), "presets[8].options.target"),
    "a bad combination": (
        changed(lambda data: data["presets"][3]["options"].update(jack_in_moon="required")),
        "presets[3].options.jack_in_moon",
    ),
    "options null": (changed(lambda data: data["presets"][8].update(options=None)), "presets[8].options"),
    "players for nobody": (changed(lambda data: data["presets"][8].update(players=[3])), "presets[8].players"),
    "another game under the same short name": (
        changed(lambda data: data["presets"][8].update(kind="hearts", options={})),
        "presets[8].kind",
    ),
    "half a character": (changed(lambda data: data["presets"][8].update(name="\ud800")), "presets[8].name"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_changes_nothing_and_is_told_with_its_place(name: str) -> None:
    make, place = BROKEN[name]
    raw, before = make(), everything()
    # The first preset would be changed, so that an import that stops half-way would show.
    raw = raw.replace(b'"name": "Portal club"', b'"name": "Club"')
    with pytest.raises(BadPresets) as caught:
        store_all(from_bytes(raw))
    assert caught.value.place.startswith(place)
    assert len(str(caught.value)) < 300
    assert "\n" not in str(caught.value)
    assert everything() == before


def test_a_file_that_changes_a_ranked_preset_leaves_its_new_version_unranked() -> None:
    data = json.loads(exported())
    standard = next(item for item in data["presets"] if item["slug"] == "hearts-standard")
    standard["options"]["end_score"] = 70
    store_all(from_bytes(json.dumps(data).encode()))
    assert [v.ranked_players for v in versions("hearts-standard")] == [4, None]


def test_a_file_of_no_presets_is_a_file() -> None:
    assert from_bytes(to_text([]).encode()) == []
