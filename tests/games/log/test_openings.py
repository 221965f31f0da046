"""Sealed games before their first deal: the promise, the nonces, the deal. Whatever dies meanwhile, it happens once."""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from accounts.models import User
from games import account_data, models, verify
from games.codes import deals
from games.histories import checks as history_checks
from games.histories import records
from games.histories import selectors as histories
from games.kinds.checks import checks
from games.log import live, openings, services, store
from games.log.refusals import Rejected
from games.log.selectors import table_of
from games.parties import games as party_games
from games.parties import selectors as party_selectors
from games.parties import services as parties
from games.tables import tasks, votes
from games.tables.selectors import boot_of, running_games
from tests import factories
from tests.games.live_site import Browser, Clock, Closed, eventually, new_id, orm, play, queued, sit, take
from tests.games.processes import web_process

pytestmark = pytest.mark.usefixtures("site")

RACES = 20
#: What each seat gives: nothing like it is in any page by chance.
NONCES = [f"c0ffee{seat:02x}" * 4 for seat in range(4)]


#: The time for nonces, before a test changes it.
WAIT_S = openings.WAIT_S


@pytest.fixture(autouse=True)
def _patience(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the clock does not stand still, a slow machine must not be what is tested."""
    if "clock" not in request.fixturenames:
        monkeypatch.setattr(openings, "WAIT_S", 600.0)


async def give(browser: Browser, nonce: str) -> dict[str, Any]:
    """Gives a nonce over the socket; the server's word on it."""
    name = new_id()
    await browser.send({"type": "nonce", "id": name, "nonce": nonce})
    return await browser.word_on(name)


async def word_on(game_id: int, seat: int, nonce: str) -> int | str:
    """The ply that is acknowledged, or the code of the refusal."""
    try:
        return await openings.give_nonce(game_id=game_id, seat=seat, nonce=nonce)
    except Rejected as refused:
        return refused.code


async def work_off_clock() -> list[str]:
    """Does what the sweep has asked of the clock's workers; the names of the tasks."""
    done = []
    while found := take("clock"):
        done.append(found[0])
        if found[0] == "games.expire_opening":
            await tasks._try(found[1][0], openings.deal(game_id=found[1][0]))
    return done


async def nonces_of(game_id: int) -> list[str]:
    return await orm(
        lambda: list(models.Player.objects.filter(game=game_id).order_by("seat").values_list("nonce", flat=True))
    )


async def record_of(game_id: int) -> records.Record:
    return await orm(lambda: histories.record_of(models.Game.objects.get(pk=game_id)))


async def close(game_id: int) -> None:
    """Ends a game, so that everything about it may be known."""
    await services.void_game(game_id=game_id, reason="admin")


# --- the promise ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("humans", [2, 4])
async def test_a_game_of_several_people_has_no_cards_before_they_have_given_their_share(humans: int) -> None:
    game = await orm(factories.open_game, humans, 4 - humans, timer_s=30)
    row, secret = await orm(lambda: (game.row, models.GameSecret.objects.get(game_id=game.id)))
    assert await orm(factories.log_of, game.id) == []
    assert (row.status, row.ply, row.asks, row.code, secret.code) == ("open", 0, {}, "", "")
    assert row.commitment == hashlib.sha256(bytes(secret.secret or b"")).hexdigest()
    assert row.deadline_at is not None
    assert (row.deadline_at - row.created_at).total_seconds() == openings.WAIT_S
    assert WAIT_S == 5
    assert queued("turns") == [], "no CPU is asked anything yet"


async def test_the_promise_is_told_to_everybody_at_the_table_before_any_card() -> None:
    game = await orm(factories.open_game, 4)
    await orm(lambda: models.Game.objects.filter(pk=game.id).update(may_watch=True))
    commitment = (await orm(lambda: game.row)).commitment
    browsers = [*await sit(game), await Browser(game.id, None).open()]
    for browser in browsers:
        assert (browser.ply, browser.view["phase"], browser.view["ask"]) == (0, "open", None)
        assert (await browser.until("opening"))["commitment"] == commitment
        assert not browser.view["hand"]
    table = await orm(lambda: boot_of(game.row, 0, game.users[0]))
    assert (table["commitment"], table["code"], table["ply"]) == (commitment, None, 0)


async def test_whoever_may_watch_comes_in_after_the_cards_were_dealt_by_the_same_process() -> None:
    game = await orm(factories.open_game, 4, may_watch=True)
    for seat, nonce in enumerate(NONCES):
        await word_on(game.id, seat, nonce)
    watcher = await Browser(game.id, None).open()
    assert (watcher.view["phase"], watcher.view["ask"], watcher.view["hand"]) == ("pass", None, None)
    assert await orm(lambda: table_of(game.row)) == await store.table_of(game.id)


async def test_a_game_with_one_person_or_none_is_dealt_at_once() -> None:
    solo, nobody = await orm(factories.open_game, 1, 3), await orm(factories.open_game, 0, 4)
    for game, code_shown in ((solo, True), (nobody, False)):
        row = await orm(models.Game.objects.get, pk=game.id)
        assert (row.status, row.ply, bool(row.code)) == ("playing", 2, code_shown)
    assert await word_on(solo.id, 0, NONCES[0]) == "nonce_late"


# --- the nonces -------------------------------------------------------------------------------------------------------


async def test_the_last_nonce_deals_and_the_cards_follow_from_the_secret_and_every_nonce_in_order() -> None:
    game = await orm(factories.open_game, 3, 1)
    browsers = await sit(game)
    for seat in (2, 0):
        assert (await give(browsers[seat], NONCES[seat]))["type"] == "ack"
        assert await orm(factories.log_of, game.id) == []
    assert await give(browsers[1], NONCES[1]) == {"type": "ack", "id": browsers[1].frames[-1]["id"], "ply": 2}
    for browser in browsers:
        news = await browser.reach(2)
        assert [event["event"] for event in news["events"]] == ["opened", "dealt"]
        assert len(browser.view["hand"]) == 13
    opened, dealt = await orm(factories.log_of, game.id)
    row, secret = await orm(lambda: (game.row, models.GameSecret.objects.get(game_id=game.id)))
    rules = (await orm(factories.table_of, game.id)).rules
    nonces = [*NONCES[:3], ""]
    code = deals.sealed_code(rules, bytes(secret.secret or b""), [bytes.fromhex(nonce) for nonce in nonces])
    assert (secret.code, row.status, row.code) == (code.text, "playing", "")
    assert opened.data == {
        "commitment": row.commitment,
        "nonces": nonces,
        "dealer": deals.first_dealer(code.seed, 4),
    }
    assert tuple(dealt.data["pack"]) == deals.shuffle(code.seed, 1, 0)
    assert await eventually(lambda: {task[1][1] for task in queued("turns")} == {3}), "the CPU is asked now"
    await close(game.id)
    record = await record_of(game.id)
    assert (record["commitment"], record["nonces"]) == (row.commitment, nonces)
    assert verify.check_record(record, checks()) == []


@pytest.mark.parametrize("nonce", ["", "0", "zz", "00 11", "0" * 66, "é" * 4, "00\n"])
async def test_what_is_no_nonce_is_refused_and_nothing_is_kept_of_it(nonce: str) -> None:
    game = await orm(factories.open_game, 2, 2)
    assert await word_on(game.id, 0, nonce) == "bad_nonce"
    assert await nonces_of(game.id) == ["", "", "", ""]


async def test_a_nonce_of_one_byte_and_one_of_thirty_two_are_taken() -> None:
    game = await orm(factories.open_game, 2, 2)
    assert await word_on(game.id, 0, "00") == 0
    assert await word_on(game.id, 1, "FF" * 32) == 2
    assert await nonces_of(game.id) == ["00", "ff" * 32, "", ""]


async def test_a_nonce_cannot_be_changed_and_the_same_one_is_acknowledged_again_even_when_the_cards_are_there() -> None:
    game = await orm(factories.open_game, 2, 2)
    browsers = await sit(game)
    assert (await give(browsers[0], NONCES[0]))["type"] == "ack"
    assert (await give(browsers[0], NONCES[3]))["code"] == "nonce_given"
    assert (await give(browsers[0], NONCES[0]))["ply"] == 0
    assert await nonces_of(game.id) == [NONCES[0], "", "", ""]
    await give(browsers[1], NONCES[1])
    assert (await give(browsers[0], NONCES[0]))["ply"] == 2
    assert (await give(browsers[0], NONCES[3]))["code"] == "nonce_late"
    assert (await orm(factories.log_of, game.id))[0].data["nonces"] == [NONCES[0], NONCES[1], "", ""]


async def test_a_nonce_is_for_the_own_seat_alone_and_a_watcher_has_none() -> None:
    game = await orm(factories.open_game, 2, 2)
    await orm(lambda: models.Game.objects.filter(pk=game.id).update(may_watch=True))
    browser, watcher = await Browser(game.id, game.users[1]).open(), await Browser(game.id, None).open()
    await give(browser, NONCES[1])
    assert await nonces_of(game.id) == ["", NONCES[1], "", ""]
    assert (await give(watcher, NONCES[0]))["code"] == "not_seated"
    await browser.send({"type": "nonce", "id": new_id(), "nonce": NONCES[0], "seat": 0})
    with pytest.raises(Closed) as closed:
        await browser.settle()
    assert closed.value.code == 4400


async def test_nobody_is_told_a_nonce_before_all_are_in() -> None:
    game = await orm(factories.open_game, 4)
    await orm(lambda: models.Game.objects.filter(pk=game.id).update(may_watch=True))
    browsers = [*await sit(game), await Browser(game.id, None).open()]
    for seat in range(3):
        await give(browsers[seat], NONCES[seat])
    for browser in browsers:
        await browser.ping()
        await browser.settle()
        await browser.close()
        await browser.open(since=0)
        await browser.settle()
    admin = await orm(User.objects.create_superuser, "root", password="root")

    def pages(user: Any) -> str:
        client = Client()
        client.force_login(user)
        paths = ["/", f"/game/{game.id}/", f"/game/{game.id}/replay/", f"/game/{game.id}/record.json", "/history/"]
        if user == admin:
            paths += [f"/admin/games/game/{game.id}/change/", "/admin/games/game/"]
        shown = "".join(client.get(path).content.decode() for path in paths)
        return shown + json.dumps(list(account_data.export_games(user)[1]), default=str)

    told = json.dumps([browser.frames for browser in browsers])
    for user in (*game.users, admin):
        told += await orm(pages, user)
    told += repr(await live.refresh(game.id)) + repr(await orm(lambda: list(models.Player.objects.all())))
    assert [nonce for nonce in NONCES if nonce in told] == []
    secret = await orm(lambda: models.GameSecret.objects.get(game_id=game.id))
    assert bytes(secret.secret or b"").hex() not in told


# --- when the time is up ----------------------------------------------------------------------------------------------


async def test_the_sweep_deals_when_the_time_is_up_with_nothing_for_whoever_gave_nothing(clock: Clock) -> None:
    game = await orm(factories.open_game, 3, 1)
    browsers = await sit(game)
    await give(browsers[1], NONCES[1])
    clock.forward(openings.WAIT_S - 0.1)
    await tasks._sweep()
    assert (await work_off_clock(), await orm(factories.log_of, game.id)) == ([], [])
    clock.forward(0.1)
    assert (await give(browsers[0], NONCES[0]))["code"] == "nonce_late"
    await tasks._sweep()
    assert await work_off_clock() == ["games.expire_opening"]
    await browsers[2].reach(2)
    assert (await orm(factories.log_of, game.id))[0].data["nonces"] == ["", NONCES[1], "", ""]
    assert (await orm(lambda: game.row)).status == "playing"


async def test_a_task_to_deal_that_comes_early_twice_or_late_does_nothing(clock: Clock) -> None:
    game = await orm(factories.open_game, 2, 2)
    await openings.deal(game_id=game.id)
    assert await orm(factories.log_of, game.id) == [], "it is not time"
    clock.forward(openings.WAIT_S)
    await openings.deal(game_id=game.id)
    log = await orm(factories.log_of, game.id)
    await play(game.id)
    await openings.deal(game_id=game.id, due_only=False)
    assert (await orm(factories.log_of, game.id))[:2] == log
    with pytest.raises(live.NoSuchGame):
        await openings.deal(game_id=10**9)


async def test_a_task_that_is_lost_is_asked_for_again(clock: Clock) -> None:
    game = await orm(factories.open_game, 2, 2)
    for _ in range(2):
        clock.forward(openings.WAIT_S)
        await tasks._sweep()
        assert take("clock") == ("games.expire_opening", [game.id], {})


async def test_while_no_web_process_lives_nobody_is_dealt_over_and_the_time_begins_anew(clock: Clock) -> None:
    game = await orm(factories.open_game, 2, 2)
    await store.beat("web", clock.now())
    for _ in range(6):
        clock.forward(2)
        await tasks._sweep()
    assert (await work_off_clock(), await orm(factories.log_of, game.id)) == ([], [])
    await store.beat("web", clock.now())
    assert [await word_on(game.id, seat, NONCES[seat]) for seat in (0, 1)] == [0, 2]


async def test_the_search_for_what_is_overdue_reads_the_index_of_running_games_alone() -> None:
    def plan() -> str:
        with connection.cursor() as cursor:
            cursor.execute("set enable_seqscan = off")
            cursor.execute(
                """explain select id from games_game where status in ('open', 'playing') and deadline_at <= now()
                   and (status = 'open' or deadline_at < now()) order by deadline_at limit 500"""
            )
            found = " ".join(row[0] for row in cursor.fetchall())
            cursor.execute("reset enable_seqscan")
            return found

    assert "game_deadline" in await orm(plan)


# --- two at once, and what dies ---------------------------------------------------------------------------------------


def race_in_threads(*works: Any) -> list[Any]:
    """Each on a thread with a connection of its own, as processes have them; all start at once."""
    found: list[Any] = [None] * len(works)
    gate = threading.Barrier(len(works))

    def enter(number: int, work: Any) -> None:
        try:
            connection.ensure_connection()
            gate.wait(10)
            found[number] = work()
        except Rejected as refused:
            found[number] = refused.code
        finally:
            connection.close()

    threads = [threading.Thread(target=enter, args=pair) for pair in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


async def test_two_last_nonces_at_once_deal_one_game_in_twenty_races() -> None:
    for _ in range(RACES):
        game = await orm(factories.open_game, 2, 2)
        give = [
            lambda seat=seat, game=game: openings.add_nonce(game_id=game.id, seat=seat, nonce=NONCES[seat])
            for seat in (0, 1)
        ]
        found = await asyncio.to_thread(race_in_threads, *give)
        assert sorted(ply for ply, _ in found) == [0, 2]
        assert [dealt is not None for ply, dealt in found] == [ply == 2 for ply, _ in found]
        log = await orm(factories.log_of, game.id)
        assert [entry.kind for entry in log] == ["open", "deal"]
        assert log[0].data["nonces"] == [NONCES[0], NONCES[1], "", ""]


async def test_the_last_nonce_and_the_sweep_at_once_deal_one_game_in_twenty_races() -> None:
    for _ in range(RACES):
        game = await orm(factories.open_game, 2, 2)
        await orm(openings.add_nonce, game_id=game.id, seat=0, nonce=NONCES[0])
        found = await asyncio.to_thread(
            race_in_threads,
            lambda game=game: openings.add_nonce(game_id=game.id, seat=1, nonce=NONCES[1]),
            lambda game=game: openings.deal_open(game_id=game.id, due_only=False),
            lambda game=game: openings.deal_open(game_id=game.id, due_only=False),
        )
        log = await orm(factories.log_of, game.id)
        assert [entry.kind for entry in log] == ["open", "deal"]
        taken = found[0] != "nonce_late"
        assert log[0].data["nonces"] == [NONCES[0], NONCES[1] if taken else "", "", ""], "what is taken is in the deal"
        assert (await nonces_of(game.id))[1] == (NONCES[1] if taken else "")


async def test_what_fails_while_it_deals_keeps_nothing_and_the_same_nonce_deals_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = await orm(factories.open_game, 2, 2)
    await word_on(game.id, 0, NONCES[0])

    def fail(*_: object) -> None:
        raise RuntimeError

    with monkeypatch.context() as broken:
        broken.setattr("games.log.logbook.derive", fail)
        with pytest.raises(RuntimeError):
            await openings.give_nonce(game_id=game.id, seat=1, nonce=NONCES[1])
    assert (await nonces_of(game.id), await orm(factories.log_of, game.id)) == ([NONCES[0], "", "", ""], [])
    assert (await live.refresh(game.id))[1].is_open
    assert await word_on(game.id, 1, NONCES[1]) == 2


async def test_whoever_dies_after_the_deal_was_stored_leaves_it_to_be_found() -> None:
    game = await orm(factories.open_game, 2, 2)
    browsers = await sit(game)
    for seat in (0, 1):  # stored, and nobody was told
        await orm(openings.add_nonce, game_id=game.id, seat=seat, nonce=NONCES[seat])
    assert (await browsers[0].ping(0))["ply"] == 2
    await browsers[0].reach(2)
    assert (await orm(lambda: game.row)).deadline_at is not None, "the sweep finds the CPUs that nobody asked"


@pytest.mark.slow
async def test_a_nonce_that_was_acknowledged_survives_the_process_that_took_it() -> None:
    from tests.games.tables.test_real_sockets import Web  # noqa: PLC0415 - its tests are not these

    game = await orm(factories.open_game, 2, 2)
    with web_process() as (process, address):
        line = await Web(process, address).sit(game.id, game.users[0])
        await line.send(json.dumps({"type": "nonce", "id": "n", "nonce": NONCES[0]}))
        while json.loads(await line.recv())["type"] != "ack":
            pass
        process.kill()
    with web_process() as (process, address):
        line = await Web(process, address).sit(game.id, game.users[1])
        await line.send(json.dumps({"type": "nonce", "id": "n", "nonce": NONCES[1]}))
        while (message := json.loads(await line.recv())).get("ply") != 2:
            pass
        await line.close()
    assert message["type"] in ("ack", "news")
    assert (await orm(factories.log_of, game.id))[0].data["nonces"] == [NONCES[0], NONCES[1], "", ""]


# --- an open game is a running game -----------------------------------------------------------------------------------


async def test_nothing_can_be_played_left_or_taken_back_before_the_deal() -> None:
    game = await orm(factories.open_game, 3, 1)
    browser = await Browser(game.id, game.users[0]).open()
    assert (await browser.act({"kind": "play", "card": "2C"}, ask="1.0.play.1"))["code"] == "stale"
    for kind in ("leave", "back"):
        await browser.send({"type": kind, "id": f"{kind}-1"})
        assert (await browser.word_on(f"{kind}-1"))["code"] == "opening"
    await browser.send({"type": "rematch", "id": "again"})
    assert (await browser.word_on("again"))["code"] == "no_rematch"
    with pytest.raises(Rejected):
        await votes.vote(game_id=game.id, seat=0, about="stand_in", target=1, on=True)
    assert await orm(factories.log_of, game.id) == []


@pytest.mark.parametrize("way", ["vote", "administrator"])
async def test_an_open_game_that_is_ended_is_dealt_first_so_that_its_log_is_like_any_other(way: str) -> None:
    game = await orm(factories.open_game, 2, 2)
    browsers = await sit(game)
    await give(browsers[0], NONCES[0])
    if way == "vote":
        for seat in (0, 1):
            await votes.vote(game_id=game.id, seat=seat, about="void", target=None, on=True)
    else:
        admin = await orm(factories.user, is_guest=False, is_staff=True)
        await orm(services.close_game, game_id=game.id, reason="admin", by=admin)
    assert await orm(factories.kinds_of, game.id) == ["open", "deal", "void"]
    row = await orm(lambda: game.row)
    assert (row.status, row.deadline_at, bool(row.code)) == ("void", None, True)
    assert await orm(history_checks.faults_of, row) == []
    record = await record_of(game.id)
    assert (verify.check_record(record, checks()), record["nonces"]) == ([], [NONCES[0], "", "", ""])
    for browser in browsers:
        assert (await browser.reach(3))["void"] == ("vote" if way == "vote" else "admin")
    await tasks._sweep()
    assert await work_off_clock() == []


async def test_an_open_game_is_resumed_from_the_front_page_and_is_no_history() -> None:
    game = await orm(factories.open_game, 2, 2)
    user = game.users[0]
    assert [shown["id"] for shown in await orm(running_games, user)] == [game.id]
    assert await orm(histories.finished_game, user, game.id) is None
    row = await orm(lambda: game.row)
    assert await orm(history_checks.faults_of, row) == []
    assert await orm(history_checks.repair, game.id)
    assert await orm(lambda: game.row) == row
    assert ((await orm(lambda: game.row)).status, (await orm(lambda: game.row)).deadline_at) == (
        "open",
        row.deadline_at,
    )
    assert user is not None
    [exported] = await orm(lambda: list(account_data.export_games(user)[1]))
    assert (exported["status"], exported["log"], exported["hand"]) == ("open", [], [])
    with pytest.raises(ValueError, match="running"):
        await record_of(game.id)


async def test_a_party_has_one_game_open_or_not_and_its_page_says_that_it_runs() -> None:
    def made() -> tuple[models.Party, models.Game, User]:
        version = models.PresetVersion.objects.offered("hearts")[0]
        users = [factories.user() for _ in range(2)]
        party = parties.open_party(host=users[0], version=version)
        parties.sit(party_id=party.pk, user=users[1])
        party.refresh_from_db()
        game = party_games.start(party_id=party.pk, host=users[0], revision=party.revision)
        again = party_games.start(party_id=party.pk, host=users[0], revision=party.revision)
        assert (game.status, again) == ("open", game)
        return party, game, users[0]

    party, game, host = await orm(made)
    assert (await orm(party_selectors.state_of, party)).status == "playing"
    assert (await orm(party_selectors.agreement_at_table, game) or {})["seats"] == []

    def second() -> None:
        services.open_game(kind="hearts", seats=[host, "normal", "normal", "normal"], party_id=party.pk)

    with pytest.raises(Exception, match="game_of_party"):
        await orm(second)
    for seat in (0, 1):
        await openings.give_nonce(game_id=game.pk, seat=seat, nonce=NONCES[seat])
    assert (await orm(party_selectors.state_of, party)).status == "playing"


async def test_a_party_of_one_is_sealed_too_and_its_one_nonce_deals() -> None:
    def made() -> models.Game:
        version = models.PresetVersion.objects.offered("hearts")[0]
        host = factories.user()
        party = parties.open_party(host=host, version=version)
        return party_games.start(party_id=party.pk, host=host, revision=party.revision)

    game = await orm(made)
    assert game.status == "open"
    assert await word_on(game.pk, 0, NONCES[0]) == 2


async def test_a_guest_who_signs_in_meanwhile_keeps_the_seat_and_what_he_gave() -> None:
    game = await orm(factories.open_game, 2, 2)
    await word_on(game.id, 0, NONCES[0])
    member = await orm(factories.user, is_guest=False)
    guest = game.users[0]
    assert guest is not None
    await orm(account_data.take_over, guest, member)
    assert await word_on(game.id, 1, NONCES[1]) == 2
    assert (await orm(factories.log_of, game.id))[0].data["nonces"][:2] == NONCES[:2]
    assert (await Browser(game.id, member).open()).held["seat"] == 0
