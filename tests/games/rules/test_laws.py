"""What holds at every ply of every game, whatever the kind, the number of players and the options."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import cache, partial
from typing import Any

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from games.kinds import KINDS, rules_for
from games.rules import Action, Refused, Rules, State, in_order, state_from_json
from games.rules.state import ACTION_KEYS, DEALERS_ACTIONS, DealScore, Line, Trick, evolve
from tests.games.rules.play import (
    MOST_DEALS,
    SIMULTANEOUS,
    TABLES,
    Ply,
    answer_at_random,
    answer_by_default,
    hauls,
    ordered,
    random_game,
    random_rules,
    shuffled,
)

at_every_table = pytest.mark.parametrize(("kind", "players"), TABLES)
modest = partial(settings, derandomize=True, deadline=None, database=None)

#: Games played for each table. Spades has one number of players only, so it gets more of them.
GAMES = {"hearts": 3, "spades": 6}

#: Options that bring every phase into play.
EVENTFUL: dict[str, dict[str, str | int]] = {
    "hearts": {"surplus": "kitty", "passing": "rotate", "skip_right": "one_each", "moon": "choose", "end_score": 60},
    "spades": {"blind_nil": "yes", "target": 200},
}


@cache
def played(kind: str, players: int) -> tuple[tuple[Rules, tuple[Ply, ...]], ...]:
    """Whole games of random options; the first of each table has every phase."""
    games = []
    for number in range(GAMES[kind]):
        rng = random.Random(f"laws {kind} {players} {number}")
        rules = random_rules(kind, players, rng, **({} if number else EVENTFUL[kind]))
        games.append((rules, tuple(random_game(rules, rng))))
    return tuple(games)


def plies(kind: str, players: int) -> Iterator[tuple[Rules, State, Action, State]]:
    for rules, game in played(kind, players):
        for before, action, after in game:
            yield rules, before, action, after


def sampled(kind: str, players: int, share: float) -> Iterator[tuple[Rules, State]]:
    """States of the games: a share of them all, and some of each phase."""
    rng = random.Random(f"sample {kind} {players}")
    seen: dict[str, int] = {}
    for rules, game in played(kind, players):
        for state in (rules.start(), *(after for _, _, after in game)):
            seen[state.phase] = seen.get(state.phase, 0) + 1
            if seen[state.phase] <= 2 or rng.random() < share:
                yield rules, state


@st.composite
def tables(draw: st.DrawFn) -> Rules:
    """Any table with a short game. An option that does not go with the others gets its default."""
    kind, players = draw(st.sampled_from(TABLES))
    declared = KINDS[kind].options.declared()
    data: dict[str, str | int] = {}
    for option in declared:
        if option.type == "choice":
            data[option.name] = draw(st.sampled_from([value.value for value in option.values]))
        else:
            data[option.name] = draw(st.integers(option.low, option.low + (option.high - option.low) // 10))
    while True:
        try:
            rules = rules_for(kind, players, data)
        except Refused as refused:
            del data[str(refused.details["field"])]
        else:
            note(f"{kind} for {players}: {rules.options.differences()}")
            return rules


generators = st.integers(0, 2**32).map(random.Random)


def test_the_played_games_have_every_phase_and_every_kind_of_action() -> None:
    """Guards the tests below against passing because nothing happened."""
    states = [(action.kind, after.phase) for table in TABLES for _, _, action, after in plies(*table)]
    assert {kind for kind, _ in states} == set(ACTION_KEYS)
    assert {phase for _, phase in states} == {"deal", "pass", "blind", "bid", "exchange", "play", "moon", "over"}


# --- where the cards are, and what a state is made of ---------------------------------------------------------------


@at_every_table
def test_every_card_is_in_exactly_one_place(kind: str, players: int) -> None:
    for rules, _, action, after in plies(kind, players):
        if action.kind == "open":
            assert not any(after.hands)
            continue
        places = [card for hand in after.hands for card in hand]
        places += [*after.trick, *after.kitty, *(card for trick in after.tricks for card in trick.cards)]
        assert sorted(places) == sorted(rules.deck)
        assert all(hand == in_order(hand) for hand in after.hands)


@at_every_table
def test_hands_have_the_same_number_of_cards_but_for_the_trick_on_the_table(kind: str, players: int) -> None:
    for rules, _, action, after in plies(kind, players):
        if action.kind == "open":
            continue
        for seat, hand in enumerate(after.hands):
            led = after.leader if after.trick else None
            on_table = led is not None and (seat - led) % players < len(after.trick)
            assert len(hand) == rules.hand_size - len(after.tricks) - on_table


@at_every_table
def test_a_state_holds_its_declared_fields_and_nothing_that_can_change(kind: str, players: int) -> None:
    names = [entry.name for entry in fields(State)]

    def unchangeable(value: object) -> bool:
        if isinstance(value, tuple):
            return all(unchangeable(item) for item in value)
        if isinstance(value, Trick | DealScore | Line):
            return all(unchangeable(getattr(value, entry.name)) for entry in fields(value))
        return value is None or isinstance(value, str | int)

    for number, (_, _, _, after) in enumerate(plies(kind, players)):
        assert list(after.__dict__) == names
        if number % 25 == 0 or after.phase in ("over", "moon", "exchange"):
            hash(after)
            assert all(unchangeable(value) for value in after.__dict__.values())


@at_every_table
def test_ply_counts_the_actions(kind: str, players: int) -> None:
    for _, before, _, after in plies(kind, players):
        assert after.ply == before.ply + 1


# --- scores ---------------------------------------------------------------------------------------------------------


@at_every_table
def test_a_score_sheet_adds_up(kind: str, players: int) -> None:
    """The lines of a row sum to its change, the changes to the running scores, and bags to their counter."""
    for rules, before, _, after in plies(kind, players):
        if len(after.sheet) == len(before.sheet):
            assert (after.scores, after.bags, after.sheet) == (before.scores, before.bags, before.sheet)
            continue
        row = after.sheet[-1]
        assert after.sheet[:-1] == before.sheet
        assert row.deal == after.deal == len(after.sheet)
        sides = range(2 if kind == "spades" else players)
        assert len(row.change) == len(row.scores) == len(sides)
        for side in sides:
            lines = [line for line in row.lines if line.side == side]
            assert row.change[side] == sum(line.amount for line in lines)
            assert row.scores[side] == after.scores[side] == before.scores[side] + row.change[side]
            if kind == "spades":
                new = sum(line.amount for line in lines if line.what == "bags")
                charged = sum(line.amount for line in lines if line.what == "bag_penalty")
                assert row.bags[side] == after.bags[side] == before.bags[side] + new + charged // 10
                assert rules.options.to_json()["bag_penalty"] == "no" or row.bags[side] in range(10)
        assert kind == "spades" or row.bags == after.bags == ()
        assert all(line.seat is None or rules.side(line.seat) in sides for line in row.lines)


@pytest.mark.parametrize("players", [players for kind, players in TABLES if kind == "hearts"])
def test_points_of_a_deal_are_those_in_play_or_the_award_of_the_moon(players: int) -> None:
    for rules, before, action, after in plies("hearts", players):
        if len(after.sheet) == len(before.sheet):
            continue
        options = rules.options.to_json()
        twos_out = players == 6 and (options["surplus"], options["removed_six"]) == ("remove", "all_twos")
        in_play = 20 if players == 2 else 25 if twos_out else 26
        taken = hauls(rules, after)
        needed = {card for card in rules.deck if card[1] == "H" or card == "QS"}
        needed |= {"JD"} if options["jack_in_moon"] == "required" else set()
        shooters = [seat for seat in range(players) if needed <= taken[seat]] if options["moon"] != "off" else []
        expected = [sum(1 if card[1] == "H" else 13 * (card == "QS") for card in haul) for haul in taken]
        assert sum(expected) == in_play
        if shooters:
            adds = (action.choice if action.kind == "moon" else options["moon"]) == "add"
            shot = [seat in shooters for seat in range(players)]
            expected = [26 * (not own) if adds else -26 * own for own in shot]
        if options["jack_of_diamonds"] == "minus_ten":
            expected = [points - 10 * ("JD" in haul) for points, haul in zip(expected, taken, strict=True)]
        assert after.sheet[-1].change == tuple(expected)


@pytest.mark.parametrize("removed_six", ["all_twos", "keep_hearts"])
@pytest.mark.parametrize("surplus", ["remove", "kitty"])
@pytest.mark.parametrize("players", [players for kind, players in TABLES if kind == "hearts"])
def test_a_moon_is_worth_26_whatever_the_pack(players: int, surplus: str, removed_six: str) -> None:
    """Without a pass, who is dealt the highest cards takes everything, however the cards are played."""
    rng = random.Random(f"moon {players} {surplus} {removed_six}")
    packs = {"surplus": surplus, "removed_six": removed_six, "passing": "off", "first_lead": "dealer_left"}
    for moon, shooters, others in (("add", 0, 26), ("subtract", -26, 0)):
        rules = rules_for("hearts", players, {**packs, "moon": moon})
        row = next(after.sheet[0] for *_, after in random_game(rules, rng, top_hands=1) if after.sheet)
        assert sorted(row.change) == sorted([shooters, *[others] * (players - 1)])


def test_moons_of_every_sort_were_shot() -> None:
    """Guards the test above: its branches have been taken."""
    sorts = {
        (line.what, line.amount)
        for table in TABLES
        for _, _, _, after in plies(*table)
        if after.phase in ("deal", "over") and after.sheet
        for line in after.sheet[-1].lines
    }
    assert {("moon", 26), ("moon", -26), ("moon", 0), ("jack", -10), ("queen", 13)} <= sorts


@at_every_table
def test_tricks_of_a_deal_sum_to_the_size_of_a_hand(kind: str, players: int) -> None:
    """In Spades also where a hand was shown; in Hearts a deal that was ended early has fewer."""
    for rules, before, _, after in plies(kind, players):
        won = [0] * players
        for trick in after.tricks:
            won[trick.winner] += 1
        if after.finisher is not None and kind == "spades":
            won[after.finisher] += rules.hand_size - len(after.tricks)
        assert rules.tricks_of(after) == tuple(won)
        if len(after.sheet) > len(before.sheet):
            short = kind == "hearts" and after.finisher is not None
            assert sum(won) < rules.hand_size if short else sum(won) == rules.hand_size


def redealt(rules: Rules, state: State, seat: int, rng: random.Random) -> State:
    """The state with the cards of all hands but this seat's dealt anew among them."""
    others = [card for other, hand in enumerate(state.hands) if other != seat for card in hand]
    rng.shuffle(others)
    hands = []
    for other, hand in enumerate(state.hands):
        hands.append(hand if other == seat else in_order(others[: len(hand)]))
        others = others if other == seat else others[len(hand) :]
    return evolve(state, hands=tuple(hands))


