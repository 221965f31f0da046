"""The engine beside the naive implementation, which was written from the rules text alone.

`tests/bench/rules_fuzz.py` does the same with whole games from the full grid of options, for as long as it is told.
"""

from __future__ import annotations

import random

import pytest

from tests.games.rules.compare import compare_game, covering, pairs
from tests.games.rules.play import TABLES, random_options


@pytest.mark.parametrize(("kind", "players"), TABLES)
def test_every_pair_of_option_values_plays_a_deal_alike_on_both(kind: str, players: int) -> None:
    for seed, options in enumerate(covering(kind, players, seed=players)):
        assert compare_game(kind, players, options, seed, most_deals=1, share=0.7) > 0


@pytest.mark.parametrize(("kind", "players"), TABLES)
def test_whole_games_end_alike_on_both(kind: str, players: int) -> None:
    rng = random.Random(players)
    for seed in range(2):
        options = random_options(kind, players, rng) | ({"end_score": 40} if kind == "hearts" else {"target": 200})
        assert compare_game(kind, players, options, seed, share=0.05) > 0


@pytest.mark.parametrize(("kind", "players"), TABLES)
def test_the_option_sets_tried_hold_every_pair_of_values(kind: str, players: int) -> None:
    held = {
        (one, two)
        for options in covering(kind, players, seed=players)
        for one in options.items()
        for two in options.items()
    }
    assert pairs(kind, players) <= held
