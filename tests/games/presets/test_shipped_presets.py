"""The lists of shipped presets and ladders, and the sites that follow them: fresh ones, running ones, edited ones."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from django.db import connection
from psycopg import sql
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from games.kinds.preset import Preset
from games.models import PresetVersion, RulePreset
from games.presets import services as preset_store
from games.presets.services import draft_of, export, save, sync_shipped
from games.presets.shipped import shipped_presets
from ladder import after_migrate
from ladder.models import Ladder
from ladder.shipped import SHIPPED as LADDERS
from ladder.shipped import Shipped
from tests.games.processes import PROJECT, environment

#: The rows of a fresh site of commit 7926910, whose migrations imported the lists. The file is never written again.
EARLIER: dict[str, list[dict[str, Any]]] = json.loads(
    Path(__file__).with_name("shipped_by_earlier_code.json").read_text()
)
QUICK = Preset("spades-quick", "spades", (4,), "Quick", "To 150.", {"target": 150}, ranked=4)


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Puts another list of presets in the place of the shipped one; a site then starts with it."""

    def start_with(*presets: Preset) -> None:
        monkeypatch.setattr(preset_store, "shipped_presets", lambda: presets)
        sync_shipped()

    return start_with


def changed(slug: str, **parts: Any) -> tuple[Preset, ...]:
    """The shipped list with one preset changed."""
    return tuple(replace(preset, **parts) if preset.slug == slug else preset for preset in shipped_presets())


def preset(slug: str) -> RulePreset:
    return RulePreset.objects.get(slug=slug)


def everything() -> str:
    """All presets with their current versions, and how many versions there are."""
    return export(RulePreset.objects.all()) + str(PresetVersion.objects.count())


