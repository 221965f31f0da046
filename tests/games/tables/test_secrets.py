"""Hidden cards stay hidden: every frame, page, value in Redis, task and log record of whole games, looked through.

What a reader may know is worked out here from the log and the rules of dealing and passing, apart from the views.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import random
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.test import Client

from games import models
from games.codes import deals
from games.log import live, openings, services
from games.log.positions import Entry, Step, Table, start, walk
from games.rules import Rules
from games.tables import protocol
from games.tables.rooms import hub
from tests import factories
from tests.games.live_site import Browser, answer_from, is_over, orm, play, queued, sit
from tests.games.processes import OwnRedis
from tests.games.rules.play import TABLES, winner_of
from tests.games.tables.test_protocol import game_of, news

CARD = re.compile(r"(?<![A-Za-z0-9+/_.-])[2-9TJQKA][CDHS](?![A-Za-z0-9+/_=-])")
#: How far away the seat is that gets what a seat passes.
AWAY = {"left": 1, "right": -1, "opponent": 1}


def cards_in(found: Any) -> set[str]:
    """Every card that a text, or anything that JSON can say, names."""
    return set(CARD.findall(found if isinstance(found, str) else json.dumps(found)))


# --- who may know what ------------------------------------------------------------------------------------------------


class Knowledge:
    """What each seat may know of the cards of the deal, entry by entry."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.dealer = -1
        self.deal = 0
        self.called_off = False
        self.own: list[set[str]] = [set() for _ in range(rules.players)]
        self.public: set[str] = set()
        self.kitty: set[str] = set()
        self.given: dict[int, tuple[str, ...]] = {}
        self.played: list[tuple[int, str]] = []

    def _dealt(self, pack: Sequence[str]) -> None:
        n, size = self.rules.players, self.rules.hand_size
        if not self.called_off:
            self.deal += 1
            self.dealer = self.dealer if self.deal == 1 else (self.dealer + 1) % n
        self.called_off = False
        dealt = pack[: n * size]
        self.own = [set(dealt[(seat - self.dealer - 1) % n :: n]) for seat in range(n)]
        self.kitty = set(pack[n * size :])
        self.public, self.given, self.played = set(), {}, []

    def _receiver(self, seat: int, kind: str) -> int:
        n = self.rules.players
        if kind == "exchange":
            return (seat + 2) % n
        direction = self.rules.direction(self.deal) or ""
        return (seat + AWAY.get(direction, n // 2)) % n

    def add(self, entry: Entry, givers: int) -> None:
        """One more entry. `givers`: how many seats pass or exchange in this phase."""
        seat = -1 if entry.seat is None else entry.seat
        if entry.kind == "open":
            self.dealer = entry.data["dealer"]
        elif entry.kind == "deal":
            self._dealt(entry.data["pack"])
        elif entry.kind == "skip":
            self.called_off = True
        elif entry.kind in ("pass", "exchange"):
            self.given[seat] = tuple(entry.data["cards"])
            if len(self.given) == givers:
                for giver, cards in self.given.items():
                    self.own[self._receiver(giver, entry.kind)] |= set(cards)
                self.given = {}
        elif entry.kind == "play":
            self.public.add(entry.data["card"])
            self.played.append((seat, entry.data["card"]))
            self._first_trick()
        elif entry.kind == "finish":
            self.public |= set(entry.data.get("cards", ()))

    def _first_trick(self) -> None:
        n = self.rules.players
        if self.kitty and len(self.played) == n:
            taker = winner_of([card for _, card in self.played], self.played[0][0], self.rules.trump)
            self.own[taker] |= self.kitty

    def of(self, seat: int | None, *, withheld: bool = False, scored: bool = False) -> set[str]:
        """What a viewer may know. `withheld`: the own hand is not shown yet. `scored`: the deal is over."""
        own = set() if seat is None or withheld else self.own[seat]
        return self.public | own | (self.kitty if scored else set())


@dataclass
class Allowed:
    """What each viewer may be told with an entry's events, and in a view after it."""

    events: dict[int | None, set[str]]
    view: dict[int | None, set[str]]


def allowed(table: Table, steps: Sequence[Step]) -> dict[int, Allowed]:
    """By ply."""
    rules, known, found = table.rules, Knowledge(table.rules), {}
    for step in steps:
        before, after = step.before.state, step.after.state
        together = rules.asked_together(before) if before.phase in ("pass", "exchange") else ()
        known.add(step.entry, len(together))
        scored = len(after.sheet) == after.deal
        hidden = rules.asked_together(after) if after.phase == "blind" else ()
        viewers: list[int | None] = [None, *range(rules.players)]
        sets = {seat: known.of(seat, withheld=seat in hidden, scored=scored) for seat in viewers}
        found[step.entry.ply] = Allowed(sets, sets)
    return found


def check_news(message: dict[str, Any], may: dict[int, Allowed], seat: int | None) -> None:
    """No event and no view names a card that the viewer may not know at that time."""
    assert message["seat"] == seat
    for event in message["events"]:
        assert cards_in(event) <= may[event["ply"]].events[seat], event
    assert cards_in(message["view"]) <= may[message["ply"]].view[seat], message["view"]
    assert cards_in({**message, "view": None, "events": None}) == set()


# --- whole games in memory --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "players"), TABLES)
def test_n03_n08_no_seat_and_no_spectator_is_told_a_card_that_it_may_not_know(kind: str, players: int) -> None:
    for number in range(2):
        table, steps = game_of(kind, players, number)
        may = allowed(table, steps)
        rng = random.Random(number)
        for seat in (None, *range(players)):
            check_news(news(table, list(steps[1:]), seat, whole=True), may, seat)
            for step in rng.sample(steps[1:], 80):
                check_news(news(table, [step], seat), may, seat)


def test_the_scan_would_notice_a_hand_a_pack_or_a_pass_of_another() -> None:
    table, steps = game_of("hearts", 4, 1)
    may = allowed(table, steps)
    dealt = steps[1]
    own, other = news(table, [dealt], 0), news(table, [dealt], 1)
    for leak in (
        {**own, "view": {**own["view"], "hand": other["view"]["hand"]}},
        {**own, "view": {**own["view"], "undo": dealt.entry.data}},
        {**own, "events": [{**own["events"][0], "hand": other["view"]["hand"]}]},
        {**own, "pack": dealt.entry.data["pack"]},
    ):
        with pytest.raises(AssertionError):
            check_news(leak, may, 0)
    check_news(own, may, 0)


def test_n10_no_choice_is_visible_before_all_have_chosen() -> None:
    seen = set()
    for kind, players in (("hearts", 4), ("hearts", 3), ("spades", 4)):
        for number in range(2):
            table, steps = game_of(kind, players, number)
            for step in steps:
                if step.entry.kind not in ("pass", "exchange", "blind"):
                    continue
                for seat in (None, *range(players)):
                    message = news(table, [step], seat)
                    told = next(event for event in message["events"] if event["event"] == "answered")
                    content = told.get("cards", told.get("blind"))
                    assert (content is None) == (seat != step.entry.seat)
                    if step.after.state.phase == step.before.state.phase:
                        assert message["view"]["received"] is None
                        assert message["view"]["blinds"] == [] or step.entry.kind != "blind"
                    seen.add(step.entry.kind)
    assert seen == {"pass", "exchange", "blind"}


def test_n06_n07_a_kitty_is_a_number_to_all_but_its_taker_until_the_deal_is_scored() -> None:
    table, steps = game_of("hearts", 3, 0)
    taken = 0
    for step in steps:
        if step.entry.kind == "deal":
            for seat in (None, 0, 1, 2):
                message = news(table, [step], seat)
                assert (message["view"]["kitty"], message["view"]["kitty_count"]) == (None, 1)
        for seat in (None, 0, 1, 2):
            for event in news(table, [step], seat)["events"]:
                if event["event"] == "kitty_taken":
                    assert (event["count"], event["cards"] is None) == (1, seat != event["seat"])
                    taken += 1
    assert taken >= 4


def test_n04_the_pack_of_a_deal_is_told_to_nobody() -> None:
    table, steps = game_of("spades", 4, 0)
    for step in steps:
        if step.entry.kind == "deal":
            for seat in (None, *range(4)):
                message = news(table, [step], seat)
                assert len(cards_in(message)) == (0 if message["view"]["hand"] is None else 13)


# --- whole games over the socket --------------------------------------------------------------------------------------


@pytest.fixture
async def watched(site: None, settings: Any) -> AsyncIterator[tuple[OwnRedis, list[str], list[bytes]]]:
    """A Redis of one's own, everything that is said to it, and everything that is published."""
    redis = OwnRedis()
    await asyncio.to_thread(redis.start)
    commands: list[str] = []
    published: list[bytes] = []
    with redis.used_by(settings):
        stop = redis.listen(commands, published)
        yield redis, commands, published
        await asyncio.to_thread(stop)
        await hub.stop()
        layer = get_channel_layer()
        assert layer is not None
        await layer.flush()
    await asyncio.to_thread(redis.stop)


def secrets_of(game_id: int) -> dict[str, str]:
    """Every form in which the origin of the cards could show."""
    secret = models.GameSecret.objects.get(game_id=game_id)
    raw = bytes(secret.secret or b"")
    return {
        "code": secret.code,
        "seed": deals.read_code(secret.code).seed.decode(),
        "hex": raw.hex(),
        "base64": base64.b64encode(raw).decode(),
    }


def page(user: Any, path: str) -> tuple[int, str]:
    """Status and text of a page, as this user is shown it."""
    client = Client()
    if user is not None:
        client.force_login(user)
    answer = client.get(path)
    # The options name a card that three players take out.
    return answer.status_code, answer.content.decode().replace('"removed_three": "2D"', "")


def bodies(commands: list[str]) -> Iterator[str]:
    """What was said to Redis, with the bodies of tasks in clear."""
    for command in commands:
        yield re.sub(r'body\\*": \\*"[^"\\]*', "", command)
        for body in re.findall(r'body\\*": \\*"([^"\\]*)', command):
            yield base64.b64decode(body).decode()


async def chosen(browser: Browser, rng: random.Random) -> dict[str, Any]:
    if browser.ask["skip"] and rng.random() < 0.2:
        return {"kind": "skip"}
    return answer_from(browser.view, rng)


@pytest.mark.parametrize(
    ("kind", "players", "options"),
    [
        ("hearts", 4, {**factories.SHORT, "skip_right": "one_each", "moon": "choose"}),
        ("hearts", 3, {**factories.SHORT, "surplus": "kitty"}),
        ("spades", 4, {"target": 100, "blind_nil": "yes"}),
    ],
    ids=["hearts", "kitty", "spades"],
)
async def test_n03_n04_n10_nothing_of_a_whole_game_names_a_card_to_whoever_may_not_know_it(
    kind: str,
    players: int,
    options: dict[str, Any],
    watched: tuple[OwnRedis, list[str], list[bytes]],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    redis, commands, published = watched
    monkeypatch.setattr("games.tables.sockets.BURST", 10_000)
    monkeypatch.setattr("games.tables.rates.MESSAGES", (1e6, 1e6))
    caplog.set_level(logging.DEBUG)
    game = await orm(factories.game, players, kind=kind, options=options, timer_s=30)
    secrets = await orm(secrets_of, game.id)
    stranger = await orm(factories.user)
    browsers = await sit(game)
    rng = random.Random(f"secrets {kind} {players}")
    pages: list[str] = []
    number = 0
    while not is_over((await live.refresh(game.id))[1]):
        number += 1
        asked = rng.choice([browser for browser in browsers if browser.view["ask"]])
        if number % 10 == 0:  # somebody looks over other people's shoulders
            watcher = rng.choice((None, stranger))
            spy = Browser(game.id, watcher)
            await spy.connect(since=0)
            assert (await spy.closed(), spy.frames) == (4401 if watcher is None else 4404, [])
            await spy.close()  # a browser lets go of a socket that was closed
            status, text = await orm(page, watcher, f"/game/{game.id}/")
            assert status == 404
            pages.append(text)
        if number % 15 == 0:  # and comes back, or tries what is not his
            browser = rng.choice(browsers)
            await browser.close()
            await browser.open(since=rng.choice((0, browser.ply - 20, browser.ply)))
            pages += [(await orm(page, browser.user, path))[1] for path in (f"/game/{game.id}/", "/")]
            other = rng.choice(browsers)
            await browser.act({"kind": "play", "card": rng.choice(other.view["hand"] or ["2C"])}, ask="1.0.play.1")
        if number % 40 == 0:
            seat = asked.held["seat"]
            await services.stand_in(game_id=game.id, seat=seat)
            await services.back(game_id=game.id, seat=seat, client_id=f"back-{number}")
        ply = (await live.refresh(game.id))[1].ply
        await asked.reach(ply)
        assert (await asked.act(await chosen(asked, rng)))["type"] == "ack"
        ply = (await live.refresh(game.id))[1].ply
        for browser in browsers:
            await browser.reach(ply)

    table = await orm(factories.table_of, game.id)
    steps = walk(table, start(table), await orm(factories.log_of, game.id))
    may = allowed(table, steps)
    for seat, browser in enumerate(browsers):
        assert len(browser.news) > 40
        for message in browser.frames:
            if message["type"] == "news":
                check_news(message, may, seat)
            elif message["type"] == "refused":
                # The card that was named in the attempt, or one that may be seen in the own hand.
                assert set(message) <= {"type", "id", "code", "card", "suit", "count", "phase", "field"}
            else:
                assert cards_in(message) == set()
    assert [cards_in(text) for text in pages if cards_in(text)] == []

    layer: Any = get_channel_layer()
    pokes = [layer.deserialize(raw) for raw in published if raw[:1] in b"\x80\x81\x82\x83\x84\x85"]
    assert len(pokes) > 40
    assert {tuple(sorted(poke)) for poke in pokes} <= {("game", "ply", "type"), ("game", "told", "type")}
    said = list(bodies(commands))
    assert len(said) > len(pokes)
    tasks = await asyncio.to_thread(queued, "turns")
    assert tasks != []
    assert all(re.fullmatch(r"\d+\.\d+\.\w+\.\d+", args[2]) and type(args[1]) is int for _, args, _ in tasks)
    stored = [str(raw) for raw in redis.client.lrange("turns", 0, -1)]
    records = [record.getMessage() for record in caplog.records]
    for text in [*said, *records, *[repr(task) for task in tasks]]:
        assert cards_in(text) == set(), text
    frames = [protocol.text(frame) for browser in browsers for frame in browser.frames]
    for text in [*frames, *pages, *said, *stored, *records]:
        assert [name for name, secret in secrets.items() if secret and secret in text] == []

    # Now, and not before, everybody may know where the cards came from.
    status, text = await orm(page, game.users[0], f"/game/{game.id}/")
    assert (status, secrets["code"] in text, secrets["hex"] in text) == (200, True, False)


async def _told_before_the_opening(game: factories.Seated, nonces: Sequence[str]) -> set[str]:
    """Every frame and page that anybody is told while two of three have given their nonces, without what differs from
    game to game anyway: numbers, times, tokens and the commitment."""
    browsers = [*await sit(game), await Browser(game.id, None).open()]
    for seat, nonce in enumerate(nonces):
        await browsers[seat].send({"type": "nonce", "id": f"nonce-{seat}", "nonce": nonce})
        assert (await browsers[seat].word_on(f"nonce-{seat}"))["type"] == "ack"
    told = []
    for browser in browsers:
        await browser.ping()
        await browser.settle()
        await browser.close()
        await browser.open(since=0)
        told += [protocol.text(frame) for frame in browser.frames if frame["type"] != "presence"]
    admin = await orm(factories.user, is_staff=True, is_superuser=True, is_guest=False)
    paths = [f"/game/{game.id}/", "/", "/history/", "/account/export.json", "/admin/games/game/"]
    paths += [f"/admin/games/game/{game.id}/{name}/" for name in ("change", "history")]
    for user in (*game.users, admin, None):
        told += [await orm(text_of, user, path) for path in paths]
    commitment = (await orm(lambda: game.row)).commitment
    assert commitment in "".join(told)
    tokens = re.compile(r'(csrf\w*"? value=|csrfToken: |guest_|Guest )["\w]+')
    return {
        re.sub(r"\d+", "0", tokens.sub("", text.replace(commitment, "").replace(commitment[:12], ""))) for text in told
    }


def text_of(user: Any, path: str) -> str:
    """A page or a file as this user is shown it."""
    client = Client()
    if user is not None:
        client.force_login(user)
    answer: Any = client.get(path)
    if not answer.streaming:
        return str(answer.content.decode())

    async def all_of_it() -> bytes:
        return b"".join([part async for part in answer])

    return async_to_sync(all_of_it)().decode()


async def test_before_the_opening_nothing_anywhere_depends_on_the_nonces_that_were_given(
    watched: tuple[OwnRedis, list[str], list[bytes]], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By substitution: games that are alike but for two nonces are told alike; Redis and the log say the same of them.

    The nonces have letters only, so that nothing of them is taken for a number.
    """
    _, commands, published = watched
    monkeypatch.setattr(openings, "WAIT_S", 600.0)
    caplog.set_level(logging.DEBUG)
    games = [await orm(factories.open_game, 3, 1) for _ in range(3)]
    await orm(lambda: models.Game.objects.update(may_watch=True))
    found = []
    for game, nonces in zip(
        games, (("ab" * 16, "cd" * 16), ("ef" * 16, "fedcba" * 5), ("ab" * 16, "cd" * 16)), strict=True
    ):
        begun = len(commands), len(published), len(caplog.records)
        told = await _told_before_the_opening(game, nonces)
        said = [re.sub(r"xa4game.*xa4told", "", text) for text in bodies(commands[begun[0] :]) if "game" in text]
        logged = [record.getMessage() for record in caplog.records[begun[2] :] if record.name.startswith("games")]
        passed = [repr(raw) for raw in published[begun[1] :]]
        forms = {form for nonce in nonces for form in (nonce, nonce.upper(), repr(bytes.fromhex(nonce))[2:-1])}
        forms |= {base64.b64encode(bytes.fromhex(nonce)).decode() for nonce in nonces}
        everything = "".join([*told, *said, *logged, *passed])
        assert [form for form in forms if form in everything] == []
        found.append((told, {re.sub(r"\d+", "0", text) for text in [*said, *logged]}))
    assert found[0] == found[2], "what differs from game to game anyway is left out"
    assert found[0] == found[1]
    assert any("PUBLISH" in text for text in found[0][1])


async def test_the_code_of_a_solo_game_is_shown_to_its_player_alone(site: None) -> None:
    game = await orm(factories.game, 1, 3)
    code = (await orm(secrets_of, game.id))["code"]
    stranger = await orm(factories.user)
    assert code in (await orm(page, game.users[0], f"/game/{game.id}/"))[1]
    for user in (stranger, None):
        status, text = await orm(page, user, f"/game/{game.id}/")
        assert (status, code in text) == (404, False)
    browser = await Browser(game.id, game.users[0]).open()
    await play(game.id, 1)
    await browser.reach(3)
    assert code not in json.dumps(browser.frames)


async def test_the_admin_shows_no_cards_codes_or_secrets(site: None) -> None:
    game = await orm(factories.game, 4)
    await play(game.id, 0)
    secrets = await orm(secrets_of, game.id)
    admin = await orm(factories.user, "root", is_staff=True, is_superuser=True, is_guest=False)
    for path in (
        f"/admin/games/game/{game.id}/change/",
        "/admin/games/game/",
        "/admin/",
        f"/admin/games/game/{game.id}/history/",
    ):
        status, text = await orm(page, admin, path)
        assert status == 200
        assert cards_in(text) == set()
        assert [name for name, secret in secrets.items() if secret in text] == []
    for path in ("/admin/games/gamesecret/", "/admin/games/action/", f"/admin/games/game/{game.id}/delete/"):
        assert (await orm(page, admin, path))[0] in (403, 404)


async def test_a_refusal_says_nothing_of_other_hands(site: None) -> None:
    # A card that somebody else holds and one that nobody holds any more are refused alike.
    game = await orm(factories.game, 4)
    browsers = await sit(game)
    theirs, own = browsers[1].view["hand"], browsers[0].view["hand"]
    refusals = [
        await browsers[0].act({"kind": "pass", "cards": [*own[:2], card]})
        for card in (theirs[0], browsers[2].view["hand"][0], browsers[3].view["hand"][0])
    ]
    assert {frozenset(set(refusal) - {"id", "card"}) for refusal in refusals} == {frozenset({"type", "code"})}
    assert {refusal["code"] for refusal in refusals} == {"not_in_hand"}


async def test_what_is_printed_of_rows_and_errors_holds_no_card(site: None) -> None:
    # Log lines and error pages print rows and exceptions.
    game = await orm(factories.game, 4)
    await play(game.id, 0)
    rows = await orm(lambda: [*models.Action.objects.all(), models.GameSecret.objects.get(game_id=game.id), game.row])
    assert [str(row) for row in rows if cards_in(str(row)) or cards_in(repr(row))] == []
    secret = (await orm(secrets_of, game.id))["code"]
    assert secret not in "".join(map(repr, rows))
