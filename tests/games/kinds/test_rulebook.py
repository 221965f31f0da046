"""Rules pages are drawn from the options: every value has its sentence, and whatever is changed changes the page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import translation

from games.guides.pages import guide, guides
from games.kinds import KINDS, options_for, rules_for
from games.kinds.preset import Preset
from games.kinds.rulebook import rules_page, sentences_of
from games.presets.shipped import shipped_presets
from games.rulebook import Page
from games.rulebook.page import Items, Keys, LocalRules, Table
from games.rules import Option, Refused

#: What has to be set for an option to do anything, or for all of its values to be allowed.
ACTS_WITH: dict[str, dict[str, str | int]] = {"jack_in_moon": {"jack_of_diamonds": "minus_ten"}}

#: Everything an expert would look for, in this order.
HEARTS_SECTIONS = (
    "about set-up passing play scoring moon end tips beginners standards local-rules house-rules words questions"
)
SPADES_SECTIONS = (
    "about set-up bidding play scoring nil end tips beginners standards local-rules house-rules words questions"
)


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    with translation.override("en"):
        yield


def body_of(page: Page) -> list[str]:
    """What a page says apart from the table that lists the options as such."""
    return [text for section in page.sections if section.id != "local-rules" for text in section.texts()]


def values_of(option: Option) -> list[str | int]:
    if option.type == "whole":
        return [option.low, int(option.default), option.high]
    return [allowed.value for allowed in option.values]


def pattern_of(sentence: str) -> str:
    """A sentence as a pattern: anything may stand for its placeholders."""
    return re.sub(r"%\\?\(\w+\\?\)s", ".+", re.escape(sentence))


def every_option() -> Iterator[tuple[str, Option, int]]:
    for kind in KINDS:
        for option in options_for(kind, {}).declared():
            for players in option.players:
                yield kind, option, players


GRID = [pytest.param(*case, id=f"{case[0]}-{case[1].name}-{case[2]}") for case in every_option()]


@pytest.mark.parametrize("kind", KINDS)
def test_every_value_of_every_option_has_a_sentence_and_no_sentence_is_left_over(kind: str) -> None:
    declared = {
        option.name: {""} if option.type == "whole" else {allowed.value for allowed in option.values}
        for option in options_for(kind, {}).declared()
    }
    assert {name: set(sentences) for name, sentences in sentences_of(kind).items()} == declared
    told = [text for sentences in sentences_of(kind).values() for text in sentences.values()]
    assert all(told)
    assert len(told) == len(set(told))


@pytest.mark.parametrize(("kind", "option", "players"), GRID)
def test_each_value_of_an_option_makes_another_page_wherever_the_option_acts(
    kind: str, option: Option, players: int
) -> None:
    pages = {}
    for value in values_of(option):
        options = {**ACTS_WITH.get(option.name, {}), option.name: value}
        pages[value] = body_of(rules_page(kind, [players], options))
    assert len({"\n".join(told) for told in pages.values()}) == len(pages)


@pytest.mark.parametrize(("kind", "option", "players"), GRID)
def test_a_page_has_the_sentence_of_the_value_and_of_no_other(kind: str, option: Option, players: int) -> None:
    if option.type == "whole":
        return
    sentences = sentences_of(kind)[option.name]
    for value in values_of(option):
        told = "\n".join(body_of(rules_page(kind, [players], {**ACTS_WITH.get(option.name, {}), option.name: value})))
        found = {other for other, sentence in sentences.items() if re.search(pattern_of(sentence), told)}
        assert found == {value}


@pytest.mark.parametrize("preset", shipped_presets(), ids=lambda preset: preset.slug)
def test_the_table_of_local_rules_has_every_option_with_its_value_and_marks_the_differences(preset: Preset) -> None:
    page = rules_page(preset.kind, preset.players, preset.options, choices=preset.choices)
    (block,) = [block for block in page.section("local-rules").blocks if isinstance(block, LocalRules)]
    options = options_for(preset.kind, preset.options)
    assert [rule.name for rule in block.rules] == [option.name for option in options.declared()]
    assert {rule.name for rule in block.rules if rule.differs} == set(options.differences())
    for rule, option in zip(block.rules, options.declared(), strict=True):
        labels = {allowed.value: allowed.label for allowed in option.values}
        value = getattr(options, option.name)
        assert rule.value == (labels[value] if labels else f"{value} points")
        assert rule.inert == (not set(option.players) & set(preset.players))
        if labels:
            assert {rule.value, *rule.others} == set(labels.values())


def test_what_a_party_may_change_is_said() -> None:
    stadium = next(preset for preset in shipped_presets() if preset.slug == "hearts-stadium")
    page = rules_page(stadium.kind, stadium.players, stadium.options, choices=stadium.choices)
    changes = page.section("local-rules").blocks[-1]
    assert isinstance(changes, Items)
    assert changes.items == (
        "End score: 40, 50, 60, 70, 80, 90, 100",
        "Passing three cards: Always to the left, Direction changes every deal",
        "First lead: Holder of the lowest club, Left of the dealer",
        "Shooting the moon: The others get 26 points, Off",
    )
    assert any("every one of them" in text for text in rules_page("spades", [4], {}).texts())
    assert any("as they are" in text for text in rules_page("spades", [4], {}, choices={}).texts())


@pytest.mark.parametrize("preset", shipped_presets(), ids=lambda preset: preset.slug)
def test_a_page_has_every_section_and_no_text_is_empty_or_unfilled(preset: Preset) -> None:
    page = rules_page(preset.kind, preset.players, preset.options, name=preset.name)
    wanted = HEARTS_SECTIONS if preset.kind == "hearts" else SPADES_SECTIONS
    assert [section.id for section in page.sections] == wanted.split()
    assert preset.name in page.title
    assert 50 < len(page.description) < 300
    told = list(page.texts())
    assert not [text for text in told if "%(" in text or "None" in text.split()[1:]]
    assert len(page.questions()) >= 8
    for block in page.blocks():
        if isinstance(block, Table):
            assert {len(row) for row in block.rows} == {len(block.head)}


def test_two_players_read_of_no_jack_and_of_their_kitty() -> None:
    told = "\n".join(body_of(rules_page("hearts", [2], {})))
    assert "♦J" not in told
    assert "kitty" in told
    assert "+20" in told


@pytest.mark.parametrize("name", guides())
def test_general_pages_say_something_everywhere(name: str) -> None:
    page = guide(name)
    assert all(section.blocks for section in page.sections)
    assert all(page.texts())
    assert len({section.id for section in page.sections}) == len(page.sections)


def test_keys_on_the_page_are_those_of_the_table() -> None:
    """The page of the keys and the help at the table list the same keys, in the same words."""
    help_at_the_table = (Path(__file__).resolve().parents[3] / "templates/games/tables/keys.html").read_text()
    rows = re.findall(r'<dt>(<kbd>.+?)</dt><dd>{% translate "(.+?)" %}', help_at_the_table)
    wanted = [(tuple(re.sub(r"</?kbd>", "", names).split()), told) for names, told in rows]
    (keys,) = [block for block in guide("table").blocks() if isinstance(block, Keys)]
    assert len(wanted) > 8
    assert list(keys.keys)[:-1] == wanted[:-1]
    assert keys.keys[-1][0] == wanted[-1][0]  # "This help" there is the help at the table here


def test_options_that_do_not_go_together_make_no_page() -> None:
    for kind, players, options in (
        ("hearts", [2, 4], {"jack_of_diamonds": "minus_ten"}),
        ("hearts", [4], {"jack_in_moon": "required"}),
        ("hearts", [4], {"moon": "sometimes"}),
        ("whist", [4], {}),
    ):
        with pytest.raises(Refused):
            rules_page(kind, players, options)
        with pytest.raises(Refused):
            rules_for(kind, players[0], options)


#: Words that a sentence cannot do without, so that no two values of an option change places.
MEANS = {
    ("hearts", "surplus"): {"remove": "are taken out of the pack", "kitty": "face down as the kitty"},
    ("hearts", "removed_three"): {"2D": "♦2", "2C": "♣2"},
    ("hearts", "removed_six"): {"all_twos": "all four twos", "keep_hearts": "all thirteen hearts stay in"},
    ("hearts", "passing"): {"rotate": "changes from deal to deal", "always_left": "on the left", "off": "No cards"},
    ("hearts", "hold_deal"): {"play": "played without a pass", "skip": "There is no deal without a pass"},
    ("hearts", "skip_right"): {"none": "cannot be called off.", "one_each": "each player may call a deal off"},
    ("hearts", "first_lead"): {"low_club": "lowest club", "dealer_left": "dealer's left"},
    ("hearts", "first_trick_points"): {"no": "No heart and no ♠Q may be played", "yes": "is no exception"},
    ("hearts", "hearts_broken_by"): {
        "heart": "♠Q does not break them",
        "queen": "A heart thrown on another suit does not break them",
        "any_point": "until a heart or ♠Q has been played",
    },
    ("hearts", "heart_discard"): {"free": "whether hearts are broken or not", "after_break": "no heart may be played"},
    ("hearts", "jack_of_diamonds"): {"off": "like any other", "minus_ten": "scores %(jack)s"},
    ("hearts", "moon"): {
        "off": "keeps the points",
        "add": "every other player %(others)s",
        "subtract": "the shooter scores %(shooter)s and the others 0",
        "choose": "chooses",
    },
    ("hearts", "jack_in_moon"): {"no": "does not need ♦J", "required": "needs ♦J as well"},
    ("hearts", "end_score"): {"": "played to %(total)s"},
    ("hearts", "end_test"): {"reach": "exactly that is enough", "exceed": "exactly that is not enough"},
    ("hearts", "tie_for_first"): {"play_on": "further deals are played", "shared": "There is no further deal"},
    ("hearts", "score_sign"): {"plus": "the lowest score is the best", "minus": "the highest score is the best"},
    ("hearts", "standing"): {"placement": "second is better than third", "winner_only": "Only first place counts"},
    ("spades", "target"): {"": "at %(target)s points or more"},
    ("spades", "bag_penalty"): {"yes": "scores %(penalty)s", "no": "Bags cost nothing"},
    ("spades", "blind_nil"): {"no": "There is no blind nil", "yes": "may bid nil before seeing any card"},
    ("spades", "floor"): {"yes": "at %(floor)s points or lower after a deal ends the game", "no": "There is no floor"},
    ("spades", "first_lead"): {"dealer_left": "dealer's left", "club_two": "holder of ♣2"},
}


def test_each_sentence_has_the_words_that_its_value_cannot_do_without() -> None:
    assert set(MEANS) == {(kind, option) for kind in KINDS for option in sentences_of(kind)}
    for (kind, option), words in MEANS.items():
        sentences = sentences_of(kind)[option]
        assert set(words) == set(sentences)
        for value, needed in words.items():
            found = {other for other, sentence in sentences.items() if needed in sentence}
            assert found == {value}, (option, value)
