"""The options of each kind: declared in full, read strictly, and refused where they do not go together."""

from __future__ import annotations

import ast
import dataclasses
import json
import re
from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path

import pytest

from games.kinds import KINDS, options_for, rules_for
from games.rules import DECK, Option, Options, Refused
from tests.games.rules.play import allows, samples

WHOLE = "whole"

#: Every option with its values, the default first; of a whole number: default, lowest, highest.
TABLE: dict[str, dict[str, tuple[str | int, ...]]] = {
    "hearts": {
        "surplus": ("remove", "kitty"),
        "removed_three": ("2D", "2C"),
        "removed_six": ("all_twos", "keep_hearts"),
        "passing": ("rotate", "always_left", "off"),
        "hold_deal": ("play", "skip"),
        "skip_right": ("none", "one_each"),
        "first_lead": ("low_club", "dealer_left"),
        "first_trick_points": ("no", "yes"),
        "hearts_broken_by": ("heart", "queen", "any_point"),
        "heart_discard": ("free", "after_break"),
        "jack_of_diamonds": ("off", "minus_ten"),
        "moon": ("add", "off", "subtract", "choose"),
        "jack_in_moon": ("no", "required"),
        "end_score": (100, 20, 300),
        "end_test": ("reach", "exceed"),
        "tie_for_first": ("play_on", "shared"),
        "score_sign": ("plus", "minus"),
        "standing": ("placement", "winner_only"),
    },
    "spades": {
        "target": (500, 100, 1000),
        "bag_penalty": ("yes", "no"),
        "blind_nil": ("no", "yes"),
        "floor": ("yes", "no"),
        "first_lead": ("dealer_left", "club_two"),
    },
}
PLAYERS = {"hearts": (2, 3, 4, 5, 6, 7), "spades": (4,)}

#: Options that do something at some player counts only.
LIMITED = {
    "surplus": (3, 5, 6, 7),
    "removed_three": (3,),
    "removed_six": (6,),
    "jack_of_diamonds": (3, 4, 5, 6, 7),
    "jack_in_moon": (3, 4, 5, 6, 7),
}

NAMES = [(kind, name) for kind, options in TABLE.items() for name in options]
every_option = pytest.mark.parametrize(("kind", "name"), NAMES)
every_kind = pytest.mark.parametrize("kind", TABLE)


def declaration(kind: str, name: str) -> Option:
    return KINDS[kind].options.option(name)


def defaults(kind: str) -> dict[str, str | int]:
    return {name: values[0] for name, values in TABLE[kind].items()}


def refused_fields(data: dict[str, str | int]) -> set[str]:
    """The options at which a Hearts combination may be refused, by the last lines of RULES.md 1.3."""
    fields = set()
    if data.get("jack_in_moon") == "required" and (
        data.get("jack_of_diamonds") != "minus_ten" or data.get("moon") == "off"
    ):
        fields.add("jack_in_moon")
    if data.get("hold_deal") == "skip" and data.get("passing", "rotate") != "rotate":
        fields.add("hold_deal")
    if data.get("skip_right") == "one_each" and data.get("passing") == "off":
        fields.add("skip_right")
    return fields


def refused(kind: object, data: object) -> dict[str, object]:
    """What is answered to options that have to be refused."""
    with pytest.raises(Refused) as caught:
        options_for(kind, data)
    return caught.value.to_json()


# --- declarations ---------------------------------------------------------------------------------------------------


def test_the_kinds_and_their_numbers_of_players_are_as_ruled() -> None:
    assert {kind: known.options.PLAYERS for kind, known in KINDS.items()} == PLAYERS


@every_kind
def test_a_kind_declares_exactly_its_options_in_order(kind: str) -> None:
    assert [option.name for option in KINDS[kind].options.declared()] == list(TABLE[kind])
    assert [entry.name for entry in dataclasses.fields(KINDS[kind].options)] == list(TABLE[kind])


