"""Recorded whole games: folding the log gives the stored score sheet and result.

Every file in `recorded/` is a test.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from games.rules import KINDS, Action, rules_for
from games.rules.state import plain

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


def test_every_kind_has_a_recorded_game_for_every_way_it_can_end() -> None:
    games = [load(file) for file in FILES]
    found = {kind: {game["result"]["reason"] for game in games if game["kind"] == kind} for kind in KINDS}
    assert found == ENDS