@pytest.mark.parametrize("kind", KINDS)
def test_a_deal_that_is_finished_scores_as_if_it_had_been_played_out(kind: str) -> None:
    """Whatever the others hold, and in whatever order cards are played. In Spades each trick left is the finisher's."""
    rng = random.Random(f"finish {kind}")
    offered = 0
    for rules, _, _, state in (ply for table in TABLES if table[0] == kind for ply in plies(*table)):
        if state.phase != "play" or state.trick or state.turn is None or rules.finish(state) is None:
            continue
        offered += 1
        seat = state.turn
        finished = rules.apply(state, rules.legal_actions(state, seat)[-1])
        for _ in range(3):
            played_out = redealt(rules, state, seat, rng)
            while played_out.phase == "play":
                (turn,) = rules.due(played_out).seats
                answers = [a for a in rules.legal_actions(played_out, turn) if a.kind == "play"]
                played_out = rules.apply(played_out, rng.choice(answers))
            assert played_out.phase == finished.phase
            if kind == "spades":
                assert rules.tricks_of(played_out) == rules.tricks_of(finished)
            ends = [finished, played_out]
            if finished.phase == "moon":
                ends = [rules.apply(end, Action("moon", end.turn, choice="subtract")) for end in ends]
            assert ends[0].sheet == ends[1].sheet
            assert rules.result(ends[0]) == rules.result(ends[1])
    assert offered > 10


