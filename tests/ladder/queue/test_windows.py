"""Who may be seated together, by ratings and waiting alone."""

from __future__ import annotations

import time
from collections import Counter
from decimal import Decimal
from random import Random

import pytest

from ladder.queue.windows import Found, Waiter, fit, may_pair, seats, tables, window


def waiter(user: int, rating: float = 1500, waited_s: float = 0, *, cpu: bool = False) -> Waiter:
    return Waiter((user,), Decimal(str(rating)), waited_s, cpu)


def pair(first: int, second: int, rating: float = 1500, waited_s: float = 0) -> Waiter:
    return Waiter((first, second), Decimal(str(rating)), waited_s)


def found(*waiters: Waiter, apart: set[frozenset[int]] | None = None, with_cpu: bool = False) -> list[Found]:
    return list(tables(waiters, 4, apart or set(), with_cpu=with_cpu))


def users(*waiters: Waiter, apart: set[frozenset[int]] | None = None, with_cpu: bool = False) -> list[set[int]]:
    return [set(table.users) for table in found(*waiters, apart=apart, with_cpu=with_cpu)]


@pytest.mark.parametrize(
    ("waited_s", "wide"), [(-1, 100), (0, 100), (0.9, 100), (1, 105), (60, 400), (119.9, 695), (120, None), (9e9, None)]
)
def test_the_window_grows_by_five_a_second_and_opens_after_two_minutes(waited_s: float, wide: int | None) -> None:
    assert window(waited_s) == wide


@pytest.mark.parametrize(
    ("one", "other", "fits"),
    [
        (waiter(1, 1500), waiter(2, 1600), True),
        (waiter(1, 1500), waiter(2, 1600.01), False),
        (waiter(1, 1500, 20), waiter(2, 1700, 20), True),
        (waiter(1, 1500, 20), waiter(2, 1700, 19), False),
        (waiter(1, 1500, 500), waiter(2, 1700, 19), False),
        (waiter(1, 1500, 500), waiter(2, 1595, 0), True),
        (waiter(1, 500, 500), waiter(2, 2500, 120), True),
    ],
)
def test_both_windows_have_to_reach_the_other(one: Waiter, other: Waiter, fits: bool) -> None:
    assert fit(one, other) == fit(other, one) == fits


def test_whoever_has_waited_longest_is_served_first() -> None:
    waiting = [waiter(number, waited_s=number) for number in range(1, 10)]
    assert users(*waiting) == [{9, 8, 7, 6}, {5, 4, 3, 2}]


def test_all_at_a_table_fit_all_others() -> None:
    low, high = (waiter(number, 1420 + 50 * number) for number in (0, 3))
    middle = [waiter(number, 1500, 1) for number in (5, 6, 7)]
    assert users(low, high, *middle[:2]) == []
    assert users(low, high, *middle) == [{0, 5, 6, 7}]


def test_one_far_away_does_not_hold_up_the_others() -> None:
    strong = waiter(9, 2200, 100)
    assert users(strong, *(waiter(number) for number in range(4))) == [{0, 1, 2, 3}]


def test_nobody_meets_himself() -> None:
    assert users(*[waiter(1), waiter(1), waiter(2), waiter(3)]) == []


def test_two_who_are_apart_are_not_seated_together_and_others_are() -> None:
    waiting = [waiter(number, waited_s=9 - number) for number in range(5)]
    assert users(*waiting[:4], apart={frozenset((0, 3))}) == []
    assert users(*waiting, apart={frozenset((0, 3))}) == [{0, 1, 2, 4}]


def test_a_cpu_sits_down_only_if_all_three_agree_and_the_first_has_waited_45_seconds() -> None:
    def three(waited_s: float, *agree: bool) -> list[Waiter]:
        return [waiter(number, waited_s=waited_s if not number else 1, cpu=cpu) for number, cpu in enumerate(agree)]

    assert found(*three(45, True, True, True), with_cpu=True)[0].cpus == 1
    assert users(*three(44, True, True, True), with_cpu=True) == []
    assert users(*three(50, True, True, False), with_cpu=True) == []
    assert users(*three(50, False, True, True), with_cpu=True) == []
    assert users(*three(50, True, True, True), with_cpu=False) == []
    assert users(*three(50, True, True), with_cpu=True) == []


def test_four_people_go_before_three_and_a_cpu() -> None:
    agreeing = [waiter(number, waited_s=60, cpu=True) for number in range(3)]
    (table,) = found(*agreeing, waiter(7), with_cpu=True)
    assert (set(table.users), table.cpus) == ({0, 1, 2, 7}, 0)


def test_pairs_are_matched_whole_by_their_mean() -> None:
    assert users(pair(1, 2), pair(3, 4)) == [{1, 2, 3, 4}]
    assert users(pair(1, 2), waiter(3), waiter(4)) == [{1, 2, 3, 4}]
    assert users(pair(1, 2), pair(3, 4, 1650)) == []
    assert users(pair(1, 2, waited_s=3), waiter(3, waited_s=2), pair(4, 5, waited_s=1)) == [{1, 2, 4, 5}]


@pytest.mark.parametrize(("other", "may"), [("1900", True), ("1100", True), ("1900.01", False), ("1099.99", False)])
def test_partners_are_at_most_400_apart(other: str, may: bool) -> None:
    assert may_pair(Decimal(1500), Decimal(other)) is may


def test_partners_sit_across_and_all_else_is_drawn_by_lot() -> None:
    places: Counter[tuple[int | None, ...]] = Counter()
    for seed in range(400):
        drawn = seats([(1, 2), (3,), (4,)], 4, Random(seed))
        assert sorted(seat for seat in drawn if seat) == [1, 2, 3, 4]
        assert abs(drawn.index(1) - drawn.index(2)) == 2
        places[tuple(drawn)] += 1
    assert len(places) == 8
    both = seats([(1, 2), (3, 4)], 4, Random(1))
    assert {frozenset((both[0], both[2])), frozenset((both[1], both[3]))} == {frozenset((1, 2)), frozenset((3, 4))}
    assert {seats([(1,), (2,), (3,)], 4, Random(seed)).index(None) for seed in range(40)} == {0, 1, 2, 3}


def test_a_crowd_that_hardly_fits_is_looked_through_in_no_time() -> None:
    rng = Random(5)
    crowd = [waiter(number, rng.gauss(1500, 400), rng.uniform(0, 200)) for number in range(300)]
    apart = {frozenset(rng.sample(range(300), 2)) for _ in range(3000)}
    began = time.process_time()
    made = found(*crowd, apart=apart)
    assert time.process_time() - began < 2
    seated = [user for table in made for user in table.users]
    assert len(seated) == len(set(seated)) > 100
    for table in made:
        for one in table.waiters:
            for other in table.waiters:
                assert one == other or (fit(one, other) and frozenset((*one.users, *other.users)) not in apart)