# --- a running site ---------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("transactional_db")
class TestRunningSite:
    def test_a_preset_that_is_added_to_the_list_is_added_and_nothing_else_changes(self, listed: Any) -> None:
        before = export(RulePreset.objects.all())
        listed(*shipped_presets(), QUICK)
        (version,) = preset("spades-quick").versions.all()
        assert (version.number, version.options, version.ranked_players) == (1, {"target": 150}, 4)
        assert PresetVersion.objects.offered("spades").last() == version
        assert export(RulePreset.objects.exclude(slug="spades-quick")) == before
        everything_before = everything()
        sync_shipped()
        assert everything() == everything_before

    def test_the_same_list_changes_nothing_that_administrators_have_done(self) -> None:
        save(replace(draft_of(preset("hearts-short")), options={"end_score": 60}))
        save(replace(draft_of(preset("spades-short")), is_active=False))
        preset_store.delete(preset("hearts-stadium"))
        before = everything()
        sync_shipped()
        assert everything() == before

    @pytest.mark.parametrize(
        "edit",
        [{"options": {"end_score": 60}}, {"name": "Quick"}, {"note_ja": "短い"}, {"is_active": False}, {"order": 40}],
        ids=lambda edit: next(iter(edit)),
    )
    def test_an_edited_preset_stays_as_it_is_when_the_list_changes_it(
        self, listed: Any, edit: dict[str, Any], caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.INFO, "games")
        save(replace(draft_of(preset("hearts-short")), **edit))
        before = everything()
        listed(*changed("hearts-short", options={"end_score": 40}))
        assert everything() == before
        assert [record.getMessage() for record in caplog.records] == [
            "The shipped preset hearts-short has changed; this site keeps it as it was edited here."
        ]
        sync_shipped()
        assert (everything(), len(caplog.records)) == (before, 1), "each change of the list is dealt with once"

    def test_a_deleted_preset_does_not_come_back_even_if_the_list_changes_it(self, listed: Any) -> None:
        preset_store.delete(preset("hearts-stadium"))
        listed(*changed("hearts-stadium", name="Arena"))
        assert not RulePreset.objects.filter(slug="hearts-stadium").exists()

    def test_an_unedited_preset_follows_the_list_with_a_new_version(self, listed: Any) -> None:
        listed(*changed("hearts-short", options={"end_score": 40}, name="Quick"))
        assert preset("hearts-short").name == "Quick"
        versions = preset("hearts-short").versions.order_by("number")
        assert [(v.number, v.options) for v in versions] == [
            (1, {"end_score": 50, "tie_for_first": "shared"}),
            (2, {"end_score": 40}),
        ]
        listed(*changed("hearts-short", options={"end_score": 40}, name="Brief"))
        assert (preset("hearts-short").name, versions.count()) == ("Brief", 2), "it is still followed"

    def test_a_ladder_keeps_its_version_when_the_list_changes_its_preset(self, listed: Any) -> None:
        listed(*changed("hearts-standard", options={"end_score": 80}))
        after_migrate.sync_shipped()
        versions = preset("hearts-standard").versions.order_by("number")
        assert [(v.number, v.ranked_players) for v in versions] == [(1, 4), (2, 4)]
        assert Ladder.objects.get(slug="hearts").preset_version == versions[0]

    def test_presets_that_the_list_puts_in_between_move_the_others_down(self, listed: Any) -> None:
        listed(QUICK, *shipped_presets())
        offered = [version.preset.slug for version in PresetVersion.objects.offered()]
        assert offered == [p.slug for p in (*shipped_presets()[:6], QUICK, *shipped_presets()[6:])], "hearts come first"
        assert PresetVersion.objects.count() == len(shipped_presets()) + 1

    def test_a_preset_that_is_taken_off_the_list_stays(self, listed: Any) -> None:
        before = everything()
        listed(*shipped_presets()[:-1])
        assert everything() == before

    def test_a_preset_of_the_administrators_keeps_a_slug_that_is_shipped_later(
        self, listed: Any, caplog: pytest.LogCaptureFixture
    ) -> None:
        own = replace(draft_of(preset("hearts-short")), slug="spades-quick", name="Ours")
        save(own)
        listed(*shipped_presets(), QUICK)
        sync_shipped()
        assert draft_of(preset("spades-quick")) == own
        assert [record.getMessage() for record in caplog.records] == [
            "The shipped preset spades-quick is not added: this site has one of its own there."
        ]

    def test_many_who_start_at_once_add_a_preset_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        later = (*changed("spades-short", options={"target": 200}), QUICK)
        monkeypatch.setattr(preset_store, "shipped_presets", lambda: later)
        Ladder.objects.filter(slug="spades").delete()
        faults: list[Exception] = []
        start = threading.Barrier(6)

        def work() -> None:
            try:
                start.wait()
                sync_shipped()
                after_migrate.sync_shipped()
            except Exception as error:
                faults.append(error)
            finally:
                connection.close()

        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert faults == []
        assert (preset("spades-quick").versions.count(), preset("spades-short").versions.count()) == (1, 2)
        assert (RulePreset.objects.count(), Ladder.objects.count()) == (len(shipped_presets()) + 1, len(LADDERS))

    def test_a_ladder_that_is_added_to_the_list_is_added(self, listed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        listed(*shipped_presets(), QUICK)
        monkeypatch.setattr(
            after_migrate, "SHIPPED", (*LADDERS, Shipped("quick", "spades", "spades-quick", timer_s=15))
        )
        after_migrate.sync_shipped()
        ladder = Ladder.objects.get(slug="quick")
        assert (ladder.kind, ladder.players, ladder.timer_s, ladder.is_open) == ("spades", 4, 15, True)
        assert ladder.preset_version == preset("spades-quick").versions.get()

    def test_ladders_stay_as_the_administrators_have_made_them(self, monkeypatch: pytest.MonkeyPatch) -> None:
        later, _ = save(replace(draft_of(preset("hearts-standard")), options={"end_score": 80}))
        save(replace(draft_of(later), ranked_players=4))
        version = later.versions.get(number=2)
        Ladder.objects.filter(slug="hearts").update(is_open=False, preset_version=version)
        before = list(Ladder.objects.values())
        monkeypatch.setattr(after_migrate, "SHIPPED", tuple(replace(ladder, timer_s=99) for ladder in LADDERS))
        after_migrate.sync_shipped()
        assert list(Ladder.objects.values()) == before

    def test_a_ladder_whose_preset_is_not_ranked_here_is_not_added(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        monkeypatch.setattr(after_migrate, "SHIPPED", (*LADDERS, Shipped("short", "hearts", "hearts-short")))
        after_migrate.sync_shipped()
        assert Ladder.objects.count() == len(LADDERS)
        assert [record.getMessage() for record in caplog.records] == [
            "The shipped ladder short is not added: hearts-short is not ranked."
        ]


# --- a database of its own --------------------------------------------------------------------------------------------

#: What a process does that has the lists of its argument.
MIGRATE = """
import json, sys
import django
from games.kinds.preset import Preset
from games.presets import shipped as presets
from ladder import shipped
lists = json.loads(sys.argv[1])
listed = tuple(Preset(**preset) for preset in lists["presets"])
presets.shipped_presets = lambda: listed
shipped.SHIPPED = tuple(shipped.Shipped(**ladder) for ladder in lists["ladders"])
django.setup()
from django.core.management import call_command
call_command("migrate", *sys.argv[2:], verbosity=0)
"""


class Site:
    """A site with an empty database, which processes of their own bring up to date."""

    def __init__(self) -> None:
        self.name = f"{connection.settings_dict['NAME']}_{os.getpid()}"
        self.server = os.environ["DATABASE_URL"]
        self.url = urlsplit(self.server)._replace(path=f"/{self.name}").geturl()

    def rows(self, query: str) -> list[Any]:
        with psycopg.connect(self.url, row_factory=dict_row) as database:
            return database.execute(query).fetchall()

    def start(
        self, *where: str, presets: Sequence[Preset] = shipped_presets(), ladders: Sequence[Shipped] = LADDERS
    ) -> subprocess.Popen[str]:
        """A process that migrates the database, all of it or to there, as code with these lists does."""
        lists = {"presets": [asdict(p) for p in presets], "ladders": [asdict(ladder) for ladder in ladders]}
        return subprocess.Popen(
            [sys.executable, "-c", MIGRATE, json.dumps(lists), *where],
            cwd=PROJECT,
            env={**environment(), "DATABASE_URL": self.url},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def migrate(self, *where: str, **lists: Any) -> None:
        """Does so, and waits for the end."""
        end(self.start(*where, **lists))

    def presets(self) -> list[Any]:
        return self.rows(
            """
            select p.*, v.number, v.options, v.choices, v.ranked_players from games_rulepreset p
            join games_presetversion v on v.preset_id = p.id order by p.id, v.number
            """
        )

    def ladders(self) -> list[Any]:
        return self.rows("select * from ladder_ladder order by id")


def end(process: subprocess.Popen[str]) -> None:
    """Waits for a process, which is to end well and to say nothing."""
    said, _ = process.communicate(timeout=120)
    assert (process.returncode, said) == (0, "")


@pytest.fixture
def fresh(django_db_setup: None) -> Iterator[Site]:
    """A site whose database is empty."""
    site = Site()
    name = sql.Identifier(site.name)
    with psycopg.connect(site.server, autocommit=True) as server:
        server.execute(sql.SQL("create database {}").format(name))
        try:
            yield site
        finally:
            server.execute(sql.SQL("drop database {} with (force)").format(name))


def list_of_then() -> list[Preset]:
    """The list of shipped presets that the earlier code had."""
    names = ("slug", "kind", "players", "name", "note", "options", "choices")
    return [Preset(**{name: row[name] for name in names}, ranked=row["ranked_players"]) for row in EARLIER["presets"]]


def test_with_the_lists_of_then_a_fresh_site_has_the_very_rows_that_migrations_stored_then(fresh: Site) -> None:
    ladders = (Shipped("hearts", "hearts", "hearts-standard"), Shipped("spades", "spades", "spades-standard"))
    fresh.migrate(presets=list_of_then(), ladders=ladders)
    assert {"presets": fresh.presets(), "ladders": fresh.ladders()} == EARLIER


def test_a_preset_and_a_ladder_that_are_added_to_the_lists_are_there_on_a_fresh_site(fresh: Site) -> None:
    fresh.migrate(presets=(*shipped_presets(), QUICK), ladders=(*LADDERS, Shipped("quick", "spades", "spades-quick")))
    assert [row["slug"] for row in fresh.presets()] == [*(p.slug for p in shipped_presets()), "spades-quick"]
    assert [row["slug"] for row in fresh.ladders()] == [*(ladder.slug for ladder in LADDERS), "quick"]


def test_a_site_of_earlier_code_keeps_what_was_edited_and_follows_the_list_for_the_rest(fresh: Site) -> None:
    fresh.migrate("games", "0067")
    fresh.migrate("ladder", "0065")
    assert fresh.presets() == [], "only a database with every migration follows the list"
    with psycopg.connect(fresh.url) as database:
        for row in EARLIER["presets"]:
            database.execute(
                """
                with preset as (
                    insert into games_rulepreset
                        (slug, kind, players, name, note, name_ja, note_ja, "order", is_active)
                    values (%(slug)s, %(kind)s, %(players)s, %(name)s, %(note)s, '', '', %(order)s, true) returning id)
                insert into games_presetversion (preset_id, number, options, choices, ranked_players, created_at)
                select id, 1, %(options)s, %(choices)s, %(ranked_players)s, now() from preset
                """,
                {name: Jsonb(part) if isinstance(part, list | dict) else part for name, part in row.items()},
            )
        database.execute("update games_rulepreset set name = 'Ours' where slug = 'hearts-short'")
        database.execute("delete from games_presetversion where preset_id = 9")
        database.execute("delete from games_rulepreset where id = 9")
    before = fresh.presets()
    fresh.migrate(presets=list_of_then())
    assert fresh.presets() == before, "what was deleted stays away, what was edited stays as it was edited"
    assert [row["slug"] for row in fresh.ladders()] == [ladder.slug for ladder in LADDERS]

    later = [*(replace(preset, note=f"{preset.note} Really.") for preset in list_of_then()), QUICK]
    for process in [fresh.start(presets=later) for _ in range(2)]:  # at the same time
        said, _ = process.communicate(timeout=120)
        assert process.returncode == 0, said
    *others, quick = fresh.presets()
    assert others == [row if row["name"] == "Ours" else {**row, "note": f"{row['note']} Really."} for row in before]
    assert (quick["slug"], quick["number"], quick["options"]) == ("spades-quick", 1, {"target": 150})
