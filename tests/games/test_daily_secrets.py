"""Until its day is over, no page, file, frame or task says a card of a daily deal to whoever has not played it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from accounts import export
from games import dailies, live, models
from tests import factories
from tests.games.daily_play import play_out
from tests.games.live_site import Browser, Clock, orm, queued
from tests.games.test_daily import DAY, begin, deal_of, member, veteran
from tests.games.test_secrets import cards_in, page, secrets_of

pytestmark = pytest.mark.usefixtures("site")

#: Pages that are the same for everybody, and take long.
THE_SAME_FOR_ALL = re.compile(r"/(\w\w/)?(rules|guide|i18n|accounts?|admin/(?!games/game/))\b")


def addresses(game: models.Game) -> list[str]:
    """Every address of the site that can be made with this game, its day, kind, seats and no more."""
    values = {
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
    paths = await orm(addresses, game)
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
            if f"/game/{game_id}/" in path and not path.startswith("/admin/"):
                assert status in (302, 403, 404, 405), path
            assert not [pack for pack in packs if pack in text], path
            if path.startswith(("/daily", "/history", f"/game/{game_id}")) or path == "/":
                assert cards_in(text) == set(), path
    assert (await orm(page, player, f"/game/{game_id}/replay/"))[0] == 200
    for name in ("record.json", "record.txt"):
        assert (await orm(page, player, f"/game/{game_id}/{name}"))[0] == 403


async def test_an_own_export_says_what_was_played_but_not_where_it_came_from() -> None:
    player = await orm(member)
    game_id = await orm(begin, player)
    await play_out(game_id)
    kept = await orm(secrets_of, game_id)
    found = await orm(export.everything, player)
    assert found["daily"][0] | {"game": game_id, "day": str(dailies.today())} == found["daily"][0]
    for text in (json.dumps(found), export.as_text(found)):
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
