"""What the rules pages of Hearts state is what the engine does: each statement is read from the page and played."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.utils import translation

from games.kinds import rules_for
from games.kinds.hearts.options import HeartsOptions
from games.kinds.hearts.rulebook import SENTENCES
from games.kinds.rulebook import rules_page
from games.presets.shipped import shipped_presets
from games.rulebook import Page
from games.rulebook.words import card, signed
from games.rules import Action, Rules, State
from games.rules.cards import DECK
from games.rules.state import Trick, evolve
from tests.games.rules import rig

#: Every shipped set of options at every number of players that it is for.
TABLES = [
    pytest.param(preset.options, players, id=f"{preset.slug}-{players}")
    for preset in shipped_presets()
    if preset.kind == "hearts"
    for players in preset.players
]
WORDS = {"to the left": 1, "to the right": -1, "to the opponent": 1}

each_table = pytest.mark.parametrize(("options", "players"), TABLES)


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    with translation.override("en"):
        yield


def page_of(options: dict[str, Any], players: int) -> Page:
    return rules_page("hearts", [players], options)


def rules_of(options: dict[str, Any], players: int) -> Rules:
    return rules_for("hearts", players, options)


def states(page: Page, option: str, value: str) -> bool:
    """Whether the page states the rule of this value, whatever the figures in it."""
    sentence = re.compile(re.sub(r"%\\?\(\w+\\?\)s", ".+", re.escape(SENTENCES[option][value])))
    return any(sentence.search(text) for section in page.sections for text in section.texts())


def stated(page: Page, option: str) -> str:
    """The one value of an option that the page states."""
    (value,) = [value for value in SENTENCES[option] if states(page, option, value)]
    return value


def amount(text: str) -> int:
    return int(text.replace("−", "-"))


def by_default(rules: Rules, state: State) -> State:
    """The state after one seat that is asked has answered as the clock would."""
    seat = rules.due(state).seats[0]
    return rules.apply(state, rules.default_action(state, seat))


def dealt(rules: Rules, state: State | None = None) -> State:
    """A game whose next deal gives every seat what comes, in deck order."""
    state = state or rules.apply(rules.start(), Action("open", dealer=0))
    return rules.apply(state, Action("deal", pack=rules.deck))


def shown(rules: Rules, penalty: int) -> str:
    """Penalty points as a page of this table writes them."""
    assert isinstance(rules.options, HeartsOptions)
    return signed(-penalty if rules.options.score_sign == "minus" else penalty)


# --- before play ------------------------------------------------------------------------------------------------------


@each_table
def test_the_pack_is_dealt_as_the_table_of_packs_says(options: dict[str, Any], players: int) -> None:
    rules = rules_of(options, players)
    table = page_of(options, players).table("pack")
    (row,) = [dict(zip(table.head, row, strict=True)) for row in table.rows]
    state = dealt(rules)
    in_play = {name for hand in (*state.hands, state.kitty) for name in hand}
    out = [name for name in DECK if name not in in_play]
    assert row["Number of players"] == str(players)
    assert {len(hand) for hand in state.hands} == {int(row["Cards each"])}
    assert len(state.kitty) == int(row.get("Kitty", "0"))
    if row["Taken out"].startswith("every "):
        ranks = row["Taken out"].removeprefix("every ").split(", ")
        assert {name[0] for name in out} == set(ranks)
        assert len(out) == 4 * len(ranks)
    else:
        assert row["Taken out"] == (" ".join(map(card, out)) or "none")


@each_table
def test_cards_go_where_the_pass_table_says_deal_by_deal(options: dict[str, Any], players: int) -> None:
    rules = rules_of(options, players)
    page = page_of(options, players)
    told = [row for row in page.table("pass").rows if row[0].startswith(("deal", "every"))]
    state = rules.apply(rules.start(), Action("open", dealer=0))
    for deal in range(1, 10):
        word = told[(deal - 1) % len(told)][1]
        state = dealt(rules, state)
        assert state.deal == deal
        assert (state.phase == "pass") == (word != "no pass")
        if state.phase == "pass":
            given = rules.default_action(state, 0).cards
            while state.phase == "pass":
                state = by_default(rules, state)
            away = WORDS[word] if word in WORDS else players // 2
            assert set(given) <= set(state.hands[away % players])
            assert len(given) == 3
        while state.phase not in ("deal", "over"):
            state = by_default(rules, state)
        # Scores are set back, so that the game never ends before the rotation has begun anew.
        state = evolve(state, phase="deal", reason=None, scores=(0,) * players)
    assert page.table("pass").rows[-1][0] in ("repeats", "every deal")


@each_table
def test_a_deal_may_be_called_off_where_the_page_says_so(options: dict[str, Any], players: int) -> None:
    rules = rules_of(options, players)
    state = dealt(rules)
    assert state.phase == "pass"
    allowed = rig.refusal(rules, state, Action("skip", 1)) == ""
    assert allowed == (stated(page_of(options, players), "skip_right") == "one_each")
    if allowed:
        again = dealt(rules, rules.apply(state, Action("skip", 1)))
        assert (again.deal, again.dealer, again.attempt) == (state.deal, state.dealer, 1)
        assert rig.refusal(rules, again, Action("skip", 2)) == "no_skip_right"
        assert rig.refusal(rules, again, Action("skip", 1)) == "no_skip_right"


# --- play -------------------------------------------------------------------------------------------------------------


def played_to_trick_one(rules: Rules, state: State) -> State:
    while state.phase == "pass":
        state = by_default(rules, state)
    return state


@each_table
def test_the_first_lead_is_the_one_that_is_stated(options: dict[str, Any], players: int) -> None:
    page = page_of(options, players)
    for changed in ({}, {"first_lead": "dealer_left"}):
        rules = rules_of({**options, **changed}, players)
        page = page_of({**options, **changed}, players)
        state = played_to_trick_one(rules, dealt(rules))
        if stated(page, "first_lead") == "low_club":
            lowest = min((name for hand in state.hands for name in hand), key=DECK.index)
            assert rig.legal(rules, state) == lowest
            assert lowest in state.hands[state.mover]
            assert any(f"That is {card(rules.deck[0])}." in text for text in page.texts())
        else:
            assert state.turn == 1  # seat 0 has dealt
            assert len(rig.legal(rules, state).split()) > 1


def in_trick(rules: Rules, hand: str, *, first: bool, led: str = "AC") -> State:
    """Seat 1 is to follow a club with this hand, hearts not broken."""
    earlier = () if first else (Trick(0, tuple(name for name in rules.deck if name[1] == "S")[: rules.players], 0),)
    state = evolve(dealt(rules), phase="play", leader=0, turn=1, trick=(led,), tricks=earlier)
    return evolve(state, hands=((), tuple(hand.split()), *((),) * (rules.players - 2)))


@each_table
def test_points_on_the_first_trick_are_barred_or_not_as_stated(options: dict[str, Any], players: int) -> None:
    for value in ("no", "yes"):
        changed = {**options, "first_trick_points": value}
        assert stated(page_of(changed, players), "first_trick_points") == value
        rules = rules_of(changed, players)
        hearts_too = "4H" in rig.legal(rules, in_trick(rules, "6D 4H QS", first=True)).split()
        assert hearts_too == (value == "yes")
        assert rig.legal(rules, in_trick(rules, "4H QS", first=True)) != ""


@each_table
def test_hearts_are_broken_by_the_cards_that_are_stated(options: dict[str, Any], players: int) -> None:
    for value, breakers in (("heart", {"4H"}), ("queen", {"QS"}), ("any_point", {"4H", "QS"})):
        changed = {**options, "hearts_broken_by": value}
        assert stated(page_of(changed, players), "hearts_broken_by") == value
        rules = rules_of(changed, players)
        for thrown in ("4H", "QS"):
            state = rules.apply(in_trick(rules, f"6D {thrown}", first=False), Action("play", 1, card=thrown))
            assert state.broken == (thrown in breakers)
            lead = evolve(state, trick=(), turn=0, leader=0, hands=(("6D", "8H"), *((),) * (players - 1)), phase="play")
            assert ("8H" in rig.legal(rules, lead)) == (thrown in breakers)
        only_hearts = evolve(lead, hands=(("8H", "TH"), *((),) * (players - 1)), broken=False, phase="play")
        assert rules.apply(only_hearts, Action("play", 0, card="8H")).broken


@each_table
def test_hearts_may_be_thrown_before_the_break_as_stated(options: dict[str, Any], players: int) -> None:
    for value in ("free", "after_break"):
        changed = {**options, "heart_discard": value}
        assert stated(page_of(changed, players), "heart_discard") == value
        rules = rules_of(changed, players)
        thrown = "4H" in rig.legal(rules, in_trick(rules, "6D 4H", first=False))
        assert thrown == (value == "free")


@each_table
def test_the_table_of_legal_cards_is_what_the_engine_allows(options: dict[str, Any], players: int) -> None:
    """The second and third row are of a trick that was led: played here from another seat."""
    rules = rules_of(options, players)
    rows = page_of(options, players).table("legal").rows
    for row, first in ((rows[1], True), (rows[2], False)):
        state = in_trick(rules, "6D 4H QS", first=first)
        assert row[1] == "♦6 ♥4 ♠Q"
        assert row[2] == " ".join(map(card, rig.legal(rules, state).split()))


# --- score ------------------------------------------------------------------------------------------------------------


def last_trick(rules: Rules) -> str:
    """Harmless clubs for the last trick, the highest for seat 0."""
    clubs = [name for name in rules.deck if name[1] == "C"][-rules.players :]
    return " ".join([clubs[-1], *clubs[:-1]])


def all_but(rules: Rules, *names: str) -> str:
    """Every point card but these."""
    return " ".join(name for name in rules.deck if (name[1] == "H" or name == "QS") and name not in names)


def scored(rules: Rules, taken: dict[int, str], choice: str = "add", **fields: Any) -> State:
    """The state after a deal in which seats took these cards; the rest went to seat 0, a kitty with them."""
    count = len(rules.deck) - rules.hand_size * rules.players
    if count:
        fields |= {"kitty": " ".join([name for name in rules.deck if name[1] == "D"][:count]), "kitty_taker": 0}
    state = rig.played_out(rules, rig.ending(rules, taken, last_trick(rules), **fields))
    return rules.apply(state, Action("moon", state.turn, choice=choice)) if state.phase == "moon" else state


@each_table
def test_cards_score_what_the_table_of_cards_says(options: dict[str, Any], players: int) -> None:
    rules = rules_of(options, players)
    rows = {row[0]: row[1] for row in page_of(options, players).table("cards").rows}
    change = scored(rules, {1: "4H"}).sheet[-1].change
    (heart,) = [value for name, value in rows.items() if name.startswith("each heart")]
    assert heart == shown(rules, change[1])
    change = scored(rules, {1: all_but(rules, "QS"), **({2: "QS"} if players > 2 else {})}).sheet[-1].change
    assert rows["queen of spades (♠Q)"] == shown(rules, change[2] if players > 2 else change[0])
    if players > 2:
        change = scored(rules, {1: "JD", 2: "4H"}).sheet[-1].change
        assert rows.get("jack of diamonds (♦J)", "0") == shown(rules, change[1])


@each_table
def test_a_moon_brings_what_the_table_of_moons_says(options: dict[str, Any], players: int) -> None:
    rules = rules_of(options, players)
    table = page_of(options, players).table("moon")
    for row in table.rows:
        told = dict(zip(table.head, row, strict=True))
        choice = "subtract" if "deducted" in row[0] else "add"
        elsewhere = "another player takes ♦J" in row[0]
        taken = {0: all_but(rules), **({1: "JD"} if elsewhere else {})}
        change = scored(rules, taken, choice).sheet[-1].change
        assert told["Shooter"] == shown(rules, change[0])
        assert told["Every other player"] == shown(rules, change[-1])
        if elsewhere:
            assert told["Who has ♦J"] == shown(rules, change[1])
    assert "moon" not in {line.what for line in scored(rules, {1: "4H"}).sheet[-1].lines}


@pytest.mark.parametrize("players", HeartsOptions.PLAYERS)
@pytest.mark.parametrize("moon", ["off", "add", "subtract", "choose"])
@pytest.mark.parametrize("jack", ["off", "minus_ten"])
@pytest.mark.parametrize("required", ["no", "required"])
def test_every_kind_of_moon_is_stated_as_it_is_played(players: int, moon: str, jack: str, required: str) -> None:
    if (required == "required" and (jack == "off" or moon == "off")) or (players == 2 and jack != "off"):
        return
    options = {"moon": moon, "jack_of_diamonds": jack, "jack_in_moon": required}
    page = page_of(options, players)
    assert stated(page, "moon") == moon
    if moon != "off":
        test_a_moon_brings_what_the_table_of_moons_says(options, players)
        return
    rules = rules_of(options, players)
    change = scored(rules, {0: all_but(rules)}).sheet[-1].change
    assert page.table("all-taken").rows[0][2] == shown(rules, change[0])
    assert set(change[1:]) == {0}


# --- the end ----------------------------------------------------------------------------------------------------------


def after_scores(rules: Rules, scores: list[int], **fields: Any) -> State:
    """The state after a deal that leaves these scores."""
    hearts = all_but(rules, "QS")
    change = scored(rules, {1: hearts}).sheet[-1].change
    before = tuple(total - new for total, new in zip(scores, change, strict=True))
    return scored(rules, {1: hearts}, scores=before, **fields)


@each_table
def test_the_game_ends_at_the_score_that_is_stated_and_not_before(options: dict[str, Any], players: int) -> None:
    rules = rules_of(options, players)
    assert isinstance(rules.options, HeartsOptions)
    page = page_of(options, players)
    line = rules.options.end_score
    sign = "−" if rules.options.score_sign == "minus" else ""
    assert any(f"{sign}{line} points" in text for text in page.section("end").texts())
    enough = line if stated(page, "end_test") == "reach" else line + 1
    assert page.facts["ends_at"] == enough
    low = [10, *[12] * (players - 2)]
    assert after_scores(rules, [*low, enough - 1]).reason is None
    assert after_scores(rules, [*low, enough]).reason == "target"


@each_table
def test_a_tie_for_first_is_settled_as_stated(options: dict[str, Any], players: int) -> None:
    rules = rules_of(options, players)
    assert isinstance(rules.options, HeartsOptions)
    beyond = rules.options.end_score + 5
    scores = [10, 10, *[12] * (players - 3), beyond] if players > 2 else [beyond, beyond]
    state = after_scores(rules, scores)
    if stated(page_of(options, players), "tie_for_first") == "shared":
        result = rules.result(state)
        assert result is not None
        assert result.placings[:2] == (1, 1)
    else:
        assert state.reason is None
        assert rules.next_deal(state)[0] == state.deal + 1
        assert rules.direction(state.deal + 1) is not None
        last = after_scores(rules, scores, extra_deals=page_of(options, players).facts["most_extra_deals"])
        assert last.reason == "deal_cap"


@each_table
def test_the_game_ends_with_the_last_deal_that_is_stated(options: dict[str, Any], players: int) -> None:
    rules = rules_of(options, players)
    page = page_of(options, players)
    most = page.facts["most_deals"]
    assert any(f"After {most} deals at the latest" in text for text in page.section("end").texts())
    assert isinstance(most, int)
    scores = [10, 10, *[12] * (players - 2)]
    assert after_scores(rules, scores, deal=most - 1).reason is None
    over = after_scores(rules, scores, deal=most)
    assert over.reason == "deal_cap"
    result = rules.result(over)
    assert result is not None
    assert result.placings[:2] == (1, 1)


@each_table
def test_the_better_score_is_the_one_that_is_stated(options: dict[str, Any], players: int) -> None:
    page = page_of(options, players)
    rules = rules_of(options, players)
    assert isinstance(rules.options, HeartsOptions)
    state = after_scores(rules, [10, *[12] * (players - 2), rules.options.end_score + 1])
    result = rules.result(state)
    assert result is not None
    written = [-score if stated(page, "score_sign") == "minus" else score for score in state.scores]
    best = max(written) if any("the highest score is the best" in text for text in page.texts()) else min(written)
    assert result.placings[written.index(best)] == 1


@each_table
def test_every_example_is_played_alike_by_another_hand(options: dict[str, Any], players: int) -> None:
    """The figures of the examples, from their own columns: cards taken, then this deal, then the total."""
    rules = rules_of(options, players)
    page = page_of(options, players)
    for name in ("plain", "no-moon", "end-exact", "end-tie"):
        table = page.table(name)
        rows = [dict(zip(table.head, row, strict=True)) for row in table.rows]
        hearts = [name for name in rules.deck if name[1] == "H"]
        taken = {}
        for seat, row in enumerate(rows):
            cards = []
            for part in row["Takes"].replace("–", "").split():
                if part.startswith("♥×"):
                    cards += [hearts.pop() for _ in range(int(part.removeprefix("♥×")))]
                else:
                    cards.append({"♠Q": "QS", "♦J": "JD"}[part])
            taken[seat] = " ".join(cards)
        state = scored(rules, taken)
        assert [row["This deal"] for row in rows] == [shown(rules, new) for new in state.sheet[-1].change]
        if "Before" in table.head:
            for row in rows:
                assert amount(row["Before"]) + amount(row["This deal"]) == amount(row["After"])
