"""What holds for every answer of a CPU player: legal, quick, the same for the same view, and from the view alone."""

from __future__ import annotations

import ast
import inspect
import random
import statistics
import time
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from games.cpu import LEVELS
from games.kinds import KINDS, rules_for
from games.kinds.cpu import choose_action
from games.rules import Action, Refused, Rules, State, View, view
from games.rules.state import evolve
from tests.games.rules.play import TABLES, answer_at_random, random_game, random_options, random_rules
from tests.games.rules.rig import dealt, table

GAMES = Path(__file__).resolve().parents[3] / "games"
#: An answer of any level takes a fraction of this; the middle one of thousands counts, since the machine may be busy.
QUICK_S = 0.005
#: For an expert, so that its answers do not hang on the clock. Its own tests measure how long it takes without one.
BUDGET = 60

at_every_table = pytest.mark.parametrize(("kind", "players"), TABLES)
at_every_level = pytest.mark.parametrize("level", LEVELS)


def chosen(rules: Rules, state: State, seat: int, level: str = "normal", seed: int = 1) -> Action:
    return choose_action(view(rules, state, seat), level, random.Random(seed), BUDGET)


@cache
def positions(kind: str, players: int) -> tuple[tuple[Rules, State, int], ...]:
    """Positions of random games under random options with a seat that is asked, several hundred of every table."""
    found = []
    rng = random.Random(f"cpu {kind} {players}")
    games = 3 if kind == "hearts" else 8
    for number in range(games):
        fixed = {"moon": "choose", "skip_right": "one_each", "passing": "rotate"} if kind == "hearts" else {}
        rules = random_rules(kind, players, rng, **(fixed if number == 0 else {}))
        for state, _, _ in random_game(rules, rng, answer_at_random):
            share = 0.25 if state.phase == "play" else 1.0
            found += [(rules, state, seat) for seat in rules.due(state).seats if rng.random() < share]
    for name, value in sorted(choices(kind) - covered(found)):
        taken = rules_with(kind, players, name, value, rng)
        if taken is None:
            continue
        for state, _, after in random_game(taken, rng, answer_at_random):
            share = 0.1 if state.phase == "play" else 0.5
            found += [(taken, state, seat) for seat in seats_due(taken, state) if rng.random() < share]
            if after.sheet:
                break
    return tuple(found)


def seats_due(rules: Rules, state: State) -> tuple[int, ...]:
    """Who is asked."""
    return tuple(rules.due(state).seats)


def choices(kind: str) -> set[tuple[str, str]]:
    """Every option of a kind with every value that can be chosen."""
    declared = KINDS[kind].options.declared()
    return {(option.name, str(value.value)) for option in declared for value in option.values}


def covered(found: Sequence[tuple[Rules, State, int]]) -> set[tuple[str, str]]:
    return {(name, str(value)) for rules, _, _ in found for name, value in rules.options.to_json().items()}


def rules_with(kind: str, players: int, name: str, value: str, rng: random.Random) -> Rules | None:
    """Random rules with this value of an option; None if the table does not take it."""
    for _ in range(100):
        try:
            return rules_for(kind, players, {**random_options(kind, players, rng), name: value})
        except Refused:
            continue
    return None


