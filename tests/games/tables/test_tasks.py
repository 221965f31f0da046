"""Workers: CPU turns, turns whose time is up, the sweep. Each may run twice, late or never, and no turn is lost."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from celery import current_app
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings

from config.celery import app
from games import models
from games.log import live, services, store, wakeups
from games.log.positions import CPU_PATIENCE_S, Position
from games.rules import Action
from games.tables import tasks
from tests import factories
from tests.games.live_site import (
    Clock,
    broker,
    eventually,
    in_phase,
    is_over,
    orm,
    play,
    play_until,
    queued,
    sit,
    take,
)

pytestmark = pytest.mark.usefixtures("site")

CARD = re.compile(r"\b[2-9TJQKA][CDHS]\b")
#: Longer than the time for a pass at a table of 30 s, and the grace.
PASS_IS_UP_S = 61.5


@pytest.fixture(autouse=True)
async def _nothing_queued() -> AsyncIterator[None]:
    """What one test's threads still have to send must not reach the next."""
    yield
    await asyncio.to_thread(wakeups._senders.submit(lambda: None).result)


async def sweep() -> None:
    """As beat has it run once a second, in a worker."""
    await tasks._sweep()


async def all_heard(clock: Clock) -> None:
    """Every user is at his table."""
    await orm(lambda: models.Player.objects.exclude(user=None).update(seen_at=clock.now()))


def clear_queues() -> None:
    client = broker()
    client.delete("turns", "clock")
    client.close()


async def log(game_id: int) -> list[tuple[str, int | None, str]]:
    """Kind, seat and cause of every entry after the first deal."""
    return [(entry.kind, entry.seat, entry.cause) for entry in (await orm(factories.log_of, game_id))[2:]]


async def work_off(queue: str) -> int:
    """Does what waits in a queue, as a worker would; returns how much it was."""
    done = 0
    while found := take(queue):
        name, (game_id, seat, ask), kwargs = found
        if name == "games.cpu_turn":
            await tasks._cpu_turn(game_id, seat, ask, kwargs.get("fallback", False))
        else:
            await tasks._expire_turn(game_id, seat, ask)
        done += 1
    return done


# --- CPU turns --------------------------------------------------------------------------------------------------------


async def test_a_cpu_turn_plays_for_its_seat_and_twice_is_once() -> None:
    game = await orm(factories.game, 1, 3)
    await tasks._cpu_turn(game.id, 2, "1.0.pass.0", False)
    assert await log(game.id) == [("pass", 2, "cpu")]
    await tasks._cpu_turn(game.id, 2, "1.0.pass.0", False)
    assert await log(game.id) == [("pass", 2, "cpu")]


@pytest.mark.parametrize(("seat", "ask"), [(0, "1.0.pass.0"), (1, "1.0.play.1"), (9, "1.0.pass.0"), (1, "")])
async def test_a_cpu_turn_of_another_question_or_seat_does_nothing(seat: int, ask: str) -> None:
    game = await orm(factories.game, 1, 3)
    # Seat 0 is a user's: a CPU never answers for one who is there.
    await tasks._cpu_turn(game.id, seat, ask, False)
    assert await log(game.id) == []


async def test_a_task_of_a_game_that_is_gone_does_nothing() -> None:
    await tasks._cpu_turn(10**9, 0, "1.0.pass.0", False)
    await tasks._expire_turn(10**9, 0, "1.0.pass.0")


async def test_the_fallback_of_a_cpu_turn_is_what_the_rules_say_the_clock_plays() -> None:
    game = await orm(factories.game, 1, 3)
    table, position = await live.refresh(game.id)
    await tasks._cpu_turn(game.id, 1, "1.0.pass.0", True)
    assert (await orm(factories.log_of, game.id))[-1].action == table.rules.default_action(position.state, 1)


