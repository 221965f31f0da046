"""Tables over the socket: Channels, Postgres and Valkey as they are; browsers, another process, a Redis that dies."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import threading
import time
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from channels.layers import get_channel_layer
from channels.testing import WebsocketCommunicator
from django.conf import settings

from config.asgi import application
from config.origins import is_own
from games import models
from games.log import live, services, store, wakeups
from games.tables import consumers, protocol, rates
from games.tables.pokes import pokes
from games.tables.rooms import AWAY_S, hub
from tests import factories
from tests.games.live_site import (
    ORIGIN,
    PATIENCE_S,
    Browser,
    Clock,
    Closed,
    answer_from,
    eventually,
    in_phase,
    is_over,
    move_elsewhere,
    new_id,
    orm,
    play,
    play_until,
    sit,
)
from tests.games.processes import Elsewhere, OwnRedis, start_worker

pytestmark = pytest.mark.usefixtures("site")


async def refusal(browser: Browser, action: dict[str, Any], **more: Any) -> str:
    """The code that an action is refused with. Nothing is written, and nobody is told."""
    before = await orm(factories.log_of, browser.game_id)
    reply = await browser.act(action, **more)
    assert reply["type"] == "refused", reply
    assert await orm(factories.log_of, browser.game_id) == before
    return str(reply["code"])


async def asked(browsers: list[Browser]) -> Browser:
    """The browser of the seat that is asked, when all know the latest."""
    ply = (await live.refresh(browsers[0].game_id))[1].ply
    for browser in browsers:
        await browser.reach(ply)
    return next(browser for browser in browsers if browser.view["ask"])


def quiet_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns off what finds lost pokes every two seconds, where a test is about the other ways."""
    monkeypatch.setattr(pokes, "looks", [])


# --- connecting -------------------------------------------------------------------------------------------------------


async def test_four_people_at_a_table_see_each_their_own_hand_and_the_same_table() -> None:
    game = await orm(factories.game, 4, timer_s=30)
    browsers = await sit(game)
    position = await orm(factories.position_of, game.id)
    for seat, browser in enumerate(browsers):
        first = browser.news[0]
        assert (first["ply"], first["seat"], first["events"], first["sheet"]) == (2, seat, [], [])
        assert tuple(browser.view["hand"]) == position.state.hands[seat]
        assert browser.ask["id"] == "1.0.pass.0"
        assert set(first["clock"]["due"]) == set("0123")
        assert first["seats"] == ["online"] * 4
    shared = [
        {key: value for key, value in browser.view.items() if key not in ("seat", "hand", "ask")}
        for browser in browsers
    ]
    assert shared == [shared[0]] * 4


async def test_everybody_hears_of_an_answer_and_its_giver_gets_an_ack() -> None:
    game = await orm(factories.game, 4)
    browsers = await sit(game)
    reply = await browsers[2].answer()
    assert (reply["type"], reply["ply"]) == ("ack", 3)
    for browser in browsers:
        news = await browser.reach(3)
        assert [(event["event"], event["seat"], event["ply"]) for event in news["events"]] == [("answered", 2, 3)]
        assert news["view"]["answered"] == [2]
    # What he gave is his alone.
    assert browsers[2].held["events"][0]["cards"] == browsers[2].view["gave"]
    assert {
        json.dumps(browser.held["events"][0]["cards"]) for browser in browsers if browser.user != game.users[2]
    } == {"null"}


