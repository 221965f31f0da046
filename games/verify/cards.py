"""The cards, in the order of the deck, and what a rule leaves of some of them."""

from __future__ import annotations

from collections.abc import Callable

CARDS = tuple(rank + suit for suit in "CDHS" for rank in "23456789TJQKA")


def kept(cards: set[str], is_kept: Callable[[str], bool]) -> set[str]:
    """What a rule leaves of the cards: all of them if it would leave nothing."""
    return set(filter(is_kept, cards)) or cards
