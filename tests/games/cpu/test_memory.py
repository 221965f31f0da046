"""What a normal player remembers of the cards: in Hearts as a person does, in Spades all of them."""

from __future__ import annotations

from games.cpu.memory import Memory
from games.rules import Rules, State, view
from games.rules.cards import STRENGTH
from tests.games.cpu.test_planted import hold_deal

HANDS = {
    0: "2C 9C QC 3D 8D JD 4H 5H 6H 2S 7S JS QS",
    1: "3C 8C KC 2D 5D TD 7H 8H 9H 3S 8S TS 9S",
    2: "4C 7C AC 4D 9D QD 2H 3H TH 4S 5S 6S KS",
    3: "5C 6C TC JC 6D 7D KD AD JH QH KH AH AS",
}
FOUR_TRICKS = "2C 3C 4C TC", "7D 3D 2D 4D", "AS 2S 3S 4S", "KD 8D 5D 9D"


def after(tricks: int) -> tuple[Rules, State]:
    return hold_deal(HANDS, " ".join(FOUR_TRICKS[:tricks]))


def known_gone(rules: Rules, state: State, seat: int, *, counting: bool = True) -> set[str]:
    """The cards of earlier tricks that the seat knows to be gone."""
    memory = Memory(view(rules, state, seat), rules, counting=counting)
    gone = {card for trick in state.tricks for card in trick.cards}
    return {card for card in gone if STRENGTH[card] not in memory.out[card[1]]}


def test_the_last_two_tricks_are_remembered_as_they_were() -> None:
    rules, state = after(2)
    assert known_gone(rules, state, 3) == {"2C", "3C", "4C", "TC", "7D", "3D", "2D", "4D"}


def test_of_earlier_tricks_small_cards_are_forgotten_but_for_the_own_and_the_spades() -> None:
    rules, state = after(4)
    last_two = {"AS", "2S", "3S", "4S", "KD", "8D", "5D", "9D"}
    assert known_gone(rules, state, 3) == last_two | {"TC", "7D"}
    assert known_gone(rules, state, 0) == last_two | {"TC", "2C", "3D"}


def test_who_does_not_count_knows_of_the_queen_of_spades_at_most() -> None:
    rules, state = after(4)
    assert known_gone(rules, state, 3, counting=False) == set()
