"""Ranked games that end without a result: by vote, because somebody never came, after a long outage, by the site."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from accounts.models import User
from games import models
from games.log import live, outages, services
from games.log.refusals import Rejected
from games.models import Game
from games.tables import tasks, votes
from ladder import tasks as ladder_tasks
from ladder.models import Abandon, RankedGame, Rating, RatingChange
from ladder.rating import services as ladder_services
from ladder.rating.services import NotSettled
from tests import factories
from tests.games.live_site import Browser, Clock, in_phase, is_over, orm, play, play_until
from tests.ladder.finished import SHORT, ladder, members

pytestmark = pytest.mark.usefixtures("site")

#: Longer than the time for a pass or a bid at a table of 30 s, or for a card.
LONG_UP_S, UP_S = 61.5, 31.5


def open_ranked(users: Sequence[User | str], kind: str = "hearts") -> int:
    """A ranked game that has just begun."""
    game = services.open_game(kind=kind, seats=users, options=SHORT[kind], timer_s=30, may_watch=True)
    factories.deal(game.pk)
    ladder_services.enter(game=game, ladder=ladder(kind))
    return int(game.pk)


async def opened(users: list[User] | None = None, kind: str = "hearts") -> tuple[int, list[User]]:
    if users is None:
        users = await orm(members)
    return await orm(open_ranked, users, kind), users


async def status(game: int) -> tuple[str, str]:
    """The status of a game, and why it is void."""
    row = await orm(Game.objects.get, pk=game)
    return row.status, (await live.refresh(game))[1].void


async def abandons(user: User) -> int:
    return await orm(Abandon.objects.filter(user=user).count)


async def miss(game: int, seat: int, clock: Clock) -> None:
    """Lets the time of a seat run out; everybody else is there."""
    asked = (await live.refresh(game))[1].asks[seat]
    assert asked.due_at is not None
    clock.at = max(clock.at, asked.due_at + timedelta(seconds=1.5))
    await orm(models.Player.objects.filter(game=game).update, seen_at=clock.at)
    await tasks._expire_turn(game, seat, asked.id)


async def never_act(game: int, seat: int, clock: Clock) -> None:
    """Everybody plays but one seat, whose time runs out until something is done about it, or trick one is over."""
    for _ in range(40):
        position = (await live.refresh(game))[1]
        if position.is_over or seat in position.stand_ins or position.state.tricks:
            return
        others = [other for other in position.asks if other != seat]
        if others:
            await play(game, others[0])
        else:
            await miss(game, seat, clock)
    raise AssertionError("nothing came of it")


# --- somebody never came ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["hearts", "spades"])
@pytest.mark.parametrize("seat", [0, 1, 2, 3])
async def test_m04_a_game_that_somebody_never_came_to_is_void_before_trick_one_ends_and_he_has_abandoned_it(
    kind: str, seat: int, clock: Clock
) -> None:
    game, users = await opened(kind=kind)
    await never_act(game, seat, clock)
    assert await status(game) == ("void", "absent")
    end = (await orm(factories.log_of, game))[-1]
    assert (end.kind, end.seat, end.data) == ("void", seat, {"reason": "absent"})
    assert [await abandons(user) for user in users] == [int(other == seat) for other in range(4)]
    assert not await orm(RatingChange.objects.exists)
    with pytest.raises(NotSettled):
        await orm(ladder_services.rate_game, game)
    await orm(ladder_tasks.rate_missed)
    assert not await orm(Rating.objects.exists), "a void game leaves nothing behind"


async def test_m04_the_second_of_a_day_is_played_on_and_rated_and_the_next_day_begins_anew(clock: Clock) -> None:
    clock.at = clock.at.replace(hour=3, minute=0)  # noon in Tokyo
    game, users = await opened()
    await never_act(game, 2, clock)
    clock.forward(3_600)
    second, _ = await opened(users)
    await never_act(second, 2, clock)
    position = (await live.refresh(second))[1]
    assert (position.void, position.stand_ins) == ("", {2})
    await play_until(second, is_over)
    await orm(ladder_services.rate_game, second)
    change = await orm(RatingChange.objects.get, game=second, user=users[2])
    assert change.has_left
    assert await abandons(users[2]) == 2
    clock.forward(24 * 3_600)
    third, _ = await opened(users)
    await never_act(third, 2, clock)
    assert await status(third) == ("void", "absent")
    until = (await orm(ladder_services.locks_of, [users[2].pk])).get(users[2].pk)
    assert until is not None, "games that were void because he never came count for the lock of the queue"
    assert until > clock.at


async def test_m04_others_of_the_same_table_are_free_to_go_and_keep_what_they_had(clock: Clock) -> None:
    game, users = await opened()
    await never_act(game, 1, clock)
    again, _ = await opened([users[0], *(await orm(members, 1)), *users[2:]])
    await never_act(again, 0, clock)
    assert await status(again) == ("void", "absent"), "it was another who never came before"
    assert [await abandons(user) for user in users] == [1, 1, 0, 0]


async def test_m05_who_has_acted_once_and_leaves_is_rated_from_the_first_deal_on(clock: Clock) -> None:
    game, users = await opened()
    await play(game, 1)  # the pass
    await services.leave(game_id=game, seat=1, client_id="gone")
    position = (await live.refresh(game))[1]
    assert (position.void, position.stand_ins) == ("", {1})
    await play_until(game, is_over)
    await orm(ladder_services.rate_game, game)
    assert (await orm(RatingChange.objects.get, game=game, user=users[1])).has_left
    assert await abandons(users[1]) == 1


async def test_m05_who_never_acts_after_trick_one_is_rated_too(clock: Clock) -> None:
    game, _users = await opened()
    position = (await live.refresh(game))[1]
    await miss(game, 3, clock)
    while not position.state.tricks:
        seat = min(position.asks)
        await play(game, seat) if seat != 3 else await miss_once(game, clock)
        position = (await live.refresh(game))[1]
    await services.leave(game_id=game, seat=3, client_id="gone")
    assert await status(game) == ("playing", "")


async def miss_once(game: int, clock: Clock) -> None:
    """Seat 3 answers just now: one missed turn alone gives nobody a stand-in."""
    position = (await live.refresh(game))[1]
    action = factories.answer(await orm(factories.table_of, game), position, 3)
    ask = position.asks[3].id
    await services.submit_action(game_id=game, seat=3, ask=ask, action=action, cause="player")


async def test_leaving_without_a_single_act_and_being_offline_end_a_game_as_two_missed_turns_do(clock: Clock) -> None:
    game, users = await opened()
    receipt = await services.leave(game_id=game, seat=0, client_id="gone")
    assert await status(game) == ("void", "absent")
    assert (await orm(factories.log_of, game))[-1].ply == receipt.ply
    other, _ = await opened(users)
    clock.forward(58)
    await orm(models.Player.objects.filter(game=other).exclude(seat=1).update, seen_at=clock.at)
    clock.forward(3)
    for part in ("web", "sweep"):
        row = models.Heartbeat(name=part, seen_at=clock.at, web_seen_at=clock.at)
        await orm(row.save)
    await tasks._sweep()
    assert await status(other) == ("void", "absent")
    assert [await abandons(user) for user in users] == [1, 1, 0, 0]


async def test_a_game_that_is_not_ranked_is_played_on_without_whoever_never_came(clock: Clock) -> None:
    game = await orm(factories.game, 4, timer_s=30)
    await never_act(game.id, 1, clock)
    assert (await live.refresh(game.id))[1].stand_ins == {1}
    assert not await orm(Abandon.objects.exists)


async def test_everybody_at_the_table_is_told_who_never_came(clock: Clock) -> None:
    game, users = await opened()
    browser = await Browser(game, users[0]).open()
    await services.leave(game_id=game, seat=2, client_id="gone")
    told = await browser.until("news", void="absent")
    event = told["events"][-1]
    assert (event["event"], event["seat"], event["reason"]) == ("void", 2, "absent")
    assert told["view"]["ask"] is None


# --- by vote ----------------------------------------------------------------------------------------------------------


async def vote(game: int, seat: int) -> None:
    await votes.vote(game_id=game, seat=seat, about="void", target=None, on=True)


async def test_a_ranked_game_is_void_by_vote_twice_a_day_for_each_who_votes_and_leaves_no_mark(clock: Clock) -> None:
    clock.at = clock.at.replace(hour=3, minute=0)
    users = await orm(members, 7)
    for _ in range(2):
        game, _ = await opened(users[:4])
        for seat in range(4):
            await vote(game, seat)
        assert await status(game) == ("void", "vote")
    third, _ = await opened([users[0], *users[4:]])
    for seat in (1, 2, 3):
        await vote(third, seat)
    with pytest.raises(Rejected, match="void_limit"):
        await vote(third, 0)
    assert await status(third) == ("playing", "")
    browser = await Browser(third, users[0]).open()
    await browser.send({"type": "vote", "id": "v", "about": "void", "target": None, "on": True})
    assert (await browser.word_on("v"))["code"] == "void_limit"
    clock.forward(24 * 3_600)
    await vote(third, 0)
    assert await status(third) == ("void", "vote")
    assert not await orm(Abandon.objects.exists)
    assert not await orm(RatingChange.objects.exists)


async def test_whoever_a_cpu_stands_in_for_has_no_vote_and_loses_none_by_it(clock: Clock) -> None:
    users = await orm(members)
    for _ in range(2):
        game, _ = await opened(users)
        await play_until(game, in_phase("play"))
        await services.leave(game_id=game, seat=3, client_id="gone")
        for seat in range(3):
            await vote(game, seat)
        assert await status(game) == ("void", "vote")
    other, _ = await opened([users[3], *(await orm(members, 3))])
    await vote(other, 0)
    with pytest.raises(Rejected, match="void_limit"):
        await vote((await opened(users))[0], 0)


async def test_tables_that_are_not_ranked_vote_as_often_as_they_like() -> None:
    users = await orm(members)
    for _ in range(3):
        game = await orm(services.open_game, kind="hearts", seats=users, timer_s=30)
        await orm(factories.deal, game.pk)
        for seat in range(4):
            await vote(game.pk, seat)
        assert await status(game.pk) == ("void", "vote")


# --- the site's own faults --------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def _another_process() -> None:
    outages._given.clear()


async def outage(clock: Clock, minutes: float, *, ago: float = 0, part: str = "sweep") -> None:
    to_at = clock.now() - timedelta(minutes=ago)
    row = models.Outage(part=part, from_at=to_at - timedelta(minutes=minutes), to_at=to_at)
    await orm(row.save)


async def test_m12_after_more_than_ten_minutes_running_ranked_games_are_void_and_nobody_has_left(clock: Clock) -> None:
    game, _users = await opened()
    casual = await orm(factories.game, 4, timer_s=30)
    clock.forward(11 * 60)
    later, _ = await opened(await orm(members))
    await outage(clock, 10.5, ago=0.01)
    await outages.give_back(clock.now())
    outages._given.clear()  # another process finds the same outage
    await outages.give_back(clock.now())
    assert await status(game) == ("void", "outage")
    assert await status(casual.id) == ("playing", "")
    assert await status(later) == ("playing", ""), "it was opened after the outage"
    assert not await orm(Abandon.objects.exists)
    assert not await orm(RatingChange.objects.exists)
    kinds = await orm(factories.kinds_of, game)
    assert kinds.count("void") == 1


async def test_many_games_are_ended_by_one_sweep_after_the_other_and_a_broken_one_holds_up_none(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outages, "MOST_ENDED", 2)
    users = [await orm(members) for _ in range(4)]
    games = [(await opened(each))[0] for each in users]
    await orm(Game.objects.filter(pk=games[0]).update, options={"end_score": "broken"})
    live.forget_all()
    clock.forward(12 * 60)
    await outage(clock, 11.5)
    for ended in (2, 3, 3):
        await outages.give_back(clock.now())
        assert await orm(Game.objects.filter(status="void").count) == ended
        for game in games[1:]:
            asks = (await orm(Game.objects.get, pk=game)).asks
            assert all(due > clock.at.timestamp() * 1000 for _, due in asks.values()), "nobody's time is up meanwhile"
    assert await status(games[3]) == ("void", "outage")


async def test_m12_up_to_ten_minutes_are_given_back_and_the_game_goes_on(clock: Clock) -> None:
    game, _ = await opened()
    clock.forward(9 * 60)
    await outage(clock, 9)
    await outages.give_back(clock.now())
    assert await status(game) == ("playing", "")
    position = (await live.refresh(game))[1]
    assert all(asked.due_at is not None and asked.due_at >= clock.at for asked in position.asks.values())


async def test_m12_parts_of_the_site_that_were_down_one_after_the_other_are_one_outage(clock: Clock) -> None:
    game, _ = await opened()
    clock.forward(12 * 60)
    await outage(clock, 6, ago=6)
    await outage(clock, 6, part="web")
    await outages.give_back(clock.now())
    assert await status(game) == ("void", "outage")


async def test_m12_nobody_is_the_leaver_of_a_game_that_the_site_has_ended(clock: Clock) -> None:
    game, users = await opened()
    await play_until(game, in_phase("play"))
    await services.leave(game_id=game, seat=1, client_id="gone")
    await services.void_game(game_id=game, reason="outage")
    assert not await orm(Abandon.objects.exists)
    by = await orm(factories.user)
    other, _ = await opened(users)
    await orm(services.close_game, game_id=other, reason="admin", by=by)
    assert not await orm(Abandon.objects.exists)
    with pytest.raises(NotSettled):
        await orm(ladder_services.rate_game, other)


async def test_m12_a_seat_that_is_not_asked_is_never_the_one_that_has_left(clock: Clock) -> None:
    game, _users = await opened()
    position = await play_until(game, in_phase("play"))
    waiting = next(seat for seat in range(4) if seat not in position.asks)
    clock.forward(20)
    asked = min(position.asks)
    await orm(models.Player.objects.filter(game=game, seat=asked).update, seen_at=clock.at)
    await orm(models.Player.objects.filter(game=game, seat=waiting).update, seen_at=clock.at - timedelta(seconds=90))
    for part in ("web", "sweep"):
        row = models.Heartbeat(name=part, seen_at=clock.at, web_seen_at=clock.at)
        await orm(row.save)
    await tasks._sweep()
    assert (await live.refresh(game))[1].stand_ins == frozenset()


def test_the_time_without_the_site_is_counted_without_a_break() -> None:
    from datetime import UTC, datetime  # noqa: PLC0415

    def at(minute: float) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minute)

    def minutes(until: float, *spans: tuple[float, float]) -> Any:
        found = outages.without_break([(at(begin), at(end)) for begin, end in spans], at(until))
        return found.total_seconds() / 60

    assert minutes(5, (0, 5)) == 5
    assert minutes(12, (0, 6), (6, 12)) == 12
    assert minutes(12, (0, 5.9), (6, 12)) == 6
    assert minutes(20, (8, 12), (0, 10), (5, 20)) == 20
    assert minutes(6, (0, 6), (6, 12)) == 6


async def test_ending_twice_is_harmless(clock: Clock) -> None:
    game, users = await opened()
    await services.leave(game_id=game, seat=0, client_id="gone")
    for _ in range(2):
        with pytest.raises(Rejected, match="stale"):
            await services.void_game(game_id=game, reason="vote")
    from ladder.rating.voids import note_absent  # noqa: PLC0415

    row = await orm(Game.objects.get, pk=game)
    await orm(note_absent, row)
    assert await abandons(users[0]) == 1
    assert await orm(RankedGame.objects.filter(rated_at__isnull=True).count) == 1