# --- what may be done -----------------------------------------------------------------------------------------------


def every_sort_of_action(rules: Rules, state: State, rng: random.Random) -> Iterator[Action]:
    """Every card, bid and kind by every seat, right and wrong, with random sets of cards."""
    n = rules.players
    full = shuffled(rules, rng)
    for dealer in (-1, *range(n + 1), None):
        yield Action("open", dealer=dealer)
    for pack in (full, full[1:], (full[1], *full[1:]), (*full, full[0]), ()):
        yield Action("deal", pack=pack)
    yield Action("open", 0, dealer=0)
    yield Action("deal", 0, pack=full)
    for seat in (-1, *range(n + 1), None):
        hand = state.hands[seat] if seat is not None and 0 <= seat < n else state.hands[0]
        sets: list[tuple[str, ...]] = [(), hand, hand[:1], hand[::-1], hand[1:], (*hand, "2C")]
        for count in (1, 2, 3, 4):
            sets.append(tuple(rng.sample(rules.deck, count)))
            sets += [tuple(rng.sample(hand, count)) for _ in range(3) if len(hand) >= count]
            sets += [hand[:1] * count, (*hand[: count - 1], rng.choice(rules.deck))]
        for kind in ("pass", "exchange", "finish"):
            for cards in sets:
                yield Action(kind, seat, cards=cards)
        for card in rules.deck:
            yield Action("play", seat, card=card)
        for bid in (-1, *range(15), None):
            yield Action("bid", seat, bid=bid)
        for blind in (False, True, None):
            yield Action("blind", seat, blind=blind)
        for choice in ("add", "subtract", "off", None):
            yield Action("moon", seat, choice=choice)
        yield Action("play", seat)
        yield Action("skip", seat)


