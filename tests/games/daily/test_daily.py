"""The daily deal: one for all, the same CPUs, one try each, and no word of its cards before its day is over."""

from __future__ import annotations

import asyncio
import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from typing import Any, TypeVar

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.core.management import call_command
from django.db import connections
from django.utils import timezone, translation

from accounts.members import merge_guest
from accounts.models import User
from games import account_data, models, verify
from games.codes import deals
from games.daily import boards as daily_boards
from games.daily import days
from games.daily import services as dailies
from games.daily.tasks import settle_dailies
from games.histories import checks as history_checks
from games.histories import selectors as histories
from games.kinds.checks import checks
from games.log import live, services
from games.log.refusals import Rejected
from games.tables import tasks
from tests import factories
from tests.games.daily.daily_play import log_of, play_out
from tests.games.live_site import Clock, orm
from tests.games.processes import PROJECT, environment
from tests.games.tables.test_secrets import CARD

pytestmark = pytest.mark.usefixtures("site")

T = TypeVar("T")
ELSEWHERE = "import django; django.setup(); from tests.games.daily import daily_play; daily_play.main"
DAY = timedelta(days=1).total_seconds()


def deal_of(kind: str = "hearts") -> models.DailyDeal:
    found = dailies.deal_of(kind)
    assert found is not None
    return found


def begin(user: User, kind: str = "hearts") -> int:
    return int(dailies.begin(user=user, daily=deal_of(kind)).pk)


def member(name: str = "") -> User:
    return factories.user(name, is_guest=False)


def row(**wanted: Any) -> models.DailyTry:
    return models.DailyTry.objects.select_related("daily", "game").get(**wanted)


def at_once(work: Callable[[], T], times: int = 6) -> list[T]:
    """The same in several threads with connections of their own, as processes have them."""

    def one(_: int) -> T:
        try:
            return work()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(times) as pool:
        return list(pool.map(one, range(times)))


async def finished(kind: str = "hearts", user: User | None = None) -> tuple[User, int]:
    """Somebody's daily game, played to its end."""
    player = user if user is not None else await orm(member)
    game_id = await orm(begin, player, kind)
    await play_out(game_id)
    return player, game_id


# --- the same for all -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "level"), [("hearts", "normal"), ("hearts", "beginner"), ("spades", "normal")])
async def test_whoever_chooses_alike_meets_the_same_cards_and_cpu_plays_anywhere(kind: str, level: str) -> None:
    daily = await orm(deal_of, kind)
    await orm(lambda: models.DailyDeal.objects.filter(pk=daily.pk).update(cpu_level=level))
    games = [await orm(begin, await orm(factories.user), kind) for _ in range(3)]
    await play_out(games[0])
    await play_out(games[1], fallback=True)  # on a site so busy that tasks get lost
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", f"{ELSEWHERE}({games[2]})"],
        cwd=PROJECT,
        env=environment(PYTHONHASHSEED="77"),
        capture_output=True,
        check=True,
    )
    first, second = await log_of(games[0]), await log_of(games[1])
    assert len(first) > 55
    assert first == second
    assert first == json.loads(done.stdout)


async def test_the_cpus_do_not_choose_by_what_the_game_is_called() -> None:
    user = await orm(factories.user)
    game_id = await orm(begin, user)
    table, position = await live.refresh(game_id)
    assert table.is_daily
    seat, asked = next((seat, asked) for seat, asked in position.asks.items() if seat)
    code = await orm(lambda: models.DailySecret.objects.get().code)
    chosen = {str(tasks._choose(table, position, seat, "beginner", asked.id, luck=code)) for _ in range(5)}
    assert len(chosen) == 1
    others = {str(tasks._choose(table, position, seat, "beginner", asked.id, luck=f"{n}")) for n in range(40)}
    assert len(others) > 1


