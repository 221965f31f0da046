"""The Hearts expert: legal and in time whatever is asked, the same with a budget, and right where one answer is."""

from __future__ import annotations

import random
import statistics
import time
from typing import Any

import numpy as np
import pytest

from games.cpu.kernel import bits_of
from games.kinds.cpu import choose_action
from games.kinds.hearts.cpu import expert as hearts_expert
from games.kinds.hearts.cpu.expert_engine import NOBODY, PLAYERS, table_of
from games.kinds.hearts.cpu.expert_policy import (
    CATCHER,
    KNAVE,
    PLACES_COUNT,
    RANKED_LEAD,
    RANKED_OVER,
    RANKED_THROWN,
    RANKED_UNDER,
    worth_to,
)
from games.kinds.hearts.cpu.expert_tables import COSTS, JACK_COSTS, costs_of
from games.kinds.hearts.cpu.expert_view import see, stakes_of
from games.kinds.hearts.options import HeartsOptions
from games.rules import Action, Rules, State, view
from games.rules.state import Trick, evolve
from tests.games.cpu.test_planted import EIGHT_TRICKS, SHOOTER, hold_deal
from tests.games.rules.play import answer_at_random, random_game, random_rules
from tests.games.rules.rig import dealt, ending, play, played_out, table

at_every_table = pytest.mark.parametrize("players", HeartsOptions.PLAYERS)
WORK = 4000


def chosen(rules: Rules, state: State, seat: int | None = None, seed: int = 1, work: int = WORK) -> Action:
    asked = state.turn if seat is None else seat
    return choose_action(view(rules, state, asked), "expert", random.Random(seed), work)


def cards(rules: Rules, state: State) -> set[str | None]:
    """The cards that the seat on turn may play, by the luck of the search."""
    return {chosen(rules, state, seed=seed).card for seed in range(3)}


# --- whatever is asked ------------------------------------------------------------------------------------------------


@at_every_table
def test_every_option_is_answered_legally_with_any_budget(players: int) -> None:
    """Over all tables more than a thousand views of random games under random options."""
    rng, answered = random.Random(f"expert {players}"), 0
    for number in range(6):
        fixed = {"moon": "choose", "passing": "rotate"} if number == 0 else {}
        rules = random_rules("hearts", players, rng, **fixed)
        for state, _, _ in random_game(rules, rng, answer_at_random):
            if state.phase == "play" and rng.random() > 0.25:
                continue
            for seat in rules.due(state).seats:
                rules.check(state, chosen(rules, state, seat, work=rng.choice((1, 40, 150))))
                answered += 1
    assert answered > 150


@at_every_table
def test_every_deal_that_really_is_fits_what_the_expert_thinks_possible(players: int) -> None:
    """With the hands as they are as the only guess: nothing that is true is ruled out, so no view goes unread."""
    rng = random.Random(f"fits {players}")
    for _ in range(4):
        rules = random_rules("hearts", players, rng)
        for state, _, _ in random_game(rules, rng, answer_at_random):
            if state.phase not in ("pass", "play"):
                continue
            seat = rules.due(state).seats[0]
            seen = see(view(rules, state, seat), rules)
            assert seen is not None
            others = [(seat + 1 + i) % players for i in range(players - 1)]
            hands = [bits_of(state.hands[other]) for other in others]
            hidden_kitty = view(rules, state, seat).kitty is None and state.kitty
            places = [*hands, bits_of(state.kitty)] if hidden_kitty else hands
            assert len(places) == len(seen.hidden.room)
            for i, place in enumerate(places):
                assert int(seen.hidden.known[i]) & ~place == 0
                for open_card, fits in zip(seen.hidden.cards, seen.hidden.allowed, strict=True):
                    assert not place >> int(open_card) & 1 or int(fits) >> i & 1


def test_the_same_budget_gives_the_same_answer() -> None:
    rules = table("hearts")
    for number in range(4):
        pack = random.Random(number).sample(rules.deck, 52)
        state = rules.apply(rules.apply(rules.start(), Action("open", dealer=0)), Action("deal", pack=tuple(pack)))
        assert len({chosen(rules, state, 1, seed=7, work=3000).cards for _ in range(3)}) == 1