@pytest.mark.parametrize("kind", ["hearts", "spades"])
async def test_a_whole_game_is_played_from_what_the_frames_say_alone(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("games.tables.sockets.BURST", 10_000)  # these players are quicker than people
    monkeypatch.setattr("games.tables.rates.MESSAGES", (1e6, 1e6))
    options = factories.SHORT if kind == "hearts" else {"target": 100, "blind_nil": "yes"}
    game = await orm(factories.game, 4, kind=kind, options=options)
    browsers = await sit(game)
    rng = random.Random(f"frames {kind}")
    while browsers[0].view["phase"] != "over":
        browser = rng.choice([browser for browser in browsers if browser.view["ask"]])
        assert (await browser.answer(rng))["type"] == "ack"
        ply = (await live.refresh(game.id))[1].ply
        for other in browsers:
            await other.reach(ply)
    row = await orm(lambda: game.row)
    for browser in browsers:
        assert browser.view["result"] == row.result
        plies = [event["ply"] for news in browser.news for event in news["events"]]
        assert plies == sorted(plies)
        # Nothing of the game was left out.
        assert set(plies) == set(range(3, row.ply + 1))
        assert [row["deal"] for row in browser.held["sheet"]] == list(range(1, len(browser.held["sheet"]) + 1))


async def test_n02_whoever_is_not_signed_in_is_told_so() -> None:
    game = await orm(factories.game, 4)
    browser = Browser(game.id, None)
    await browser.connect()
    assert await browser.closed() == 4401
    assert browser.frames == []


async def test_n02_a_strangers_game_and_none_at_all_look_the_same() -> None:
    game = await orm(factories.game, 4)
    stranger = await orm(factories.user)
    for game_id in (game.id, 10**9, 10**25, 0):
        browser = Browser(game_id, stranger)
        await browser.connect(since=0)
        assert await browser.closed() == 4404
        assert browser.frames == []
    assert hub.rooms == {}


async def test_c11_a_visitor_who_is_turned_away_leaves_nothing_behind() -> None:
    game = await orm(factories.game, 4)
    stranger = await orm(factories.user)
    for game_id in (game.id, 10**9):
        browser = Browser(game_id, stranger)
        await browser.connect()
        await browser.closed()
        await browser.close()
    layer: Any = get_channel_layer()
    assert (hub.rooms, dict(hub.joining), layer.groups) == ({}, {}, {})


@pytest.mark.parametrize(
    "origin",
    [
        b"http://evil.example",
        b"null",
        b"http://localhost.evil.example",
        b"http://localhost:9",  # another program's page: a browser sends it the same cookies
        b"http://[",
        b"",
    ],
)
async def test_a_page_of_another_site_cannot_open_a_socket(origin: bytes) -> None:
    game = await orm(factories.game, 4)
    assert not await Browser(game.id, game.users[0], origin=origin).connect()
    assert await Browser(game.id, game.users[0], origin=ORIGIN).connect()


def test_origins_that_are_trusted_with_forms_are_with_sockets(settings: Any) -> None:
    """A proxy may ask for the site by a name of its own."""
    settings.CSRF_TRUSTED_ORIGINS = ["https://cards.example.org", "https://*.example.net"]
    for origin in ("https://cards.example.org", "https://a.example.net", "http://inside:8000"):
        assert is_own(origin, "inside:8000"), origin
    for origin in ("http://cards.example.org", "https://cards.example.org.evil.example", "https://inside:8001", ""):
        assert not is_own(origin, "inside:8000"), origin


@pytest.mark.parametrize(
    "query",
    [f"?v=1&since={since}" for since in ("abc", "-1", "99999999999", "²", "٣", "")] + ["?v=1&%ff=%ff", "?x=2&v=1"],
)
async def test_a_strange_address_is_read_as_a_first_visit(query: str) -> None:
    game = await orm(factories.game, 4)
    browser = Browser(game.id, game.users[0])
    await browser.connect(query=query)
    assert (await browser.until("news"))["events"] == []


@pytest.mark.parametrize("query", ["?since=2", "?v=2", "?v=", "?v=one", "?v=01", "?v=1&v=2", "?v=0&since=0"])
async def test_a_client_of_another_version_is_told_so_before_anything_else(query: str) -> None:
    game = await orm(factories.game, 4)
    browser = Browser(game.id, game.users[0])
    await browser.connect(query=query)
    assert await browser.closed() == 4426
    assert browser.frames == []


async def test_the_first_news_name_the_servers_version_and_the_next_do_not() -> None:
    game = await orm(factories.game, 4)
    browser = await Browser(game.id, game.users[0]).open()
    assert browser.held["version"] == protocol.VERSION
    await browser.answer()
    assert "version" not in await browser.reach(3)
    again = await Browser(game.id, game.users[0]).open(since=2)
    assert again.held["version"] == protocol.VERSION


async def test_whoever_comes_makes_one_presence_frame_for_each_socket() -> None:
    game = await orm(factories.game, 2, 2)
    one = await Browser(game.id, game.users[0]).open()
    await one.settle()
    assert [frame["type"] for frame in one.frames] == ["news", "presence"]
    two = await Browser(game.id, game.users[1]).open()
    await two.settle()
    await one.settle()
    assert [frame["type"] for frame in one.frames] == ["news", "presence", "presence"]
    assert [frame["type"] for frame in two.frames] == ["news", "presence"]


async def test_r09_a_connection_in_the_middle_of_a_deal_names_the_seat_and_its_question() -> None:
    game = await orm(factories.game, 4)
    position = await play_until(game.id, lambda position: len(position.state.tricks) == 4 and 2 in position.asks)
    browser = await Browser(game.id, game.users[2]).open()
    assert (browser.held["seat"], browser.view["seat"], browser.view["turn"]) == (2, 2, 2)
    assert browser.ask["id"] == position.asks[2].id
    assert tuple(browser.view["hand"]) == position.state.hands[2]
    assert browser.view["last_trick"]["winner"] == position.state.tricks[-1].winner
    assert (await browser.answer())["type"] == "ack"


async def test_r10_whoever_connects_while_another_plays_has_his_own_turn_when_it_comes() -> None:
    game = await orm(factories.game, 4)
    await play_until(game.id, in_phase("play"))
    browsers = []
    for user in game.users:
        browsers.append(await Browser(game.id, user).open())
        await play(game.id)
    browser = await asked(browsers)
    assert (await browser.answer())["type"] == "ack"


# --- reconnecting -----------------------------------------------------------------------------------------------------


async def test_coming_back_with_since_gets_exactly_the_events_that_were_missed() -> None:
    game = await orm(factories.game, 4)
    browser = await Browser(game.id, game.users[1]).open()
    stays = await Browser(game.id, game.users[1]).open()
    for number in range(30):
        if number == 5:
            held = await browser.reach(7)
            await browser.close()
        await play(game.id)
    await stays.reach(32)
    expected = [event for news in stays.news for event in news["events"] if event["ply"] > held["ply"]]
    again = await Browser(game.id, game.users[1]).open(since=held["ply"])
    assert again.held["events"] == expected
    assert (again.ply, again.view) == (32, stays.view)
    assert {event["ply"] for event in expected} == set(range(8, 33))


@pytest.mark.parametrize(("since", "told"), [(32, 0), (31, 1), (2, 30), (0, 32), (33, 0), (999, 0)])
async def test_since_is_how_much_a_client_holds(since: int, told: int) -> None:
    game = await orm(factories.game, 4)
    for _ in range(30):
        await play(game.id)
    browser = await Browser(game.id, game.users[0]).open(since=since)
    assert len({event["ply"] for event in browser.held["events"]}) == told
    assert browser.ply == 32


async def test_after_too_long_an_absence_the_view_alone_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("games.tables.rooms.MOST_EVENTS", 10)
    game = await orm(factories.game, 4)
    for _ in range(12):
        await play(game.id)
    assert (await Browser(game.id, game.users[0]).open(since=4)).held["events"] != []
    far = await Browser(game.id, game.users[0]).open(since=3)
    assert (far.held["events"], far.ply) == ([], 14)


async def test_r13_coming_back_gives_the_same_hand() -> None:
    game = await orm(factories.game, 1, 3)
    browser = await Browser(game.id, game.users[0]).open()
    hand = browser.view["hand"]
    await browser.answer()
    await browser.close()
    again = await Browser(game.id, game.users[0]).open()
    assert (again.view["hand"], again.view["gave"]) == (hand, browser.view["gave"] or again.view["gave"])
    assert again.view["ask"] is None


async def test_an_answer_that_was_not_acknowledged_is_sent_again_after_the_line_broke() -> None:
    game = await orm(factories.game, 4)
    browser = await Browser(game.id, game.users[0]).open()
    action, ask, name = answer_from(browser.view, random.Random(1)), browser.ask["id"], new_id()
    await browser.send({"type": "act", "id": name, "ask": ask, "action": action})
    await eventually(lambda: orm(lambda: game.row.ply == 3))
    await browser.close()
    again = await Browser(game.id, game.users[0]).open(since=2)
    reply = await again.act(action, ask=ask, name=name)
    assert reply == {"type": "ack", "id": name, "ply": 3}
    assert await orm(factories.kinds_of, game.id) == ["open", "deal", "pass"]


async def test_a_page_that_is_loaded_again_while_the_old_one_goes_is_not_deaf() -> None:
    # The old socket may go while the new one is on its way into the room: the room must not go with it.
    game = await orm(factories.game, 4)
    for turn in range(6):
        old = await Browser(game.id, game.users[0]).open()
        new = Browser(game.id, game.users[0])
        await asyncio.gather(new.open(since=0), old.close())
        ply = await move_elsewhere(game.id, poke=True)
        await new.reach(ply)
        assert list(hub.rooms) == [game.id], turn
        await new.close()
        await eventually(lambda: not hub.rooms)


@pytest.mark.parametrize("leave_at", range(2))
async def test_a_room_stays_while_somebody_is_on_the_way_into_it(
    leave_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The same at each place where the way in waits for something.
    game = await orm(factories.game, 4)
    old = await Browser(game.id, game.users[0]).open()
    waits = 0

    async def wait(work: Any) -> Any:
        nonlocal waits
        if hub.joining[game.id]:
            if waits == leave_at:
                await old.close()
            waits += 1
        return await work

    await old.until("presence")
    read = store.entries_since
    monkeypatch.setattr(store, "entries_since", lambda *args: wait(read(*args)))
    new = await Browser(game.id, game.users[1]).open(since=0)
    monkeypatch.undo()
    assert waits >= 2
    await new.reach(await move_elsewhere(game.id, poke=True))


async def test_an_answer_while_somebody_comes_back_is_neither_lost_nor_told_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = await orm(factories.game, 4)
    stays = await Browser(game.id, game.users[1]).open()
    for _ in range(6):
        await play(game.id)
    read = store.entries_since
    times = 0

    async def slow(game_id: int, ply: int) -> Any:
        nonlocal times
        found = await read(game_id, ply)
        times += 1
        if ply == 0 and times < 4:
            monkeypatch.setattr(store, "entries_since", read)
            await play(game.id)  # between what was read and what is sent
            monkeypatch.setattr(store, "entries_since", slow)
        return found

    monkeypatch.setattr(store, "entries_since", slow)
    back = await Browser(game.id, game.users[0]).open(since=4)
    monkeypatch.undo()
    await play(game.id)
    ply = (await live.refresh(game.id))[1].ply
    await back.reach(ply)
    await stays.reach(ply)
    told = [event["ply"] for news in back.news for event in news["events"]]
    assert sorted(set(told)) == list(range(5, ply + 1))
    assert [news["ply"] for news in back.news] == sorted({news["ply"] for news in back.news})
    assert back.view["trick"] == stays.view["trick"]


# --- several tabs -----------------------------------------------------------------------------------------------------


async def test_r16_two_tabs_of_one_user_get_the_same_stream() -> None:
    game = await orm(factories.game, 4)
    tabs = [await Browser(game.id, game.users[0]).open() for _ in range(3)]
    await tabs[0].answer()
    for _ in range(8):
        await play(game.id)
    await tabs[1].close()
    await play(game.id)
    for tab in (tabs[0], tabs[2]):
        await tab.reach(12)
    streams = [[(news["ply"], news["events"], news["view"]) for news in tab.news[1:]] for tab in (tabs[0], tabs[2])]
    assert streams[0] == streams[1]
    assert len(streams[0]) == 10


async def test_r16_an_answer_from_one_tab_is_seen_in_the_other_and_stale_there() -> None:
    game = await orm(factories.game, 4)
    one, two = [await Browser(game.id, game.users[0]).open() for _ in range(2)]
    ask = two.ask["id"]
    action = answer_from(two.view, random.Random(9))
    await one.answer()
    await two.reach(3)
    assert two.view["ask"] is None
    assert await refusal(two, action, ask=ask) == "stale"


async def test_n12_a_double_click_in_two_tabs_with_one_name_is_one_answer() -> None:
    game = await orm(factories.game, 4)
    tabs = [await Browser(game.id, game.users[0]).open() for _ in range(2)]
    action, name = answer_from(tabs[0].view, random.Random(1)), new_id()
    replies = await asyncio.gather(*[tab.act(action, name=name) for tab in tabs])
    assert replies == [{"type": "ack", "id": name, "ply": 3}] * 2
    assert await orm(factories.kinds_of, game.id) == ["open", "deal", "pass"]


# --- what is refused --------------------------------------------------------------------------------------------------


async def test_n01_nobody_plays_anothers_turn_seat_or_cards() -> None:
    game = await orm(factories.game, 4)
    await play_until(game.id, in_phase("play"))
    browsers = await sit(game)
    turn = await asked(browsers)
    other = next(browser for browser in browsers if browser is not turn)
    ask, card = turn.ask["id"], turn.ask["cards"][0]
    assert await refusal(other, {"kind": "play", "card": card}, ask=ask) == "stale"
    assert await refusal(other, {"kind": "play", "card": other.view["hand"][0]}, ask=ask) == "stale"
    assert await refusal(other, {"kind": "play", "card": card, "seat": turn.held["seat"]}, ask=ask) == "bad_action"
    assert await refusal(turn, {"kind": "play", "card": other.view["hand"][0]}) == "not_in_hand"
    assert await refusal(turn, {"kind": "play", "card": card, "seat": other.held["seat"]}) == "bad_action"
    assert await refusal(turn, {"kind": "play", "card": card, "seat": turn.held["seat"]}) == "bad_action"
    assert await refusal(turn, {"kind": "deal", "pack": ["2C"]}) == "bad_action"
    assert await refusal(turn, {"kind": "open", "dealer": 0}) == "bad_action"
    assert await refusal(turn, {"kind": "pass", "cards": turn.view["hand"][:3]}) == "wrong_phase"
    assert (await turn.act({"kind": "play", "card": card}))["type"] == "ack"


async def test_n15_every_answer_names_its_question_and_another_is_stale() -> None:
    game = await orm(factories.game, 4)
    browser = (await sit(game))[0]
    action = {"kind": "pass", "cards": browser.view["hand"][:3]}
    for ask in ("", "1.0.pass.1", "1.0.play.1", "2.0.pass.0", "1.1.pass.0", "\u0000", "\ud800"):
        assert await refusal(browser, action, ask=ask) == "stale"
    assert (await browser.act(action))["type"] == "ack"


async def test_a_name_that_was_used_for_something_else_is_refused() -> None:
    game = await orm(factories.game, 4)
    browser = (await sit(game))[0]
    hand, ask = browser.view["hand"], browser.ask["id"]
    reply = await browser.act({"kind": "pass", "cards": hand[:3]}, name="twice")
    assert reply["type"] == "ack"
    assert await browser.act({"kind": "pass", "cards": hand[:3]}, ask=ask, name="twice") == reply
    assert await refusal(browser, {"kind": "pass", "cards": hand[3:6]}, ask=ask, name="twice") == "id_reused"


@pytest.mark.parametrize(
    "action",
    [
        {},
        {"kind": None},
        {"kind": "play"},
        {"kind": "play", "card": "XX"},
        {"kind": "play", "card": ["2C"]},
        {"kind": "play", "card": {"a": 1}},
        {"kind": "pass", "cards": "2C3C4C"},
        {"kind": "pass", "cards": [1, 2, 3]},
        {"kind": "pass", "cards": []},
        {"kind": "bid", "bid": 10**300},
        {"kind": "moon", "choice": []},
        {"kind": "blind", "blind": 1},
        {"kind": "stand_in"},
        {"kind": "outage", "seconds": 1e9},
        {"kind": "play", "card": "2C", "\ud800": 1},
    ],
)
async def test_an_action_of_a_strange_form_is_refused_and_the_socket_lives(action: dict[str, Any]) -> None:
    game = await orm(factories.game, 4)
    browser = await Browser(game.id, game.users[0]).open()
    assert await refusal(browser, action) in ("bad_action", "unknown_card", "wrong_phase", "wrong_count")
    assert (await browser.answer())["type"] == "ack"


@pytest.mark.parametrize(
    "frame",
    [
        "no JSON",
        "{}",
        '{"type": "shout"}',
        '{"type": "ping"}',
        '{"type": "ping", "ply": "2"}',
        '{"type": "act", "id": "a", "ask": "q", "action": 1}',
        '{"type": "ping", "ply": 2, "ply": 3}',
        '{"type": "act", "id": "a", "ask": "q", "action": {"kind": "bid", "bid": 1, "bid": 2}}',
        '{"type": "act", "id": "a", "ask": "q", "action": {"kind": "bid", "bid": NaN}}',
        '{"type": "act", "id": "a", "ask": "q", "action": {"kind": "bid", "bid": -Infinity}}',
        "[" * 1_024,
        json.dumps({"type": "ping", "ply": 2}) + " " * 1_024,
        "x" * 2_000_000,
    ],
    ids=[
        "text",
        "empty",
        "unknown",
        "short",
        "typed",
        "action",
        "doubled",
        "doubled inside",
        "NaN",
        "infinite",
        "deep",
        "over 1 KB",
        "2 MB",
    ],
)
async def test_what_is_no_message_closes_the_socket_and_nobody_else_notices(frame: str) -> None:
    game = await orm(factories.game, 4)
    browsers = await sit(game)
    await browsers[0].send(frame)
    assert await browsers[0].closed() == 4400
    assert (await browsers[1].answer())["type"] == "ack"
    await browsers[2].reach(3)


async def test_a_binary_frame_is_no_message() -> None:
    game = await orm(factories.game, 4)
    browser = await Browser(game.id, game.users[0]).open()
    assert browser.line is not None
    await browser.line.send_to(bytes_data=b'{"type": "ping", "ply": 2}')
    assert await browser.closed() == 4400


async def flood(browser: Browser, frame: object, most: int) -> tuple[int, int | None]:
    """Sends as fast as it can, reading what comes. How many frames it took, and the code of the close."""
    for number in range(1, most + 1):
        await browser.send(frame)
        await asyncio.sleep(0)
        try:
            while browser.waiting():
                await browser.next()
        except Closed as closed:
            return number, closed.code
    try:
        while True:
            await asyncio.wait_for(browser.next(), 0.2)
    except TimeoutError:
        return most, None
    except Closed as closed:
        return most, closed.code


@pytest.mark.parametrize(
    "frame",
    [
        {"type": "ping", "ply": 2},
        {"type": "act", "id": "a", "ask": "q", "action": {"kind": "play", "card": "2C"}},
        {"type": "back", "id": "a"},
        {"type": "rematch", "id": "a"},
    ],
    ids=["ping", "act", "back", "rematch"],
)
async def test_too_many_messages_are_refused_and_then_close_the_socket_within_a_hundred(
    frame: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    # They come faster than this machine may be able to answer them.
    monkeypatch.setattr(rates, "time", SimpleNamespace(monotonic=lambda: 0.0))
    rates.forget_all()
    game = await orm(factories.game, 4)
    browsers = await sit(game)
    sent, code = await flood(browsers[0], frame, 100)
    assert code == 4429
    assert sent <= 100
    assert [message["code"] for message in browsers[0].frames if message.get("code") == "too_fast"] != []
    assert (await browsers[1].answer())["type"] == "ack"


async def test_ten_messages_a_second_are_read_for_as_long_as_one_likes(monkeypatch: pytest.MonkeyPatch) -> None:
    game = await orm(factories.game, 4)
    browser = await Browser(game.id, game.users[0]).open()
    now = [time.monotonic()]
    monkeypatch.setattr(rates, "time", SimpleNamespace(monotonic=lambda: now[0]))
    for _ in range(200):
        now[0] += 0.1
        assert (await browser.ping())["ply"] == 2
    assert {message["type"] for message in browser.frames} <= {"news", "pong", "presence"}
    # Then twenty at once, after a pause; what is refused may be sent again a second later.
    now[0] += 5
    for _ in range(20):
        await browser.ping()
    await browser.send({"type": "ping", "ply": 2})
    assert (await browser.until("refused"))["code"] == "too_fast"
    now[0] += 1
    await browser.ping()


async def test_a_user_has_twenty_sockets_and_another_one_is_told_so() -> None:
    game = await orm(factories.game, 4)
    tabs = [await Browser(game.id, game.users[0]).open() for _ in range(settings.SOCKETS_PER_USER)]
    late = Browser(game.id, game.users[0])
    await late.connect()
    assert await late.closed() == 4409
    await late.close()
    await Browser(game.id, game.users[1]).open()
    await tabs[0].close()
    await eventually(lambda: rates.share_of(game.users[0].pk).sockets < settings.SOCKETS_PER_USER)  # type: ignore[union-attr]
    await Browser(game.id, game.users[0]).open()


async def test_whoever_opens_sockets_without_end_is_let_go_before_a_game_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rates, "READINGS", (0.0, 3.0))
    game = await orm(factories.game, 4)
    codes = []
    for _ in range(6):
        browser = Browser(game.id, game.users[0])
        await browser.connect(since=0)
        try:
            await browser.until("news")
        except Closed as closed:
            codes.append(closed.code)
        await browser.close()
    assert codes == [4429] * 3
    await Browser(game.id, game.users[1]).open()


async def test_the_sockets_of_one_user_share_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "MESSAGES", (0.0, 30.0))
    game = await orm(factories.game, 4)
    tabs = [await Browser(game.id, game.users[0]).open() for _ in range(3)]
    for number in range(30):
        await tabs[number % 3].ping()
    for tab in tabs:
        await tab.send({"type": "ping", "ply": 2})
        assert (await tab.until("refused"))["code"] == "too_fast"
    other = await Browser(game.id, game.users[1]).open()
    await other.ping()


async def test_news_that_are_asked_for_again_and_again_are_refused_after_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Thirty bytes that make the server read and send a whole game.
    monkeypatch.setattr(rates, "READINGS", (0.0, 4.0))
    game = await orm(factories.game, 4)
    browser = await Browser(game.id, game.users[0]).open()
    for _ in range(3):
        await browser.ping(ply=0)
        await browser.until("news")
    await browser.ping(ply=0)
    assert (await browser.until("refused"))["code"] == "too_fast"
    await browser.ping()


@contextlib.asynccontextmanager
async def busy_orm() -> AsyncIterator[None]:
    """The one thread of the ORM has something to do meanwhile."""
    done = threading.Event()
    waiting = asyncio.ensure_future(sync_to_async(done.wait)())
    await asyncio.sleep(0)
    try:
        yield
    finally:
        done.set()
        await waiting


async def test_messages_do_not_wait_for_the_thread_of_the_orm() -> None:
    game = await orm(factories.game, 4)
    browser = await Browser(game.id, game.users[0]).open()
    await browser.ping()  # all that opening asks of the ORM has been answered
    async with busy_orm():
        assert (await asyncio.wait_for(browser.ping(), PATIENCE_S / 2))["ply"] == 2


async def test_messages_of_channels_own_consumers_do_wait_for_it() -> None:
    """Once they do not, `dispatch` of games/tables/sockets.py is needed no more."""

    class Plain(AsyncWebsocketConsumer):
        channel_layer_alias = "none"

        async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
            await self.send("heard")

    line = WebsocketCommunicator(Plain.as_asgi(), "/")
    await line.connect(timeout=PATIENCE_S)
    async with busy_orm():
        await line.send_to("?")
        assert await line.receive_nothing(0.3)
    assert await line.receive_from(PATIENCE_S) == "heard"
    await line.disconnect()


async def test_a_reader_who_is_too_slow_is_let_go_and_can_come_back() -> None:
    consumer = consumers.TableConsumer()
    consumer.outbox, consumer.closing = asyncio.Queue(2), False
    codes: list[int] = []

    async def close(code: int) -> None:
        codes.append(code)

    consumer.close = close
    for number in range(5):
        consumer._send(str(number))
    await asyncio.sleep(0)
    assert codes == [protocol.CLOSE_TOO_SLOW]
    assert consumer.outbox.qsize() == 2


async def test_a_database_that_does_not_answer_is_said_to_be_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    game = await orm(factories.game, 4)
    browser = await Browser(game.id, game.users[0]).open()
    action, name, ask = answer_from(browser.view, random.Random(1)), new_id(), browser.ask["id"]

    async def fail(*_: object) -> Any:
        raise store.OperationalError("down")

    monkeypatch.setattr(store, "commit", fail)
    assert await refusal(browser, action, name=name) == "unavailable"
    monkeypatch.setattr(store, "entries_since", fail)
    live.forget_all()
    await browser.send({"type": "ping", "ply": 2})
    assert (await browser.until("refused"))["code"] == "unavailable"
    late = Browser(game.id, game.users[1])
    await late.connect()
    assert await late.closed() == 4503
    monkeypatch.undo()
    assert (await browser.act(action, name=name, ask=ask))["type"] == "ack"
    await (await Browser(game.id, game.users[1]).open()).reach(3)


# --- healing ----------------------------------------------------------------------------------------------------------


async def test_r04_a_ping_finds_what_no_poke_has_told(monkeypatch: pytest.MonkeyPatch) -> None:
    quiet_look(monkeypatch)
    game = await orm(factories.game, 4)
    one, two = (await sit(game))[:2]
    for _ in range(3):
        await move_elsewhere(game.id, poke=False)
    await asyncio.sleep(0.05)
    assert one.ply == two.ply == 2
    pong = await one.ping()
    assert (pong["ply"], abs(pong["now"] - one.held["clock"]["now"]) < 60_000) == (5, True)
    assert {event["ply"] for event in (await one.reach(5))["events"]} == {3, 4, 5}
    # The others of this process hear of it by the way.
    await two.reach(5)


async def test_r04_a_ping_from_a_client_that_is_behind_gets_the_news_after_the_pong() -> None:
    game = await orm(factories.game, 4)
    browser = await Browser(game.id, game.users[0]).open()
    await play(game.id, 1)
    await play(game.id, 2)
    await browser.reach(4)
    browser.frames.clear()
    await browser.ping(ply=2)
    news = await browser.until("news")
    assert [message["type"] for message in browser.frames if message["type"] != "presence"] == ["pong", "news"]
    assert (news["ply"], {event["ply"] for event in news["events"]}) == (4, {3, 4})


async def test_signs_of_life_are_stored_as_often_as_absence_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "TIME_SCALE", 100.0)  # of ten seconds a tenth is left
    game = await orm(factories.game, 1, 3)
    (browser,) = await sit(game)

    async def pinged() -> Any:
        await asyncio.sleep(0.15)
        await browser.send({"type": "ping", "ply": browser.ply})
        await browser.until("pong")
        await browser.send({"type": "ping", "ply": browser.ply})  # what follows a pong is done when the next one comes
        await browser.until("pong")
        return await orm(lambda: models.Player.objects.get(game_id=game.id, user=game.users[0]).seen_at)

    assert await pinged() < await pinged()