async def test_a_cpu_whose_worker_has_no_time_left_does_not_play_another_card(monkeypatch: pytest.MonkeyPatch) -> None:
    game_id = await orm(begin, await orm(factories.user))
    position = (await live.refresh(game_id))[1]
    seat, asked = next((seat, asked) for seat, asked in position.asks.items() if seat)

    def too_late(*_: Any) -> None:
        raise SoftTimeLimitExceeded

    monkeypatch.setattr(tasks, "choose_action", too_late)
    with pytest.raises(SoftTimeLimitExceeded):
        await tasks._cpu_turn(game_id, seat, asked.id, True)
    assert (await live.refresh(game_id))[1].ply == position.ply
    solo = await orm(factories.game, 1, 3)
    seat, asked = next((s, a) for s, a in (await live.refresh(solo.id))[1].asks.items() if s)
    await tasks._cpu_turn(solo.id, seat, asked.id, False)  # elsewhere nobody is to wait
    assert (await live.refresh(solo.id))[1].ply == 3


def test_the_version_of_the_cpus_is_that_of_their_sources() -> None:
    assert re.fullmatch(r"[0-9a-f]{16}", dailies.cpu_version())
    assert deal_of().cpu_version == dailies.cpu_version()


def test_several_processes_that_need_the_deal_of_today_make_one() -> None:
    made = at_once(lambda: (deal_of("hearts").pk, deal_of("spades").pk))
    assert len(set(made)) == 1
    assert models.DailyDeal.objects.count() == models.DailySecret.objects.count() == 2
    for daily in models.DailyDeal.objects.all():
        kept = models.DailySecret.objects.get(daily=daily)
        assert deals.commitment(bytes(kept.secret)) == daily.commitment
        assert (daily.code, daily.secret, daily.cpu_level) == ("", "", "normal")


def test_a_day_begins_at_midnight_in_tokyo(clock: Clock) -> None:
    clock.at = days.begins_at(date(2026, 4, 2)) - timedelta(seconds=1)
    assert deal_of().day == date(2026, 4, 1)
    clock.forward(1)
    assert deal_of().day == date(2026, 4, 2)
    assert dailies.deal_of("hearts", date(2026, 4, 3)) is None
    assert dailies.deal_of("hearts", date(2026, 3, 31)) is None
    codes = models.DailySecret.objects.values_list("code", flat=True)
    assert len(set(codes)) == 2


def test_of_a_kind_of_which_nothing_is_offered_there_is_no_deal() -> None:
    models.RulePreset.objects.filter(slug="spades-short").update(is_active=False)
    assert deal_of("spades").preset_version.preset.slug == "spades-standard"
    models.DailySecret.objects.all().delete()
    models.DailyDeal.objects.all().delete()
    models.RulePreset.objects.filter(kind="spades").update(is_active=False)
    assert dailies.deal_of("spades") is None


# --- one try ----------------------------------------------------------------------------------------------------------


def test_whoever_presses_often_or_on_two_devices_has_one_try() -> None:
    user, daily = factories.user(), deal_of()
    games = at_once(lambda: dailies.begin(user=user, daily=daily).pk)
    assert len(set(games)) == 1
    assert models.Game.objects.count() == 1
    other = begin(factories.user())
    assert other not in games


async def test_a_try_that_was_left_goes_on_and_one_that_is_over_is_not_played_again() -> None:
    user, game_id = await finished()
    assert await orm(begin, user) == game_id
    with pytest.raises(Rejected) as refused:
        await services.rematch(game_id=game_id, seat=0)
    assert refused.value.code == "no_rematch"


async def test_a_try_notes_how_it_went() -> None:
    for kind in ("hearts", "spades"):
        _user, game_id = await finished(kind)
        found: Any = await orm(row, game=game_id)
        state = (await live.refresh(game_id))[1].state
        result = found.game.result
        assert found.ended_at is not None
        assert not found.is_late
        assert found.place == result["placings"][0]
        assert found.score == result["scores"][0] == sum(found.deals)
        assert len(found.deals) == state.deal
        assert found.edge == (-found.score if kind == "hearts" else found.score - result["scores"][1])


def test_a_try_that_is_closed_without_a_result_is_over_and_stays_sealed() -> None:
    user = factories.user()
    game_id = begin(user)
    admin = factories.user("root", is_staff=True)
    services.close_game(game_id=game_id, reason="admin", by=admin)
    found = row(game=game_id)
    assert (found.place, found.ended_at is None, found.game.code) == (None, False, "")
    assert daily_boards.standing_of(found.daily, user, dailies.today()).state == "void"
    assert begin(user) == game_id


