"""CPU players: always legal, quick, the same for the same view; and planted positions with one right answer."""

from __future__ import annotations

import inspect
import json
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from games.cpu import LEVELS, choose_action
from games.cpu.reading import view_from_json
from games.rules import Action, Rules, State, View, view
from games.rules.state import evolve
from tests.rules.play import TABLES, random_game, random_rules
from tests.rules.rig import dealt, ending, play, table

ROOT = Path(__file__).resolve().parents[2]
#: Far more than an answer takes; on a busy machine a pause may fall into one of thousands.
SLOW_S = 0.25


def chosen(rules: Rules, state: State, seat: int, level: str = "normal", seed: int = 1) -> Action:
    return choose_action(view(rules, state, seat), level, random.Random(seed))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("kind", "players"), TABLES)
def test_every_answer_is_legal_and_quick_at_every_table(kind: str, players: int, level: str) -> None:
    rng, times = random.Random(f"{kind}{players}{level}"), []

    def answer(rules: Rules, state: State, seat: int, _: random.Random) -> Action:
        seen = view(rules, state, seat)
        begin = time.perf_counter()
        action = choose_action(seen, level, rng)
        times.append(time.perf_counter() - begin)
        assert action.seat == seat
        rules.check(state, action)
        return action

    for _ in range(2):
        *_, (_, _, last) = random_game(random_rules(kind, players, rng), rng, answer)
        assert last.phase == "over"
    times.sort()
    assert times[len(times) // 2] < SLOW_S / 10


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("kind", "players"), TABLES)
def test_the_same_view_and_seed_give_the_same_answer(kind: str, players: int, level: str) -> None:
    rng = random.Random(3)
    rules = random_rules(kind, players, rng)
    for number, (state, _, _) in enumerate(random_game(rules, rng)):
        if number % 7 == 0:
            for seat in rules.due(state).seats:
                assert chosen(rules, state, seat, level) == chosen(rules, state, seat, level)


def test_a_cpu_takes_a_view_and_nothing_else() -> None:
    names = list(inspect.signature(choose_action).parameters.values())
    assert [(parameter.name, parameter.annotation) for parameter in names] == [
        ("view", "View"),
        ("level", "str"),
        ("rng", "random.Random"),
        ("budget", "float | None"),
    ]


@pytest.mark.parametrize("kind", ["hearts", "spades"])
def test_cards_it_cannot_see_do_not_change_its_answer(kind: str) -> None:
    rules = table(kind)
    rng = random.Random(5)
    compared = 0
    for state, _, _ in random_game(rules, rng):
        if state.phase != "play" or state.turn is None:
            continue
        others = [seat for seat in range(4) if seat != state.turn]
        hidden = [card for seat in others for card in state.hands[seat]]
        rng.shuffle(hidden)
        hands = list(state.hands)
        for seat in others:
            size = len(state.hands[seat])
            hands[seat], hidden = tuple(sorted(hidden[:size], key=rules.deck.index)), hidden[size:]
        moved = evolve(state, hands=tuple(hands))
        assert chosen(rules, moved, state.turn) == chosen(rules, state, state.turn)
        compared += 1
    assert compared > 20


def test_nothing_asked_is_an_error_of_the_caller() -> None:
    rules = table("hearts")
    seen: View = view(rules, rules.start(), 0)
    with pytest.raises(ValueError, match="nothing to choose"):
        choose_action(seen, "normal", random.Random(1))


# --- planted positions in Hearts --------------------------------------------------------------------------------------


def test_the_queen_goes_on_a_trick_that_another_wins() -> None:
    rules = table("hearts", passing="off", first_trick_points="yes")
    state = dealt(rules, {0: "2C 3C", 1: "QS 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD", 2: "AC"})
    assert chosen(rules, play(rules, state, "2C"), 1).card == "QS"


def test_the_queen_goes_under_the_ace_of_spades() -> None:
    rules = table("hearts", passing="off", first_lead="dealer_left")
    state = dealt(rules, {1: "AS", 2: "QS KC 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD", 3: "2S"}, dealer=0)
    state = evolve(state, tricks=ending(rules, {}, "AS 2S 3S 4S").tricks[:1], hands=state.hands)
    assert chosen(rules, play(rules, state, "AS"), 2).card == "QS"