@every_option
def test_an_option_has_exactly_its_values_and_its_default(kind: str, name: str) -> None:
    option, (default, *others) = declaration(kind, name), TABLE[kind][name]
    assert option.default == default
    if isinstance(default, int):
        assert (option.type, option.low, option.high) == (WHOLE, *others)
        assert (samples(option)[0], samples(option)[-1]) == (option.low, option.high)
        assert default in samples(option)
    else:
        assert option.type == "choice"
        assert {value.value for value in option.values} == {default, *others}
        assert samples(option) == tuple(value.value for value in option.values)
        assert len(option.values) == 1 + len(others)
    assert option.players == LIMITED.get(name, PLAYERS[kind])


@every_option
def test_an_option_has_all_its_texts_its_icon_and_its_chips(kind: str, name: str) -> None:
    option = declaration(kind, name)
    texts = [option.label, option.effect, option.about, option.fits]
    chips = [value.chip for value in option.values]
    if option.type == WHOLE:
        assert option.chip % {"value": 50} != option.chip
        texts.append(option.chip)
    else:
        texts += [value.label for value in option.values] + chips
        assert len({value.label for value in option.values}) == len(set(chips)) == len(option.values)
    for text in texts:
        assert text == text.strip() != ""
        assert "\n" not in text
        assert "  " not in text
    for sentence in (option.effect, option.about, option.fits):
        assert sentence.endswith(".")
    assert len({option.label, option.effect, option.about, option.fits}) == 4
    assert all(len(chip) <= 24 for chip in chips)
    assert re.fullmatch("[a-z]+(-[a-z]+)*", option.icon)


@every_kind
def test_chips_and_labels_of_a_kind_cannot_be_mistaken_for_one_another(kind: str) -> None:
    chips = [value.chip for option in KINDS[kind].options.declared() for value in option.values]
    labels = [option.label for option in KINDS[kind].options.declared()]
    assert len(chips) == len(set(chips))
    assert len(labels) == len(set(labels))


@every_option
def test_a_declaration_is_one_json_object(kind: str, name: str) -> None:
    option = declaration(kind, name)
    data = json.loads(json.dumps(option.to_json()))
    assert (data["name"], data["type"], data["default"]) == (name, option.type, option.default)
    assert {"label", "effect", "about", "fits", "icon", "players"} <= data.keys()
    assert data.keys() >= ({"low", "high", "chip"} if option.type == WHOLE else {"values"})


def test_an_option_that_is_not_declared_has_no_declaration() -> None:
    with pytest.raises(Refused, match="unknown_option"):
        KINDS["spades"].options.option("moon")


# --- reading and writing --------------------------------------------------------------------------------------------


def values_of(kind: str, name: str) -> tuple[str | int, ...]:
    return TABLE[kind][name]


def single_and_pairs(kind: str) -> Iterator[dict[str, str | int]]:
    for name in TABLE[kind]:
        for value in values_of(kind, name):
            yield {name: value}
    for one, other in combinations(TABLE[kind], 2):
        for first, second in product(values_of(kind, one), values_of(kind, other)):
            yield {one: first, other: second}


@every_kind
def test_options_come_back_from_json_as_they_were(kind: str) -> None:
    accepted = 0
    for data in single_and_pairs(kind):
        if kind == "hearts" and (fields := refused_fields(data)):
            answer = refused(kind, data)
            assert answer["code"] == "bad_combination"
            assert answer["field"] in fields
            continue
        accepted += 1
        options = options_for(kind, data)
        written = options.to_json()
        assert list(written) == list(TABLE[kind])
        assert written == {**defaults(kind), **data}
        assert options.differences() == {name: value for name, value in data.items() if value != defaults(kind)[name]}
        again = options_for(kind, json.loads(json.dumps(written)))
        assert again == options
        assert hash(again) == hash(options)
        assert options_for(kind, options.differences()) == options
    assert accepted > 50


@every_kind
def test_without_a_word_options_are_the_defaults(kind: str) -> None:
    options = options_for(kind, {})
    assert options == KINDS[kind].options()
    assert options.to_json() == defaults(kind)
    assert options.differences() == {}
    assert rules_for(kind, 4).options == options


@every_kind
def test_options_are_frozen(kind: str) -> None:
    options = options_for(kind, {})
    name = next(iter(TABLE[kind]))
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(options, name, TABLE[kind][name][1])
    options.to_json()[name] = TABLE[kind][name][1]
    assert options.to_json() == defaults(kind)


