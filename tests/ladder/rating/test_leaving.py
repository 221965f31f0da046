"""Abandoned or not, from the log alone; how long a leaver may not queue."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from ladder.rating.leaving import Ended, Played, leavers, queue_lock


def deal(number: int, *causes: str, seat: int = 0) -> list[Played]:
    return [Played(seat, number, cause, "play") for cause in causes]


ME, CPU, CLOCK = "player", "cpu", "timeout"


@pytest.mark.parametrize(
    ("log", "left"),
    [
        pytest.param(deal(1, *[ME] * 13) + deal(2, *[ME] * 13), False, id="stayed"),
        pytest.param(deal(1, *[ME] * 13) + deal(2, *[CPU] * 13), True, id="none of his own in the last deal"),
        pytest.param(deal(1, *[ME] * 13) + deal(2, *[CLOCK] * 2, *[CPU] * 11), True, id="clock and stand-in"),
        pytest.param(deal(1, *[ME] * 13) + deal(2, *[CPU] * 12, ME), False, id="came back for the last trick"),
        pytest.param(deal(1, *[CPU] * 13) + deal(2, *[ME] * 13), False, id="just half"),
        pytest.param(deal(1, *[CPU] * 13) + deal(2, CPU, *[ME] * 12), True, id="fewer than half"),
        pytest.param(deal(1, *[CPU] * 13) + deal(2, *[CPU] * 12, ME), True, id="back too late"),
        pytest.param([], False, id="was never asked for a card"),
    ],
)
def test_abandoned_is_read_from_the_log_alone(log: list[Played], left: bool) -> None:
    assert (leavers(log, [0]) == {0}) is left


def test_passes_bids_and_stand_ins_are_no_plays() -> None:
    log = [*deal(1, *[ME] * 13), *deal(2, *[CPU] * 13), Played(0, 2, ME, "pass"), Played(0, 2, ME, "back")]
    assert leavers(log, [0]) == {0}


def test_m12_whoever_waits_for_others_has_not_left() -> None:
    log = deal(1, *[ME] * 4, seat=0) + deal(1, *[ME] * 3, CLOCK, CLOCK, *[CPU] * 8, seat=1)
    assert leavers(log, [0, 1]) == {1}


def test_a_deal_without_a_card_of_a_seat_says_nothing_about_it() -> None:
    log = deal(1, *[ME] * 13, seat=0) + deal(1, *[ME] * 13, seat=1) + deal(2, CPU, seat=1)
    assert leavers(log, [0, 1]) == {1}


def test_an_unscored_deal_can_be_left_out() -> None:
    log = deal(1, *[ME] * 13) + deal(2, *[CPU] * 3)
    assert leavers(log, [0]) == {0}
    assert leavers(log, [0], last_scored_deal=1) == frozenset()


# --- locks ------------------------------------------------------------------------------------------------------------

BEGIN = datetime(2026, 11, 1, tzinfo=UTC)


def history(*days: float, stayed: int = 0) -> list[Ended]:
    """Abandoned games at these days, each followed by games that were played to the end."""
    games = []
    for day in days:
        at = BEGIN + timedelta(days=day)
        games += [Ended(at - timedelta(hours=1), False)] * stayed + [Ended(at, True)]
    return games


def minutes(*days: float, stayed: int = 0) -> float | None:
    lock = queue_lock(history(*days, stayed=stayed))
    return None if lock is None else lock.length / timedelta(minutes=1)


def test_one_abandoned_game_brings_no_lock() -> None:
    assert minutes(1) is None
    assert minutes() is None
    assert minutes(0, 5, stayed=20) is None, "not two among the last twenty"
    assert minutes(0, 5, stayed=18) == 10


def test_each_repeat_within_three_days_locks_three_times_as_long() -> None:
    repeats = [minutes(*[0.5 * day for day in range(number)]) for number in range(2, 11)]
    assert repeats == [10, 30, 90, 270, 810, 2430, 2880, 2880, 2880]


def test_locks_fade() -> None:
    assert minutes(0, 1, 2, 3) == 90
    assert minutes(0, 1, 2, 5.5) == 30, "one step less after three days"
    assert minutes(0, 1, 2, 9) == 10
    assert minutes(0, 1, 2, 300) == 10, "never less than ten minutes"


def test_a_lock_says_when_it_ends_and_a_game_played_to_the_end_brings_none() -> None:
    games = history(0, 1)
    lock = queue_lock(games)
    assert lock is not None
    assert lock.until == games[-1].at + timedelta(minutes=10)
    assert queue_lock([*games, Ended(games[-1].at, False)]) is None
