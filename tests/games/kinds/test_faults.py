"""A kind that is not complete is refused by name."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest
from django.core.checks import Error, run_checks

from games.kinds import KINDS, register
from games.kinds.checks import files
from games.kinds.faults import faults_of
from games.kinds.hearts import HEARTS
from games.kinds.kind import Kind
from games.kinds.preset import Preset
from games.kinds.spades import SPADES
from games.verify.kind import Check, Row


def rows(*found: Row) -> type[Check]:
    """The check of Hearts with other rows of game codes."""
    return type("OtherRows", (HEARTS.check,), {"ROWS": found})


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_the_kinds_of_the_site_are_complete(kind: Kind) -> None:
    assert list(faults_of(kind)) == []


@pytest.mark.parametrize("name", [field.name for field in fields(Kind)])
def test_a_record_without_one_of_its_fields_cannot_be_made_and_names_it(name: str) -> None:
    values = {field.name: getattr(HEARTS, field.name) for field in fields(Kind) if field.name != name}
    with pytest.raises(TypeError, match=name):
        Kind(**values)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"name": "Hearts"}, "its name 'Hearts' is not 1 to 16 small letters"),
        ({"name": "whist"}, "its rules call themselves 'hearts'"),
        ({"label": ""}, "it has no label"),
        ({"pitch": "Fun."}, "its pitch has no place for %(rules)s"),
        ({"suit": "X"}, "its suit 'X' is none of C D H S"),
        ({"picture": ()}, "its picture '' is not of cards"),
        ({"picture": ("AH", "1H")}, "its picture 'AH 1H' is not of cards"),
        ({"rules": object}, "its rules are no class of Rules"),
        ({"options": dict}, "its options are no class of Options"),
        ({"limit_option": "moon"}, "its limit 'moon' is no option that is a whole number"),
        ({"solo_players": (4, 8)}, "one person may play at (4, 8), which are not all among its players"),
        ({"is_partnership": True}, "its rules have 4 sides at 4 players, which is not what its seats score for"),
        ({"words": None}, "its words are no Words"),
        ({"choose": None}, "its choose is no function"),
        ({"full_limit": 0}, "its limit of a whole game 0 is not above 0"),
        ({"highest_wins": True}, "its check has another order of places than it says itself"),
        ({"play_now": "absent"}, "none of its presets is 'absent', which it names as its play_now"),
        ({"daily": "absent"}, "none of its presets is 'absent', which it names as its daily"),
        ({"presets": SPADES.presets}, "its preset 'spades-standard' is of the kind 'spades'"),
        ({"presets": (Preset("", "hearts", (4,), "", ""),)}, "its preset '' has no slug or no name"),
        ({"presets": (Preset("x", "hearts", (8,), "X", ""),)}, "its preset 'x' is refused: bad_players of players"),
        (
            {"presets": (Preset("x", "hearts", (4,), "X", "", {"moon": 1}),)},
            "its preset 'x' is refused: bad_type of moon",
        ),
        ({"presets": (Preset("x", "hearts", (4,), "X", "", ranked=3),)}, "its preset 'x' is ranked at 3 players"),
        ({"check": rows(Row("d", 4, {}, ""))}, "its game codes cannot begin with 'd'"),
        ({"check": rows(Row("D", 4, {}, ""))}, "its check has no row for the pack of 5 players"),
        ({"check": rows(Row("D", 4, {}, "2C"))}, "its check has another pack for 4 players than its rules"),
        ({"expert": ""}, "there is no module , which it names as its expert"),
        ({"rulebook": None}, "there is no module None, which it names as its rulebook"),
        ({"expert": "games.kinds.hearts.nowhere"}, "there is no module games.kinds.hearts.nowhere"),
        ({"mistakes": "nowhere.at.all"}, "there is no module nowhere.at.all, which it names as its mistakes"),
        ({"rulebook": "nowhere"}, "there is no module nowhere, which it names as its rulebook"),
        ({"rulebook": "games.kinds.hearts.words"}, "its rulebook has no rules_page"),
        ({"check": object}, "its check is no class of Check"),
        ({"check": SPADES.check}, "its check names other options than are declared"),
        ({"rulebook": "games.kinds.spades.rulebook"}, "its rulebook has no sentence for moon = 'add'"),
    ],
)
def test_what_is_wrong_with_a_kind_is_told(changes: dict[str, Any], fault: str) -> None:
    assert any(found.startswith(fault) for found in faults_of(replace(HEARTS, **changes)))


def test_the_system_check_names_the_kind_that_is_not_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, "spades", replace(SPADES, label=""))
    (found,) = [error for error in run_checks(tags=["games"]) if isinstance(error, Error)]
    assert found.msg == "The kind spades is not complete: it has no label."


def test_a_script_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, "spades", replace(SPADES, check_script="games/kinds/absent.js"))
    (found,) = run_checks(tags=["games"])
    assert found.msg == "The kind spades is not complete: there is no static file games/kinds/absent.js."


def test_a_check_that_cannot_be_part_of_the_one_file_is_told_and_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    other = type("OtherName", (SPADES.check,), {"__module__": HEARTS.check.__module__})
    monkeypatch.setitem(KINDS, "spades", replace(SPADES, check=other))
    (found,) = run_checks(tags=["games"])
    assert found.msg.startswith("verify.py leaves out the kind spades: ")
    assert list(files()) == ["hearts"]


def test_a_name_is_registered_once() -> None:
    with pytest.raises(ValueError, match="hearts"):
        register(HEARTS)
