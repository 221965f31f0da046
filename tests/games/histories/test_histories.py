"""Lists of finished games: whose they are and what they hold, how they are narrowed down, paged and read by an index;
what stands at the seats when a game has ended, and the check of everything stored.
"""

from __future__ import annotations

import html
import io
import json
import re
from collections.abc import Sequence
from datetime import date, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.names import skeleton
from games import models
from games.histories import checks as history_checks
from games.histories import forks, record_files, records
from games.histories import lists as history_lists
from games.histories import selectors as histories
from games.histories.lists import PAGE, Filters
from games.histories.records import notation
from games.log import endings, services
from ladder.models import Ladder
from ladder.rating.services import enter
from tests import factories
from tests.games.finished import BEGAN, played, stored
from tests.games.histories.test_forks import play_out
from tests.games.live_site import orm, play_until
from tests.games.many import spread
from tests.streams import whole

pytestmark = pytest.mark.usefixtures("transactional_db")

SLUGS = ("hearts-short", "hearts-standard", "spades-standard")
PROJECT = Path(__file__).resolve().parents[3]


def visitor(user: User | None = None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def text_of(client: Client, address: str, asked: dict[str, str] | None = None) -> str:
    answer = client.get(address, asked or {})
    assert answer.status_code == 200, (address, answer.status_code)
    return answer.content.decode()


def rows_of(text: str) -> list[int]:
    return [int(number) for number in re.findall(r'href="/game/(\d+)/replay/"', text)]


def link(text: str, rel: str) -> str:
    found = re.search(rf'rel="{rel}" href="([^"]*)"', text)
    return html.unescape(found[1]) if found else ""


def member(name: str) -> User:
    return factories.user(name, is_guest=False, name_key=skeleton(name))


def version_of(slug: str) -> models.PresetVersion:
    return models.PresetVersion.objects.filter(preset__slug=slug).order_by("-number").select_related("preset")[:1].get()


def fill(user: User, count: int, others: Sequence[User | None] = (None, None, None), **fields: Any) -> list[int]:
    """Games of a user that are over, without their logs: kinds, presets, results, ladder and days in turns."""
    versions = [version_of(slug) for slug in SLUGS]
    made = []
    for number in range(count):
        version = versions[number % 3]
        scores = [number, -2, 3, 4] if version.preset.kind == "hearts" else [number, 3]
        places = [[1, 2, 3, 4], [3, 2, 1, 4], [1, 1, 3, 4], [2, 1, 3, 4]][number % 4]
        if version.preset.kind == "spades":
            places = [[1, 2, 1, 2], [2, 1, 2, 1], [1, 1, 1, 1], [2, 1, 2, 1]][number % 4]
        is_void = number % 10 == 9
        game = models.Game.objects.create(
            kind=version.preset.kind,
            players=4,
            options={},
            preset_version=version,
            rules_version=1,
            status="void" if is_void else "finished",
            result=None if is_void else {"placings": places, "scores": scores, "reason": "target"},
            is_ranked=number % 5 == 0,
            **fields,
        )
        models.Player.objects.bulk_create(
            models.Player(game=game, seat=seat, user=holder, cpu_level="" if holder else "normal")
            for seat, holder in enumerate([user, *others])
        )
        endings.note_end(game, BEGAN + timedelta(days=number))
        made.append(game.pk)
    return made


@pytest.fixture
def players() -> list[User]:
    return [factories.user(), factories.user()]


# --- whose games, and which -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def record() -> records.Record:
    return played("hearts", 4, {"end_score": 40}, seed=11)


def test_the_history_has_the_own_games_that_are_over_the_latest_first(
    record: records.Record, players: list[User]
) -> None:
    first = stored(record, [*players, None, None])
    second = stored(played(seed=3, most_deals=1), [*players, None, None], is_private=True)
    models.Player.objects.filter(game=second).update(ended_at=BEGAN + timedelta(days=9))
    factories.game(1, 3)
    for user in players:
        assert rows_of(text_of(visitor(user), "/history/")) == [second.pk, first.pk]
    for stranger in (factories.user(), None):
        assert rows_of(text_of(visitor(stranger), "/history/")) == []


def test_somebody_elses_games_are_those_that_everybody_may_see_and_private_ones_are_their_players(
    players: list[User],
) -> None:
    owner, friend = players
    public = fill(owner, 2)
    private = fill(owner, 1, (friend, None, None), is_private=True)
    running = factories.game(2, 2)
    models.Player.objects.filter(game=running.id, seat=0).update(user=owner)
    address = f"/history/{owner.pk}/"
    for stranger in (factories.user(), None):
        text = text_of(visitor(stranger), address)
        assert rows_of(text) == public[::-1]
        assert (str(owner) in text, 'content="noindex"' in text) == (True, True)
        assert rows_of(text_of(visitor(stranger), address, {"with": str(friend)})) == []
    assert sorted(rows_of(text_of(visitor(friend), address))) == sorted(public + private)
    answer = visitor(owner).get(f"{address}?kind=hearts")
    assert (answer.status_code, answer["Location"]) == (302, "/history/?kind=hearts")


def test_the_place_of_a_private_game_in_a_list_is_not_told_either(players: list[User]) -> None:
    owner, friend = players
    public = fill(owner, 3)
    private = fill(owner, 2, (friend, None, None), is_private=True)[1]  # it ended between the first and the last one
    address = f"/history/{owner.pk}/"
    assert rows_of(text_of(visitor(friend), address, {"before": str(private)})) != public[::-1]
    for stranger in (factories.user(), None):
        for asked in ("before", "after"):
            for other in (private, 10**9):  # as if it were not there
                assert rows_of(text_of(visitor(stranger), address, {asked: str(other)})) == public[::-1]


def test_nobody_has_a_history_whose_account_is_closed_or_never_was(players: list[User]) -> None:
    User.objects.filter(pk=players[0].pk).update(closed_at=timezone.now(), is_active=False)
    for number in (players[0].pk, 0, 10**30):
        assert visitor().get(f"/history/{number}/").status_code == 404
    assert visitor().post(f"/history/{players[1].pk}/").status_code == 405


# --- page by page -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_at_once", [False, True])
def test_pages_follow_each_other_both_ways_without_a_gap(players: list[User], *, is_at_once: bool) -> None:
    made = fill(players[0], 2 * PAGE + 10)
    if is_at_once:  # games that ended at the same moment are told apart by their ids
        models.Player.objects.update(ended_at=BEGAN)
    client, address, pages = visitor(players[0]), "/history/", []
    while address:
        text = text_of(client, address)
        pages.append(rows_of(text))
        address = f"/history/{link(text, 'next')}" if link(text, "next") else ""
        address = address.replace("/history//history/", "/history/")
    assert [row for page in pages for row in page] == made[::-1]
    assert [len(page) for page in pages] == [PAGE, PAGE, 10]
    back = [pages[-1]]
    while link(text, "prev"):
        text = text_of(client, link(text, "prev"))
        back.insert(0, rows_of(text))
    assert back == pages
    assert "Latest games" not in text, "the first page is the first page, whichever way one came"


def test_a_page_that_begins_at_a_strange_place_is_the_first_one(players: list[User]) -> None:
    made = fill(players[0], 3)
    for name in ("before", "after"):
        for odd in ("x", "-1", "9" * 30, "1.5", "²", str(made[-1] + 1)):
            assert rows_of(text_of(visitor(players[0]), "/history/", {name: odd})) == made[::-1]


def test_a_game_that_ends_meanwhile_moves_no_row_of_the_pages_behind(players: list[User]) -> None:
    fill(players[0], 2 * PAGE)
    client = visitor(players[0])
    following = link(text_of(client, "/history/"), "next")
    before = rows_of(text_of(client, following))
    newest = fill(players[0], 1)
    models.Player.objects.filter(game__in=newest).update(ended_at=timezone.now())
    assert rows_of(text_of(client, following)) == before


# --- narrowed down ----------------------------------------------------------------------------------------------------

N = 24


@pytest.mark.parametrize(
    ("asked", "numbers"),
    [
        ({"kind": "spades"}, [n for n in range(N) if n % 3 == 2]),
        ({"preset": "hearts-short"}, [n for n in range(N) if n % 3 == 0]),
        ({"ranked": "yes"}, [n for n in range(N) if n % 5 == 0]),
        ({"ranked": "no"}, [n for n in range(N) if n % 5]),
        ({"result": "won"}, [n for n in range(N) if n % 4 == 0 and n % 10 != 9]),
        ({"result": "draw"}, [n for n in range(N) if n % 4 == 2 and n % 10 != 9]),
        ({"result": "lost"}, [n for n in range(N) if n % 2 and n % 10 != 9]),
        ({"result": "void"}, [9, 19]),
        ({"from": "2026-04-11"}, list(range(10, N))),
        ({"to": "2026-04-03"}, [0, 1, 2]),
        ({"from": "2026-04-02", "to": "2026-04-02"}, [1]),
        ({"from": "2026-04-03", "to": "2026-04-02"}, []),
        ({"kind": "hearts", "preset": "hearts-standard", "result": "won", "ranked": "no"}, [4, 16]),
        ({"kind": "spades", "result": "lost", "from": "2026-04-05", "to": "2026-04-20"}, [5, 11, 17]),
        ({"preset": "no-such"}, []),
        ({"with": "Nobody At All"}, []),
        (
            {"kind": "poker", "result": "best", "ranked": "maybe", "from": "tomorrow", "to": "2026-02-30"},
            list(range(N)),
        ),
        ({"to": "9999-12-31", "from": "0001-01-01"}, list(range(N))),
    ],
)
def test_a_history_is_narrowed_down_by_all_that_is_asked_at_once(
    players: list[User], asked: dict[str, str], numbers: list[int]
) -> None:
    made = fill(players[0], N)
    wanted = [made[number] for number in reversed(numbers)]
    assert rows_of(text_of(visitor(players[0]), "/history/", asked)) == wanted
    assert rows_of(text_of(visitor(), f"/history/{players[0].pk}/", asked)) == wanted


def test_games_with_somebody_are_found_by_a_name_as_it_looks(players: list[User]) -> None:
    owner, friend = players[0], member("Rosalind")
    fill(owner, 3)
    shared = fill(owner, 3, (friend, None, None))
    for name in ("Rosalind", "rosalind", " ROSALIND "):
        assert rows_of(text_of(visitor(owner), "/history/", {"with": name})) == shared[::-1]
    assert rows_of(text_of(visitor(owner), "/history/", {"with": "Rosalind", "kind": "spades"})) == [shared[2]]
    assert rows_of(text_of(visitor(friend), "/history/", {"with": "Rosalind"})) == [], "oneself is nobody else"


def test_the_address_holds_what_a_list_is_narrowed_down_to(players: list[User]) -> None:
    fill(players[0], 3 * PAGE)
    client = visitor(players[0])
    asked = {"kind": "hearts", "from": "2026-04-02", "ranked": "no"}
    text = text_of(client, "/history/", asked)
    following = link(text, "next")
    assert all(f"{name}={value}" in following for name, value in asked.items())
    assert set(rows_of(text_of(client, following))).isdisjoint(rows_of(text))
    assert 'value="2026-04-02"' in text
    chips = [html.unescape(found) for found in re.findall(r'class="narrowed" href="([^"]*)"', text)]
    assert len(chips) == 3
    assert [name for name in asked if f"{name}=" not in chips[0]] == ["kind"]


def test_an_empty_list_says_why(players: list[User]) -> None:
    owner = players[0]
    assert "When a game of yours is over" in text_of(visitor(owner), "/history/")
    assert "no game here that everybody may see" in text_of(visitor(), f"/history/{owner.pk}/")
    made = fill(owner, 1)
    assert "No game like that." in text_of(visitor(owner), "/history/", {"kind": "spades"})
    assert "There are no earlier games." in text_of(visitor(owner), "/history/", {"before": str(made[0])})


# --- what stands at the seats -----------------------------------------------------------------------------------------


def columns(game_id: int) -> list[tuple[Any, ...]]:
    return list(models.Player.objects.filter(game=game_id).order_by("seat").values_list(*endings.COLUMNS))


@pytest.mark.parametrize(
    ("players", "placings", "scores", "outcomes"),
    [
        (4, [2, 1, 3, 4], 4, ["lost", "won", "lost", "lost"]),
        (4, [1, 1, 3, 4], 4, ["draw", "draw", "lost", "lost"]),
        (4, [1, 2, 1, 2], 2, ["won", "lost", "won", "lost"]),
        (4, [1, 1, 1, 1], 2, ["draw"] * 4),
        (7, [1, 2, 3, 4, 5, 5, 7], 7, ["won", *["lost"] * 6]),
        (2, [2, 1], 2, ["lost", "won"]),
    ],
)
def test_an_end_is_a_draw_where_two_sides_share_the_first_place(
    players: int, placings: list[int], scores: int, outcomes: list[str]
) -> None:
    found = endings.ends_of(players, {"placings": placings, "scores": [0] * scores, "reason": "target"})
    assert [end.outcome for end in found] == outcomes
    assert [end.place for end in found] == placings
    assert {end.outcome for end in endings.ends_of(players, None)} == {"void"}


async def test_the_end_of_a_game_is_written_at_its_seats_with_it(site: None) -> None:
    game = await orm(factories.game, 2, 2, options=factories.SHORT, code=factories.ONE_DEAL)
    assert {row[0] for row in await orm(columns, game.id)} == {None}
    await play_until(game.id, lambda position: position.is_over)
    last = (await orm(factories.log_of, game.id))[-1]
    row = await orm(lambda: game.row)
    found = await orm(columns, game.id)
    assert [each[:2] for each in found] == [(last.created_at, place) for place in (row.result or {})["placings"]]
    assert {each[3:] for each in found} == {("hearts", None, False, False)}
    other = await orm(factories.game, 2, 2)
    await services.void_game(game_id=other.id, reason="admin")
    last = (await orm(factories.log_of, other.id))[-1]
    assert await orm(columns, other.id) == [(last.created_at, None, "void", "hearts", None, False, False)] * 4


def test_a_game_that_an_administrator_closes_is_written_too() -> None:
    game = factories.game(2, 2)
    services.close_game(game_id=game.id, reason="admin", by=factories.user())
    assert {row[2] for row in columns(game.id)} == {"void"}


def test_a_ranked_game_says_so_from_its_opening_and_at_its_seats() -> None:
    version = version_of("hearts-standard")
    game = services.open_game(kind="hearts", seats=[factories.user(is_guest=False) for _ in range(4)])
    enter(game=game, ladder=Ladder.objects.create(slug="h4", kind="hearts", preset_version=version))
    try:
        assert models.Game.objects.get(pk=game.pk).is_ranked
        services.close_game(game_id=game.pk, reason="admin", by=factories.user())
        assert {row[5] for row in columns(game.pk)} == {True}
    finally:
        game.ranked.delete()
        Ladder.objects.all().delete()


def test_the_migration_writes_at_the_seats_of_earlier_games_what_their_end_would_have_written(
    record: records.Record, players: list[User]
) -> None:
    games = [stored(record, [*players, None, None], preset_version=version_of("hearts-short"), is_private=True)]
    games.append(stored(played("spades", 4, {"target": 100}, seed=4), [*players, None, None]))
    games.append(stored(played(seed=3, most_deals=1), [*players, None, None]))
    filled = fill(players[0], 12)
    models.Player.objects.filter(game__in=filled).update(ended_at=None)
    expected = [columns(game.pk) for game in games] + [[row[1:4] for row in columns(number)] for number in filled]
    models.Player.objects.update(
        ended_at=None, place=None, outcome="", kind="", preset=None, is_private=False, is_ranked=False
    )
    with connection.cursor() as cursor:
        cursor.execute(import_module("games.migrations.0056_seats_of_games_so_far").FILL)
    found = [columns(game.pk) for game in games] + [[row[1:4] for row in columns(number)] for number in filled]
    assert found == expected
    running = factories.game(1, 3)
    assert {row[0] for row in columns(running.id)} == {None}


# --- the check of all that is stored ----------------------------------------------------------------------------------


def run(*arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("check_histories", *arguments, stdout=out, stderr=err)
    except SystemExit as end:
        return int(end.code or 0), out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


@pytest.fixture
def games(record: records.Record, players: list[User]) -> list[models.Game]:
    made = [stored(record, [*players, None, None]) for _ in range(5)]
    return [*made, stored(played(seed=3, most_deals=1), [*players, None, None])]


def spoil(games: list[models.Game]) -> None:
    """Six columns that no longer follow from the log."""
    wrong = {**(games[1].result or {}), "placings": [1, 1, 1, 1]}
    models.Game.objects.filter(pk=games[1].pk).update(result=wrong)
    models.Game.objects.filter(pk=games[2].pk).update(code="4000-0000-0000-000K")
    models.Game.objects.filter(pk=games[3].pk).update(ply=3)
    models.Player.objects.filter(game=games[4], seat=1).update(place=7, outcome="draw")
    models.Game.objects.filter(pk=games[5].pk).update(status="finished")


def test_histories_are_checked_in_pieces_and_what_does_not_agree_is_named(games: list[models.Game]) -> None:
    factories.game(2, 2)
    status, out, err = run()
    assert (status, "7 games looked at, 0 faults" in out, "7 of 7 games (100%)" in err) == (0, True, True), out
    spoil(games)
    status, out, _ = run()
    assert status == 1
    for game in games[1:]:
        assert f"game {game.pk}: " in out
    status, out, _ = run("--most", "1")
    assert (status, f"The last was game {games[0].pk}." in out) == (0, True)
    status, out, _ = run("--after", str(games[5].pk))
    assert (status, "1 games looked at" in out) == (0, True)


def test_what_follows_from_the_log_is_repaired_from_it(games: list[models.Game]) -> None:
    before = [(game.__dict__["result"], columns(game.pk)) for game in games]
    spoil(games)
    running = factories.game(2, 2)
    models.Game.objects.filter(pk=running.id).update(asks={})
    status, out, _ = run("--repair")
    assert (status, out.count(": repaired.")) == (0, 6), out
    assert run()[0] == 0
    again = [models.Game.objects.get(pk=game.pk) for game in games]
    assert [(game.result, columns(game.pk)) for game in again] == before
    assert models.Game.objects.get(pk=running.id).asks


def test_a_repair_shows_no_game_code_that_has_to_stay_hidden(record: records.Record, players: list[User]) -> None:
    """Whatever stands in the row: the code of cards that were promised, of a fork, or of a game that goes on."""
    origin = stored(record, [*players, None, None])
    ply = next(entry["ply"] for entry in record["log"] if entry["kind"] == "play")
    fork = forks.play_on(user=players[0], origin=origin, ply=ply, seat=0, level="normal", timer_s=0)
    over = play_out(forks.play_on(user=players[1], origin=origin, ply=ply, seat=1, level="normal", timer_s=0))
    sealed, going, unopened = factories.game(2, 2).id, factories.game(2, 2).id, factories.open_game(2, 2).id
    solo = factories.game(1, 3).row
    secret = models.GameSecret.objects.get(game=origin).code
    hidden = (fork.pk, over.pk, sealed, going, unopened)
    for game_id in hidden:
        models.Game.objects.filter(pk=game_id).update(code=models.GameSecret.objects.get(game=game_id).code or secret)
    models.Game.objects.filter(pk=sealed).update(status="finished")
    models.Player.objects.filter(game=sealed).update(ended_at=timezone.now(), outcome="won", place=1)
    models.Game.objects.filter(pk=solo.pk).update(code="", asks={})
    status, out, _ = run()
    assert (status, out.count(" has to stay hidden")) == (1, 3), out
    assert not [code for code in models.GameSecret.objects.values_list("code", flat=True) if code and code in out]
    assert history_checks.repair(unopened)
    run("--repair")
    codes = dict(models.Game.objects.values_list("pk", "code"))
    assert [codes[game_id] for game_id in hidden] == [""] * 5
    assert (codes[origin.pk], codes[solo.pk]) == (secret, solo.code)
    assert not models.Player.objects.filter(game=sealed, ended_at__isnull=False).exists(), "it is in no list"
    assert models.Game.objects.get(pk=unopened).status == "open"
    assert run()[0] == 0


def test_a_game_is_played_again_from_its_row_unless_its_cards_are_nobodys(
    record: records.Record, players: list[User]
) -> None:
    origin = stored(record, [*players, None, None])
    ply = next(entry["ply"] for entry in record["log"] if entry["kind"] == "play")
    fork = play_out(forks.play_on(user=players[0], origin=origin, ply=ply, seat=0, level="normal", timer_s=0))
    again = r'formaction="/game/(\d+)/again/"'
    text = text_of(visitor(players[0]), "/history/")
    assert (rows_of(text), re.findall(again, text)) == ([fork.pk, origin.pk], [str(origin.pk)])
    client = visitor(players[1])
    assert re.findall(again, text_of(client, f"/history/{players[0].pk}/")) == [str(origin.pk)]
    answer = client.post(f"/game/{origin.pk}/again/")
    opened = models.Game.objects.latest("pk")
    assert answer["Location"] == f"/game/{opened.pk}/"
    assert (opened.code, opened.options, opened.cards) == (origin.code, origin.options, "given")
    assert models.Player.objects.get(game=opened, user=players[1]).seat == 1


def test_a_fault_of_a_running_game_is_named_without_a_card() -> None:
    game = factories.game(2, 2)
    with connection.cursor() as cursor:
        cursor.execute("set moonshot.purge = 'on'")
        cursor.execute("delete from games_action where game_id = %s and ply = 2", (game.id,))
        cursor.execute("reset moonshot.purge")
    status, out, _ = run()
    assert status == 1
    assert re.fullmatch(rf"game {game.id}: its ply is 2, but its log has 1 entries\.", out.splitlines()[0])


def test_what_stands_twice_has_to_agree(games: list[models.Game]) -> None:
    first = models.Action.objects.get(game=games[0], ply=1)
    with connection.cursor() as cursor:
        cursor.execute("alter table games_action disable trigger user")
        cursor.execute(
            "update games_action set data = %s where id = %s",
            [json.dumps(first.data | {"commitment": "0" * 64}), first.pk],
        )
        cursor.execute("alter table games_action enable trigger user")
    models.GameSecret.objects.filter(pk=games[1].pk).update(code="4000-0000-0000-000K")
    models.Game.objects.filter(pk=games[2].pk).update(code="")
    models.GameSecret.objects.filter(pk=games[3].pk).update(secret=bytes(32))
    status, out, _ = run()
    assert status == 1
    assert f"game {games[0].pk}: its log does not begin with the commitment that stands at the game." in out
    assert f"game {games[1].pk}: it shows another code than it was dealt from." in out
    assert f"game {games[2].pk}: it shows another code than it was dealt from." in out
    assert f"game {games[3].pk}: wrong_commitment." in out


def test_a_check_that_was_killed_goes_on_where_it_was(
    games: list[models.Game], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("games.management.commands.check_histories.CHUNK", 2)
    spoil(games)
    state = tmp_path / "state"
    looked_at: list[int] = []

    def die(game: models.Game) -> list[str]:
        if len(looked_at) == 3:
            raise SystemError
        looked_at.append(game.pk)
        return ["it is spoilt"]

    with monkeypatch.context() as patch:
        patch.setattr("games.management.commands.check_histories._faults", die)
        with pytest.raises(SystemError):  # as if killed: nothing is tidied up
            call_command("check_histories", "--state", str(state), stdout=io.StringIO(), stderr=io.StringIO())
    assert json.loads(state.read_text()) == {"last": games[1].pk, "looked_at": 2, "faults": 2}
    status, out, err = run("--state", str(state))
    found = re.search(r"^6 games looked at, (\d+) faults", out, re.M)
    assert found is not None, out
    assert (status, int(found[1])) == (1, 2 + out.count("game ") - out.count("The last was"))
    assert f"game {games[0].pk}: " not in out
    assert f"game {games[2].pk}: " in out
    assert "6 of 6 games" in err
    assert not state.exists()
    state.write_text("[]")
    with pytest.raises(Exception, match="is no state of a run"):
        call_command("check_histories", "--state", str(state))


# --- by which index ---------------------------------------------------------------------------------------------------

OFTEN = 4_000  # games of one user, beside those of four hundred others


@pytest.fixture
def many() -> tuple[User, User, int]:
    """20,000 games: of somebody who has played very often, of one of his company, and a game in the middle."""
    made = User.objects.bulk_create(
        User(username=f"one-of-many-{n}", display_name=f"Many {n}", name_key=f"many{n}") for n in range(401)
    )
    versions = [version_of(slug) for slug in SLUGS]
    (model,) = fill(made[0], 1)
    game, seat = models.Game.objects.get(pk=model), models.Player.objects.get(game=model, seat=0)
    values = {
        "users": [user.pk for user in made],
        "versions": [version.pk for version in versions],
        "presets": [version.preset_id for version in versions],
    }
    spread(
        game,
        "generate_series(1, 20000) n",
        {
            "kind": "case n %% 3 when 2 then 'spades' else 'hearts' end",
            "preset_version_id": "(%(versions)s::bigint[])[n %% 3 + 1]",
            "is_private": "n %% 7 = 0",
            "is_ranked": "n %% 5 = 0",
            "status": "case when n %% 50 = 8 then 'playing' else 'finished' end",
            "created_at": "now() - n * interval '1 hour'",
        },
        values,
    )
    with connection.cursor() as cursor:
        cursor.execute("analyze games_game")  # else each new seat looks for its game from the first row on
    spread(
        seat,
        "games_game g, generate_series(0, 3) seats",
        {
            "game_id": "g.id",
            "seat": "seats",
            "user_id": """case when seats = 0 and g.id %% 5 = 0 then (%(users)s::bigint[])[401]
                when seats < 2 then (%(users)s::bigint[])[(g.id * (seats + 1)) %% 400 + 1] end""",
            "cpu_level": "case when seats < 2 then '' else 'normal' end",
            "ended_at": "case g.status when 'finished' then g.created_at end",
            "place": "seats + 1",
            "outcome": "(array['won', 'lost', 'draw', 'void'])[(g.id / 400 + seats) %% 4 + 1]",
            "kind": "g.kind",
            "preset_id": "(%(presets)s::bigint[])[g.id %% 3 + 1]",
            "is_ranked": "g.is_ranked",
            "is_private": "g.is_private",
        },
        values,
        where=f"g.id <> {model}",
    )
    users = values["users"]
    with connection.cursor() as cursor:
        cursor.execute("vacuum analyze games_game, games_player, games_presetversion, games_rulepreset, accounts_user")
        cursor.execute(
            "select game_id from games_player where user_id = %s order by ended_at offset 2000 limit 1", (users[400],)
        )
        (middle,) = cursor.fetchone()
    return User.objects.get(pk=users[400]), User.objects.get(pk=users[7]), middle


NARROWED = [
    Filters(),
    Filters(kind="spades"),
    Filters(preset="hearts-short"),
    Filters(ranked="yes"),
    *(Filters(result=result) for result in history_lists.RESULTS),
    Filters(other="Many 7"),
    Filters(since=date(2025, 1, 1), until=date(2026, 6, 1)),
    Filters("hearts", "hearts-standard", "no", "won", "Many 7", date(2024, 12, 1), date(2026, 12, 1)),
]


def scans_of(plan: dict[str, Any]) -> list[dict[str, Any]]:
    """Every step of a plan that reads a table."""
    inner = [scan for part in plan.get("Plans", []) for scan in scans_of(part)]
    return ([plan] if "Relation Name" in plan else []) + inner


def test_every_list_is_read_by_an_index_and_touches_no_row_but_the_owners(many: tuple[User, User, int]) -> None:
    owner, company, middle = many
    seats = models.Player.objects.filter(user=owner).count()
    assert seats > OFTEN * 0.9
    edge = history_lists._edge(owner, owner, middle)
    for viewer in (owner, company):
        for filters in NARROWED:
            for at, newer in ((None, False), (edge, False), (edge, True)):
                picked = history_lists.picked(history_lists.seats_of(owner, viewer, filters), at, newer=newer)
                plan = json.loads(
                    picked.values_list("game_id", flat=True)[: PAGE + 1].explain(format="json", analyze=True)
                )
                scans = scans_of(plan[0]["Plan"])
                named = [(scan["Node Type"], scan.get("Index Name")) for scan in scans]
                assert "Seq Scan" not in [kind for kind, _ in named], (filters, named)
                assert filters.other or any(name == "player_ended" for _, name in named), (filters, named)
                assert {scan["Relation Name"] for scan in scans} == {"games_player"}, (filters, named)
                for scan in scans:
                    read = (scan["Actual Rows"] + scan.get("Rows Removed by Filter", 0)) * scan["Actual Loops"]
                    assert read <= seats, (filters, named, read)
                if filters == Filters() and viewer == owner:
                    assert max(scan["Actual Rows"] for scan in scans) <= PAGE + 1


def test_a_page_is_read_by_keys_alone(many: tuple[User, User, int]) -> None:
    owner, _company, _middle = many
    games = list(models.Player.objects.filter(user=owner).values_list("game_id", flat=True)[:PAGE])
    for rows in (
        models.Game.objects.filter(pk__in=games).select_related("preset_version__preset"),
        models.Player.objects.filter(game__in=games).select_related("user"),
        record_files.seats_after(owner, 0),
    ):
        scans = scans_of(json.loads(rows.explain(format="json"))[0]["Plan"])
        for scan in scans:
            if scan["Relation Name"] in ("games_game", "games_player"):
                assert scan["Node Type"] != "Seq Scan", scan


# --- all games as one file --------------------------------------------------------------------------------------------


def test_all_games_of_a_user_are_sent_as_records_one_after_the_other(
    record: records.Record, players: list[User]
) -> None:
    games = [stored(record, [*players, None, None]) for _ in range(3)]
    games.append(stored(played(seed=3, most_deals=1), [*players, None, None], is_private=True))
    running = factories.game(1, 3)
    models.Player.objects.filter(game=running.id, seat=0).update(user=players[0])
    client = visitor(players[0])
    expected = [records.to_bytes(histories.record_of(game)) for game in games]
    answer = client.get("/history/games.jsonl")
    assert answer["Content-Type"] == "application/jsonl"
    lines = whole(answer)
    assert lines == b"".join(expected)
    text = whole(client.get("/history/games.txt")).decode()
    read = [notation.from_text(f"[Format {part}") for part in text.split("[Format ")[1:]]
    assert [records.to_bytes(each) for each in read] == expected
    for secret in models.GameSecret.objects.filter(game=running.id).values_list("code", flat=True):
        assert secret not in text
    assert visitor().get("/history/games.jsonl").status_code == 404
    assert whole(visitor(factories.user()).get("/history/games.jsonl")) == b""


ALL_OF_THEM = "not only what the list is narrowed down to"


@pytest.mark.parametrize("form", ["jsonl", "txt"])
def test_a_list_that_is_narrowed_down_to_nothing_still_offers_all_games_as_files_and_says_so(
    record: records.Record, players: list[User], form: str
) -> None:
    stored(record, [*players, None, None])
    client = visitor(players[0])
    empty = client.get("/history/?kind=spades&with=nobody").content.decode()
    assert "No game like that." in empty
    assert ALL_OF_THEM in empty
    (address,) = re.findall(rf'href="(/history/games\.{form}[^"]*)" download', empty)
    assert whole(client.get(address)) == whole(client.get(f"/history/games.{form}"))
    assert whole(client.get(address))
    assert ALL_OF_THEM not in client.get("/history/").content.decode()


def test_where_no_game_is_over_no_file_is_offered_whatever_the_filters(players: list[User]) -> None:
    for path in ("/history/", "/history/?kind=hearts", "/history/?after=1"):
        for client in (visitor(players[0]), visitor()):
            page = client.get(path).content.decode()
            assert "games.jsonl" not in page
            assert "Open a recorded game" in page


def test_all_games_are_looked_up_a_few_at_a_time(record: records.Record, players: list[User]) -> None:
    for _ in range(5):
        stored(record, [*players, None, None])
    seen: list[int] = []

    def read(game: models.Game) -> records.Record:
        seen.append(game.pk)
        return record

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(record_files, "CHUNK", 2)
        patch.setattr(histories, "record_of", read)
        parts = record_files.all_games(players[0], "jsonl")
        assert next(parts) == records.to_bytes(record)
        assert len(seen) == 1, "a game is read when it is sent"
        assert len(list(parts)) == 4


def test_a_game_that_the_notation_cannot_carry_is_named_in_the_text(
    record: records.Record, players: list[User]
) -> None:
    game = stored(record, [*players, None, None])
    with connection.cursor() as cursor:
        cursor.execute("set moonshot.purge = 'on'")
        cursor.execute("delete from games_action where game_id = %s and ply = 9", (game.pk,))
        cursor.execute("reset moonshot.purge")
    text = whole(visitor(players[0]).get("/history/games.txt")).decode()
    assert text == f"% game {game.pk} cannot be written in this notation, only as JSON\n\n"