def test_a_trick_with_points_is_ducked_with_the_highest_card_that_loses() -> None:
    rules = table("hearts")
    state = ending(rules, {1: "KH"}, "9H 2H 3C 4C")
    state = evolve(state, hands=(("9H",), ("2H", "8H", "AH"), ("3C",), ("4C",)))
    led = play(rules, state, "9H")
    assert chosen(rules, led, 1).card in ("8H", "2H")
    assert chosen(rules, led, 1).card != "AH"


def test_three_dangerous_spades_are_passed() -> None:
    rules = table("hearts")
    state = dealt(rules, {0: "QS KS AS 2C 3C 4C 5C 2D 3D 4D 2H 3H 4H"})
    assert {"QS", "KS"} <= set(chosen(rules, state, 0).cards)


# --- planted positions in Spades --------------------------------------------------------------------------------------


def bid_and_play(hands: dict[int, str], bids: str, cards: str) -> tuple[Rules, State]:
    rules = table("spades")
    state = dealt(rules, hands, dealer=3)
    for number in bids.split():
        state = rules.apply(state, Action("bid", state.turn, bid=int(number)))
    return rules, play(rules, state, cards)


def test_a_partners_sure_winner_is_not_trumped() -> None:
    rules, state = bid_and_play(
        {0: "AC KC", 1: "2C 3C", 2: "AS KS 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD", 3: "4C 5C"}, "3 3 3 3", "AC 2C"
    )
    card = chosen(rules, state, 2).card
    assert card is not None
    assert card[1] != "S"


def test_a_partners_nil_is_covered() -> None:
    rules, state = bid_and_play({0: "9C", 1: "8C 2C", 2: "AC TC 3C", 3: "4C 5C"}, "0 3 5 3", "9C 8C")
    assert chosen(rules, state, 2).card in ("AC", "TC")


def test_nil_is_never_bid_with_the_ace_of_spades() -> None:
    rules = table("spades")
    state = dealt(rules, {0: "AS 2S 2C 3C 4C 5C 2D 3D 4D 5D 2H 3H 4H"}, dealer=3)
    assert chosen(rules, state, 0).bid != 0


def test_nil_is_bid_with_a_hand_that_takes_nothing() -> None:
    rules = table("spades")
    state = dealt(rules, {0: "2S 3S 2C 3C 4C 5C 2D 3D 4D 5D 2H 3H 4H"}, dealer=3)
    assert chosen(rules, state, 0).bid == 0


def test_an_own_nil_ducks() -> None:
    rules, state = bid_and_play({0: "AC 9C 2C", 3: "TC 4C", 1: "5C", 2: "6C"}, "0 3 5 3", "2C 5C 6C TC")
    assert state.turn == 3
    led = play(rules, state, "4C")
    assert chosen(rules, led, 0).card == "3C"


# --- the command ------------------------------------------------------------------------------------------------------


def test_a_view_survives_its_way_through_json() -> None:
    for kind, players in TABLES:
        rng = random.Random(players)
        rules = random_rules(kind, players, rng)
        for number, (state, _, _) in enumerate(random_game(rules, rng)):
            if number % 5 == 0:
                for seat in rules.due(state).seats:
                    seen = view(rules, state, seat)
                    assert view_from_json(json.loads(json.dumps(seen.to_json()))) == seen


def test_the_command_answers_views_and_names_what_is_wrong_with_a_line() -> None:
    rules = table("hearts")
    seen = json.dumps(view(rules, dealt(rules, {}), 2).to_json())
    lines = f"{seen}\nnonsense\n{{}}\n{seen}\n"
    command = [sys.executable, "-m", "games.cpu", "--kind", "hearts", "--level", "normal", "--seed", "1"]
    done = subprocess.run(command, cwd=ROOT, input=lines, capture_output=True, text=True, timeout=60, check=False)
    first, second, third, fourth = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, done.stderr) == (0, "")
    assert (first["kind"], first["seat"], len(first["cards"])) == ("pass", 2, 3)
    assert first == fourth
    assert (second["code"], third["code"]) == ("bad_json", "bad_view")