def refusal(door: Callable[[State, Action], object], state: State, action: Action) -> str | None:
    """The code with which the action is refused; None if it is not."""
    try:
        door(state, action)
    except Refused as refused:
        return refused.code
    return None


def dealer_may(rules: Rules, state: State, action: Action) -> bool:
    if action.seat is not None or action.kind != state.phase:
        return False
    if action.kind == "open":
        return action.dealer in range(rules.players)
    return sorted(action.pack) == sorted(rules.deck)


@at_every_table
def test_check_and_apply_accept_exactly_what_is_listed(kind: str, players: int) -> None:
    """And what is refused leaves the state as it was."""
    rng = random.Random(f"check {kind} {players}")
    for rules, state in sampled(kind, players, 0.005):
        listed = {action for seat in range(players) for action in rules.legal_actions(state, seat)}
        kept = json.dumps(state.to_json())
        seen = set()
        for action in every_sort_of_action(rules, state, rng):
            code = refusal(rules.check, state, action)
            expected = dealer_may(rules, state, action) if action.kind in DEALERS_ACTIONS else ordered(action) in listed
            assert (code is None) == expected, (state, action, code)
            assert refusal(rules.apply, state, action) == code
            if expected:
                seen.add(ordered(action))
        assert json.dumps(state.to_json()) == kept
        assert state == state_from_json(json.loads(kept))
        if state.phase not in SIMULTANEOUS:  # of those only some sets of cards are tried
            assert listed <= seen


@at_every_table
def test_who_is_asked_has_a_legal_action_and_nobody_else_has(kind: str, players: int) -> None:
    for rules, _, _, after in plies(kind, players):
        asked = rules.due(after).seats
        assert bool(asked) == (after.phase not in ("open", "deal", "over"))
        for seat in range(players):
            assert bool(rules.legal_actions(after, seat)) == (seat in asked)


@at_every_table
def test_barred_and_legal_cards_make_up_the_hand(kind: str, players: int) -> None:
    for rules, _, _, after in plies(kind, players):
        for seat in range(players):
            barred = rules.barred(after, seat)
            if after.phase != "play" or seat != after.turn:
                assert barred == {}
                continue
            legal = [action.card for action in rules.legal_actions(after, seat) if action.card]
            assert sorted([*barred, *legal]) == sorted(after.hands[seat])


