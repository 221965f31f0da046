"""Games that earlier code has stored and exported: they can be followed, shown, exported, opened and checked as ever.

`recorded_by_earlier/<what>.<commit>.json` holds the rows of a game as the code of that commit stored them, made by its
own services: with answers of the clock, stand-ins, time given back, games without a result, and no shares of players.
`exported_<what>.<commit>` is what it exported. None of these files is ever written again.
"""

from __future__ import annotations

import json
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from games import models, verify
from games.histories import checks as history_checks
from games.histories import records
from games.histories.records import notation
from games.kinds.checks import checks
from tests import factories
from tests.games.histories.test_opened_records import upload

pytestmark = pytest.mark.usefixtures("transactional_db", "no_limit")

FOLDER = Path(__file__).with_name("recorded_by_earlier")
STORED = sorted(file for file in FOLDER.glob("*.json") if not file.name.startswith("exported_"))
EXPORTED = sorted(FOLDER.glob("exported_*"))


def load(file: Path) -> models.Game:
    """Puts the rows into the database as a migration of it would have left them."""
    data: dict[str, Any] = json.loads(file.read_text())

    def made(model: Any, row: dict[str, Any], **more: Any) -> Any:
        dates = {name: datetime.fromisoformat(value) for name, value in row.items() if name.endswith("_at") and value}
        return model(**{**row, **dates, **more})

    game = made(models.Game, data["game"])
    game.save()
    secret = data["secret"]["secret"]
    models.GameSecret.objects.create(
        game=game, code=data["secret"]["code"], secret=None if secret is None else bytes.fromhex(secret)
    )
    for player in data["players"]:
        user = factories.user() if player["name"] else None
        models.Player.objects.create(game=game, seat=player["seat"], cpu_level=player["cpu_level"], user=user)
    models.Action.objects.bulk_create(made(models.Action, row, game=game) for row in data["log"])
    with connection.cursor() as cursor:
        cursor.execute(import_module("games.migrations.0056_seats_of_games_so_far").FILL)
    return game


def test_the_recorded_games_have_what_has_to_be_read_for_ever() -> None:
    logs = [json.loads(file.read_text())["log"] for file in STORED]
    kinds = {entry["kind"] for log in logs for entry in log}
    assert kinds >= {"stand_in", "back", "outage", "void", "skip", "pass", "blind", "bid", "exchange", "finish", "play"}
    assert {entry["cause"] for log in logs for entry in log} == {"dealer", "player", "cpu", "timeout"}
    assert not any(any(entry["data"].get("nonces", ())) for log in logs for entry in log)
    assert len({file.suffixes[0] for file in STORED}) >= 3, "of several times"


@pytest.mark.parametrize("file", STORED, ids=lambda file: file.stem)
def test_a_game_stored_by_earlier_code_is_followed_shown_and_exported(file: Path) -> None:
    game = load(file)
    assert history_checks.faults_of(models.Game.objects.get(pk=game.pk)) == []
    client = Client()
    user = models.Player.objects.filter(game=game, user__isnull=False).select_related("user")[0].user
    assert user is not None
    client.force_login(user)
    assert f"/game/{game.pk}/replay/" in client.get("/history/").content.decode()
    assert client.get(f"/game/{game.pk}/replay/").status_code == 200
    raw = client.get(f"/game/{game.pk}/record.json").content
    text = client.get(f"/game/{game.pk}/record.txt").content
    assert records.to_bytes(notation.from_text(text.decode())) == raw
    assert verify.check_record(json.loads(raw), checks()) == []
    assert records.from_bytes(raw)["result"] == json.loads(file.read_text())["game"]["result"]


@pytest.mark.parametrize("file", EXPORTED, ids=lambda file: file.name)
def test_a_game_exported_by_earlier_code_is_opened_and_exported_as_it_was(file: Path) -> None:
    client, content = Client(), file.read_bytes()
    address = upload(client, content)["Location"]
    again = client.get(f"{address}record{file.suffix}")
    assert again.content == content
    assert client.get(address).status_code == 200
    assert verify.check_record(json.loads(client.get(f"{address}record.json").content), checks()) == []
