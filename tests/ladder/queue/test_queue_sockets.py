"""The queue live: four browsers find a table, every page of a user shows the same, and nobody learns who waits."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from typing import Any

import jsonschema
import pytest
from channels.testing import WebsocketCommunicator
from django.test import Client
from django.utils import timezone

from accounts.models import User
from config.asgi import application
from games.models import Game
from games.tables import protocol, sockets
from games.tables.pokes import pokes
from ladder.models import QueueLock, RankedGame, Ticket
from ladder.queue import matchmaking, tickets
from ladder.queue import rooms as queue_rooms
from ladder.queue.protocol import schemas_out
from ladder.queue.rooms import QueueHub
from tests import factories
from tests.games.live_site import ORIGIN, PATIENCE_S, Browser, cookie_of, eventually, orm
from tests.ladder.queue.queueing import join, name, season, seasoned, seat, silent

OUT = schemas_out()

pytestmark = pytest.mark.usefixtures("site")


class Page(Browser):
    """A page that looks at the queue; every frame is held to its schema."""

    def __init__(self, user: User | None = None, *, origin: bytes = ORIGIN) -> None:
        super().__init__(0, user, origin=origin)

    async def connect(self, since: int | None = None, query: str = "") -> bool:
        headers = [(b"origin", self.origin), (b"host", b"localhost")]
        if self.user is not None:
            headers.append((b"cookie", f"sessionid={await orm(cookie_of, self.user)}".encode()))
        self.line = WebsocketCommunicator(application, "/ws/queue/", headers)
        Browser.opened.append(self)
        accepted, _ = await self.line.connect(timeout=PATIENCE_S)
        return bool(accepted)

    async def next(self) -> dict[str, Any]:
        message = await super().next()
        jsonschema.validate(message, OUT[message["type"]])
        return message

    async def say(self, kind: str, **keys: Any) -> None:
        await self.send({"type": kind, **keys})

    async def waits(self, ladder: str = "hearts") -> dict[str, Any]:
        """The first state in which the user waits."""
        while True:
            message = await self.until("queue")
            if message["ticket"] is not None and message["ticket"]["ladder"] == ladder:
                return message

    async def idles(self) -> dict[str, Any]:
        """The first state in which he does not."""
        return await self.until("queue", ticket=None)


async def look(user: User | None = None) -> Page:
    page = Page(user)
    await page.connect()
    await page.until("queue")
    return page


async def tick() -> None:
    await orm(matchmaking.tick)


def quiet_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns off what finds lost pokes."""
    monkeypatch.setattr(pokes, "looks", [])


async def test_four_browsers_queue_are_asked_and_go_to_one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    quiet_look(monkeypatch)
    users = await orm(seasoned)
    pages = [await look(user) for user in users]
    for page in pages:
        await page.say("join", ladder="hearts", cpu=False)
        await page.waits()
    await tick()
    for page in pages:
        check = await page.until("check", ready=0)
        assert (check["of"], check["ladder"], check["cpu"], check["is_ready"]) == (4, "hearts", False, False)
        assert 0 < check["until"] - check["now"] <= 15_000
    for page in pages[:3]:
        await page.say("ready")
    for page in pages:
        assert (await page.until("check", ready=3))["is_ready"] == (page is not pages[3])
    await pages[3].say("ready")
    games = {(await page.until("seated"))["game"] for page in pages}
    ranked = await orm(RankedGame.objects.get)
    assert games == {ranked.game_id}
    for page in pages:
        assert page.frames[-2]["bar"] == {"code": "running", "game": ranked.game_id}
        numbers = page.frames[-2]["ladders"]["hearts"]
        assert (numbers["waiting"], numbers["playing"]) == (0, 4)
        assert numbers["wait"] < 30


async def test_m01_all_tabs_of_a_user_show_the_same_and_a_double_tap_is_one_ticket() -> None:
    (user,) = await orm(seasoned, 1)
    first, second = await look(user), await look(user)
    for page in (first, first, second):
        await page.say("join", ladder="hearts", cpu=True)
    for page in (first, second):
        state = await page.waits()
        assert (state["ticket"]["cpu"], state["ladders"]["hearts"]["waiting"]) == (True, 1)
    await second.say("consent", cpu=False)
    while (await first.waits())["ticket"]["cpu"]:
        pass
    await first.say("leave")
    await second.idles()
    assert not await orm(Ticket.objects.exists)