@at_every_table
def test_the_default_action_is_always_legal_and_never_calls_off_or_finishes(kind: str, players: int) -> None:
    for rules, state in sampled(kind, players, 0.2):
        for seat in range(players):
            if seat in rules.due(state).seats:
                action = rules.default_action(state, seat)
                assert action in rules.legal_actions(state, seat)
                assert action.kind == state.phase
            else:
                with pytest.raises(Refused):
                    rules.default_action(state, seat)


# --- questions ------------------------------------------------------------------------------------------------------


@at_every_table
def test_a_question_has_one_name_while_it_is_asked_and_no_other_question_has_it(kind: str, players: int) -> None:
    for rules, game in played(kind, players):
        names: list[str | None] = [None] * players
        used: list[set[str]] = [set() for _ in range(players)]
        for before, action, after in game:
            for seat in range(players):
                name = rules.ask_id(after, seat)
                assert (name is not None) == (seat in rules.due(after).seats)
                same = before.phase == after.phase and before.phase in SIMULTANEOUS
                if name is not None and same and seat != action.seat:
                    assert name == names[seat]
                elif name is not None:
                    assert name not in used[seat]
                    used[seat].add(name)
                    deal, attempt, phase, _ = name.split(".")
                    assert (int(deal), int(attempt), phase) == (after.deal, after.attempt, after.phase)
                names[seat] = name


@at_every_table
def test_the_last_part_of_a_name_is_the_trick_or_the_place_in_bidding(kind: str, players: int) -> None:
    for rules, state in sampled(kind, players, 0.1):
        for seat in rules.due(state).seats:
            n = {"play": len(state.tricks) + 1, "bid": (seat - state.dealer - 1) % players + 1}.get(state.phase, 0)
            assert str(rules.ask_id(state, seat)).endswith(f".{n}")


# --- the log --------------------------------------------------------------------------------------------------------


@at_every_table
def test_folding_the_recorded_actions_gives_the_same_states(kind: str, players: int) -> None:
    for rules, game in played(kind, players):
        folded = rules_for(kind, players, json.loads(json.dumps(rules.options.to_json())))
        state = folded.start()
        for _, action, after in game:
            recorded = Action.from_json(json.loads(json.dumps(action.to_json())))
            assert recorded == action
            state = folded.apply(state, recorded)
            assert state == after


@at_every_table
def test_a_state_survives_json(kind: str, players: int) -> None:
    for _, state in sampled(kind, players, 0.03):
        again = state_from_json(json.loads(json.dumps(state.to_json())))
        assert again == state
        assert list(again.__dict__) == list(state.__dict__)


@modest(max_examples=20)
@given(tables(), generators)
def test_the_order_in_which_seats_answer_together_makes_no_difference(rules: Rules, rng: random.Random) -> None:
    answers: list[Action] = []
    start = rules.start()
    for before, action, after in random_game(rules, rng):
        if before.phase not in SIMULTANEOUS or action.kind == "skip":
            answers = []
            continue
        if not answers:
            start = before
        answers.append(action)
        if after.phase != before.phase:
            state = start
            for other in rng.sample(answers, len(answers)):
                state = rules.apply(state, other)
            assert state == after


# --- seats are alike ------------------------------------------------------------------------------------------------


def roll(row: tuple[Any, ...], by: int) -> tuple[Any, ...]:
    return tuple(row[(place - by) % len(row)] for place in range(len(row)))


def shifted(state: State, sides: int, by: int) -> State:
    """The state as it would be had everybody sat `by` seats further left. Lines of the sheet are put in order."""
    n = len(state.hands)
    per_seat = {name: roll(getattr(state, name), by) for name in ("hands", "given", "skipped", "blinds", "bids")}
    seats = {name: getattr(state, name) for name in ("dealer", "turn", "leader", "kitty_taker", "finisher")}
    moved = {name: None if seat is None else (seat + by) % n for name, seat in seats.items()}
    tricks = tuple(Trick((t.leader + by) % n, t.cards, (t.winner + by) % n) for t in state.tricks)

    def line(old: Line) -> Line:
        seat = None if old.seat is None else (old.seat + by) % n
        return Line((old.side + by) % sides, old.what, old.amount, seat)

    sheet = tuple(
        DealScore(
            row.deal,
            tuple(sorted(map(line, row.lines), key=repr)),
            roll(row.change, by % sides),
            roll(row.scores, by % sides),
            roll(row.bags, by % sides),
        )
        for row in state.sheet[-1:]
    )
    per_side = {"scores": roll(state.scores, by % sides), "bags": roll(state.bags, by % sides)}
    return evolve(state, **per_seat, **moved, **per_side, tricks=tricks, sheet=sheet)


