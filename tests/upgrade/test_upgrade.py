"""A site that earlier code has left goes on with this one: its database is upgraded, and nothing in it is lost.

Each `site_of_<commit>.sql.gz` is the whole database of a site as the code of that commit has left it, made by
`make_dump`; `site_of_<commit>.json` says what is in it. None of these files is ever written again.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import psycopg
import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection
from django.test import Client, override_settings
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from games import models
from games.log import live, openings, services, store
from games.log.positions import is_cpu
from games.parties import games as party_games
from games.statistics.tasks import count_deals
from games.tables import tasks
from ladder import models as ladder_models
from ladder import tasks as ladder_tasks
from ladder.queue import matchmaking
from tests.accounts.people import PASSWORD
from tests.games.live_site import Clock
from tests.games.processes import PROJECT

T = TypeVar("T")

DUMPS = sorted(Path(__file__).parent.glob("site_of_*.sql.gz"))
OVER = ("finished", "void")
#: How long the site was down for the upgrade, in seconds.
DOWN_S = 3


# --- the database -----------------------------------------------------------------------------------------------------


def url_of(database: str) -> str:
    return urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{database}").geturl()


def on_the_server(statement: str) -> None:
    """Does something about whole databases."""
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as link:
        link.execute(statement.encode())


def restore(sql: str, url: str) -> None:
    """Puts a dump into an empty database: statements as they are, the rows behind COPY line by line."""
    statements: list[str] = []
    lines = iter(sql.splitlines(keepends=True))
    with psycopg.connect(url) as link:
        for line in lines:
            if not re.match(r"COPY .* FROM stdin;$", line):
                statements.append(line)
                continue
            link.execute("".join(statements).encode())
            statements.clear()
            with link.cursor().copy(line.encode()) as copy:
                while (row := next(lines)) != "\\.\n":
                    copy.write(row)
        link.execute("".join(statements).encode())


def manage(url: str, *commands: list[str]) -> None:
    """Runs commands on a database, one after the other, in a process of their own. They have to end well."""
    code = "import json, sys; from django.core.management import execute_from_command_line as run\n"
    code += "for command in json.loads(sys.argv[1]): run(['manage.py', *command])"
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(commands)],
        cwd=PROJECT,
        env={**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "tests.settings"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@dataclass(frozen=True)
class Upgraded:
    """A database that was restored from a dump and migrated; tests use copies of it."""

    database: str
    said: dict[str, Any]


@pytest.fixture(scope="module", params=DUMPS, ids=lambda file: file.name.split(".")[0])
def upgraded(request: pytest.FixtureRequest, django_db_setup: None) -> Iterator[Upgraded]:
    file: Path = request.param
    name = f"{connection.settings_dict['NAME']}_{file.name.split('.')[0]}"
    on_the_server(f"drop database if exists {name} with (force)")
    on_the_server(f"create database {name}")
    restore(gzip.decompress(file.read_bytes()).decode(), url_of(name))
    manage(url_of(name), ["migrate", "--no-input"])
    yield Upgraded(name, json.loads(file.with_name(file.name.replace(".sql.gz", ".json")).read_text()))
    on_the_server(f"drop database {name} with (force)")


class Site:
    """The upgraded site, with a clock that stands a moment after the dump was taken."""

    def __init__(self, said: dict[str, Any], clock: Clock, runner: asyncio.Runner) -> None:
        self.said, self.clock, self.runner = said, clock, runner
        self.games: dict[str, int] = said["games"]

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    def visitor(self, name: str = "") -> Client:
        """A browser, with the session that somebody had before."""
        client = Client()
        if name:
            client.cookies["sessionid"] = self.said["sessions"][name]["key"]
        return client

    def user(self, name: str) -> int:
        return int(self.said["sessions"][name]["user"])

    def name_of(self, users: set[int]) -> str:
        """Somebody with a session who is one of these users; empty if there is none."""
        return next((name for name, session in self.said["sessions"].items() if session["user"] in users), "")

    def play_out(self, game_id: int) -> models.Game:
        """Plays a game to its end: CPUs and stand-ins as workers do, people as the clock would."""
        self.run(self._play_out(game_id))
        return models.Game.objects.get(pk=game_id)

    async def _play_out(self, game_id: int) -> None:
        while True:
            table, position = await live.refresh(game_id)
            if position.is_over:
                return
            for seat, asked in sorted(position.asks.items()):
                self.clock.forward(0.5)
                if is_cpu(table, position, seat):
                    await tasks._cpu_turn(game_id, seat, asked.id, table.holders[seat].cpu_level == "expert")
                else:
                    answer = table.rules.default_action(position.state, seat)
                    await services.submit_action(
                        game_id=game_id, seat=seat, ask=asked.id, action=answer, cause="player"
                    )

    def deal(self, game_id: int) -> None:
        """The browsers of everybody who has not given a share yet give theirs."""
        players = models.Player.objects.filter(game=game_id, user__isnull=False, nonce="").order_by("seat")
        for seat in list(players.values_list("seat", flat=True)):
            self.run(openings.give_nonce(game_id=game_id, seat=seat, nonce=f"{seat:02x}" * 16))
        assert models.Game.objects.get(pk=game_id).status == "playing"

    def proved(self) -> None:
        """Every log leads to what is stored of its game, and every rating follows from its games."""
        assert " 0 faults." in said_by("check_histories")
        assert "changes follow from their games" in said_by("rebuild_ratings")


@contextmanager
def used(upgraded: Upgraded, database: str, blocker: DjangoDbBlocker) -> Iterator[Site]:
    """This process works on a database as if it were the site's own, a moment after the dump was taken."""
    clock = Clock()
    clock.at = datetime.fromisoformat(upgraded.said["at"]) + timedelta(seconds=DOWN_S)
    with blocker.unblock(), pytest.MonkeyPatch.context() as patch, asyncio.Runner() as runner:
        cache.clear()
        connection.close()  # one that an earlier test has left open leads to another database
        connection.close_pool()  # type: ignore[attr-defined]
        patch.setitem(connection.settings_dict, "NAME", database)
        patch.setattr(timezone, "now", clock.now)
        yield Site(upgraded.said, clock, runner)
        runner.run(store.close_pool())
        connection.close()
        connection.close_pool()  # type: ignore[attr-defined]