async def test_what_no_poke_tells_is_found_by_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tickets.wakeups, "queue_soon", lambda users: None)
    users = await orm(seasoned)
    page = await look(users[0])
    await orm(join, *users)
    await page.waits()
    await tick()
    await page.until("check")
    await orm(lambda: [matchmaking.ready(user.pk) for user in users])
    assert (await page.until("seated"))["game"] == await orm(lambda: RankedGame.objects.get().game_id)


async def test_the_numbers_are_for_everybody_and_nobody_is_named() -> None:
    users = await orm(seasoned, 2)
    strangers = [await look(), await look(await orm(factories.user)), await look(users[1])]
    await orm(join, users[0])
    for page in strangers:
        while page.frames[-1]["ladders"]["hearts"]["waiting"] != 1:
            await page.until("queue")
        told = json.dumps(page.frames, ensure_ascii=False)
        assert users[0].display_name not in told
        assert page.frames[-1]["ticket"] is None


@pytest.mark.parametrize("who", ["nobody", "guest", "fresh"])
async def test_who_may_not_queue_is_told_why(who: str) -> None:
    user = None if who == "nobody" else await orm(factories.user, is_guest=who == "guest")
    if user is not None and who == "fresh":
        await orm(season, user, 2)
    page = await look(user)
    bar = {"code": "too_few_games", "games": 2, "needed": 3} if who == "fresh" else {"code": "sign_up"}
    assert page.frames[0]["bar"] == bar
    await page.say("join", ladder="hearts", cpu=False)
    assert await page.until("refused") == {"type": "refused", "about": "join", **bar}
    assert not await orm(Ticket.objects.exists)


async def test_a_lock_is_told_with_its_end_and_a_running_game_with_its_table() -> None:
    users = await orm(seasoned, 5)
    until = timezone.now() + timedelta(minutes=7)
    await orm(QueueLock.objects.create, user=users[4], until=until)
    locked = await look(users[4])
    assert locked.frames[0]["bar"] == {"code": "locked", "until": round(until.timestamp() * 1000)}
    game = await orm(seat, *users[:4])
    playing = await look(users[0])
    assert playing.frames[0]["bar"] == {"code": "running", "game": game.pk}
    assert not await playing.has("seated"), "he has been there before"
    await orm(close, game)
    while playing.frames[-1]["bar"] is not None:
        await playing.until("queue")


def close(game: Game) -> None:
    from games.log.services import close_game  # noqa: PLC0415

    admin = factories.user(is_guest=False, is_staff=True)
    close_game(game_id=game.pk, reason="admin", by=admin)


async def test_a_ready_check_that_one_declines_leaves_the_others_their_place() -> None:
    users = await orm(seasoned)
    pages = [await look(user) for user in users]
    for page in pages:
        await page.say("join", ladder="spades", cpu=False)
        await page.waits("spades")
    await tick()
    for page in pages:
        await page.until("check")
    await pages[0].say("decline")
    await pages[0].idles()
    for page in pages[1:]:
        await page.waits("spades")
    assert await orm(Ticket.objects.filter(ready_check=None).count) == 3


async def test_partners_find_each_other_by_name() -> None:
    first, second = await orm(seasoned, 2)
    await orm(name, second)
    one, two = await look(first), await look(second)
    await one.say("invite", ladder="spades", name="nobody at all")
    assert (await one.until("refused"))["code"] == "not_found"
    await one.say("invite", ladder="spades", name=second.display_name)
    while not two.frames[-1].get("invited"):
        await two.until("queue")
    (invite,) = two.frames[-1]["invited"]
    assert (invite["name"], invite["ladder"], invite["by"]) == (first.display_name, "spades", first.pk)
    await two.say("accept", by=first.pk)
    for page, partner in ((one, second), (two, first)):
        assert (await page.waits("spades"))["ticket"]["partner"] == partner.display_name