@every_kind
def test_options_made_without_json_are_checked_too(kind: str) -> None:
    with pytest.raises(Refused, match="bad_value"):
        KINDS[kind].options(first_lead="anyone")  # type: ignore[call-arg]
    with pytest.raises(Refused, match="bad_value"):
        dataclasses.replace(options_for(kind, {}), first_lead="")  # type: ignore[call-arg]


# --- refused --------------------------------------------------------------------------------------------------------


@every_kind
def test_an_unknown_key_is_refused_by_name(kind: str) -> None:
    other = "bag_penalty" if kind == "hearts" else "moon"
    for name in ("shoot", "", "END_SCORE", "declared", "PLAYERS", "check_players", "__class__", other):
        assert refused(kind, {name: "yes"}) == {"code": "unknown_option", "field": name}


@every_option
def test_a_wrong_type_is_refused_at_its_field(kind: str, name: str) -> None:
    whole = declaration(kind, name).type == WHOLE
    wrong: list[object] = [None, True, False, [], ["heart"], {}, 1.0, 100.0, float("nan")]
    for value in [*wrong, "100" if whole else 0, "" if whole else 1]:
        assert refused(kind, {name: value}) == {"code": "bad_type", "field": name}
        assert not allows(declaration(kind, name), value)


@every_option
def test_a_value_that_is_not_allowed_is_refused_at_its_field(kind: str, name: str) -> None:
    option = declaration(kind, name)
    default = option.default
    wrong: list[object]
    if option.type == WHOLE:
        wrong = [option.low - 1, option.high + 1, 0, -option.low, 10**30]
    else:
        assert isinstance(default, str)
        wrong = ["", default.upper() if default.islower() else default.lower(), default + " ", "None", "x" * 10_000]
    for value in wrong:
        assert refused(kind, {name: value}) == {"code": "bad_value", "field": name}
        assert not allows(option, value)
    for value in samples(option):
        assert allows(option, value)


@pytest.mark.parametrize("data", [None, [], "", "{}", 0, True, [["surplus", "kitty"]]])
@every_kind
def test_options_that_are_no_object_are_refused(kind: str, data: object) -> None:
    assert refused(kind, data) == {"code": "bad_type", "field": "options"}


@pytest.mark.parametrize(
    ("data", "field", "other"),
    [
        ({"jack_in_moon": "required"}, "jack_in_moon", "jack_of_diamonds"),
        ({"jack_in_moon": "required", "jack_of_diamonds": "off"}, "jack_in_moon", "jack_of_diamonds"),
        ({"jack_in_moon": "required", "jack_of_diamonds": "minus_ten", "moon": "off"}, "jack_in_moon", "moon"),
        ({"hold_deal": "skip", "passing": "always_left"}, "hold_deal", "passing"),
        ({"hold_deal": "skip", "passing": "off"}, "hold_deal", "passing"),
        ({"skip_right": "one_each", "passing": "off"}, "skip_right", "passing"),
    ],
)
def test_options_that_do_not_go_together_are_refused_at_the_named_field(
    data: dict[str, str], field: str, other: str
) -> None:
    assert refused("hearts", data) == {"code": "bad_combination", "field": field, "other": other}
    for players in PLAYERS["hearts"]:
        with pytest.raises(Refused) as caught:
            rules_for("hearts", players, data)
        assert caught.value.code == "bad_combination"


@pytest.mark.parametrize(
    "data",
    [
        *(
            {"jack_in_moon": "required", "jack_of_diamonds": "minus_ten", "moon": m}
            for m in ("add", "subtract", "choose")
        ),
        {"hold_deal": "skip", "passing": "rotate"},
        {"skip_right": "one_each", "passing": "always_left"},
        {"skip_right": "one_each", "hold_deal": "skip"},
        {"jack_of_diamonds": "minus_ten", "moon": "off"},
        {"heart_discard": "after_break", "hearts_broken_by": "queen", "first_trick_points": "yes"},
    ],
)
def test_what_only_looks_alike_is_accepted(data: dict[str, str]) -> None:
    assert options_for("hearts", data).differences().items() <= data.items()


