"""How often something may be done in one process."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from games.tables import rates


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    clock = SimpleNamespace(at=100.0)
    clock.monotonic = lambda: clock.at
    monkeypatch.setattr(rates, "time", clock)
    return clock


def taken(from_: rates.Bucket | rates.Window, most: int = 100) -> int:
    return next((number for number in range(most) if not from_.take()), most)


def test_a_bucket_fills_at_its_rate_and_no_further_than_its_level(now: SimpleNamespace) -> None:
    bucket = rates.Bucket(2.0, 5.0)
    assert bucket.is_idle()
    assert taken(bucket) == 5
    now.at += 1.5
    assert taken(bucket) == 3
    assert not bucket.is_idle()
    now.at += 60
    assert bucket.is_idle()
    assert taken(bucket) == 5


def test_a_window_is_free_again_for_each_that_has_left_it(now: SimpleNamespace) -> None:
    window = rates.Window(3, 10.0)
    assert window.take()
    now.at += 4
    assert taken(window) == 2
    now.at += 6
    assert taken(window) == 1
    now.at += 4
    assert taken(window) == 2


def test_of_many_keys_only_those_are_remembered_that_have_taken_something(
    now: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rates, "MOST_KNOWN", 3)
    each = rates.Each(lambda: rates.Bucket(1.0, 2.0))
    busy = each.of("busy")
    assert taken(busy) == 2
    idle = [each.of(key) for key in "ab"]
    each.of("c")
    assert each.of("busy") is busy
    assert each.of("a") is not idle[0]
    now.at += 2
    each.of("d")
    assert each.of("busy") is not busy
