"""Parties live: everybody hears of every change, in whichever process it was made; whole games from the party on."""

from __future__ import annotations

import asyncio
import json
import random
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from channels.testing import WebsocketCommunicator
from django.test import Client

import games
from accounts.models import User
from config.asgi import application
from games import models
from games.log import live, services
from games.parties import games as party_games
from games.parties import protocol as party_protocol
from games.parties import selectors as party_selectors
from games.parties import services as parties
from games.parties.rooms import PartyHub, hub
from games.presets.shipped import shipped_presets
from games.tables import protocol, rates, sockets
from games.tables.pokes import pokes
from tests import factories
from tests.games.live_site import ORIGIN, PATIENCE_S, Browser, Closed, cookie_of, eventually, orm
from tests.games.parties.test_parties import agree, change, now, party, start, version

SCHEMAS = party_protocol.schemas()

pytestmark = pytest.mark.usefixtures("site")


class Page(Browser):
    """A page of a party, or of the list: its socket and every frame it was sent, each held to its schema."""

    def __init__(self, path: str, user: User | None = None, *, origin: bytes = ORIGIN) -> None:
        super().__init__(0, user, origin=origin)
        self.path = path

    async def connect(self, since: int | None = None, query: str = "") -> bool:
        headers = [(b"origin", self.origin), (b"host", b"localhost")]
        if self.user is not None:
            headers.append((b"cookie", f"sessionid={await orm(cookie_of, self.user)}".encode()))
        self.line = WebsocketCommunicator(application, self.path, headers)
        Browser.opened.append(self)
        accepted, _ = await self.line.connect(timeout=PATIENCE_S)
        return bool(accepted)

    async def next(self) -> dict[str, Any]:
        message = await super().next()
        if message["type"] in SCHEMAS:
            jsonschema.validate(message, SCHEMAS[message["type"]])
        return message

    async def shows(self, **wanted: Any) -> dict[str, Any]:
        """The first state with these values."""
        return await self.until("party", **wanted)


async def look_at(made: models.Party, user: User | None = None) -> Page:
    page = Page(f"/ws/party/{made.code}/", user)
    await page.connect()
    await page.until("party")
    return page


async def lobby(language: str = "en") -> tuple[Page, dict[str, Any]]:
    page = Page(f"/ws/lobby/?lang={language}")
    await page.connect()
    return page, await page.until("lobby")


def names(state: dict[str, Any]) -> list[str | None]:
    return [None if seat is None else seat["name"] for seat in state["seats"]]


