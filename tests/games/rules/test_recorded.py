"""Recorded whole games: folding the log gives the stored score sheet and result.

Every file in `recorded/` is a test.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from games.kinds import KINDS, rules_for
from games.rules import REASONS, RULES_VERSION, Action
from games.rules.state import ACTION_KEYS, PHASES, plain

FILES = sorted(Path(__file__).with_name("recorded").glob("*.json"))

#: What the rules themselves can end a game for; the site closes games for other reasons.
ENDS = {"hearts": {"target", "deal_cap"}, "spades": {"target", "floor", "deal_cap"}}


def load(file: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(file.read_text())
    return data


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_recorded_game_folds_to_its_stored_result(file: Path) -> None:
    game = load(file)
    rules = rules_for(game["kind"], game["players"], game["options"])
    state = rules.start()
    for entry in game["log"]:
        assert rules.result(state) is None
        state = rules.apply(state, Action.from_json(entry))
    assert [[list(row.change), list(row.scores), list(row.bags)] for row in state.sheet] == game["sheet"]
    assert plain(rules.result(state)) == game["result"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_s28_totals_and_bags_are_folded_from_the_rows_of_the_sheet(file: Path) -> None:
    game = load(file)
    totals = [0] * len(game["result"]["scores"])
    for change, scores, _ in game["sheet"]:
        totals = [total + points for total, points in zip(totals, change, strict=True)]
        assert totals == scores
    assert totals == game["result"]["scores"]


def test_s32_names_that_are_stored_or_sent_change_only_together_with_a_version() -> None:
    """Whoever changes one of these raises RULES_VERSION, reads old logs too, and then changes this test."""
    assert RULES_VERSION == 1
    assert ACTION_KEYS == {
        "open": "dealer",
        "deal": "pack",
        "skip": None,
        "pass": "cards",
        "blind": "blind",
        "bid": "bid",
        "exchange": "cards",
        "play": "card",
        "moon": "choice",
        "finish": "cards",
    }
    assert PHASES == ("open", "deal", "pass", "blind", "bid", "exchange", "play", "moon", "over")
    assert REASONS == ("target", "floor", "deal_cap", "abandoned", "void")


def test_every_kind_has_a_recorded_game_for_every_way_it_can_end() -> None:
    games = [load(file) for file in FILES]
    found = {kind: {game["result"]["reason"] for game in games if game["kind"] == kind} for kind in KINDS}
    assert found == ENDS