@pytest.fixture
def kept(upgraded: Upgraded, django_db_blocker: DjangoDbBlocker) -> Iterator[Site]:
    """The upgraded site, to be looked at."""
    with used(upgraded, upgraded.database, django_db_blocker) as site:
        yield site


@pytest.fixture
def site(upgraded: Upgraded, django_db_blocker: DjangoDbBlocker) -> Iterator[Site]:
    """A copy of the upgraded site, which a test may do with as it likes."""
    name = f"{upgraded.database}_copy"
    on_the_server(f"drop database if exists {name} with (force)")
    on_the_server(f"create database {name} template {upgraded.database}")
    with used(upgraded, name, django_db_blocker) as site:
        yield site
    on_the_server(f"drop database {name} with (force)")


def said_by(*command: Any) -> str:
    written = io.StringIO()
    call_command(*command, stdout=written)
    return written.getvalue()


# --- what was stored --------------------------------------------------------------------------------------------------


def test_no_migration_is_left_to_run_or_to_write(upgraded: Upgraded) -> None:
    manage(url_of(upgraded.database), ["migrate", "--check"], ["makemigrations", "--check", "--dry-run"])


def test_the_old_site_had_games_of_every_sort(kept: Site) -> None:
    games = models.Game.objects.all()
    assert {(game.kind, game.players) for game in games.filter(status="finished")} == {
        *(("hearts", players) for players in range(2, 8)),
        ("spades", 4),
    }
    for wanted in (
        {"status": "open"},
        {"status": "playing", "timer_s": 0},
        {"status": "playing", "timer_s__gt": 0},
        {"status": "playing", "is_ranked": True, "kind": "hearts"},
        {"status": "playing", "is_ranked": True, "kind": "spades"},
        {"status": "playing", "party__isnull": False, "is_private": True},
        {"status": "playing", "daily_try__isnull": False},
        {"status": "playing", "forked_from__isnull": False},
        {"status": "finished", "is_ranked": True, "ranked__rated_at__isnull": False},
        {"status": "finished", "daily_try__is_sealed": True},
        {"status": "finished", "daily_try__is_sealed": False},
        {"status": "finished", "rematch__isnull": False},
        {"status": "void"},
    ):
        assert games.filter(**wanted).exists(), wanted
    asks = {ask.split(".")[2] for game in games for ask, _ in game.asks.values()}
    assert asks >= {"pass", "bid", "play"}
    kinds = set(models.Action.objects.values_list("kind", flat=True))
    assert kinds >= {"stand_in", "back", "outage", "void", "pass", "skip", "moon", "bid", "blind", "exchange", "finish"}
    assert set(models.Action.objects.values_list("cause", flat=True)) == {"dealer", "player", "cpu", "timeout"}


