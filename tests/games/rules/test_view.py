"""Nobody is told what is hidden: views and stories stay the same whatever the cards that the viewer cannot see.

The main tests substitute. They change everything in a state that is hidden from a viewer and expect the same view.
What a viewer may know is worked out here, apart from the code under test.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping
from functools import cache

import pytest

from games.rules import DECK, Action, Event, Refused, Rules, State, View, in_order, story, view
from games.rules.state import evolve
from tests.games.rules.play import SIMULTANEOUS, TABLES, Ply, hauls, random_game, random_rules, winner_of

Viewer = int | None

at_every_table = pytest.mark.parametrize(("kind", "players"), TABLES)

#: Games of each table: options fixed in each, the others are random.
FIXED: dict[str, tuple[dict[str, str | int], ...]] = {
    "hearts": (
        {"surplus": "kitty", "passing": "rotate", "skip_right": "one_each", "moon": "choose", "end_score": 60},
        {"surplus": "kitty", "passing": "always_left", "moon": "add", "end_score": 30},
        {"surplus": "remove", "passing": "rotate", "end_score": 40},
        {"surplus": "kitty", "passing": "off", "moon": "choose", "end_score": 40},
    ),
    "spades": (
        {"blind_nil": "yes", "floor": "no", "target": 200, "first_lead": "club_two"},
        {"blind_nil": "yes", "floor": "no", "target": 150, "first_lead": "dealer_left"},
        {"blind_nil": "no", "target": 120},
    ),
}

#: How many plies of each phase of a game are looked at.
PLIES = 7

CARD = re.compile("[2-9TJQKA][CDHS]")


@cache
def played(kind: str, players: int) -> tuple[tuple[Rules, tuple[Ply, ...]], ...]:
    games = []
    for number, fixed in enumerate(FIXED[kind]):
        rng = random.Random(f"views {kind} {players} {number}")
        rules = random_rules(kind, players, rng, **fixed)
        games.append((rules, tuple(random_game(rules, rng, top_hands=0.25))))
    return tuple(games)


def plies(kind: str, players: int) -> Iterator[tuple[Rules, State, Action, State]]:
    for rules, game in played(kind, players):
        for before, action, after in game:
            yield rules, before, action, after


def chosen_plies(kind: str, players: int, most: int = PLIES) -> Iterator[tuple[Rules, State, Action, State]]:
    """Random plies of each game: some of every phase and kind of action, and some that take a trick or score a deal."""
    rng = random.Random(f"chosen {kind} {players}")
    for rules, game in played(kind, players):
        sorts: dict[object, list[Ply]] = {}
        for ply in game:
            before, action, after = ply
            changes = len(after.tricks) > len(before.tricks), len(after.sheet) > len(before.sheet)
            sorts.setdefault((action.kind, after.phase, after.finisher is None, changes), []).append(ply)
        for of_a_sort in sorts.values():
            for before, action, after in rng.sample(of_a_sort, min(most, len(of_a_sort))):
                yield rules, before, action, after


def viewers(rules: Rules) -> tuple[Viewer, ...]:
    return (*range(rules.players), None)


def assert_same(one: View | tuple[Event, ...], other: View | tuple[Event, ...], rng: random.Random) -> None:
    """The same to the letter. JSON is made of these values alone, and slowly: the text is compared now and then."""
    assert one == other
    if rng.random() < 0.04:
        assert text_of(one) == text_of(other)


def text_of(news: View | tuple[Event, ...]) -> str:
    return json.dumps(news.to_json() if isinstance(news, View) else [event.to_json() for event in news])


# --- what a viewer may know -----------------------------------------------------------------------------------------


def withheld(rules: Rules, state: State, viewer: Viewer) -> bool:
    """Whether the viewer is asked for a blind nil and not all have answered."""
    if viewer is None or state.phase != "blind":
        return False
    return state.scores[1 - viewer % 2] - state.scores[viewer % 2] >= 100


def scored(state: State) -> bool:
    return any(row.deal == state.deal for row in state.sheet)


def where_known(rules: Rules, state: State, viewer: Viewer) -> set[str]:
    """The cards of which the viewer is told where they lie."""
    cards = {*state.trick, *(card for trick in state.tricks for card in trick.cards)}
    if rules.kind == "spades" and state.finisher is not None:
        cards.update(state.hands[state.finisher])
    if scored(state):
        cards.update(state.kitty)
    if viewer is None:
        return cards
    if not withheld(rules, state, viewer):
        cards.update(state.hands[viewer])
    if state.tricks and winner_of(state.tricks[0].cards, state.tricks[0].leader, rules.trump) == viewer:
        cards.update(state.kitty)
    return cards


def known(rules: Rules, state: State, viewer: Viewer) -> set[str]:
    """All cards of this deal that the viewer has seen: also those given away, wherever they are now."""
    cards = where_known(rules, state, viewer)
    return cards if viewer is None else cards | {*(state.given[viewer] or ())}


def giver_to(rules: Rules, state: State, seat: int) -> int | None:
    """Who gives to this seat in this deal, worked out apart from the engine."""
    direction = "across" if rules.kind == "spades" else rules.direction(state.deal)
    n = rules.players
    steps = {"left": -1, "right": 1, "across": n // 2, "opponent": 1}
    return None if direction not in steps else (seat + steps[direction]) % n


# --- substitution ---------------------------------------------------------------------------------------------------


def permutation(cards: set[str], rng: random.Random, *, keep_suits: bool) -> dict[str, str]:
    """A random permutation of the cards; those of one suit may change places among themselves only."""
    groups = ["CDHS"] if not keep_suits else list("CDHS")
    mapping: dict[str, str] = {}
    for group in groups:
        own = sorted(card for card in cards if card[1] in group)
        mapping.update(zip(own, rng.sample(own, len(own)), strict=True))
    return mapping


def with_cards_moved(
    rules: Rules, state: State, viewer: Viewer, mapping: Mapping[str, str], rng: random.Random, *, flip: bool = True
) -> State:
    """The state with hidden cards exchanged: hands, kitty, and what others gave. Unseen blind answers are drawn anew.

    What others gave unseen is now and then replaced by any cards at all, whether they ever held them or not.
    """

    def moved(cards: tuple[str, ...]) -> tuple[str, ...]:
        return in_order(mapping.get(card, card) for card in cards)

    open_to_viewer = {viewer}  # whose gifts the viewer knows
    if viewer is not None and state.phase not in SIMULTANEOUS:
        open_to_viewer.add(giver_to(rules, state, viewer))
    given: list[tuple[str, ...] | None] = []
    for seat, cards in enumerate(state.given):
        if cards is None or seat in open_to_viewer:
            given.append(cards)
        elif state.phase not in SIMULTANEOUS and rng.random() < 0.5:
            given.append(in_order(rng.sample(rules.deck, len(cards))))
        else:
            given.append(moved(cards))
    blinds = state.blinds
    if state.phase == "blind" and flip:
        blinds = tuple(
            answer if answer is None or seat == viewer else rng.random() < 0.5 for seat, answer in enumerate(blinds)
        )
    hands = tuple(moved(hand) for hand in state.hands)
    return evolve(state, hands=hands, kitty=moved(state.kitty), given=tuple(given), blinds=blinds)


@at_every_table
def test_a_view_does_not_depend_on_anything_hidden_from_the_viewer(kind: str, players: int) -> None:
    rng = random.Random(f"substitute {kind} {players}")
    changed = 0
    for rules, _, _, state in chosen_plies(kind, players):
        for viewer in viewers(rules):
            shown = view(rules, state, viewer)
            hidden = set(rules.deck) - where_known(rules, state, viewer)
            for keep_suits in (False, True):
                mapping = permutation(hidden, rng, keep_suits=keep_suits)
                other = with_cards_moved(rules, state, viewer, mapping, rng)
                changed += other != state
                assert_same(view(rules, other, viewer), shown, rng)
    assert changed > 200


@at_every_table
def test_a_story_does_not_depend_on_anything_hidden_from_the_viewer(kind: str, players: int) -> None:
    """The same is done in two games that differ in hidden things only: the viewer is told the same.

    Hidden is what the viewer knows neither before nor after. What another seat answers unseen is hidden too, so there
    the two games have different answers. The view afterwards is the same, unless other hidden cards let another seat
    open.
    """
    rng = random.Random(f"retell {kind} {players}")
    changed = 0
    for rules, before, action, after in chosen_plies(kind, players):
        for viewer in viewers(rules):
            events, shown = story(rules, before, action, after, viewer), view(rules, after, viewer)
            for keep_suits in (False, True):
                other, same_deed = with_hidden_things_changed(rules, before, action, after, viewer, keep_suits, rng)
                try:
                    other_after = rules.apply(other, same_deed)
                except Refused:  # another seat holds other cards, and may not play this one from them
                    assert (action.kind, action.seat == viewer) == ("play", False)
                    continue
                changed += other != before
                assert_same(story(rules, other, same_deed, other_after, viewer), events, rng)
                if (other_after.phase, other_after.turn) == (after.phase, after.turn):
                    assert_same(view(rules, other_after, viewer), shown, rng)
                else:
                    assert after.phase == "play"
                    assert before.phase != "play"
    assert changed > 200


def with_hidden_things_changed(
    rules: Rules, before: State, action: Action, after: State, viewer: Viewer, keep_suits: bool, rng: random.Random
) -> tuple[State, Action]:
    """A state before and an action that are to the viewer what these are."""
    if action.kind == "open":
        return before, action
    deck = set(rules.deck)
    unseen_after = deck - where_known(rules, after, viewer)
    unseen_before = deck - where_known(rules, before, viewer)
    if action.kind == "deal":  # what is hidden before is of another deal
        mapping = permutation(unseen_after, rng, keep_suits=keep_suits)
        pack = tuple(mapping.get(card, card) for card in action.pack)
        mapping = permutation(unseen_before, rng, keep_suits=keep_suits)
        old = with_cards_moved(rules, before, viewer, mapping, rng) if before.sheet or before.attempt else before
        return old, Action("deal", pack=pack)
    mapping = permutation(unseen_before & unseen_after, rng, keep_suits=keep_suits)
    still_blind = after.phase == "blind"
    other = with_cards_moved(rules, before, viewer, mapping, rng, flip=still_blind)
    if action.seat != viewer and action.kind in ("pass", "exchange"):
        return other, Action(action.kind, action.seat, cards=tuple(mapping.get(card, card) for card in action.cards))
    if action.seat != viewer and still_blind:
        return other, Action("blind", action.seat, blind=rng.random() < 0.5)
    return other, action


@at_every_table
def test_another_answer_of_another_seat_looks_the_same_until_all_have_answered(kind: str, players: int) -> None:
    """The last answer too, but for who gets the cards, and for blind answers, which all are then shown."""
    rng = random.Random(f"answer {kind} {players}")
    compared = 0
    for rules, before, action, after in chosen_plies(kind, players, 30):
        if before.phase not in SIMULTANEOUS or action.kind == "skip" or action.seat is None:
            continue
        if action.kind == "blind":
            different = Action("blind", action.seat, blind=not action.blind)
        else:
            cards = rng.sample(before.hands[action.seat], len(action.cards))
            different = Action(action.kind, action.seat, cards=tuple(cards))
        other = rules.apply(before, different)
        last = before.phase != after.phase
        for viewer in viewers(rules):
            if viewer == action.seat or (last and action.kind == "blind"):
                continue
            if last and viewer is not None and giver_to(rules, before, viewer) == action.seat:
                continue
            compared += 1
            events = story(rules, before, action, after, viewer)
            assert_same(story(rules, before, different, other, viewer), events, rng)
            if not last:
                assert_same(view(rules, other, viewer), view(rules, after, viewer), rng)
    assert compared >= 20


# --- scan -----------------------------------------------------------------------------------------------------------


def cards_in(text: str) -> set[str]:
    return set(CARD.findall(text))


@at_every_table
def test_no_card_that_the_viewer_may_not_know_is_in_a_view_or_story(kind: str, players: int) -> None:
    for rules, before, action, after in chosen_plies(kind, players, 4):
        for viewer in viewers(rules):
            data = view(rules, after, viewer).to_json()
            assert data.pop("options") == rules.options.to_json()  # a value of an option may be the name of a card
            may_know = known(rules, after, viewer)
            assert cards_in(json.dumps(data)) <= may_know
            assert cards_in(text_of(story(rules, before, action, after, viewer))) <= may_know


@at_every_table
def test_a_seat_is_shown_what_is_its_own(kind: str, players: int) -> None:
    """The other half: nothing is kept back that a seat needs."""
    for rules, _, _, state in chosen_plies(kind, players):
        for seat in range(players):
            shown = view(rules, state, seat)
            assert shown.hand == (None if withheld(rules, state, seat) else state.hands[seat])
            assert shown.gave == state.given[seat]
            assert (shown.ask is not None) == (seat in shown.asked)
        spectator = view(rules, state, None)
        assert (spectator.hand, spectator.gave, spectator.received, spectator.ask) == (None, None, None, None)


# --- questions that are asked together ------------------------------------------------------------------------------


@at_every_table
def test_who_has_answered_is_public_and_what_is_not(kind: str, players: int) -> None:
    answers = 0
    for rules, before, action, after in plies(kind, players):
        if before.phase not in SIMULTANEOUS or action.kind == "skip":
            continue
        answers += 1
        for viewer in viewers(rules):
            first, *others = [event.to_json() for event in story(rules, before, action, after, viewer)]
            own = viewer == action.seat
            what = {"blind": action.blind} if action.kind == "blind" else {"cards": list(in_order(action.cards))}
            content = what if own else dict.fromkeys(what)
            assert first == {"event": "answered", "seat": action.seat, "phase": before.phase, **content}
            if after.phase != before.phase:
                continue
            assert others == []
            shown = view(rules, after, viewer)
            assert action.seat in shown.answered
            assert not {*shown.answered} & {*shown.asked}
            assert shown.asked == rules.due(after).seats
            assert (shown.received, shown.bids) == (None, after.bids)
            assert shown.gave == (after.given[viewer] if viewer is not None else None)
            assert shown.blinds == (() if before.phase == "blind" else after.blinds)
    assert answers >= 4


@at_every_table
def test_received_cards_come_in_deck_order_to_their_receiver_only(kind: str, players: int) -> None:
    handed_over = 0
    for rules, before, action, after in plies(kind, players):
        if before.phase not in ("pass", "exchange") or after.phase == before.phase or action.kind == "skip":
            continue
        handed_over += 1
        for viewer in viewers(rules):
            event = story(rules, before, action, after, viewer)[-1]
            assert event.kind == "handed_over"
            gave = received = None
            if viewer is not None and after.given[viewer] is not None:
                giver = giver_to(rules, before, viewer)
                assert giver is not None
                gave, cards = after.given[viewer], after.given[giver]
                assert cards is not None
                received = tuple(card for card in DECK if card in cards)
            shown = view(rules, after, viewer)
            assert (shown.gave, shown.received) == (gave, received)
            assert (event.data["gave"], event.data["received"]) == (gave, received)
    assert handed_over


def test_no_seat_that_is_asked_for_a_blind_nil_is_sent_its_hand_before_all_have_answered() -> None:
    asked_seats = 0
    for rules, before, action, after in chosen_plies("spades", 4, 6):
        if before.phase != "blind" and after.phase != "blind":
            continue
        for viewer in viewers(rules):
            data = view(rules, after, viewer).to_json()
            told_now = text_of(story(rules, before, action, after, viewer))
            if withheld(rules, after, viewer):
                asked_seats += 1
                del data["options"]
                assert cards_in(json.dumps(data)) == cards_in(told_now) == set()
            elif viewer is not None and withheld(rules, before, viewer):  # the last answer is in
                assert data["hand"] == list(after.hands[viewer])
                assert story(rules, before, action, after, viewer)[-1].to_json() == {
                    "event": "hand_shown",
                    "seat": viewer,
                    "hand": list(after.hands[viewer]),
                }
            elif action.kind == "deal":  # the side in front sees its cards at once
                assert cards_in(told_now) == ({*after.hands[viewer]} if viewer is not None else set())
    assert asked_seats > 20


def test_blind_answers_are_shown_to_all_once_all_have_answered() -> None:
    shown_answers = set()
    for rules, before, action, after in plies("spades", 4):
        if before.phase != "blind" or after.phase == "blind":
            continue
        for viewer in viewers(rules):
            event = story(rules, before, action, after, viewer)[1]
            assert (event.kind, event.data) == ("blind_shown", {"blinds": after.blinds})
            assert view(rules, after, viewer).blinds == after.blinds
        shown_answers.add(after.blinds[0] if after.blinds[0] is not None else after.blinds[1])
    assert shown_answers == {True, False}


# --- the kitty ------------------------------------------------------------------------------------------------------

KITTY_TABLES = [players for kind, players in TABLES if kind == "hearts" and players != 4]


@pytest.mark.parametrize("players", KITTY_TABLES)
def test_only_its_taker_sees_the_kitty_before_the_deal_is_scored(players: int) -> None:
    for rules, before, action, after in plies("hearts", players):
        taker = winner_of(after.tricks[0].cards, after.tricks[0].leader, None) if after.tricks else None
        taken = after.kitty and len(after.tricks) == 1 and not before.tricks
        for viewer in viewers(rules):
            sees = bool(after.kitty) and (scored(after) or (viewer is not None and viewer == taker))
            if taken or after.phase in ("moon", "deal", "over") or after.ply % 7 == 0:
                shown = view(rules, after, viewer)
                assert shown.kitty == (after.kitty if sees else None)
                assert shown.kitty_count == len(after.kitty)
                assert shown.kitty_taker == (taker if after.kitty else None)
            if taken:
                event = story(rules, before, action, after, viewer)[-1]
                cards = after.kitty if viewer == taker else None
                assert (event.kind, event.seat) == ("kitty_taken", taker)
                assert event.data == {"count": len(after.kitty), "cards": cards}
            if len(after.sheet) > len(before.sheet):
                score = next(e for e in story(rules, before, action, after, viewer) if e.kind == "deal_scored")
                assert score.data["kitty"] == after.kitty


@pytest.mark.parametrize("players", KITTY_TABLES)
def test_points_taken_never_include_the_kitty(players: int) -> None:
    rich = 0
    for rules, _, _, state in plies("hearts", players):
        if not state.kitty or state.trick:
            continue
        points = [0] * players
        for trick in state.tricks:
            points[trick.winner] += sum(1 if card[1] == "H" else 13 * (card == "QS") for card in trick.cards)
        rich += state.kitty_taker is not None and any(card[1] == "H" or card == "QS" for card in state.kitty)
        assert {view(rules, state, viewer).points_taken for viewer in viewers(rules)} == {tuple(points)}
    assert rich, "some kitty had points"


# --- finish and moon ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FIXED)
def test_whether_a_deal_may_be_finished_does_not_depend_on_hidden_cards(kind: str) -> None:
    rng = random.Random(f"finish {kind}")
    offers = {True: 0, False: 0}
    for rules, _, _, state in (ply for table in TABLES if table[0] == kind for ply in plies(*table)):
        if state.phase != "play" or state.trick or state.turn is None or len(state.tricks) < 2:
            continue
        offered = rules.finish(state) is not None
        if not offered and rng.random() < 0.7:
            continue
        offers[offered] += 1
        hidden = set(rules.deck) - where_known(rules, state, state.turn)
        for _ in range(2):
            mapping = permutation(hidden, rng, keep_suits=False)
            assert (rules.finish(with_cards_moved(rules, state, state.turn, mapping, rng)) is not None) == offered
    assert min(offers.values()) > 5


@pytest.mark.parametrize("players", KITTY_TABLES)
def test_a_deal_with_a_scoring_card_in_the_kitty_cannot_be_finished(players: int) -> None:
    blocked = 0
    for rules, _, _, state in plies("hearts", players):
        if state.phase == "play" and not state.trick and len(state.tricks) == rules.hand_size - 1:
            scores = {card for card in rules.deck if card[1] == "H" or card == "QS"}
            scores |= {"JD"} if rules.options.to_json()["jack_of_diamonds"] == "minus_ten" else set()
            if scores & set(state.kitty):
                blocked += 1
                assert not (rules.finish(state) is not None)
    assert blocked


def test_only_the_shooter_is_shown_both_score_tables() -> None:
    moons = 0
    for table in TABLES:
        for rules, before, action, state in plies(*table):
            if state.phase != "moon":
                continue
            moons += 1
            (shooter,) = rules.due(state).seats
            hearts = {card for card in rules.deck if card[1] == "H"}
            assert hearts <= hauls(rules, state)[shooter]
            for viewer in viewers(rules):
                event = story(rules, before, action, state, viewer)[-1]
                assert event.to_json() == {"event": "moon_shot", "seat": shooter}
                ask = view(rules, state, viewer).ask
                if viewer != shooter:
                    assert ask is None
                    assert "tables" not in text_of(view(rules, state, viewer))
                    continue
                assert ask is not None
                outcomes = {
                    choice: rules.apply(state, Action("moon", shooter, choice=choice)).scores
                    for choice in ("add", "subtract")
                }
                assert ask.tables == outcomes
    assert moons >= 3