# --- numbers of players ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", PLAYERS["hearts"])
def test_options_without_effect_at_a_number_of_players_are_accepted_there(players: int) -> None:
    plain = rules_for("hearts", players)
    for name in ("surplus", "removed_three", "removed_six"):
        for value in values_of("hearts", name):
            rules = rules_for("hearts", players, {name: value})
            assert rules.options.to_json()[name] == value
            if players not in LIMITED[name]:
                assert (rules.deck, rules.hand_size) == (plain.deck, plain.hand_size)


@pytest.mark.parametrize("players", LIMITED["surplus"])
def test_with_a_kitty_nothing_is_taken_out_whatever_else_is_set(players: int) -> None:
    for three, six in product(values_of("hearts", "removed_three"), values_of("hearts", "removed_six")):
        options = {"surplus": "kitty", "removed_three": three, "removed_six": six}
        assert rules_for("hearts", players, options).deck == DECK


def test_the_jack_of_diamonds_does_not_score_at_two_whose_pack_has_none() -> None:
    """Refused at the start of a game only: a party may change its number of players later."""
    for extra in ({}, {"jack_in_moon": "required"}):
        data = {"jack_of_diamonds": "minus_ten", **extra}
        options = options_for("hearts", data)
        for given in (data, options):
            with pytest.raises(Refused) as caught:
                rules_for("hearts", 2, given)
            assert caught.value.to_json() == {
                "code": "bad_combination",
                "field": "jack_of_diamonds",
                "other": "players",
            }
        assert rules_for("hearts", 3, options).options is options


@pytest.mark.parametrize("players", [0, 1, 8, -4, 52, True, False, 4.0, "4", None, [4], float("nan"), 10**30])
@every_kind
def test_other_numbers_of_players_are_refused(kind: str, players: object) -> None:
    with pytest.raises(Refused) as caught:
        rules_for(kind, players)
    assert caught.value.to_json() == {"code": "bad_players", "field": "players", "allowed": list(PLAYERS[kind])}


def test_spades_is_for_four() -> None:
    for players in (2, 3, 5, 6, 7):
        with pytest.raises(Refused, match="bad_players"):
            rules_for("spades", players)


@pytest.mark.parametrize("kind", ["", "Hearts", "hearts ", "oh_hell", None, 4, True, ["hearts"], {}])
def test_an_unknown_kind_is_refused(kind: object) -> None:
    assert refused(kind, {}) == {"code": "unknown_kind", "field": "kind"}
    for options in (None, {}, {"end_score": 50}, KINDS["hearts"].options()):
        with pytest.raises(Refused) as caught:
            rules_for(kind, 4, options)
        assert caught.value.to_json() == {"code": "unknown_kind", "field": "kind"}


def test_options_of_another_kind_are_refused() -> None:
    for kind, other in (("hearts", "spades"), ("spades", "hearts")):
        with pytest.raises(Refused):
            rules_for(kind, 4, options_for(other, {}))
        with pytest.raises(Refused, match="unknown_option"):
            rules_for(kind, 4, options_for(other, {}).to_json())


def test_rules_hold_the_options_they_were_made_with() -> None:
    for kind, known in KINDS.items():
        made, options = known.rules, known.options
        for players in PLAYERS[kind]:
            rules = rules_for(kind, players, options())
            assert isinstance(rules, made)
            assert isinstance(rules.options, Options)
            assert (rules.kind, rules.players, rules.options) == (kind, players, options())


# --- every option is tested -----------------------------------------------------------------------------------------


def source_of_tests(path: Path) -> str:
    """The source of the test functions of a file, with what they are parametrized by."""
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines()
    parts = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            parts += lines[first - 1 : node.end_lineno]
    return "\n".join(parts)


@every_kind
def test_every_option_is_named_in_a_test_of_its_kind(kind: str) -> None:
    """An option that no test sets is an option that nobody has seen work."""
    source = source_of_tests(Path(__file__).parents[1] / "kinds" / kind / "test_rules.py")
    named = {name for name in TABLE[kind] if re.search(rf"""\b{name}\s*=(?!=)|(["']){name}\1""", source)}
    assert sorted(TABLE[kind].keys() - named) == []