def test_every_log_leads_to_what_is_stored_of_its_game_and_every_rating_follows_from_its_games(kept: Site) -> None:
    kept.proved()


def test_every_game_that_is_over_is_exported_as_it_was(kept: Site) -> None:
    exports = kept.said["exports"]
    over = models.Game.objects.filter(status__in=OVER)
    assert {str(game.pk) for game in over if not game.is_sealed} == set(exports)
    for game_id, digests in exports.items():
        for form, arguments in (("json", ()), ("text", ("--text",))):
            written = said_by("export_game", game_id, *arguments).encode()
            assert hashlib.sha256(written).hexdigest() == digests[form], f"game {game_id} as {form}"


def test_every_game_that_is_over_is_replayed_to_those_who_played_it(kept: Site) -> None:
    for game in models.Game.objects.filter(status__in=OVER).order_by("pk"):
        name = kept.name_of(set(models.Player.objects.filter(game=game).values_list("user", flat=True)))
        assert kept.visitor(name).get(f"/game/{game.pk}/replay/").status_code == 200, (game, name)


# --- people -----------------------------------------------------------------------------------------------------------


def test_whoever_was_signed_in_still_is_and_passwords_still_open_accounts(kept: Site) -> None:
    for name, session in kept.said["sessions"].items():
        page = kept.visitor(name).get("/")
        assert page.status_code == 200
        assert page.wsgi_request.user.pk == session["user"], name
    account = kept.said["accounts"]
    with override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.Argon2PasswordHasher"]):
        client = kept.visitor()
        answer = client.post("/account/login/", {"login": account["login"], "password": PASSWORD})
    assert answer.status_code == 302
    assert client.get("/").wsgi_request.user.pk == kept.user(account["name"])


@pytest.mark.parametrize("language", ["en", "ja"])
def test_pages_of_what_was_there_before_are_shown(kept: Site, language: str) -> None:
    aki = kept.user("Aki")
    own = ["/", "/history/", "/people/", "/account/", "/daily/", "/statistics/", "/record/", kept.said["record"]]
    own += [f"/{language}/ladder/{part}" for part in ("", "how/", "hearts/", "spades/", "hearts/?season=2026-Q3")]
    own += [f"/daily/{daily.day}/{daily.kind}/" for daily in models.DailyDeal.objects.all()]
    for version in models.PresetVersion.objects.filter(preset__is_active=True).select_related("preset"):
        own.append(f"/{language}/rules/{version.preset.slug}/{version.number}/")
    own += [f"/game/{player.game_id}/" for player in models.Player.objects.filter(user=aki).order_by("pk")[:10]]
    for change in ladder_models.RatingChange.objects.filter(user=aki)[:3]:
        own.append(f"/ladder/receipt/{change.game_id}/")
    public = ["/api/ladders", "/api/ladders/hearts/board", "/api/games", "/sitemap.xml"]
    for user in ladder_models.Rating.objects.values_list("user", flat=True).distinct():
        public += [f"/player/{user}/", f"/player/{user}/games/", f"/history/{user}/", f"/api/players/{user}"]
    for client, addresses in ((kept.visitor("Aki"), own), (kept.visitor(), public)):
        for address in addresses:
            assert client.get(address, headers={"accept-language": language}).status_code == 200, address
    admin = kept.visitor("admin")
    for address in ("", "games/game/", "games/rulepreset/", "games/report/", "games/party/", "accounts/user/"):
        assert admin.get(f"/admin/{address}").status_code == 200, address


