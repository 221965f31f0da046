"""A game that the product does not have, registered from outside, on the whole site: real processes, real sockets.

No file of the product knows of it. It is played from the form to the check.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from django.core.management import call_command
from django.test import Client

from games import models
from games.histories import records
from games.histories.records import notation
from games.presets.services import sync_shipped
from games.rules.state import plain as as_json
from tests import factories
from tests.games.kinds import plain
from tests.games.live_site import orm
from tests.games.processes import start_worker, web_process
from tests.games.tables import readme_client

pytestmark = [pytest.mark.usefixtures("site"), pytest.mark.slow]

SETTINGS = {"DJANGO_SETTINGS_MODULE": "tests.games.kinds.plain_site"}
LABELS = {"pairs": "Plain Pairs", "alone": "Plain Tricks"}


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    with plain.registered():
        yield


def page(address: str, **cookies: str) -> str:
    """What the site of this process shows at an address."""
    client = Client(headers={"accept-language": "en"})
    for name, value in cookies.items():
        client.cookies[name] = value
    answer = client.get(address, follow=True)
    assert answer.status_code == 200, address
    return b"".join(answer).decode() if answer.streaming else answer.content.decode()


@pytest.mark.parametrize("kind", LABELS)
async def test_it_is_played_from_the_form_to_the_check(kind: str, tmp_path: Path) -> None:
    label = LABELS[kind]
    await orm(sync_shipped)  # as every start of a site does
    worker = start_worker(os.environ["REDIS_URL"], **SETTINGS)
    try:
        with web_process(**SETTINGS) as (_, address):
            player = readme_client.Player(address, f"plain {kind}", breaks_every=9)
            await asyncio.to_thread(player.open_game, kind)
            result = await asyncio.to_thread(player.play)
            session = player.cookies["sessionid"].value
            front = await asyncio.to_thread(lambda: urlopen(f"{address}/").read().decode())
            check = await asyncio.to_thread(lambda: urlopen(f"{address}/verify.py").read())
    finally:
        worker.terminate()
        await asyncio.to_thread(worker.wait, 20)
    assert label in front
    row = await orm(lambda: models.Game.objects.get(pk=player.game))
    assert (row.kind, row.status, row.result) == (kind, "finished", result)
    position = await orm(factories.position_of, player.game)
    assert player.sheet == as_json(position.state.sheet)
    assert result["placings"] == await orm(_placings, player.game)

    # What follows a game: its table, rules, replay and history, and the pages of its kind.
    for place, told in (
        (f"/game/{row.pk}/", label),
        (f"/game/{row.pk}/rules/", "Each trick is a point."),
        (f"/game/{row.pk}/replay/", label),
        ("/history/", label),
        ("/en/rules/", label),
        (f"/en/rules/{kind}/", "Each trick is a point."),
        (f"/en/guide/{kind}-words/", "Plain words"),
        ("/en/guide/house-rules/", "There are none."),
        ("/daily/", label),
    ):
        assert told in await orm(page, place, sessionid=session), place

    # Its record, in both forms, is verified by the site, and by the one file that the site gives.
    text = await orm(page, f"/game/{row.pk}/record.txt", sessionid=session)
    document: Any = json.loads(await orm(page, f"/game/{row.pk}/record.json", sessionid=session))
    assert notation.from_text(text) == document == records.from_bytes(records.to_bytes(document))
    record, script = tmp_path / "record.json", tmp_path / "verify.py"
    record.write_text(json.dumps(document))
    script.write_bytes(check)
    assert await orm(status_of, "verify_deal", str(record)) == 0
    assert await orm(status_of, "check_histories") == 0
    alone = [sys.executable, "-I", "-S", str(script), str(record)]
    done = await asyncio.to_thread(subprocess.run, alone, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    document["result"]["scores"][0] += 1
    record.write_text(json.dumps(document))
    done = await asyncio.to_thread(subprocess.run, alone, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr


def status_of(*command: str) -> object:
    """What a command ends with."""
    try:
        call_command(*command)
    except SystemExit as ended:
        return ended.code or 0
    return 0


def _placings(game_id: int) -> list[int]:
    table = factories.table_of(game_id)
    found = table.rules.result(factories.position_of(game_id).state)
    assert found is not None
    return list(found.placings)