def test_neither_repair_nor_the_export_of_an_account_tells_the_cards_before_the_day_is_over() -> None:
    user = member()
    game = begin(user)
    services.close_game(game_id=game, reason="admin", by=member())
    code = models.GameSecret.objects.get(game=game).code
    models.Game.objects.filter(pk=game).update(ply=1)
    call_command("check_histories", "--repair", stdout=io.StringIO(), stderr=io.StringIO())
    assert models.Game.objects.values_list("code", "status").get(pk=game) == ("", "void")
    told = json.dumps([list(found) for _, found in [account_data.export_games(user)]])
    assert '"pack"' not in told
    assert code not in told
    assert "hand" in told


def test_a_deal_of_another_day_is_not_begun(clock: Clock) -> None:
    daily, user = deal_of(), factories.user()
    clock.forward(DAY)
    with pytest.raises(dailies.DayOver):
        dailies.begin(user=user, daily=daily)
    assert not models.Game.objects.exists()


async def test_a_try_may_end_after_its_day_but_then_counts_as_late(clock: Clock) -> None:
    user = await orm(member)
    game_id = await orm(begin, user)
    daily = await orm(deal_of)
    clock.forward(DAY)
    await orm(dailies.publish, clock.now())
    assert (await orm(lambda: models.Game.objects.get(pk=game_id))).code == ""  # it is running
    await play_out(game_id)
    found = await orm(row, game=game_id)
    assert found.is_late
    assert await orm(lambda: list(daily_boards.listed(daily))) == []
    assert (await orm(daily_boards.standing_of, daily, user, dailies.today())).state == "late"
    assert await orm(dailies.publish, clock.now()) == 1
    assert (await orm(row, game=game_id)).game.code != ""


@pytest.mark.parametrize("guest_is_first", [True, False])
async def test_of_a_guests_try_and_the_accounts_the_first_counts(guest_is_first: bool, clock: Clock) -> None:
    guest, account = await orm(factories.user), await orm(member)
    games = []
    for user in (guest, account) if guest_is_first else (account, guest):
        games.append(await orm(begin, user))
        clock.forward(1)
    await orm(merge_guest, guest=guest, member=account)
    assert (await orm(row, game=games[0])).user_id == account.pk
    second = await orm(row, game=games[1])
    assert second.user_id is None
    assert await orm(begin, account) == games[0]
    await play_out(games[1])  # it is still his, and still nobody else's to see
    second = await orm(row, game=games[1])
    assert (second.game.code, second.ended_at is None) == ("", False)
    assert await orm(lambda: list(daily_boards.listed(second.daily))) == []


async def test_a_guests_try_becomes_the_accounts() -> None:
    guest, account = await orm(factories.user), await orm(member)
    _user, game_id = await finished(user=guest)
    await orm(merge_guest, guest=guest, member=account)
    assert (await orm(row, game=game_id)).user_id == account.pk


# --- when the day is over ---------------------------------------------------------------------------------------------


async def test_secret_and_code_come_when_the_day_is_over_and_prove_the_deal(clock: Clock) -> None:
    user, game_id = await finished()
    other, left = await orm(factories.user), await orm(begin, await orm(factories.user))
    game = await orm(lambda: models.Game.objects.get(pk=game_id))
    assert (game.is_sealed, game.code) == (True, "")
    with pytest.raises(histories.Sealed):
        await orm(histories.record_of, game)
    assert await orm(history_checks.faults_of, game) == []
    assert await orm(dailies.publish, clock.now()) == 0
    clock.forward(DAY)
    await orm(settle_dailies)
    await orm(settle_dailies)
    game = await orm(lambda: models.Game.objects.get(pk=game_id))
    daily = (await orm(row, game=game_id)).daily
    assert daily.published_at == clock.now()
    assert not game.is_sealed
    assert game.code == daily.code
    assert deals.commitment(bytes.fromhex(daily.secret)) == daily.commitment
    record = await orm(histories.record_of, game)
    assert (record["secret"], record["commitment"]) == (daily.secret, daily.commitment)
    assert verify.check_record(record, checks()) == []
    assert await orm(history_checks.faults_of, game) == []
    assert (await orm(lambda: models.Game.objects.get(pk=left))).code == ""
    for visitor in (user, other):
        assert await orm(histories.finished_game, visitor, game_id) is not None


