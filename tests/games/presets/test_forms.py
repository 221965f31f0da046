"""Forms drawn from the option declarations: every option can be set, and what does not go together is said at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.utils import translation

from games.kinds import KINDS, options_for
from games.presets.forms import OptionsForm, field_name, options_form
from games.presets.shipped import shipped_presets
from games.rules import Option


def sent(kind: str, **options: Any) -> dict[str, Any]:
    """What a browser sends of a form in which these options were chosen."""
    return {field_name(name): str(value) for name, value in (options_for(kind, {}).to_json() | options).items()}


def filled(kind: str, players: Any = None, choices: Any = None, **options: Any) -> OptionsForm:
    return options_form(kind, players, choices=choices, data=sent(kind, **options))


def values_of(option: Option) -> Iterator[Any]:
    if option.type == "whole":
        yield from (option.low, option.default, option.high)
    else:
        yield from (allowed.value for allowed in option.values)


#: What a value needs beside it, where the rules take it together with something else only.
BESIDE: dict[tuple[str, Any], dict[str, Any]] = {
    ("jack_in_moon", "required"): {"jack_of_diamonds": "minus_ten"},
}
GRID = [
    (kind, option.name, value)
    for kind in KINDS
    for option in options_for(kind, {}).declared()
    for value in values_of(option)
]


@pytest.mark.parametrize(("kind", "name", "value"), GRID)
def test_every_value_of_every_option_can_be_set(kind: str, name: str, value: Any) -> None:
    chosen = {**BESIDE.get((name, value), {}), name: value}
    form = filled(kind, 4, **chosen)
    assert form.is_valid(), form.errors
    assert form.options == options_for(kind, chosen).differences()


@pytest.mark.parametrize(
    ("chosen", "field", "said"),
    [
        ({"jack_in_moon": "required"}, "jack_in_moon", "Jack of diamonds: Off"),
        (
            {"jack_in_moon": "required", "jack_of_diamonds": "minus_ten", "moon": "off"},
            "jack_in_moon",
            "Shooting the moon: Off",
        ),
        ({"hold_deal": "skip", "passing": "always_left"}, "hold_deal", "Passing three cards: Always to the left"),
        ({"skip_right": "one_each", "passing": "off"}, "skip_right", "Passing three cards: No passing"),
    ],
)
def test_a_bad_combination_is_said_at_its_field_and_names_the_other(
    chosen: dict[str, Any], field: str, said: str
) -> None:
    form = filled("hearts", 4, **chosen)
    assert list(form.errors) == [field_name(field)]
    assert said in str(form.errors[field_name(field)])
    assert form.options == {}


def test_options_are_held_to_every_number_of_players() -> None:
    for players, is_valid in ((2, False), ((2, 3), False), (3, True), ((3, 4), True)):
        form = filled("hearts", players, jack_of_diamonds="minus_ten")
        assert form.is_valid() == is_valid
        assert list(form.errors) == ([] if is_valid else [field_name("jack_of_diamonds")])
    form = filled("spades", 5)
    assert not form.is_valid()
    assert "4" in str(form.non_field_errors())


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        ("hearts", "end_score", "19"),
        ("hearts", "end_score", "301"),
        ("hearts", "end_score", "many"),
        ("hearts", "end_score", ""),
        ("hearts", "end_score", "1e2"),
        ("hearts", "end_score", "9" * 5_000),
        ("hearts", "moon", "blue"),
        ("hearts", "moon", ""),
        ("spades", "target", "99"),
        ("spades", "target", "100.5"),
        ("spades", "floor", "\x00"),
    ],
)
def test_what_no_option_can_be_is_refused_at_its_field(kind: str, name: str, value: str) -> None:
    form = filled(kind, 4, **{name: value})
    assert list(form.errors) == [field_name(name)]


def test_what_is_left_out_or_unknown_is_no_surprise() -> None:
    assert set(options_form("spades", 4, data={}).errors) == set(sent("spades"))
    assert options_form("spades", 4, data={**sent("spades"), "option_joker": "yes"}).is_valid()


def test_a_version_limits_what_may_be_changed_and_the_rest_stays() -> None:
    stadium = next(preset for preset in shipped_presets() if preset.slug == "hearts-stadium")
    shown = options_form("hearts", stadium.players, stadium.options, stadium.choices)
    assert [row.option.name for row in shown.option_rows()] == ["passing", "first_lead", "moon", "end_score"]
    data = {field_name(row.option.name): row.field.value() for row in shown.option_rows()}
    same = options_form("hearts", 4, stadium.options, stadium.choices, data=data)
    assert same.is_valid(), same.errors
    assert same.options == stadium.options
    other = {**data, field_name("end_score"): "60", field_name("tie_for_first"): "play_on"}
    form = options_form("hearts", 4, stadium.options, stadium.choices, data=other)
    assert form.is_valid()
    assert form.options == {**stadium.options, "end_score": 60}, "what has no field cannot be changed"
    for name, value in (("end_score", "45"), ("passing", "off"), ("moon", "choose")):
        form = options_form("hearts", 4, stadium.options, stadium.choices, data={**data, field_name(name): value})
        assert list(form.errors) == [field_name(name)]


def test_what_does_nothing_at_the_number_of_players_is_marked() -> None:
    def inert(players: Any) -> set[str]:
        rows = options_form("hearts", players).option_rows()
        return {row.option.name for row in rows if row.is_inert}

    assert inert(4) == {"surplus", "removed_three", "removed_six"}
    assert inert(3) == {"removed_six"}
    assert inert((3, 6)) == set()
    assert {"jack_of_diamonds", "jack_in_moon"} <= inert(2)
    form = options_form("hearts", (3, 4))
    assert "At a table of 4 it does nothing." in form.fields[field_name("removed_three")].help_text


@pytest.mark.parametrize("kind", KINDS)
def test_a_form_speaks_the_language_of_its_reader(kind: str) -> None:
    with translation.override("ja"):
        form = options_form(kind, 4)
        for row in form.option_rows():
            for text in (row.field.label, row.field.help_text, row.about, row.fits):
                assert not str(text).isascii()
        assert "ハート" in options_form("hearts", 4).as_p()