async def test_a_ping_is_answered_by_the_servers_clock() -> None:
    game = await orm(factories.game, 4)
    browser = await Browser(game.id, game.users[0]).open()
    for ply in (0, 1, 2, 3, 2**31 - 1):
        assert (await browser.ping(ply=ply))["ply"] == 2


async def test_c13_a_lost_poke_is_healed_by_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    quiet_look(monkeypatch)
    game = await orm(factories.game, 4)
    browser = await Browser(game.id, game.users[0]).open()
    await move_elsewhere(game.id, poke=False)
    await move_elsewhere(game.id, poke=True)
    news = await browser.reach(4)
    assert {event["ply"] for event in news["events"]} == {3, 4}


async def test_c13_a_lost_poke_is_healed_by_the_next_move_here(monkeypatch: pytest.MonkeyPatch) -> None:
    quiet_look(monkeypatch)
    game = await orm(factories.game, 4)
    browser = await Browser(game.id, game.users[0]).open()
    await move_elsewhere(game.id, poke=False)
    await play(game.id)
    await browser.reach(4)
    assert {event["ply"] for news in browser.news for event in news["events"]} == {3, 4}


async def test_c13_a_lost_poke_is_found_without_anybodys_doing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("games.tables.pokes.LOOK_S", 0.05)
    game = await orm(factories.game, 4)
    browser = await Browser(game.id, game.users[0]).open()
    await browser.reach(await move_elsewhere(game.id, poke=False))