# --- it goes on -------------------------------------------------------------------------------------------------------


def test_every_running_game_is_played_to_its_end_and_ranked_ones_are_rated(site: Site) -> None:
    site.deal(site.games["opening"])
    site.clock.forward(10)
    tasks.expire_opening(site.games["opening, nobody came"])
    running = list(models.Game.objects.filter(status="playing").order_by("pk").values_list("pk", flat=True))
    assert set(site.games.values()) <= set(running)
    for game_id in running:
        game = site.play_out(game_id)
        assert game.status == "finished", game
        assert game.result is not None
    assert models.DailyTry.objects.get(game=site.games["daily"]).place is not None
    ladder_tasks.rate_missed()
    for name in ("ranked", "ranked spades"):
        changes = ladder_models.RatingChange.objects.filter(game=site.games[name])
        assert changes.count() == 4
        player = site.visitor(site.name_of({changes[0].user_id}))
        assert player.get(f"/ladder/receipt/{site.games[name]}/").status_code == 200
    count_deals()
    assert not models.Uncounted.objects.exists()
    site.proved()


def test_a_time_in_which_the_site_was_down_is_given_back(site: Site) -> None:
    game = models.Game.objects.get(pk=site.games["ranked"])
    site.clock.forward(120)
    site.run(store.beat("web", site.clock.now()))
    tasks.sweep()
    after = models.Game.objects.get(pk=game.pk)
    assert after.status == "playing"
    assert models.Action.objects.filter(game=game).latest("ply").kind == "outage"
    assert game.deadline_at is not None
    assert after.deadline_at is not None
    assert after.deadline_at - game.deadline_at >= timedelta(seconds=120)
    site.proved()


def test_a_party_plays_its_next_game_when_all_have_agreed(site: Site) -> None:
    party = models.Party.objects.get(pk=site.said["parties"]["playing"])
    site.play_out(models.Game.objects.get(party=party, status="playing").pk)
    members = models.PartyMember.objects.filter(party=party, seat__isnull=False)
    started = [
        party_games.agree(party_id=party.pk, user=member.user, revision=party.revision)
        for member in members.select_related("user")
    ]
    assert [game is None for game in started] == [True] * (len(started) - 1) + [False]
    following = models.Game.objects.get(party=party, status="open")
    assert following.players == 6
    site.deal(following.pk)
    assert site.play_out(following.pk).status == "finished"


def test_a_party_goes_on_with_what_was_agreed_to_and_one_that_waited_begins(site: Site) -> None:
    parties = {name: models.Party.objects.get(pk=pk) for name, pk in site.said["parties"].items()}
    agreeing, waiting = parties["agreeing"], parties["waiting"]
    game = party_games.agree(party_id=agreeing.pk, user=agreeing.host, revision=agreeing.revision)
    assert game is not None, "the other one had agreed before"
    assert game.rematch_of.party == agreeing
    first = party_games.start(party_id=waiting.pk, host=waiting.host, revision=waiting.revision)
    assert (first.players, first.preset_version) == (3, waiting.preset_version)
    for opened in (game, first):
        site.deal(opened.pk)
    for opened in (game, first):
        assert site.play_out(opened.pk).status == "finished"
    for party in parties.values():
        assert site.visitor(site.name_of({party.host_id})).get(f"/party/{party.code}/").status_code == 200


def test_the_queue_goes_on_with_those_who_were_asked_whether_they_are_there(site: Site) -> None:
    site.run(store.beat("web", site.clock.now()))
    tasks.sweep()
    matchmaking.tick()
    asked = ladder_models.Ticket.objects.filter(ready_check__isnull=False, is_ready=False).order_by("user")
    games = [matchmaking.ready(ticket.user_id) for ticket in list(asked)]
    assert [game is None for game in games] == [True, False]
    assert games[-1] is not None
    assert games[-1].preset_version == ladder_models.Ladder.objects.get(slug="hearts").preset_version
    assert ladder_models.Ticket.objects.count() == 1
    site.deal(games[-1].pk)
    assert site.play_out(games[-1].pk).status == "finished"
    ladder_tasks.rate_game(games[-1].pk)
    site.proved()