@pytest.mark.parametrize("broken", ["raises", "illegal", "nonsense", "hangs"])
async def test_a_cpu_that_fails_or_cheats_does_not_hold_up_the_table(
    broken: str, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    def choose(view: Any, level: str, rng: object) -> Any:
        if broken == "raises":
            raise IndexError("no card")
        if broken == "hangs":
            raise SoftTimeLimitExceeded  # where the worker's limit stops it
        return Action("play", view.seat, card="2C") if broken == "illegal" else "QS"

    monkeypatch.setattr(tasks, "choose_action", choose)
    game = await orm(factories.game, 2, 2, timer_s=30)
    await tasks._cpu_turn(game.id, 2, "1.0.pass.0", False)
    clock.forward(PASS_IS_UP_S)
    await tasks._expire_turn(game.id, 0, "1.0.pass.0")
    assert await log(game.id) == [("pass", 2, "cpu"), ("pass", 0, "timeout")]


async def test_a_cpu_is_shown_its_seats_view_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    game = await orm(factories.game, 1, 3)
    table, position = await live.refresh(game.id)
    given: list[Any] = []

    def choose(*args: Any) -> Action:
        given.extend(args)
        return table.rules.default_action(position.state, 3)

    monkeypatch.setattr(tasks, "choose_action", choose)
    await tasks._cpu_turn(game.id, 3, "1.0.pass.0", False)
    seen, level, rng = given
    assert (seen.seat, seen.hand, level) == (3, position.state.hands[3], "normal")
    told = {name: value for name, value in seen.to_json().items() if name != "options"}
    assert set(CARD.findall(str(told))) == set(position.state.hands[3])
    assert rng.random() >= 0


async def test_r14_a_stand_ins_turn_is_a_cpu_turn_until_the_owner_is_back() -> None:
    game = await orm(factories.game, 4, timer_s=30)
    await services.stand_in(game_id=game.id, seat=1)
    await eventually(lambda: ("games.cpu_turn", [game.id, 1, "1.0.pass.0"], {}) in queued("turns"))
    await services.back(game_id=game.id, seat=1, client_id="here")
    await tasks._cpu_turn(game.id, 1, "1.0.pass.0", False)
    assert [kind for kind, _, _ in await log(game.id)] == ["stand_in", "back"]
    await services.stand_in(game_id=game.id, seat=1)
    await tasks._cpu_turn(game.id, 1, "1.0.pass.0", False)
    assert (await log(game.id))[-1] == ("pass", 1, "cpu")


async def test_cpus_alone_play_a_whole_game_by_what_their_turns_queue() -> None:
    game = await orm(factories.game, 1, 3, options=factories.SHORT)
    done = 0
    while not is_over((await live.refresh(game.id))[1]):
        position = (await live.refresh(game.id))[1]
        if 0 in position.asks:
            await play(game.id, 0)
        await eventually(lambda: queued("turns") or None) if set(position.asks) - {0} else None
        done += await work_off("turns")
    assert done > 20
    causes = {
        (entry.seat == 0, entry.cause) for entry in await orm(factories.log_of, game.id) if entry.seat is not None
    }
    assert causes == {(True, "player"), (False, "cpu")}


# --- time-outs --------------------------------------------------------------------------------------------------------


async def test_a_turn_expires_after_its_time_and_not_before(clock: Clock) -> None:
    game = await orm(factories.game, 4, timer_s=30)
    for seconds in (0, 59, 1.5):
        clock.forward(seconds)
        await tasks._expire_turn(game.id, 0, "1.0.pass.0")
        assert await log(game.id) == []
    clock.forward(1)
    await tasks._expire_turn(game.id, 0, "1.0.pass.0")
    assert await log(game.id) == [("pass", 0, "timeout")]


async def test_c02_a_turn_expires_once_however_often_it_is_settled(clock: Clock) -> None:
    game = await orm(factories.game, 4, timer_s=30)
    clock.forward(PASS_IS_UP_S)
    await asyncio.gather(*[tasks._expire_turn(game.id, 0, "1.0.pass.0") for _ in range(5)])
    assert await log(game.id) == [("pass", 0, "timeout")]


async def test_only_seats_whose_own_time_is_up_are_answered_for(clock: Clock) -> None:
    game = await orm(factories.game, 4, timer_s=30)
    clock.forward(40)
    await services.stand_in(game_id=game.id, seat=3)
    await services.back(game_id=game.id, seat=3, client_id="back")  # a full turn from now
    clock.forward(PASS_IS_UP_S - 40)
    await all_heard(clock)
    await sweep()
    assert sorted(args[1] for _, args, _ in queued("clock")) == [0, 1, 2]
    await tasks._expire_turn(game.id, 3, "1.0.pass.0")
    assert [kind for kind, _, _ in await log(game.id)] == ["stand_in", "back"]


async def miss(game_id: int, seat: int, clock: Clock) -> None:
    """The seat lets its next turn of play run out; the others play."""
    await play_until(game_id, lambda position: seat in position.asks)
    position = (await live.refresh(game_id))[1]
    clock.forward(PASS_IS_UP_S)
    await tasks._expire_turn(game_id, seat, position.asks[seat].id)


async def test_two_misses_in_a_row_bring_a_stand_in_where_others_wait(clock: Clock) -> None:
    game = await orm(factories.game, 2, 2, timer_s=30)
    await miss(game.id, 0, clock)
    assert "stand_in" not in await orm(factories.kinds_of, game.id)
    await miss(game.id, 0, clock)
    missed, stood = (await orm(factories.log_of, game.id))[-2:]
    assert (missed.cause, missed.seat, stood.kind, stood.seat, stood.cause) == ("timeout", 0, "stand_in", 0, "timeout")
    assert stood.created_at == missed.created_at
    position = (await live.refresh(game.id))[1]
    assert position.stand_ins == {0}
    # A third is not counted, nor a second stand-in noted.
    await play_until(game.id, lambda position: 0 in position.asks)
    position = (await live.refresh(game.id))[1]
    clock.forward(600)
    await tasks._expire_turn(game.id, 0, position.asks[0].id)
    assert (await live.refresh(game.id))[1] == position


async def test_a_turn_played_in_between_ends_the_row_of_misses(clock: Clock) -> None:
    game = await orm(factories.game, 2, 2, timer_s=30)
    await miss(game.id, 0, clock)
    await play_until(game.id, lambda position: 0 in position.asks)
    await play(game.id, 0)
    await miss(game.id, 0, clock)
    assert "stand_in" not in await orm(factories.kinds_of, game.id)


async def test_a_solo_game_is_never_taken_over(clock: Clock) -> None:
    game = await orm(factories.game, 1, 3, timer_s=30)
    for _ in range(4):
        await miss(game.id, 0, clock)
    clock.forward(10_000)
    await sweep()
    assert "stand_in" not in await orm(factories.kinds_of, game.id)
    assert [cause for kind, seat, cause in await log(game.id) if seat == 0] == ["timeout"] * 4
    position = await play_until(game.id, lambda position: 0 in position.asks)
    assert position.stand_ins == frozenset()
    await play(game.id, 0)


async def test_without_a_limit_a_user_is_waited_for_for_ever(clock: Clock) -> None:
    solo, several = await orm(factories.game, 1, 3), await orm(factories.game, 4)
    for seat in (1, 2, 3):
        await play(solo.id, seat)
    clock.forward(10**6)
    await sweep()
    assert queued("clock") == []
    for game in (solo, several):
        await tasks._expire_turn(game.id, 0, "1.0.pass.0")
        assert 0 not in {seat for _, seat, _ in await log(game.id)}


# --- the sweep --------------------------------------------------------------------------------------------------------


async def test_c07_the_sweep_settles_every_turn_that_is_overdue(clock: Clock) -> None:
    game = await orm(factories.game, 4, timer_s=30)
    clock.forward(PASS_IS_UP_S)
    await all_heard(clock)
    await sweep()
    assert sorted(queued("clock")) == [("games.expire_turn", [game.id, seat, "1.0.pass.0"], {}) for seat in range(4)]
    assert await work_off("clock") == 4
    assert sorted(await log(game.id)) == [("pass", seat, "timeout") for seat in range(4)]


async def test_c03_the_sweep_finds_a_cpu_turn_that_was_lost_and_asks_again(clock: Clock) -> None:
    game = await orm(factories.game, 1, 3)
    await eventually(lambda: len(queued("turns")) == 3)
    clear_queues()  # a restart of Redis
    clock.forward(CPU_PATIENCE_S + 1.1)
    await sweep()
    assert sorted(queued("turns")) == [("games.cpu_turn", [game.id, seat, "1.0.pass.0"], {}) for seat in (1, 2, 3)]


async def test_a_worker_that_begins_asks_for_the_turns_again_that_a_dead_one_may_have_held(clock: Clock) -> None:
    games = [await orm(factories.game, 1, 3), await orm(factories.game, 2, 2, timer_s=30)]
    people = await orm(factories.game, 4, timer_s=30)
    await eventually(lambda: len(queued("turns")) == 5)
    clear_queues()  # as if taken by a worker that was killed
    await tasks._recover()
    assert sorted((args[0], args[1]) for _, args, _ in queued("turns")) == [
        *((games[0].id, seat) for seat in (1, 2, 3)),
        *((games[1].id, seat) for seat in (2, 3)),
    ]
    assert people.id


@pytest.mark.parametrize(("queue", "sent"), [("turns", ["games.recover"]), ("clock", [])])
async def test_only_a_worker_of_turns_looks_for_lost_turns_when_it_begins(queue: str, sent: list[str]) -> None:
    consumer = SimpleNamespace(app=SimpleNamespace(amqp=SimpleNamespace(queues=SimpleNamespace(consume_from={queue}))))
    await asyncio.to_thread(tasks._on_ready, consumer)
    assert [name for name, _, _ in queued("turns")] == sent


async def test_after_its_tries_a_cpus_default_answer_is_played(clock: Clock) -> None:
    game = await orm(factories.game, 1, 3)
    await eventually(lambda: len(queued("turns")) == 3)
    for attempt in range(1, tasks.CPU_TRIES + 2):
        clear_queues()
        clock.forward(CPU_PATIENCE_S + 1.1)
        await sweep()
        asked_for = [kwargs for _, _, kwargs in queued("turns")]
        assert asked_for == [{"fallback": True} if attempt > tasks.CPU_TRIES else {}] * 3
    await work_off("turns")
    position = await orm(factories.position_of, game.id)
    start = (await orm(factories.table_of, game.id)).rules
    first = factories.first_deal(start, (await orm(lambda: game.row)).code)
    assert set(position.asks) == {0}
    assert position.state.given[1:] == tuple(start.default_action(first, seat).cards for seat in (1, 2, 3))


async def test_claims_of_two_sweeps_at_once_settle_each_game_once(clock: Clock) -> None:
    games = [await orm(factories.game, 2, 2, timer_s=30) for _ in range(6)]
    await eventually(lambda: len(queued("turns")) == 12)
    clear_queues()
    clock.forward(PASS_IS_UP_S)
    await all_heard(clock)
    await asyncio.gather(sweep(), sweep(), sweep())
    found = queued("clock") + queued("turns")
    assert len(found) == len({(args[0], args[1]) for _, args, _ in found}) == 4 * len(games)
    assert {row.claims for row in await orm(lambda: list(models.Game.objects.all()))} == {1}


async def test_claims_of_two_sweeps_in_two_processes_settle_each_game_once(clock: Clock) -> None:
    games = [await orm(factories.game, 4, timer_s=30) for _ in range(10)]
    clock.forward(PASS_IS_UP_S)
    gate = threading.Barrier(3)
    claimed: list[int] = []

    async def claim() -> None:
        await store.pool()
        await asyncio.to_thread(gate.wait, 10)
        claimed.extend(game_id for game_id, _ in await store.claim_overdue(clock.now(), services.grace()))
        await store.close_pool()

    threads = [threading.Thread(target=asyncio.run, args=(claim(),)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        await asyncio.to_thread(thread.join)
    assert sorted(claimed) == [game.id for game in games]


async def test_one_game_that_cannot_be_read_does_not_stop_the_clocks_of_the_others(clock: Clock) -> None:
    games = [await orm(factories.game, 4, timer_s=30) for _ in range(3)]
    broken = models.Game.objects.exclude(pk=games[1].id)  # two, since one may come last
    await orm(broken.update, options={"no": "such"})
    clock.forward(PASS_IS_UP_S)
    await sweep()
    assert {args[0] for _, args, _ in queued("clock")} == {games[1].id}


async def test_c08_a_long_game_is_not_taken_for_an_idle_one(clock: Clock) -> None:
    game = await orm(factories.game, 4, timer_s=0)
    for _ in range(4):
        await play(game.id)
    clock.forward(40 * 60)
    await play(game.id)
    clock.forward(86_400)
    await sweep()
    row = await orm(lambda: game.row)
    assert (row.status, row.ply) == ("playing", 7)


async def test_c01_tasks_wait_at_most_seconds_and_none_is_queued_for_a_users_turn(clock: Clock) -> None:
    # A countdown beyond the broker's visibility timeout would be delivered again and again.
    game = await orm(factories.game, 4, timer_s=30)
    await play_until(game.id, in_phase("play"))
    assert queued("turns") == queued("clock") == []
    longest = max(wakeups.PACE_TRICK_S, wakeups.PACE_OTHER_S, *wakeups.PACE_S.values())
    assert longest <= 1.5 < settings.CELERY_BROKER_TRANSPORT_OPTIONS["visibility_timeout"]
    assert longest < CPU_PATIENCE_S


@pytest.mark.parametrize("phase", ["pass", "play", "bid", "blind", "exchange", "moon"])
def test_a_cpus_pace_is_presentation_and_can_be_turned_off(phase: str, settings: Any) -> None:
    table = rules_position(phase)
    settings.CPU_PACE = 0
    assert wakeups.pace_s(table) == 0
    settings.CPU_PACE = 1
    assert 0 < wakeups.pace_s(table) <= 1.5


def rules_position(phase: str) -> Position:
    """A position of which only the phase counts."""
    from games.rules.state import State  # noqa: PLC0415

    return Position(1, State(phase=phase), frozenset(), (), {})


# --- absence ----------------------------------------------------------------------------------------------------------


async def heard(game_id: int, seat: int, at: datetime) -> None:
    await store.note_seen(game_id, seat, at)


async def test_whoever_is_asked_and_not_heard_of_for_a_minute_gets_a_stand_in(clock: Clock) -> None:
    game = await orm(factories.game, 2, 2, timer_s=60)
    clock.forward(59)
    await sweep()
    assert "stand_in" not in await orm(factories.kinds_of, game.id)
    await heard(game.id, 1, clock.now())
    clock.forward(2)
    await sweep()
    await sweep()
    assert [entry for entry in await log(game.id) if entry[0] == "stand_in"] == [("stand_in", 0, "timeout")]


async def test_whoever_is_not_asked_may_be_away(clock: Clock) -> None:
    game = await orm(factories.game, 2, 2, timer_s=60)
    await play(game.id, 0)
    await heard(game.id, 1, clock.now() + timedelta(seconds=90))
    clock.forward(100)
    await sweep()
    assert "stand_in" not in await orm(factories.kinds_of, game.id)


@pytest.mark.parametrize(("humans", "timer_s"), [(1, 60), (2, 0)])
async def test_absence_alone_takes_no_seat_in_a_solo_game_or_without_a_limit(
    humans: int, timer_s: int, clock: Clock
) -> None:
    game = await orm(factories.game, humans, 4 - humans, timer_s=timer_s)
    clock.forward(10_000)
    await sweep()
    assert "stand_in" not in await orm(factories.kinds_of, game.id)


# --- outages ----------------------------------------------------------------------------------------------------------


async def due(game_id: int) -> datetime:
    """When the first user's question runs out."""
    at = (await live.refresh(game_id))[1].asks[0].due_at
    assert at is not None
    return at


async def alive(clock: Clock, seconds: float, *, web: bool = True, swept: bool = True) -> None:
    """Time goes by while web and sweep are there, or one of them."""
    while seconds > 0:
        step = min(2.0, seconds)
        clock.forward(step)
        seconds -= step
        if web:
            await store.beat("web", clock.now())
        if swept:
            await sweep()


async def outages() -> list[tuple[str, float]]:
    rows = await orm(lambda: list(models.Outage.objects.order_by("id")))
    return [(row.part, round((row.to_at - row.from_at).total_seconds())) for row in rows]


def near(found: float, expected: float) -> bool:
    return abs(found - expected) < 0.5


async def test_an_idle_evening_is_no_outage(clock: Clock) -> None:
    game = await orm(factories.game, 4, timer_s=30)
    before = await due(game.id)
    await alive(clock, 40)
    assert await outages() == []
    assert await due(game.id) == before
    assert await log(game.id) == []


async def test_c12_the_time_in_which_no_sweep_ran_is_given_back_before_anything_is_settled(clock: Clock) -> None:
    game = await orm(factories.game, 4, timer_s=30)
    await alive(clock, 20)
    before = await due(game.id)
    await alive(clock, 90, swept=False)
    await sweep()
    # All were overdue by 50 s. Now they have what they had: 40 s.
    assert await outages() == [("sweep", 90)]
    assert near((await due(game.id) - before).total_seconds(), 90)
    assert queued("clock") == []
    assert await log(game.id) == [("outage", None, "dealer")]
    await all_heard(clock)
    await alive(clock, 38)
    assert queued("clock") == []
    await alive(clock, 4)
    assert len(queued("clock")) == 4


async def test_c12_the_time_in_which_no_web_process_lived_is_given_back_and_nobody_is_settled_meanwhile(
    clock: Clock,
) -> None:
    game = await orm(factories.game, 4, timer_s=30)
    await alive(clock, 20)
    before = await due(game.id)
    await alive(clock, 100, web=False)
    assert queued("clock") == []
    assert await log(game.id) == []
    await store.beat("web", clock.now())
    await sweep()
    assert await outages() == [("web", 100)]
    assert near((await due(game.id) - before).total_seconds(), 100)
    assert queued("clock") == []
    # Nor has anybody a stand-in because he could not be heard of.
    assert await log(game.id) == [("outage", None, "dealer")]
    await alive(clock, 30)
    assert "stand_in" not in await orm(factories.kinds_of, game.id)


async def test_cpus_play_on_while_no_web_process_lives(clock: Clock) -> None:
    game = await orm(factories.game, 1, 3, timer_s=30)
    await alive(clock, 2)
    clear_queues()
    await alive(clock, 10, web=False)
    assert {args[1] for _, args, _ in queued("turns")} == {1, 2, 3}
    assert game.id


async def test_nobody_gets_a_stand_in_right_after_the_whole_site_was_down(clock: Clock) -> None:
    game = await orm(factories.game, 4, timer_s=30)
    await alive(clock, 10)
    await alive(clock, 300, swept=False, web=False)
    await store.beat("web", clock.now())
    await alive(clock, 30)
    assert await log(game.id) == [("outage", None, "dealer")]


async def test_the_web_that_was_down_before_the_sweep_was_is_seen(clock: Clock) -> None:
    await orm(factories.game, 4, timer_s=30)
    await alive(clock, 10)
    await alive(clock, 20, web=False)
    await alive(clock, 60, swept=False)
    await sweep()
    assert sorted(await outages()) == [("sweep", 60), ("web", 80)]


async def test_outages_that_overlap_are_counted_once(clock: Clock) -> None:
    game = await orm(factories.game, 4, timer_s=30)
    await alive(clock, 20)
    before = await due(game.id)
    await alive(clock, 60, swept=False, web=False)
    await store.beat("web", clock.now())
    await sweep()
    assert await outages() == [("sweep", 60)]  # what the web did meanwhile nobody has seen
    assert near((await due(game.id) - before).total_seconds(), 60)
    assert [kind for kind, _, _ in await log(game.id)] == ["outage"]


async def test_outages_that_overlap_are_counted_once_though_one_ends_later(clock: Clock) -> None:
    # A whole site that starts again: the sweep is there first, the web some seconds later.
    game = await orm(factories.game, 4, timer_s=30)
    await alive(clock, 20)
    before = await due(game.id)
    await alive(clock, 30, swept=False, web=False)
    await sweep()
    assert await outages() == [("sweep", 30)]
    await alive(clock, 8, web=False)
    await store.beat("web", clock.now())
    await sweep()
    assert await outages() == [("sweep", 30), ("web", 38)]
    assert near((await due(game.id) - before).total_seconds(), 38)
    assert [entry.data["seconds"] for entry in await orm(factories.log_of, game.id) if entry.kind == "outage"] == [
        pytest.approx(30, abs=0.5),
        pytest.approx(8, abs=0.5),
    ]


async def test_c12_two_sweeps_at_once_give_an_outage_back_once(clock: Clock) -> None:
    # Two that were queued while no worker ran, taken up by two workers.
    game = await orm(factories.game, 4, timer_s=30)
    await alive(clock, 20)
    await alive(clock, 25, swept=False)
    await asyncio.gather(sweep(), sweep(), sweep())
    assert await outages() == [("sweep", 25)]
    assert await log(game.id) == [("outage", None, "dealer")]


async def test_a_short_silence_is_no_outage(clock: Clock) -> None:
    await orm(factories.game, 4, timer_s=30)
    await alive(clock, 10)
    await alive(clock, 4, web=False, swept=False)
    await store.beat("web", clock.now())
    await sweep()
    assert await outages() == []


async def test_the_first_sweep_of_a_site_finds_no_outage(clock: Clock) -> None:
    await sweep()
    clock.forward(3)
    await store.beat("web", clock.now())
    await sweep()
    assert await outages() == []


async def test_an_outage_is_noted_in_no_game_where_no_users_clock_ran(clock: Clock) -> None:
    untimed = await orm(factories.game, 4)
    await alive(clock, 4)
    await alive(clock, 60, swept=False)
    await sweep()
    assert await outages() == [("sweep", 60)]
    assert await log(untimed.id) == []


async def test_the_hub_of_a_web_process_says_that_it_lives() -> None:
    game = await orm(factories.game, 4)
    await sit(game)
    await eventually(lambda: orm(models.Heartbeat.objects.filter(name="web").exists))


# --- Celery -----------------------------------------------------------------------------------------------------------


def test_tasks_are_registered_under_the_names_that_wake_ups_send() -> None:
    app.loader.import_default_modules()  # as a worker does when it starts
    assert {"games.cpu_turn", "games.expire_turn", "games.sweep"} <= set(app.tasks)
    routed = {name: app.amqp.router.route({}, name)["queue"].name for name in app.tasks if name.startswith("games.")}
    assert routed == {
        "games.cpu_turn": "turns",
        "games.recover": "turns",
        "games.expire_turn": "clock",
        "games.expire_opening": "clock",
        "games.sweep": "clock",
        "games.sweep_parties": "clock",
        "games.settle_dailies": "clock",
        "games.forget_records": "clock",
        "games.sweep_reviews": "clock",
        "games.review": "reviews",
        "games.count_deals": "ladder",
    }


def test_beat_runs_the_sweep_every_second_and_lets_missed_runs_go() -> None:
    entry = app.conf.beat_schedule["sweep"]
    assert entry["task"] == "games.sweep"
    assert entry["schedule"].run_every == timedelta(seconds=1)
    assert 1 <= entry["options"]["expires"] <= 5


def test_wake_ups_of_any_thread_go_to_our_broker() -> None:
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(current_app.main))
    thread.start()
    thread.join()
    assert found == ["moonshot"]


async def test_tasks_run_one_after_another_on_one_loop_of_a_worker(clock: Clock) -> None:
    game = await orm(factories.game, 1, 3, timer_s=30)

    def work() -> None:
        try:
            for seat in (1, 2, 3, 1):
                tasks.cpu_turn(game.id, seat, "1.0.pass.0")
            tasks.expire_turn(game.id, 0, "1.0.pass.0")
            clock.forward(PASS_IS_UP_S)
            tasks.sweep()
            tasks.expire_turn(game.id, 0, "1.0.pass.0")
        finally:
            runner, tasks._runner = tasks._runner, None
            assert runner is not None
            runner.run(store.close_pool())
            runner.close()

    await asyncio.to_thread(work)
    live.forget_all()
    assert await log(game.id) == [("pass", 1, "cpu"), ("pass", 2, "cpu"), ("pass", 3, "cpu"), ("pass", 0, "timeout")]