def some(kind: str, players: int, number: int) -> Iterator[tuple[Rules, State, int]]:
    """So many of the positions, spread over them."""
    every = max(1, len(positions(kind, players)) // number)
    yield from positions(kind, players)[::every]


def test_there_are_thousands_of_positions_with_every_question() -> None:
    """Guards the tests below against passing because nothing was asked."""
    every = [position for kind, players in TABLES for position in positions(kind, players)]
    assert len(every) > 3000
    assert {state.phase for _, state, _ in every} == {"pass", "blind", "bid", "exchange", "play", "moon"}
    asks = [view(rules, state, seat).ask for rules, state, seat in every]
    assert any(ask and ask.skip for ask in asks)
    assert any(ask and ask.finish is not None for ask in asks)


def test_the_positions_have_every_value_of_every_option() -> None:
    for kind, players in TABLES:
        left = choices(kind) - covered(positions(kind, players))
        rng = random.Random(1)
        assert not [pair for pair in left if rules_with(kind, players, *pair, rng)]
    every = set().union(*(covered(positions(kind, players)) for kind, players in TABLES))
    assert choices("hearts") | choices("spades") <= every


@at_every_level
@at_every_table
def test_every_answer_is_legal_and_quick(kind: str, players: int, level: str) -> None:
    rng, times = random.Random(f"{kind}{players}{level}"), []
    for rules, state, seat in positions(kind, players):
        seen = view(rules, state, seat)
        begin = time.process_time()
        action = choose_action(seen, level, rng, BUDGET)
        times.append(time.process_time() - begin)
        assert action.seat == seat
        assert action.kind != "skip"
        assert (action.kind == "finish") == (seen.ask is not None and seen.ask.finish is not None)
        rules.check(state, action)
    assert statistics.median(times) < QUICK_S


@pytest.mark.parametrize("budget", [0, 0.5, -7, 1e300, float("inf"), float("nan"), -0.0])
def test_any_number_is_a_budget(budget: float) -> None:
    """Nothing, less than nothing, no number and more than there is time for: each is answered legally and soon."""
    for kind, players in (("hearts", 4), ("hearts", 7), ("spades", 4)):
        asked: set[str] = set()
        for rules, state, seat in positions(kind, players):
            if state.phase not in asked:
                asked.add(state.phase)
                seen = view(rules, state, seat)
                action = choose_action(seen, "expert", random.Random(1), budget)
                rules.check(state, action)
                assert action == choose_action(seen, "expert", random.Random(1), budget)
        assert len(asked) > 1


@at_every_level
@at_every_table
def test_cpus_play_whole_games_to_their_end(kind: str, players: int, level: str) -> None:
    rng = random.Random(f"whole {kind}{players}{level}")

    def answer(rules: Rules, state: State, seat: int, rng: random.Random) -> Action:
        return choose_action(view(rules, state, seat), level, rng, BUDGET)

    *_, (_, _, last) = random_game(random_rules(kind, players, rng), rng, answer)
    assert last.phase == "over"


@at_every_level
@at_every_table
def test_the_same_view_and_seed_give_the_same_answer(kind: str, players: int, level: str) -> None:
    for rules, state, seat in some(kind, players, 60):
        assert chosen(rules, state, seat, level) == chosen(rules, state, seat, level)


# --- from nothing but the view ----------------------------------------------------------------------------------------


def test_a_cpu_takes_a_view_and_nothing_else() -> None:
    parameters = inspect.signature(choose_action, eval_str=True).parameters
    assert {name: parameter.annotation for name, parameter in parameters.items()} == {
        "view": View,
        "level": str,
        "rng": random.Random,
        "budget": float | None,
    }


def test_no_module_of_the_package_names_a_state() -> None:
    """Nor the functions that make views of one."""
    barred = {"State", "state_from_json", "evolve", "story", "ask", "deals"}
    for path in [*GAMES.glob("cpu/*.py"), *GAMES.glob("kinds/*/cpu/*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert not barred & {alias.name for alias in node.names}, path.name


@at_every_level
@at_every_table
def test_cards_it_cannot_see_do_not_change_its_answer(kind: str, players: int, level: str) -> None:
    """The hidden cards are dealt anew among the hands and the kitty; the view stays, and so does the answer."""
    rng, moved = random.Random(players), 0
    for rules, state, seat in some(kind, players, 60):
        other = with_other_hidden_cards(rules, state, seat, rng)
        assert view(rules, other, seat) == view(rules, state, seat)
        assert chosen(rules, other, seat, level) == chosen(rules, state, seat, level)
        moved += other.hands != state.hands
    assert moved > 30


def with_other_hidden_cards(rules: Rules, state: State, seat: int, rng: random.Random) -> State:
    """A state that the seat cannot tell from this one."""
    own = seat if view(rules, state, seat).hand is not None else None  # before a blind answer it sees not even its own
    seats = [other for other in range(rules.players) if other != own]
    kitty = state.kitty if state.kitty_taker != seat else ()
    cards = [card for other in seats for card in state.hands[other]] + list(kitty)
    rng.shuffle(cards)
    hands = list(state.hands)
    for other in seats:
        size = len(state.hands[other])
        hands[other], cards = tuple(sorted(cards[:size], key=rules.deck.index)), cards[size:]
    if state.phase == "moon":  # the tables count the kitty
        return evolve(state, hands=tuple(hands)) if not kitty else state
    return evolve(state, hands=tuple(hands), kitty=tuple(cards) if kitty else state.kitty)


# --- the caller's errors ----------------------------------------------------------------------------------------------


def test_a_view_that_asks_nothing_and_an_unknown_level_are_errors_of_the_caller() -> None:
    rules = table("hearts")
    with pytest.raises(ValueError, match="nothing to choose"):
        chosen(rules, rules.start(), 0)
    with pytest.raises(ValueError, match="nothing to choose"):
        chosen(rules, dealt(rules, {}), 0, level="nobody")
