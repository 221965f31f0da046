"""Legal lines from fixed positions to a depth, as counted when the engine agreed with the naive implementation."""

from __future__ import annotations

import copy
import json

import pytest

from tests.games.rules import counts
from tests.games.rules.naive import Naive

STORED = json.loads(counts.FILE.read_text())


@pytest.mark.parametrize("name", counts.POSITIONS)
def test_legal_lines_to_a_depth(name: str) -> None:
    measured = counts.measure(name)
    if measured != STORED[name]:
        rules, actions = counts.log(name)
        behind = counts.by_first(rules, counts.replay(rules, actions), counts.POSITIONS[name][-1])
        pytest.fail(f"{name}: {measured} is not {STORED[name]}; behind each first answer: {behind}")


def test_every_position_has_its_count_and_every_count_its_position() -> None:
    assert set(STORED) == set(counts.POSITIONS)


@pytest.mark.parametrize("name", counts.POSITIONS)
def test_the_naive_implementation_counts_the_same_lines(name: str) -> None:
    kind, players, options = counts.POSITIONS[name][:3]
    naive = Naive(kind, players, options)
    for action in counts.log(name)[1]:
        naive.apply(action.to_json())
    checked = [naive_count(naive, depth) for depth, lines in enumerate(STORED[name], start=1) if lines <= 60]
    assert checked == STORED[name][: len(checked)]


def naive_count(naive: Naive, depth: int) -> int:
    seats = naive.asked()
    if depth == 0 or not seats:
        return 1
    total = 0
    for action in naive.legal(seats[0]):
        following = copy.deepcopy(naive)
        following.apply(action)
        total += naive_count(following, depth - 1)
    return total