async def test_what_was_missed_is_published_later(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    games = [(await finished())[1] for _ in range(3)]
    clock.forward(5 * DAY)
    monkeypatch.setattr(dailies, "MOST_PUBLISHED", 2)
    assert await orm(dailies.publish, clock.now()) == 2
    assert await orm(dailies.publish, clock.now()) == 1
    assert await orm(dailies.publish, clock.now()) == 0
    assert await orm(lambda: models.Game.objects.filter(pk__in=games, code="").count()) == 0


def test_beats_in_several_processes_publish_once(clock: Clock) -> None:
    deal_of()
    clock.forward(DAY)
    at_once(lambda: dailies.publish(timezone.now()))
    daily = models.DailyDeal.objects.get()
    assert daily.published_at is not None
    assert daily.code == models.DailySecret.objects.get(daily=daily).code


# --- boards and words -------------------------------------------------------------------------------------------------


def ended(user: User, place: int, score: int, *, kind: str = "hearts", **fields: Any) -> models.DailyTry:
    """A try that is over, without the play."""
    game_id = begin(user, kind)
    values = {"ended_at": timezone.now(), "place": place, "score": score, "edge": -score, "deals": [score], **fields}
    models.DailyTry.objects.filter(game=game_id).update(**values)
    models.Game.objects.filter(pk=game_id).update(status="finished")
    return row(game=game_id)


def veteran(name: str = "", games: int = 2) -> User:
    user = member(name)
    for _ in range(games):
        game = services.open_game(kind="hearts", seats=[user, *["normal"] * 3])
        models.Game.objects.filter(pk=game.pk).update(status="finished")
    return user


def test_a_board_lists_accounts_with_three_finished_games_the_best_first() -> None:
    daily = deal_of()
    ended(veteran("ann"), 2, 9)
    ended(veteran("bob"), 1, 30)
    ended(veteran("cid"), 1, 20)
    ended(veteran("dot"), 1, 20)
    ended(veteran("new", games=1), 1, 0)
    ended(factories.user("guest"), 1, 0)
    ended(veteran("gone"), 1, 0)
    User.objects.filter(username="gone").update(closed_at=timezone.now())
    ended(veteran("late"), 1, 0, is_late=True)
    begin(veteran("running"))
    ann = User.objects.get(username="ann")
    board = daily_boards.board_of(daily, ann)
    assert [(line.rank, line.name) for line in board.rows] == [(1, "Cid"), (1, "Dot"), (3, "Bob"), (4, "Ann")]
    assert (board.listed, board.own_rank, board.own_is_below) == (4, 4, False)
    assert [line.game is not None for line in board.rows] == [False, False, False, True]
    short = daily_boards.board_of(daily, ann, 2)
    assert (len(short.rows), short.own_is_below) == (2, True)
    assert daily_boards.board_of(daily, User.objects.get(username="new")).own_rank is None


def test_a_deal_has_one_of_four_grades() -> None:
    hearts, spades = deal_of("hearts"), deal_of("spades")
    tried = models.DailyTry(deals=[-26, 0, 1, 6, 7, 12, 13, 26])
    assert daily_boards.grades_of(hearts, tried) == ["good"] * 2 + ["fair"] * 2 + ["poor"] * 2 + ["bad"] * 2
    tried = models.DailyTry(deals=[120, 40, 39, 1, 0, -50])
    assert daily_boards.grades_of(spades, tried) == ["good"] * 2 + ["fair"] * 2 + ["bad"] * 2


@pytest.mark.parametrize("language", ["en", "ja"])
async def test_the_text_to_share_names_no_card_and_no_code(language: str) -> None:
    for kind in ("hearts", "spades"):
        user, game_id = await finished(kind)
        found = await orm(row, game=game_id)
        kept = await orm(models.DailySecret.objects.get, daily=found.daily)

        def told(found: models.DailyTry = found, user: User = user) -> str:
            with translation.override(language):
                standing = daily_boards.standing_of(found.daily, user, dailies.today())
                return daily_boards.share_text(found.daily, standing, 3, "https://example.org/daily/")

        text = await orm(told)
        assert CARD.findall(text) == []
        assert not set("♠♥♦♣🂠🂡🂱") & set(text)
        assert kept.code not in text
        assert found.daily.day.isoformat() in text
        assert len(text.splitlines()) == 4
        assert len(text.splitlines()[2]) == len(found.deals)