def quiet_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns off what finds lost pokes."""

    async def look(self: PartyHub) -> None:
        return

    monkeypatch.setattr(pokes, "looks", [])
    monkeypatch.setattr(PartyHub, "look", look)


# --- one party --------------------------------------------------------------------------------------------------------


async def test_everybody_at_a_party_hears_of_every_change_by_a_poke_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    quiet_look(monkeypatch)
    made, (host, other) = await orm(party, 2)
    pages = [await look_at(made, host), await look_at(made, other), await look_at(made)]
    third = await orm(factories.user)
    await orm(parties.sit, party_id=made.pk, user=third)
    for page in pages:
        state = await page.shows(players=3)
        assert names(state) == [host.display_name, other.display_name, third.display_name]
    await orm(change, made, host, options={"moon": "off"}, timer_s=30)
    for page in pages:
        state = await page.shows(timer=30)
        assert state["options"] == {"moon": "off"}
    await orm(parties.leave, party_id=made.pk, user=host)
    for page in pages:
        state = await page.shows(players=4)
        assert [seat["host"] for seat in state["seats"] if seat] == [True, False]
    game = await orm(start, made, other)
    for page in pages:
        assert (await page.shows(status="playing"))["game"] == game.pk


async def test_what_no_poke_tells_is_found_by_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parties.wakeups, "party_soon", lambda *args, **more: None)
    made, (host,) = await orm(party, 1)
    page = await look_at(made)
    await orm(change, made, host, timer_s=60)
    assert (await page.shows(timer=60))["timer"] == 60


async def test_who_is_there_is_seen_and_who_goes_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    made, (_, other) = await orm(party, 2)
    await orm(lambda: models.PartyMember.objects.update(seen_at="2020-01-01T00:00Z"))
    watcher = await look_at(made)
    assert [seat["here"] for seat in watcher.frames[0]["seats"] if seat] == [False, False]
    page = await look_at(made, other)
    state = await watcher.until("party")
    assert [seat["here"] for seat in state["seats"] if seat] == [False, True]
    await orm(lambda: models.PartyMember.objects.update(seen_at="2020-01-01T00:00Z"))
    state = await watcher.until("party")
    assert [seat["here"] for seat in state["seats"] if seat] == [False, False]
    monkeypatch.setattr("games.parties.consumers.SEEN_EVERY_S", -1.0)
    await page.send({"type": "ping"})
    await page.until("pong")
    state = await watcher.until("party")
    assert [seat["here"] for seat in state["seats"] if seat] == [False, True]


async def test_c09_a_visitor_who_looks_keeps_nobody_seen_and_no_party_open() -> None:
    made, _ = await orm(party, 1)
    before = await orm(lambda: list(models.Party.objects.values()) + list(models.PartyMember.objects.values()))
    stranger = await orm(factories.user)
    for user in (None, stranger):
        page = await look_at(made, user)
        await page.send({"type": "ping"})
        await page.until("pong")
    after = await orm(lambda: list(models.Party.objects.values()) + list(models.PartyMember.objects.values()))
    assert after == before


async def test_whoever_was_sent_away_or_has_no_code_hears_nothing() -> None:
    made, (host, other) = await orm(party, 2)
    page = await look_at(made, other)
    member = await orm(lambda: models.PartyMember.objects.get(user=other).pk)
    await orm(parties.send_away, party_id=made.pk, host=host, member_id=member)
    await page.shows(players=4)
    again = Page(f"/ws/party/{made.code}/", other)
    await again.connect()
    assert await again.closed() == party_protocol.CLOSE_NO_PARTY
    for path in ("/ws/party/AAAAAA/", "/ws/party/%00/", "/ws/party/" + "x" * 300 + "/"):
        wrong = Page(path)
        await wrong.connect()
        assert await wrong.closed() == party_protocol.CLOSE_NO_PARTY


async def test_a_party_is_not_told_to_other_sites() -> None:
    made, _ = await orm(party, 1)
    page = Page(f"/ws/party/{made.code}/", origin=b"http://elsewhere.example")
    assert not await page.connect()


@pytest.mark.parametrize(
    "frame",
    [
        "x",
        "[]",
        "null",
        '{"type": "pong"}',
        '{"type": "ping", "ply": 1}',
        '{"type": "ping", "type": "ping"}',
        '{"type": ["ping"]}',
        '{"ping": 1}',
        '{"type": "ping", "x": "' + "y" * 400 + '"}',
        "[" * 250,
    ],
)
async def test_a_frame_that_is_no_message_closes_the_socket(frame: str) -> None:
    made, _ = await orm(party, 1)
    for page in (await look_at(made), (await lobby())[0]):
        await page.send(frame)
        assert await page.closed() == protocol.CLOSE_MALFORMED


async def test_a_flood_is_closed_and_a_few_messages_too_many_are_dropped() -> None:
    made, _ = await orm(party, 1)
    page = await look_at(made)
    for _ in range(int(sockets.BURST) + 5):
        await page.send({"type": "ping"})
    await page.settle()
    assert len([frame for frame in page.frames if frame["type"] == "pong"]) <= sockets.BURST + 2
    for _ in range(sockets.PATIENCE + 20):
        await page.send({"type": "ping"})
    assert await page.closed() == protocol.CLOSE_TOO_FAST


async def test_a_process_listens_only_to_parties_that_are_looked_at_there() -> None:
    made, _ = await orm(party, 1)
    pages = [await look_at(made), await look_at(made)]
    assert f"party.{made.pk}" in pokes.groups
    await pages[0].close()
    assert made.pk in hub.rooms
    await pages[1].close()
    await eventually(lambda: made.pk not in hub.rooms)
    assert f"party.{made.pk}" not in pokes.groups


async def test_frames_name_no_user_and_no_member_by_id_and_no_card() -> None:
    made, (host, _) = await orm(party, 2)
    page = await look_at(made)
    await orm(start, made, host)
    state = await page.shows(status="playing")
    assert set(state["seats"][0]) == {"name", "host", "here", "ready"}


# --- the list ---------------------------------------------------------------------------------------------------------


async def test_the_list_is_told_live_and_in_each_readers_language() -> None:
    english, first = await lobby("en")
    japanese, _ = await lobby("ja")
    assert first["parties"] == []
    assert "No open party" in first["html"]
    made, (host,) = await orm(party, 1, "hearts-stadium", is_listed=True)
    for page, word in ((english, "Stadium"), (japanese, "スタジアム")):
        message = await page.until("lobby")
        assert [row["code"] for row in message["parties"]] == [made.code]
        assert f'href="/party/{made.code}/"' in message["html"]
        assert word in message["html"]
        for name in ("moon", "end-score", "timer", "players"):
            assert f'href="#rule-{name}"' in message["html"]
    late, frame = await lobby("en")
    assert frame == english.frames[-1]
    await late.close()
    await orm(lambda: User.objects.filter(pk=host.pk).update(display_name="<b>x</b>"))
    await orm(change, made, host, timer_s=30)
    assert "&lt;b&gt;x&lt;/b&gt;" in (await english.until("lobby"))["html"]
    await orm(change, made, host, is_listed=False)
    assert (await english.until("lobby"))["parties"] == []


async def test_many_changes_are_told_to_the_list_together() -> None:
    page, _ = await lobby()
    made, (host,) = await orm(party, 1, is_listed=True)
    await page.until("lobby")
    for number in range(10):
        await orm(change, made, host, options={"end_score": 30 + number})
    while True:
        message = await page.until("lobby")
        if message["parties"][0]["options"].get("end_score") == 39:
            break
    assert len([frame for frame in page.frames if frame["type"] == "lobby"]) < 10


# --- games ------------------------------------------------------------------------------------------------------------


async def at_table(game_id: int, users: list[User]) -> list[Browser]:
    """A browser for each of them; every one gives its nonce, and the cards are dealt."""
    browsers = [await Browser(game_id, user).open() for user in users]
    for number, browser in enumerate(browsers):
        await browser.send({"type": "nonce", "id": f"nonce-{number}", "nonce": f"{number:02x}" * 16})
    for browser in browsers:
        await browser.reach(2)
    return browsers


async def play_out(browsers: list[Browser], rng: random.Random) -> None:
    """Plays a game to its end from what the frames say alone."""
    while browsers[0].view["phase"] != "over":
        asked = [browser for browser in browsers if browser.view["ask"]]
        if asked:
            assert (await rng.choice(asked).answer(rng))["type"] in ("ack", "refused")
        ply = (await live.refresh(browsers[0].game_id))[1].ply
        for browser in browsers:
            await browser.reach(ply)


@pytest.mark.parametrize("preset", shipped_presets(), ids=lambda preset: preset.slug)
async def test_four_clients_play_a_whole_game_of_every_preset_at_a_party(
    preset: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("games.tables.sockets.BURST", 100_000)  # these players are quicker than people
    monkeypatch.setattr("games.tables.rates.MESSAGES", (1e6, 1e6))
    monkeypatch.setattr(rates, "MESSAGES", (1e6, 1e6))
    rates.forget_all()
    host = await orm(factories.user)
    made = await orm(lambda: parties.open_party(host=host, version=version(preset.slug)))
    users = [host, *[await orm(factories.user) for _ in range(3)]]
    for user in users[1:]:
        await orm(parties.sit, party_id=made.pk, user=user)
    pages = [await look_at(made, user) for user in users]
    game = await orm(start, made, host)
    for page in pages:
        assert (await page.shows(status="playing"))["game"] == game.pk
    browsers = await at_table(game.pk, users)
    await play_out(browsers, random.Random(preset.slug))
    await orm(game.refresh_from_db)
    assert game.status == "finished"
    assert {name: game.options[name] for name in preset.options} == preset.options
    assert game.result is not None
    for page in pages:
        await page.shows(status="between")


async def finished(sitting: int = 3) -> tuple[models.Party, list[User], models.Game, list[Browser]]:
    """A party whose first game is over, with everybody still at the table."""
    made, users = await orm(party, sitting, "hearts-short", players=None, options=factories.SHORT)
    game = await orm(start, made, users[0])
    browsers = await at_table(game.pk, users)
    while (await live.refresh(game.pk))[1].state.phase != "over":
        table, position = await live.refresh(game.pk)
        seat = factories.asked_seat(position)
        action = factories.answer(table, position, seat)
        cause = "cpu" if table.holders[seat].user_id is None else "player"
        await services.submit_action(game_id=game.pk, seat=seat, ask=position.asks[seat].id, action=action, cause=cause)
    ply = (await live.refresh(game.pk))[1].ply
    for browser in browsers:
        await browser.reach(ply)
    return made, users, game, browsers


async def told(browser: Browser, kind: str, **wanted: Any) -> dict[str, Any]:
    """The first frame of this type with these values, of those that have come or the next."""
    for frame in browser.frames:
        if frame["type"] == kind and all(frame.get(key) == value for key, value in wanted.items()):
            return frame
    return await browser.until(kind, **wanted)


async def ask_rematch(browser: Browser, name: str) -> dict[str, Any]:
    await browser.send({"type": "rematch", "id": name})
    return await browser.word_on(name)


async def test_at_the_table_a_rematch_begins_when_all_have_asked_for_it_and_each_hears_who_has() -> None:
    made, users, _, browsers = await finished()
    for number, browser in enumerate(browsers[:2]):
        assert (await ask_rematch(browser, f"again-{number}"))["type"] == "ack"
    for browser in browsers:
        message = await told(browser, "ready", seats=[0, 1])
        jsonschema.validate(message, protocol.schemas()["ready"])
        assert (message["of"], message["changed"]) == (3, False)
    await browsers[2].send({"type": "rematch", "id": "again-2"})
    following = {(await told(browser, "rematch"))["game"] for browser in browsers}
    second = await orm(models.Game.objects.latest, "pk")
    assert following == {second.pk}
    assert second.party_id == made.pk
    assert await orm(
        lambda: list(models.Player.objects.filter(game=second, user__isnull=False).values_list("seat", "user"))
    ) == [(seat, user.pk) for seat, user in enumerate(users)]
    assert (await ask_rematch(browsers[0], "again-3"))["type"] == "ack"  # a late tap finds the same game
    assert await orm(models.Game.objects.count) == 2


async def test_at_the_table_nobody_agrees_to_what_the_host_has_changed_meanwhile() -> None:
    made, users, _, browsers = await finished(2)
    await ask_rematch(browsers[1], "one")
    await told(browsers[0], "ready", seats=[1])
    await orm(change, made, users[0], options={"moon": "off"})
    for browser in browsers:
        assert (await told(browser, "ready", changed=True))["seats"] == []
    reply = await ask_rematch(browsers[1], "two")
    assert (reply["type"], reply["code"]) == ("refused", "party_changed")
    assert await orm(agree, made, users[1]) is None  # at the party's page he has seen it
    opened = await orm(agree, made, users[0])
    assert opened is not None
    for browser in browsers:
        assert (await told(browser, "rematch"))["game"] == opened.pk


async def test_a_rematch_before_the_end_is_refused() -> None:
    made, users = await orm(party, 2)
    game = await orm(start, made, users[0])
    browser = await Browser(game.pk, users[0]).open()
    reply = await ask_rematch(browser, "early")
    assert (reply["type"], reply["code"]) == ("refused", "no_rematch")


async def test_of_all_who_agree_at_once_at_the_table_and_at_the_party_one_game_comes() -> None:
    made, users, _, browsers = await finished(3)
    revision = (await orm(now, made)).revision
    await asyncio.gather(
        *[browser.send({"type": "rematch", "id": "now"}) for browser in browsers],
        *[orm(lambda user=user: _try_agree(made, user, revision)) for user in users],  # type: ignore[misc]
    )
    await eventually(lambda: orm(lambda: models.Game.objects.count() == 2))
    await asyncio.sleep(0.3)
    assert await orm(models.Game.objects.count) == 2


def _try_agree(made: models.Party, user: User, revision: int) -> None:
    with suppress(parties.PartyRefused):  # the game has begun meanwhile
        party_games.agree(party_id=made.pk, user=user, revision=revision)


async def test_a_client_without_a_browser_plays_by_forms_and_sockets_alone() -> None:
    def by_forms() -> tuple[int, int]:
        client = Client()
        place = client.post("/party/", {"preset": "spades-short"})["Location"]
        code = place.split("/")[2]
        revision = party_selectors.state_of(models.Party.objects.get(code=code)).revision
        answer = client.post(f"{place}start/", {"revision": revision}, headers={"accept": "application/json"})
        return int(json.loads(answer.content)["to"].split("/")[2]), client.session["_auth_user_id"]

    game_id, user_id = await orm(by_forms)
    user = await orm(User.objects.get, pk=user_id)
    browser = await Browser(game_id, user).open()
    assert browser.view["kind"] == "spades"
    with pytest.raises(Closed):
        await Browser(game_id + 1, user).open()


def test_every_message_and_key_of_a_party_is_described() -> None:
    readme = (Path(games.__file__).parent / "parties/README.md").read_text()
    text = readme.split("`/ws/party/<code>/` tells")[1].split("\n# ")[0]
    described = set(re.findall(r"`(\w+)`", text))
    keys = {key for form in SCHEMAS.values() for key in form["properties"]} | set(
        party_protocol.Sitting.__annotations__
    )
    assert {*SCHEMAS, *keys} - {"type"} <= described