def test_without_a_budget_the_clock_stops_it() -> None:
    """A card in 25 ms and a pass in 50 ms, of this process alone: the machine may be busy with others."""
    rules, rng = table("hearts"), random.Random(2)
    cards: list[float] = []
    passes: list[float] = []
    for state, _, after in random_game(rules, rng, answer_at_random):
        if state.phase in ("pass", "play"):
            seen = view(rules, state, rules.due(state).seats[0])
            begin = time.process_time()
            choose_action(seen, "expert", rng)
            (cards if state.phase == "play" else passes).append(time.process_time() - begin)
        if len(after.sheet) == 2:
            break
    assert statistics.fmean(cards) < 0.010
    assert (max(cards), max(passes)) < (0.025, 0.050)


def test_the_hard_stop_holds_with_work_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a slower machine would meet: the clock alone ends the search, of cards and of passes."""
    monkeypatch.setattr(hearts_expert, "WORK", 10**9)
    rng = random.Random(3)
    for number in range(4):
        rules = table("hearts", passing="off" if number % 2 else "always_left", first_lead="dealer_left")
        pack = tuple(rng.sample(rules.deck, len(rules.deck)))
        state = rules.apply(rules.apply(rules.start(), Action("open", dealer=0)), Action("deal", pack=pack))
        seen = view(rules, state, rules.due(state).seats[0])
        begin = time.process_time()
        choose_action(seen, "expert", rng)
        assert time.process_time() - begin < (0.025 if number % 2 else 0.050)


# --- what an end is worth ---------------------------------------------------------------------------------------------


def worth(scores: tuple[int, ...], change: tuple[int, ...], seat: int = 0, **options: Any) -> float:
    rules = table("hearts", len(scores), **options)
    state = dealt(rules, {}, before=evolve(rules.apply(rules.start(), Action("open", dealer=0)), scores=scores))
    seen = see(view(rules, state, seat), rules)
    assert seen is not None
    return worth_to(seen.table, seen.stakes, np.array([*change, *[0] * (8 - len(change))]), seat)


def test_early_in_a_game_points_count_and_at_its_end_places() -> None:
    early = (0, 0, 0, 0)
    assert worth(early, (0, 13, 13, 0)) - worth(early, (13, 0, 13, 0)) == pytest.approx(13 * 4 / 3)
    last = (90, 88, 10, 95)
    assert worth(last, (3, 0, 18, 5)) > worth(last, (0, 0, 20, 6)) - 1e-9  # third in both, the game over
    assert worth(last, (0, 20, 0, 6)) > worth(
        last, (0, 0, 20, 6)
    )  # third beats second from last by the place of seat 1
    ahead = (50, 51, 60, 95)
    assert worth(ahead, (0, 0, 0, 26)) > worth(ahead, (0, 26, 0, 0))  # it ends the game while ahead


def test_where_only_the_winner_counts_second_place_is_worth_nothing() -> None:
    scores = (30, 20, 90, 95)
    second = worth(scores, (1, 0, 0, 25), standing="winner_only")
    last = worth(scores, (25, 0, 0, 25), standing="winner_only")
    first = worth(scores, (0, 20, 0, 6), standing="winner_only")
    assert first > second
    assert second == pytest.approx(last)
    assert worth(scores, (1, 0, 0, 25)) > worth(scores, (100, 0, 0, 25))


def test_stakes_rise_towards_the_end_of_the_game() -> None:
    rules = table("hearts")
    start = rules.apply(rules.start(), Action("open", dealer=0))
    states = [dealt(rules, {}, before=evolve(start, scores=(top, 20, 10, 30))) for top in (0, 60, 80, 95)]
    weights = [stakes_of(view(rules, state, 0))[PLACES_COUNT] for state in states]
    assert weights == sorted(weights)
    assert (weights[0], weights[-1]) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("scores", "options", "choice"),
    [
        ((0, 0, 0, 0), {}, "add"),
        ((70, 75, 20, 30), {"end_test": "exceed", "tie_for_first": "shared"}, "subtract"),
        ((20, 90, 60, 70), {}, "add"),
    ],
)
def test_a_moon_is_paid_as_it_suits_the_game(scores: tuple[int, ...], options: dict[str, Any], choice: str) -> None:
    rules = table("hearts", moon="choose", **options)
    state = played_out(rules, ending(rules, {}, "AC 2C 3C 4C", scores=scores))
    assert chosen(rules, state) == Action("moon", 0, choice=choice)


# --- one right answer -------------------------------------------------------------------------------------------------


def test_the_queen_is_ducked_by_the_last_seat() -> None:
    rules, state = hold_deal({0: "JS 2C", 1: "QS", 2: "4S", 3: "AS KS 3S 2S 4C 7C 9C 5D 8D JD 3H 6H 9H"}, "JS QS 4S")
    assert cards(rules, state) <= {"2S", "3S"}


def test_the_queen_goes_under_the_ace_and_the_king() -> None:
    for top in ("AS", "KS"):
        rules, state = hold_deal({0: top, 1: "QS JS 2S"}, top)
        assert cards(rules, state) == {"QS"}


def test_the_queen_goes_on_a_trick_that_another_wins() -> None:
    rules, state = hold_deal({0: "5C", 1: "9C", 2: "QS 3S AH KH JD KD 3D 4D 5D 6D 7D 8D 9D"}, "5C 9C")
    assert cards(rules, state) == {"QS"}


def test_the_jack_of_diamonds_is_worth_taking_and_worth_keeping() -> None:
    """Who can take it does, so it is neither led nor played under a higher diamond, nor thrown away or passed."""
    jack: dict[str, Any] = {"jack_of_diamonds": "minus_ten"}
    rules, state = hold_deal({0: "9D", 1: "JD", 2: "3D", 3: "QD AD 2D"}, "9D JD 3D", **jack)
    assert cards(rules, state) <= {"QD", "AD"}
    rules, state = hold_deal({0: "JD 2C 3C 9D 5C 6C 7C 8C 2S 3S 4S 2H 3H"}, **jack)
    assert "JD" not in cards(rules, state)
    rules, state = hold_deal({0: "AD", 1: "JD 2D 5D"}, "AD", **jack)
    assert "JD" not in cards(rules, state)
    rules, state = hold_deal({0: "5C", 1: "KC", 2: "JD 2D AH 8S 3S 4S KD 3D 6D 7D 8D 9D TD"}, "5C KC", **jack)
    assert "JD" not in cards(rules, state)
    rules = table("hearts", **jack)
    state = dealt(rules, {0: "JD QD KD AD 2C 3C 9C TC JC 2S 3S 9H TH"})
    given = [chosen(rules, state, 0, seed).cards for seed in range(5)]
    assert sum("JD" in three for three in given) <= 1


def test_deals_are_played_out_with_the_jack_in_mind() -> None:
    """Where it scores there are costs of its own for it and the diamonds that take it."""
    assert costs_of(table_of(table("hearts", jack_of_diamonds="minus_ten"))) is JACK_COSTS
    assert costs_of(table_of(table("hearts"))) is COSTS
    for first in (RANKED_LEAD, RANKED_UNDER, RANKED_OVER, RANKED_THROWN):
        for kind in (CATCHER, KNAVE):
            assert JACK_COSTS[first + 64 * kind : first + 64 * (kind + 1)].any()


def test_the_last_spade_under_the_king_forces_the_queen_out() -> None:
    """Seat 2 was passed the queen by this seat and has shown the rest of its spades; the king is with seat 1 or 3."""
    hands = {
        0: "9S 8S AC KC 2D 3D 4D 9D TD JD 2H 3H 4H",
        1: "KS 2S 3S 4S 2C 3C 4C 5D 6D 5H 6H 7H 8H",
        2: "QS 5S 6S 5C 6C 7C 8C 7D 8D 9H TH JH QH",
        3: "AS 7S TS JS 9C TC JC QC QD KD AD KH AH",
    }
    rules, state = hold_deal(hands, "9S 4S 6S JS")
    state = play(rules, state, "QC AC 4C 8C KC 3C 7C JC")
    assert cards(rules, state) == {"8S"}


def test_the_queen_is_not_led_nor_the_ace_and_king_over_her() -> None:
    rules, state = hold_deal({0: "QS 9S 7C 8C 9C 6D 7D 8D 9D 5H 6H 7H 8H"})
    assert "QS" not in cards(rules, state)
    rules, state = hold_deal({0: "AS KS 2S 7C 8C 9C 6D 7D 8D 5H 6H 7H 8H", 2: "QS"})
    assert not {"AS", "KS"} & cards(rules, state)


@pytest.mark.parametrize(("moon", "answer"), [("add", "9H"), ("subtract", "9H"), ("choose", "9H"), ("off", "7H")])
def test_a_moon_is_stopped_where_one_can_be_shot(moon: str, answer: str) -> None:
    rules = table("hearts", passing="off", first_lead="dealer_left", hearts_broken_by="any_point", moon=moon)
    state = play(rules, dealt(rules, SHOOTER, dealer=0), EIGHT_TRICKS)
    assert cards(rules, state) == {answer}


def test_a_cold_moon_is_shot() -> None:
    rules = table("hearts", passing="off", first_lead="dealer_left", hearts_broken_by="any_point")
    hands = {**SHOOTER, 1: "AS KS QS JS AH KH QH JH TH AC KC AD KD", 2: "8S 9S TS 2C 6D 7D 8D 9D TD JD QD 8H 2D"}
    state = dealt(rules, hands, dealer=0)
    while not state.sheet and state.phase == "play":
        state = rules.apply(state, chosen(rules, state, work=1500))
    assert state.sheet[0].change == (26, 0, 26, 26)


@pytest.mark.parametrize(
    ("hand", "given"),
    [
        ("QS 3S 2C 3C 4C 5C 2D 3D 4D 5D 2H 3H 4H", "QS"),
        ("QS 2C 3C 4C 5C 6C 2D 3D 4D 5D 2H 3H 4H", "QS"),
        ("AS 2C 3C 4C 5C 6C 2D 3D 4D 5D 2H 3H 4H", "AS"),
    ],
)
def test_no_high_spade_is_kept_unprotected(hand: str, given: str) -> None:
    rules = table("hearts")
    assert given in chosen(rules, dealt(rules, {0: hand}), 0, work=12000).cards


def test_a_well_guarded_queen_is_kept() -> None:
    rules = table("hearts")
    state = dealt(rules, {0: "QS 2S 3S 4S 5S 6S KC AC 9D KD AD KH AH"})
    assert "QS" not in chosen(rules, state, 0, work=12000).cards


def test_a_hand_made_for_the_moon_passes_its_losers() -> None:
    rules, hand = table("hearts"), "AS KS QS AH KH QH JH TH AC KC 2C 2D 3D"
    given = set(chosen(rules, dealt(rules, {0: hand}), 0, work=12000).cards)
    assert {"2D", "3D"} < given  # the two of clubs leads to the first trick, where it does no harm
    assert not {"AS", "AH", "AC", "KC"} & given


#: Eleven tricks in which all follow. After them seat 0 holds the queen and the two of clubs, the others hold five
#: diamonds and a heart between them.
ELEVEN = (
    "3C 4C 5C 6C", "7C 8C 9C TC", "JC QC KC AC", "2S 3S 4S 5S", "6S 7S 8S 9S", "TS JS KS AS",
    "2D 3D 7D 8D", "TD QD KD AD", "2H 4H 5H 6H", "TH 7H 8H 9H", "QH KH JH AH",
)  # fmt: skip


@pytest.mark.parametrize(
    ("scores", "answer"),
    [
        ((40, 95, 20, 60), "2C"),  # thirteen for seat 1 would end the game with seat 2 in front
        ((40, 20, 95, 60), "QS"),  # thirteen for seat 1 put it behind, for seat 2 they would end the game
    ],
)
def test_near_the_end_the_queen_goes_where_it_leaves_a_chance_to_win(scores: tuple[int, ...], answer: str) -> None:
    rules = table("hearts", standing="winner_only")
    tricks = [Trick(0, tuple(cards.split()), rules.winner(0, cards.split())) for cards in ELEVEN]
    hands = (("2C", "QS"), ("9D", "JD"), ("4D", "6D"), ("5D", "3H"))
    opened = rules.apply(rules.start(), Action("open", dealer=3))
    state = evolve(
        opened, phase="play", hands=hands, tricks=tuple(tricks), broken=True, turn=1, leader=1, scores=scores
    )
    state = play(rules, state, "9D 4D 5D")
    assert cards(rules, state) == {answer}


def test_a_view_that_no_deal_fits_is_answered_all_the_same() -> None:
    """A program may send nonsense that is still a view: a void seat that has to hold the suit."""
    rules, state = hold_deal({0: "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC"}, "2C")
    seen = view(rules, state, 1)
    odd = type(seen)(**{name: getattr(seen, name) for name in seen.__slots__} | {"hand_counts": (12, 13, 1, 13)})
    action = choose_action(odd, "expert", random.Random(1), 100)
    assert action.card in (seen.ask.cards if seen.ask else ())
    assert hearts_expert.choose(seen, random.Random(1), 100).seat == 1
    assert (NOBODY, PLAYERS) == (-1, 0)