async def test_old_and_doubled_pokes_are_told_once() -> None:
    game = await orm(factories.game, 4)
    browser = await Browser(game.id, game.users[0]).open()
    await move_elsewhere(game.id, poke=True)
    await move_elsewhere(game.id, poke=True)
    await browser.reach(4)
    for ply in (1, 3, 4, 4):
        await wakeups._poke_moved(game.id, ply)
    await move_elsewhere(game.id, poke=True)
    await browser.reach(5)
    assert [news["ply"] for news in browser.news] == sorted({news["ply"] for news in browser.news})


async def test_a_poke_that_makes_no_sense_makes_no_table_deaf(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("games.tables.pokes.RETRY_S", 0.01)
    game = await orm(factories.game, 4)
    browser = await Browser(game.id, game.users[0]).open()
    layer = get_channel_layer()
    assert layer is not None
    for message in (
        {"type": "game.moved"},
        {"type": "x", "game": game.id},
        {"type": "game.moved", "game": game.id, "ply": "z"},
    ):
        await layer.group_send(wakeups.group(game.id), message)
    await browser.reach(await move_elsewhere(game.id, poke=True))


async def test_c11_the_room_closes_when_the_last_one_leaves_and_opens_again() -> None:
    game = await orm(factories.game, 4)
    browsers = await sit(game)
    layer: Any = get_channel_layer()
    for browser in browsers[:3]:
        await browser.close()
    assert len(hub.rooms[game.id].sockets) == 1
    await browsers[3].close()
    await eventually(lambda: not hub.rooms and not layer.groups)
    assert dict(hub.joining) == {}
    again = await Browser(game.id, game.users[0]).open()
    await again.reach(await move_elsewhere(game.id, poke=True))


async def test_sockets_that_come_together_share_one_channel_that_is_listened_to() -> None:
    games = [await orm(factories.game, 4) for _ in range(3)]
    browsers = [Browser(game.id, user) for game in games for user in game.users]
    await asyncio.gather(*[browser.open() for browser in browsers])
    layer: Any = get_channel_layer()
    assert list(layer.channels) == [pokes.channel]
    for game in games:
        ply = await move_elsewhere(game.id, poke=True)
        for browser in browsers:
            if browser.game_id == game.id:
                await browser.reach(ply)


async def test_one_news_is_built_for_each_seat_however_many_tabs_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    game = await orm(factories.game, 2, 2)
    for _ in range(3):
        await sit(game)
    built = []
    own_json = protocol.own_json

    def count(table: Any, position: Any, seat: int | None) -> Any:
        built.append(seat)
        return own_json(table, position, seat)

    monkeypatch.setattr(protocol, "own_json", count)
    await play(game.id, 0)
    assert sorted(built) == [0, 1]  # type: ignore[type-var]


# --- presence ---------------------------------------------------------------------------------------------------------


async def test_r12_a_table_is_told_who_came() -> None:
    game = await orm(factories.game, 2, 2)
    await orm(lambda: models.Player.objects.filter(game_id=game.id).update(seen_at=None))
    one = await Browser(game.id, game.users[0]).open()
    assert (await one.until("presence"))["seats"] == ["online", "away", "cpu", "cpu"]
    await Browser(game.id, game.users[1]).open()
    await one.until("presence", seats=["online", "online", "cpu", "cpu"])


async def test_r12_a_table_is_told_who_is_not_heard_of_any_more(clock: Clock) -> None:
    game = await orm(factories.game, 2, 2)
    one, two = await sit(game)
    await two.close()
    await one.settle()  # or a late word that somebody came would bring it
    clock.forward(AWAY_S + 1)
    await store.note_seen(game.id, 0, clock.now())
    await hub.look()
    await one.until("presence", seats=["online", "away", "cpu", "cpu"])
    # And the news say the same.
    await play(game.id, 0)
    assert (await one.reach(3))["seats"] == ["online", "away", "cpu", "cpu"]
    await hub.look()
    assert one.waiting() == 0, "nothing has changed, so nothing is told"


async def test_r12_whoever_pings_is_there(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumers, "SEEN_EVERY_S", 0)
    game = await orm(factories.game, 2, 2)
    one, two = await sit(game)
    for _ in range(6):
        clock.forward(15)
        await one.ping()
        await two.ping()
        await hub.look()
    await play(game.id, 0)
    assert (await two.reach(3))["seats"] == ["online", "online", "cpu", "cpu"]
    ((_, _, seen),) = await store.glance([game.id])
    assert seen[:2] == [clock.now()] * 2


async def test_r14_a_stand_in_is_shown_and_gives_the_seat_back_when_told() -> None:
    game = await orm(factories.game, 4, timer_s=30)
    one, two = (await sit(game))[:2]
    await services.stand_in(game_id=game.id, seat=0)
    news = await two.reach(3)
    assert [(event["event"], event["seat"]) for event in news["events"]] == [("stand_in", 0)]
    assert news["seats"][0] == "stand_in"
    assert "0" not in news["clock"]["due"]
    await one.reach(3)
    assert await refusal(one, {"kind": "pass", "cards": one.view["hand"][:3]}) == "stood_in"
    await one.send({"type": "back", "id": "here"})
    assert await one.word_on("here") == {"type": "ack", "id": "here", "ply": 4}
    news = await two.reach(4)
    assert ([event["event"] for event in news["events"]], news["seats"][0]) == (["back"], "online")
    assert (await one.answer())["type"] == "ack"


async def test_a_back_for_a_seat_without_a_stand_in_is_acknowledged_with_where_the_game_stands() -> None:
    game = await orm(factories.game, 4)
    browser = await Browser(game.id, game.users[0]).open()
    for name in ("one", "two", "one"):
        await browser.send({"type": "back", "id": name})
        assert await browser.word_on(name) == {"type": "ack", "id": name, "ply": 2}
    assert await orm(factories.kinds_of, game.id) == ["open", "deal"]


# --- after the end ----------------------------------------------------------------------------------------------------


async def test_a_rematch_is_one_game_and_every_tab_is_told() -> None:
    game = await orm(factories.game, 1, 3, options=factories.SHORT, code=factories.ONE_DEAL)
    one, two = [await Browser(game.id, game.users[0]).open() for _ in range(2)]
    await one.send({"type": "rematch", "id": "early"})
    assert (await one.word_on("early"))["code"] == "no_rematch"
    await play_until(game.id, is_over)
    await one.send({"type": "rematch", "id": "again"})
    await two.send({"type": "rematch", "id": "too"})
    assert await one.word_on("again") == {"type": "ack", "id": "again", "ply": await orm(lambda: game.row.ply)}
    told = [(await browser.until("rematch"))["game"] for browser in (one, two)]
    following = await orm(lambda: game.row.rematch_id)
    assert following is not None
    assert told == [following, following]
    assert (await Browser(following, game.users[0]).open()).view["phase"] == "pass"
    assert await orm(models.Game.objects.count) == 2


async def test_r13_a_finished_game_can_be_looked_at_and_takes_nothing_more() -> None:
    game = await orm(factories.game, 4, options=factories.SHORT, code=factories.ONE_DEAL)
    await play_until(game.id, is_over)
    browser = await Browser(game.id, game.users[0]).open()
    assert (browser.view["phase"], browser.view["ask"]) == ("over", None)
    assert browser.view["result"] == (await orm(lambda: game.row)).result
    assert await refusal(browser, {"kind": "play", "card": "2C"}, ask="1.0.play.1") == "stale"


# --- another process --------------------------------------------------------------------------------------------------


@pytest.fixture
async def elsewhere(site: None) -> AsyncIterator[Elsewhere]:
    process = await Elsewhere.start()
    yield process
    await process.stop()


async def test_a_move_of_another_process_reaches_this_one_and_the_other_way_round(elsewhere: Elsewhere) -> None:
    game = await orm(factories.game, 4)
    here = await Browser(game.id, game.users[0]).open()
    assert game.users[1] is not None
    await elsewhere.do("join", game=game.id, user=game.users[1].pk)
    # There: a move, as a worker or another web process makes it.
    table, position = await live.refresh(game.id)
    reply = await elsewhere.do(
        "submit", game=game.id, seat=1, ask=position.asks[1].id, action=factories.answer(table, position, 1).to_json()
    )
    assert reply == {"ply": 3}
    assert [event["seat"] for event in (await here.reach(3))["events"]] == [1]
    # Here: the other process tells its sockets.
    await here.answer()
    told = await eventually(lambda: elsewhere.frames_of("news", ply=4))
    assert (told[0]["seat"], [event["seat"] for event in told[0]["events"]]) == (1, [0])
    assert told[0]["events"][0]["cards"] is None
    # Twice the same name, once in each process.
    (table, position), name = await live.refresh(game.id), new_id()
    action = factories.answer(table, position, 2)
    both = await asyncio.gather(
        elsewhere.do("submit", game=game.id, seat=2, ask="1.0.pass.0", action=action.to_json(), name=name),
        services.submit_action(
            game_id=game.id, seat=2, ask="1.0.pass.0", action=action, cause="player", client_id=name
        ),
    )
    assert (both[0], both[1].ply) == ({"ply": 5}, 5)
    await here.reach(5)


# --- Redis that forgets, stops and starts -----------------------------------------------------------------------------


@pytest.fixture
async def own_redis(site: None, settings: Any) -> AsyncIterator[OwnRedis]:
    """A Valkey for one test alone, which may do to it what it likes."""
    redis = OwnRedis()
    await asyncio.to_thread(redis.start)
    with redis.used_by(settings):
        yield redis
        await hub.stop()
        layer = get_channel_layer()
        assert layer is not None
        await layer.flush()
    await asyncio.to_thread(redis.stop)


async def test_flushall_makes_no_table_deaf(own_redis: OwnRedis, monkeypatch: pytest.MonkeyPatch) -> None:
    quiet_look(monkeypatch)
    games = [await orm(factories.game, 2, 2) for _ in range(3)]
    browsers = [browser for game in games for browser in await sit(game)]
    for number in range(3):
        own_redis.client.flushall()
        for game in games:
            ply = await move_elsewhere(game.id, poke=True)
            for browser in browsers:
                if browser.game_id == game.id:
                    await browser.reach(ply)
        assert len(browsers[0].news) == number + 2
    # CPU turns can still be queued.
    own_redis.client.flushall()
    await asyncio.to_thread(wakeups.cpu_turn, games[0].id, 2, "1.0.pass.0")
    assert own_redis.client.llen("turns") == 1


async def test_while_redis_is_down_moves_are_stored_acknowledged_and_told_here(
    own_redis: OwnRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("games.tables.pokes.LOOK_S", 0.1)
    game = await orm(factories.game, 3, 1)
    one, two, _ = await sit(game)
    await asyncio.to_thread(own_redis.stop)
    loop = asyncio.get_running_loop()
    began = loop.time()
    assert (await one.answer())["type"] == "ack"
    assert loop.time() - began < 0.5, "a dead Redis must not hold up an answer"
    await two.reach(3)
    # Of another process nobody hears; a ping finds it.
    await move_elsewhere(game.id, 2, poke=False)
    await two.ping()
    await two.reach(4)
    # Whoever comes now is served as well.
    late = await Browser(game.id, game.users[2]).open()
    assert late.ply == 4
    await asyncio.to_thread(own_redis.start)

    # Pokes are heard again without anybody's doing, by old and new sockets.
    async def heard() -> bool:
        await wakeups.rematch(game.id, 77)
        await asyncio.sleep(0.05)
        return all([await browser.has("rematch") for browser in (one, two, late)])

    await eventually(heard, within_s=30)
    assert await orm(factories.kinds_of, game.id) == ["open", "deal", "pass", "pass"]


async def test_turns_for_cpus_that_redis_could_not_take_are_sent_when_it_is_back(own_redis: OwnRedis) -> None:
    await asyncio.to_thread(own_redis.stop)
    for seat in (1, 2, 1):
        await asyncio.to_thread(wakeups.cpu_turn, 7, seat, "1.0.pass.0")
    await asyncio.to_thread(own_redis.start)
    await eventually(lambda: own_redis.client.llen("turns") == 2, within_s=10)
    await eventually(lambda: not wakeups._unsent.is_trying, within_s=10)
    assert own_redis.client.llen("turns") == 2


async def test_a_site_that_starts_without_redis_is_heard_once_it_is_there(
    own_redis: OwnRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("games.tables.pokes.LOOK_S", 0.1)
    monkeypatch.setattr("games.tables.pokes.RETRY_S", 0.05)
    await asyncio.to_thread(own_redis.stop)
    game = await orm(factories.game, 4)
    browser = await Browser(game.id, game.users[0]).open()
    assert (await browser.answer())["type"] == "ack"
    await asyncio.to_thread(own_redis.start)
    layer: Any = get_channel_layer()
    await eventually(lambda: pokes.channel and layer.groups, within_s=10)
    quiet_look(monkeypatch)

    async def told() -> bool:
        await wakeups.rematch(game.id, 77)
        await asyncio.sleep(0.05)
        return await browser.has("rematch")

    await eventually(told, within_s=10)
    await browser.reach(await move_elsewhere(game.id, poke=True))


async def test_a_worker_plays_the_cpus_turns_and_the_table_hears_of_them(own_redis: OwnRedis) -> None:
    worker = start_worker(own_redis.url)
    try:
        game = await orm(factories.game, 1, 3)
        browser = await Browser(game.id, game.users[0]).open()
        await browser.answer()
        # The three others pass, and play until it is this seat's turn.
        end = time.monotonic() + 90
        while not browser.held["view"]["ask"]:
            assert time.monotonic() < end
            with contextlib.suppress(TimeoutError):
                await browser.next()
        assert browser.ask["phase"] == "play"
        assert (await browser.answer())["type"] == "ack"
        entries = await orm(factories.log_of, game.id)
        assert {entry.cause for entry in entries if entry.seat not in (None, 0)} == {"cpu"}
        # The sweep runs there too, and after Redis has forgotten everything.
        own_redis.client.flushall()
        await asyncio.to_thread(wakeups._send, "games.sweep", [], 0.0, {})
        await eventually(lambda: orm(models.Heartbeat.objects.filter(name="sweep").exists), within_s=10)
    finally:
        worker.terminate()
        await asyncio.to_thread(worker.wait, 20)


async def test_an_address_that_is_no_sockets_is_closed_with_a_code() -> None:
    headers = [(b"origin", ORIGIN), (b"host", b"localhost")]
    communicator = WebsocketCommunicator(application, "/ws/nothing/", headers=headers)
    await communicator.connect()
    assert (await communicator.receive_output())["code"] == 4404
    await communicator.disconnect()