async def test_whoever_waits_is_told_again_and_again_and_a_ping_keeps_the_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(queue_rooms, "PULSE_S", 0.2)
    (user,) = await orm(seasoned, 1)
    page = await look(user)
    await page.say("join", ladder="hearts", cpu=False)
    first = await page.waits()
    again = await page.waits()
    while again["ticket"]["waited"] <= first["ticket"]["waited"]:
        again = await page.waits()
    await orm(silent, 12, user)
    await page.say("ping")
    await page.until("pong")
    await eventually(lambda: orm(lambda: Ticket.objects.get().seen_at > timezone.now() - timedelta(seconds=5)))


async def test_how_many_wait_is_told_in_a_while_and_what_is_ones_own_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue_rooms, "NUMBERS_S", 3600.0)
    monkeypatch.setattr(queue_rooms, "PULSE_S", 3600.0)
    one, two = await orm(seasoned, 2)
    page, other = await look(one), await look(two)
    before = len(other.frames)
    await page.say("join", ladder="hearts", cpu=False)
    assert (await page.waits())["ladders"]["hearts"]["waiting"] == 1
    await orm(lambda: None)
    assert [frame for frame in other.frames[before:] if frame["type"] == "queue"] == []
    monkeypatch.setattr(queue_rooms, "NUMBERS_S", 0.0)
    while (await other.until("queue"))["ladders"]["hearts"]["waiting"] != 1:
        pass


async def test_all_pages_that_come_at_once_are_welcomed_by_few_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    reads = 0
    read = queue_rooms._read

    async def counted(*about: Any) -> Any:
        nonlocal reads
        reads += 1
        return await read(*about)

    monkeypatch.setattr(queue_rooms, "_read", counted)
    users = await orm(seasoned, 12)
    hub, frames = QueueHub(), [list[str]() for _ in users]
    await asyncio.gather(*(hub.join(told.append, user.pk) for told, user in zip(frames, users, strict=True)))
    assert all(json.loads(told[-1])["bar"] is None for told in frames)
    assert reads <= 2
    await hub.stop()


async def test_a_page_that_comes_back_finds_the_ticket_and_the_ready_check() -> None:
    users = await orm(seasoned)
    await orm(join, *users)
    await tick()
    page = await look(users[0])
    assert page.frames[0]["ticket"]["ladder"] == "hearts"
    await page.until("check")
    await page.close()
    await orm(lambda: [matchmaking.ready(user.pk) for user in users])
    again = await look(users[0])
    assert again.frames[0]["bar"]["code"] == "running"


async def test_logging_out_elsewhere_closes_the_socket_and_the_ticket_runs_out() -> None:
    (user,) = await orm(seasoned, 1)
    page = await look(user)
    await page.say("join", ladder="hearts", cpu=False)
    await page.waits()
    client = Client()
    assert page.line is not None
    headers = dict(page.line.scope["headers"])
    client.cookies["sessionid"] = headers[b"cookie"].decode().removeprefix("sessionid=")
    await orm(client.post, "/account/logout/")
    assert await page.closed() == protocol.CLOSE_NOT_SIGNED_IN
    await orm(silent, 16, user)
    await tick()
    assert not await orm(Ticket.objects.exists)


async def test_the_queue_is_not_told_to_other_sites() -> None:
    assert not await Page(origin=b"http://elsewhere.example").connect()


@pytest.mark.parametrize("frame", ["x", '{"type":"join"}', '{"type":"ping","ply":1}'])
async def test_a_frame_that_is_no_message_closes_the_socket(frame: str) -> None:
    page = await look()
    await page.send(frame)
    assert await page.closed() == protocol.CLOSE_MALFORMED


async def test_too_many_messages_are_refused_and_a_flood_is_closed() -> None:
    page = await look()
    for _ in range(int(sockets.BURST) + 8):
        await page.say("ping")
    assert (await page.until("refused"))["code"] == "too_fast"
    for _ in range(sockets.PATIENCE + 20):
        await page.say("ping")
    assert await page.closed() == protocol.CLOSE_TOO_FAST


async def test_a_process_without_anybody_who_looks_reads_nothing() -> None:
    hub = QueueHub()
    await hub.look()
    await hub.poked({"type": "queue.changed", "users": [1]})
    assert hub.now is None
    assert hub.task is None
