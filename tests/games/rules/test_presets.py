"""The shipped presets, held to the table of the rules."""

from __future__ import annotations

import random

import pytest

from games.kinds import options_for, rules_for
from games.kinds.preset import Preset
from games.presets.shipped import shipped_presets
from tests.games.rules.play import random_game

PORTAL = {
    "hearts_broken_by": "any_point",
    "end_test": "exceed",
    "moon": "choose",
    "standing": "winner_only",
    "tie_for_first": "shared",
}
JACK = {"jack_of_diamonds": "minus_ten", "jack_in_moon": "required"}
STADIUM = {"passing": "always_left", "hearts_broken_by": "queen", "tie_for_first": "shared", "score_sign": "minus"}

#: Slug: players, ranked players, what differs from the defaults.
TABLE = {
    "hearts-standard": ((3, 4, 5), 4, {}),
    "hearts-short": ((4,), None, {"end_score": 50, "tie_for_first": "shared"}),
    "hearts-stadium": ((2, 3, 4, 5, 6, 7), None, STADIUM),
    "hearts-portal-classic": ((4,), None, PORTAL),
    "hearts-portal-jack": ((4,), None, PORTAL | JACK),
    "hearts-portal-club": ((4,), None, PORTAL | {"hold_deal": "skip", "moon": "add", "skip_right": "one_each"}),
    "spades-standard": ((4,), 4, {}),
    "spades-short": ((4,), None, {"target": 250}),
    "spades-blind-nil": ((4,), None, {"blind_nil": "yes"}),
}


def test_every_preset_of_the_rules_is_shipped_with_its_differences() -> None:
    shipped = {p.slug: (p.players, p.ranked, options_for(p.kind, p.options)) for p in shipped_presets()}
    expected = {slug: (*row[:2], options_for(slug.split("-")[0], row[2])) for slug, row in TABLE.items()}
    assert shipped == expected


@pytest.mark.parametrize("preset", shipped_presets(), ids=lambda preset: preset.slug)
def test_a_preset_plays_to_the_end_at_every_number_of_players(preset: Preset) -> None:
    for players in preset.players:
        rules = rules_for(preset.kind, players, preset.options)
        *_, (_, _, last) = random_game(rules, random.Random(players))
        assert rules.result(last) is not None


@pytest.mark.parametrize("preset", shipped_presets(), ids=lambda preset: preset.slug)
def test_what_a_preset_lets_a_table_choose_is_allowed(preset: Preset) -> None:
    for option, values in (preset.choices or {}).items():
        for value in values:
            options_for(preset.kind, {**preset.options, option: value})
