"""Until its day is over, no page, file, frame or task says a card of a daily deal to whoever has not played it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from accounts import export
from accounts.models import User
from games import models
from games.daily import services as dailies
from games.histories import checks as history_checks
from games.histories import record_files
from games.log import live
from tests import factories
from tests.games.daily.daily_play import play_out
from tests.games.daily.test_daily import DAY, begin, deal_of, member, veteran
from tests.games.live_site import Browser, Clock, orm, queued
from tests.games.tables.test_secrets import cards_in, secrets_of

pytestmark = pytest.mark.usefixtures("site")

#: Pages that are the same for everybody, and take long.
THE_SAME_FOR_ALL = re.compile(r"/(\w\w/)?(rules|guide|i18n|accounts?|admin/(?!games/game/))\b")


def page(user: Any, path: str) -> tuple[int, str]:
    """Status and text of a page, or of a file, as this user is shown it."""
    client = Client()
    if user is not None:
        client.force_login(user)
    answer: Any = client.get(path)
    if not answer.streaming:
        return int(answer.status_code), answer.content.decode()

    async def all_of_it() -> bytes:
        return b"".join([part async for part in answer])

    return int(answer.status_code), async_to_sync(all_of_it)().decode()


def addresses(game: models.Game, player: User) -> list[str]:
    """Every address of the site that can be made with this game, its player, day, kind, seats and no more."""
    values = {
        "game": [str(game.pk)],
        "user_id": [str(player.pk)],
        "player": [str(player.pk)],
        "game_id": [str(game.pk)],
        "object_id": [str(game.pk)],
        "seat": ["0", "1"],
        "kind": [game.kind],
        "day": [dailies.today().isoformat()],
        "number": ["1"],
        "slug": ["hearts-short"],
        "name": ["table"],
        "before": ["0"],
    }
    found: list[str] = []

    def walk(patterns: list[Any], prefix: str) -> None:
        for pattern in patterns:
            route = prefix + str(pattern.pattern)
            if isinstance(pattern, URLResolver):
                walk(pattern.url_patterns, route)
            elif isinstance(pattern, URLPattern):
                names = re.findall(r"<(?:\w+:)?(\w+)>", route)
                if all(name in values for name in names) and "(" not in route and "\\" not in route:
                    for number in range(2):
                        made = route
                        for name in names:
                            value = values[name][number % len(values[name])]
                            made = re.sub(rf"<(?:\w+:)?{name}>", value, made)
                        found.append("/" + made.replace("^", "").replace("$", ""))

    walk(get_resolver().url_patterns, "")
    return sorted({path for path in found if not THE_SAME_FOR_ALL.match(path)})


@pytest.mark.parametrize("kind", ["hearts", "spades"])
async def test_no_address_shows_a_finished_daily_game_to_others_and_to_its_player_no_code(kind: str) -> None:
    player, other = await orm(veteran, "player"), await orm(veteran, "other")
    game_id = await orm(begin, player, kind)
    await orm(begin, other, kind)
    await play_out(game_id)
    game = await orm(lambda: models.Game.objects.get(pk=game_id))
    kept = await orm(secrets_of, game_id)
    daily_secret = bytes((await orm(models.DailySecret.objects.get)).secret).hex()
    hidden = [kept["code"], kept["seed"], daily_secret]
    support = await orm(factories.user, "root", is_staff=True, is_superuser=True, is_guest=False)
    paths = await orm(addresses, game, player)
    assert {f"/game/{game_id}/replay/", f"/game/{game_id}/record.json", f"/daily/{dailies.today()}/{kind}/"} <= {*paths}
    packs = {
        json.dumps(entry.data["pack"][:3]) for entry in await orm(factories.log_of, game_id) if entry.kind == "deal"
    }
    for visitor in (None, other, support, player):
        for path in paths:
            status, text = await orm(page, visitor, path)
            assert status < 500, path
            assert [value for value in hidden if value in text] == [], path
            if visitor is player:
                continue
            if path.startswith((f"/game/{game_id}/", f"/api/games/{game_id}")):
                assert status in (302, 403, 404, 405), path
            assert not [pack for pack in packs if pack in text], path
            assert path != "/api/games" or f'"id": {game_id},' not in text
            assert f'href="/game/{game_id}/' not in text or visitor is support, path
            if path.startswith(("/daily", "/history", f"/game/{game_id}")) or path == "/":
                assert cards_in(text) == set(), path
    assert (await orm(page, player, f"/game/{game_id}/replay/"))[0] == 200
    for name in ("record.json", "record.txt"):
        assert (await orm(page, player, f"/game/{game_id}/{name}"))[0] == 403
    assert f"/api/games/{game_id}" in paths
    assert (await orm(page, player, f"/api/games/{game_id}/record"))[0] == 404


async def test_a_finished_daily_game_is_not_played_on_before_its_day_is_over(clock: Clock) -> None:
    # The game that goes on could be seen by everybody, and would say from which code its first cards are.
    player = await orm(member)
    game_id = await orm(begin, player)
    await play_out(game_id)

    def play_on(user: User) -> int:
        client = Client()
        client.force_login(user)
        return int(client.post(f"/game/{game_id}/play-on/", {"ply": "3", "seat": "0"}).status_code)

    assert await orm(play_on, await orm(member)) == 404
    assert await orm(play_on, player) == 302
    assert not await orm(models.Game.objects.filter(forked_from=game_id).exists)
    assert 'id="play-on"' not in (await orm(page, player, f"/game/{game_id}/replay/"))[1]
    clock.forward(DAY)
    await orm(dailies.publish, clock.now())
    assert await orm(play_on, player) == 302
    assert await orm(models.Game.objects.filter(forked_from=game_id).exists)


async def test_checks_and_repairs_of_the_log_do_not_open_a_daily_game() -> None:
    player = await orm(member)
    game_id = await orm(begin, player)
    await play_out(game_id)
    assert await orm(history_checks.repair, game_id)
    game = await orm(lambda: models.Game.objects.get(pk=game_id))
    assert (game.code, game.is_sealed, await orm(history_checks.faults_of, game)) == ("", True, [])


async def test_files_of_all_games_leave_a_daily_game_out_until_its_day_is_over(clock: Clock) -> None:
    player = await orm(member)
    game_id = await orm(begin, player)
    await play_out(game_id)
    assert await orm(lambda: list(record_files.all_games(player, "jsonl"))) == []
    clock.forward(DAY)
    await orm(dailies.publish, clock.now())
    assert len(await orm(lambda: list(record_files.all_games(player, "jsonl")))) == 1


async def test_an_own_export_says_what_was_played_but_not_where_it_came_from() -> None:
    player = await orm(member)
    game_id = await orm(begin, player)
    await play_out(game_id)
    kept = await orm(secrets_of, game_id)

    def read(form: Callable[[dict[str, Any]], Iterator[bytes]]) -> str:
        return b"".join(form(export.everything(player))).decode()

    texts = [await orm(read, form) for form in (export.as_json, export.as_text)]
    found = json.loads(texts[0])
    assert found["daily"][0] | {"game": game_id, "day": str(dailies.today())} == found["daily"][0]
    assert not any("pack" in entry for entry in found["games"][0]["log"])
    for text in texts:
        assert [value for value in (kept["code"], kept["seed"]) if value in text] == []


async def test_the_admin_shows_of_the_log_what_everybody_at_the_table_saw(clock: Clock) -> None:
    game_id = await orm(begin, await orm(member))
    await play_out(game_id)
    admin = await orm(factories.user, "root", is_staff=True, is_superuser=True, is_guest=False)
    status, text = await orm(page, admin, f"/admin/games/game/{game_id}/change/")
    pack = next(entry.data["pack"] for entry in await orm(factories.log_of, game_id) if entry.kind == "deal")
    assert (status, " ".join(pack) in text) == (200, False)
    clock.forward(DAY)
    await orm(dailies.publish, clock.now())
    assert " ".join(pack) in (await orm(page, admin, f"/admin/games/game/{game_id}/change/"))[1]


async def test_frames_and_tasks_of_a_daily_game_hold_no_code_and_no_hidden_card() -> None:
    player = await orm(member)
    game_id = await orm(begin, player)
    kept = await orm(secrets_of, game_id)
    spy = Browser(game_id, await orm(member))
    await spy.connect(since=0)
    assert (await spy.closed(), spy.frames) == (4404, [])
    browser = await Browser(game_id, player).open()
    await play_out(game_id)
    await browser.reach((await live.refresh(game_id))[1].ply)
    said = json.dumps(browser.frames) + json.dumps([list(map(str, task)) for task in queued("turns")])
    assert [value for value in (kept["code"], kept["seed"]) if value in said] == []
    own = (await orm(page, player, f"/game/{game_id}/"))[1]
    assert kept["code"] not in own
    assert f"/daily/{dailies.today()}/hearts/" in own


def test_what_is_printed_of_rows_holds_no_secret() -> None:
    daily = deal_of()
    kept = models.DailySecret.objects.get(daily=daily)
    begin(member())
    printed = "".join(f"{row!r}{row}" for row in (daily, kept, models.DailyTry.objects.get()))
    assert kept.code not in printed
    assert bytes(kept.secret).hex() not in printed
