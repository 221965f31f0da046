"""Finished games: who may see one, what a replay is made of, exports, and the commands about one."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test import Client
from jsonschema import Draft202012Validator

from accounts.models import User
from games import models, verify
from games.histories import records, replays
from games.histories.records import notation
from games.kinds.checks import checks
from games.log import services
from games.log.positions import Entry, fold, walk
from games.shapes import schema_of, tagged
from games.tables import told
from tests import factories
from tests.games.finished import BEGAN, played, stored

pytestmark = pytest.mark.usefixtures("transactional_db")

PATHS = ("replay/", "record.json", "record.txt")


def visitor(user: User | None = None, **more: Any) -> Client:
    client = Client(**more)
    if user is not None:
        client.force_login(user)
    return client


def island(text: str) -> dict[str, Any]:
    found = re.search(r'<script id="replay" type="application/json">(.*?)</script>', text, re.S)
    assert found is not None
    read: dict[str, Any] = json.loads(found[1])
    return read


@pytest.fixture(scope="module")
def record() -> records.Record:
    return played("hearts", 4, {"end_score": 40}, seed=11)


@pytest.fixture
def players() -> list[User]:
    return [factories.user(), factories.user()]


@pytest.fixture
def game(record: records.Record, players: list[User]) -> models.Game:
    return stored(record, [*players, None, None])


# --- who may see what -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PATHS)
def test_a_running_game_is_told_to_nobody_not_even_its_players(path: str) -> None:
    running = factories.game(2, 2)
    models.Game.objects.filter(pk=running.id).update(may_watch=True)
    for user in (*running.users[:2], factories.user(), None):
        answer = visitor(user).get(f"/game/{running.id}/{path}")
        assert answer.status_code == 404
        secret = models.GameSecret.objects.get(game=running.id).code
        assert secret not in answer.content.decode()


@pytest.mark.parametrize("path", PATHS)
def test_a_finished_game_is_public_by_its_link_and_a_private_one_is_its_players(
    game: models.Game, players: list[User], path: str
) -> None:
    visitors = (*players, factories.user(), None)
    assert [visitor(user).get(f"/game/{game.pk}/{path}").status_code for user in visitors] == [200] * 4
    models.Game.objects.filter(pk=game.pk).update(is_private=True)
    assert [visitor(user).get(f"/game/{game.pk}/{path}").status_code for user in visitors] == [200, 200, 404, 404]
    for number in (0, game.pk + 1, 10**30):
        assert visitor(players[0]).get(f"/game/{number}/{path}").status_code == 404
    assert visitor(players[0]).post(f"/game/{game.pk}/{path}").status_code == 405


def test_a_void_game_has_a_replay_that_says_why_it_ended(players: list[User]) -> None:
    game = stored(played(seed=3, most_deals=1), [*players, None, None])
    replay = island(visitor().get(f"/game/{game.pk}/replay/").content.decode())
    assert (replay["void"], replay["result"]) == ("vote", None)
    assert replay["steps"][-1]["events"] == [{"event": "void", "seat": None, "reason": "vote"}]


def test_a_game_that_is_played_to_its_end_here_can_be_seen_and_checked() -> None:
    game = factories.game(1, 3, options=factories.SHORT, code=factories.ONE_DEAL)
    table = factories.table_of(game.id)
    position = factories.position_of(game.id)
    while not position.is_over:
        seat = factories.asked_seat(position)
        action = factories.answer(table, position, seat)
        ask = position.asks[seat].id
        cause = "player" if seat == 0 else "cpu"
        entry = Entry(position.ply + 1, seat, action.kind, ask, services.said(action), cause, None, BEGAN)
        (step,) = walk(table, position, [entry])
        if step.after.is_over:
            assert services._finish(table, position.ply, [entry], step.after)
        else:
            models.Action.objects.create(game_id=game.id, **_columns(entry))
            models.Game.objects.filter(pk=game.id).update(ply=entry.ply)
        position = step.after
    client = visitor(game.users[0])
    exported = client.get(f"/game/{game.id}/record.json").content
    read = records.from_bytes(exported)
    assert (verify.check_record(read, checks()), records.faults(read), read["commitment"]) == ([], [], None)
    assert client.get(f"/game/{game.id}/replay/").status_code == 200


def _columns(entry: Any) -> dict[str, Any]:
    names = ("ply", "seat", "kind", "ask", "data", "cause", "client_id", "created_at")
    return {name: getattr(entry, name) for name in names}


# --- exports ----------------------------------------------------------------------------------------------------------


def test_the_exports_are_the_record_to_the_byte(game: models.Game, record: records.Record) -> None:
    client = visitor()
    answer = client.get(f"/game/{game.pk}/record.json")
    read = records.from_bytes(answer.content)
    assert records.to_bytes(read) == answer.content
    assert (read["log"], read["secret"], read["nonces"], read["result"]) == (
        record["log"],
        record["secret"],
        record["nonces"],
        record["result"],
    )
    text = client.get(f"/game/{game.pk}/record.txt")
    assert notation.from_text(text.content.decode()) == read
    assert (answer["Content-Type"], text["Content-Type"]) == ("application/json", "text/plain; charset=utf-8")
    assert f'filename="moonshot-{game.pk}.json"' in answer["Content-Disposition"]
    assert verify.check_record(read, checks()) == []


def test_an_export_is_the_same_for_every_reader_and_bears_any_name(game: models.Game, players: list[User]) -> None:
    User.objects.filter(pk=players[0].pk).update(display_name='a"\n\u2028]\\\u0007ｂ')
    for path in PATHS[1:]:
        contents = {
            visitor().get(f"/game/{game.pk}/{path}", headers={"accept-language": lang}).content for lang in ("en", "ja")
        }
        assert len(contents) == 1, path
    read = notation.from_text(contents.pop().decode())
    assert read["seats"][0]["name"] == 'a"  ]\\ ｂ'


def test_the_schema_of_records_is_published() -> None:
    assert json.loads(visitor().get("/record.schema.json").content) == records.SCHEMA


# --- what a replay is made of -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "players", "options"),
    [
        ("hearts", 4, {"skip_right": "one_each", "moon": "choose", "end_score": 30}),
        ("hearts", 7, {"surplus": "kitty", "end_score": 30}),
        ("spades", 4, {"blind_nil": "yes", "target": 150}),
    ],
)
def test_the_steps_put_together_are_every_position_of_the_log(kind: str, players: int, options: dict[str, Any]) -> None:
    record = played(kind, players, options, seed=21)
    table, entries = records.table_of(record), records.entries_of(record)
    steps: list[Any] = [*replays.steps_of(table, entries)]
    assert [step["ply"] for step in steps] == list(range(1, len(entries) + 1))
    form = Draft202012Validator(schema_of(replays.ReplayStep))
    shown: dict[str, Any] = {}
    for number, step in enumerate(steps, 1):
        form.validate(step)
        shown |= step["set"]
        if number % 23 == 0 or number == len(steps):
            state = fold(table, entries[:number]).state
            assert [shown[f"hand{seat}"] for seat in range(players)] == [list(hand) for hand in state.hands]
            assert (shown["deal"], shown["phase"], shown["scores"]) == (state.deal, state.phase, list(state.scores))
            assert shown["rows"] == len(state.sheet)
    plays = [step for step in steps if step["kind"] == "play"]
    taken = [step for step in plays if step["stop"] == "trick"]
    assert all(step["table"]["cards"][-1] for step in plays)
    assert {len(step["table"]["cards"]) for step in taken} == {players}
    assert all(0 <= step["took"] <= 12_000 * 5 for step in plays)
    places = [tuple(step["place"]) for step in plays]
    assert len(set(places)) == len(places)


def test_an_event_of_a_step_may_have_every_key_that_an_event_of_the_table_has_and_no_other() -> None:
    keys = {key for shape in tagged(told.Event, "event").values() for key in shape.__annotations__}
    assert set(replays.Event.__annotations__) == keys - {"ply", "hand"}  # both are in the step


def test_no_step_tells_more_of_a_hand_than_the_page_asks_for(record: records.Record) -> None:
    steps = replays.steps_of(records.table_of(record), records.entries_of(record))
    passes = [step for step in steps if step["kind"] == "pass"]
    for step in passes:
        assert all(event.get("cards") is None for event in step["events"])
        assert step["own"][str(step["seat"])][0]["cards"] == sorted(step["gave"]["cards"], key=verify.CARDS.index)
    assert {step["gave"]["to"] for step in passes} <= {0, 1, 2, 3}


def test_a_long_game_is_a_page_of_reasonable_size() -> None:
    long = played("hearts", 7, {"end_score": 300}, seed=4)
    steps = replays.steps_of(records.table_of(long), records.entries_of(long))
    assert len(steps) > 3_000
    assert len(json.dumps(steps, separators=(",", ":"))) < 700 * len(steps)


def test_a_log_that_the_rules_cannot_follow_is_a_sentence_and_no_trace(
    record: records.Record, players: list[User]
) -> None:
    game = stored(record, [*players, None, None])
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("set local moonshot.purge = 'on'")
        cursor.execute("delete from games_action where game_id = %s and ply = 9", (game.pk,))
    for path in ("replay/", "record.txt"):
        answer = visitor().get(f"/game/{game.pk}/{path}")
        assert answer.status_code == 410
        assert f"/game/{game.pk}/record.json" in answer.content.decode()
    assert visitor().get(f"/game/{game.pk}/record.json").status_code == 200


# --- commands ---------------------------------------------------------------------------------------------------------


def run(name: str, *arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command(name, *arguments, stdout=out, stderr=err)
    except SystemExit as end:
        return int(end.code or 0), out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


def test_a_game_is_exported_and_verified_by_commands(game: models.Game, tmp_path: Path) -> None:
    _, exported, _ = run("export_game", str(game.pk))
    text = tmp_path / "game.txt"
    run("export_game", str(game.pk), "--text", "--output", str(text))
    assert notation.from_text(text.read_text()) == records.from_bytes(exported.encode())
    status, out, err = run("verify_deal", str(text))
    assert (status, err) == (0, "")
    assert out.startswith("OK: ")
    file = tmp_path / "game.json"
    bad = json.loads(exported)
    bad["result"]["scores"][0] += 1
    file.write_text(json.dumps(bad))
    status, out, _ = run("verify_deal", str(file))
    assert (status, out.count("\n")) == (1, 1)
    assert "The log leads to the result" in out
    for content in ("", "[Kind 7]", "{}", '{"format": "moonshot-game", "version": 1}'):
        file.write_text(content)
        status, out, err = run("verify_deal", str(file))
        assert (status, out, err.count("\n")) == (2, "", 1), content
    assert run("verify_deal", str(tmp_path / "none"))[0] == 2


def test_no_command_exports_a_running_game() -> None:
    running = factories.game(1, 3)
    for number in (running.id, running.id + 1):
        with pytest.raises(CommandError, match=r"is not over|There is no game"):
            call_command("export_game", str(number))