@modest(max_examples=20)
@given(tables(), generators, st.integers(1, 6))
def test_moving_everybody_along_moves_everything_along(rules: Rules, rng: random.Random, by: int) -> None:
    n, sides = rules.players, 2 if rules.kind == "spades" else rules.players
    by = by % n
    other = rules.start()
    for before, action, after in random_game(rules, rng):
        moved = Action(
            **{name: getattr(action, name) for name in ("kind", "card", "cards", "pack", "bid", "blind", "choice")},
            seat=None if action.seat is None else (action.seat + by) % n,
            dealer=None if action.dealer is None else (action.dealer + by) % n,
        )
        if action.seat is not None:
            assert rules.ask_id(before, action.seat) == rules.ask_id(other, (action.seat + by) % n)
        other = rules.apply(other, moved)
        assert shifted(other, sides, 0) == shifted(after, sides, by)
        result, moved_result = rules.result(after), rules.result(other)
        if result is not None and moved_result is not None:
            assert moved_result.placings == roll(result.placings, by)
            assert moved_result.scores == roll(result.scores, by % sides)
            assert moved_result.reason == result.reason
        assert (result is None) == (moved_result is None)


# --- every game ends ------------------------------------------------------------------------------------------------


def assert_ended(rules: Rules, state: State) -> None:
    result = rules.result(state)
    assert result is not None
    assert result.reason in {"hearts": ("target", "deal_cap"), "spades": ("target", "floor", "deal_cap")}[rules.kind]
    assert result.scores == state.scores == state.sheet[-1].scores
    for seat, place in enumerate(result.placings):  # a side is placed by the number of sides that did better
        own = result.scores[rules.side(seat)]
        better = [score for score in result.scores if (score < own if rules.kind == "hearts" else score > own)]
        assert place == 1 + len(better)
    assert rules.due(state).seats == ()
    for action in (Action("deal", pack=rules.deck), Action("play", 0, card=rules.deck[0]), Action("open", dealer=0)):
        with pytest.raises(Refused, match="game_over"):
            rules.check(state, action)


@modest(max_examples=40)
@given(tables(), generators)
def test_every_game_ends(rules: Rules, rng: random.Random) -> None:
    state = rules.start()
    for before, _, after in random_game(rules, rng, answer_at_random):
        assert rules.result(before) is None
        state = after
    assert len(state.sheet) <= MOST_DEALS
    assert_ended(rules, state)


@modest(max_examples=15)
@given(tables(), generators)
def test_a_game_that_the_clock_plays_ends(rules: Rules, rng: random.Random) -> None:
    *_, (_, _, last) = random_game(rules, rng, answer_by_default)
    assert_ended(rules, last)


@pytest.mark.parametrize(("kind", "players"), TABLES)
def test_the_longest_games_end(kind: str, players: int) -> None:
    """The options under which the end is furthest away; in Spades nobody ever makes a contract."""
    longest: dict[str, dict[str, str | int]] = {
        "hearts": {"end_score": 300, "end_test": "exceed", "moon": "subtract", "tie_for_first": "play_on"},
        "spades": {"target": 1000, "floor": "no"},
    }
    rules = rules_for(kind, players, longest[kind])

    def choose(rules: Rules, state: State, seat: int, rng: random.Random) -> Action:
        if state.phase == "bid":
            return Action("bid", seat, bid=13)
        return answer_at_random(rules, state, seat, rng)

    *_, (_, _, last) = random_game(rules, random.Random(f"longest {kind} {players}"), choose)
    assert_ended(rules, last)
    if kind == "spades":
        assert (len(last.sheet), last.reason) == (MOST_DEALS, "deal_cap")
