"""Cards as text: rank then suit, `"QS"` is the queen of spades, `"TD"` the ten of diamonds."""

from collections.abc import Iterable

RANKS = "23456789TJQKA"  # low to high
SUITS = "CDHS"

#: The 52 cards in the one order that packs start from and that hands and lists are kept in.
DECK: tuple[str, ...] = tuple(rank + suit for suit in SUITS for rank in RANKS)

#: Place of a card in `DECK`, 0…51.
ORDER: dict[str, int] = {card: place for place, card in enumerate(DECK)}

#: Strength of a card within its suit, 0 (two) … 12 (ace).
STRENGTH: dict[str, int] = {card: RANKS.index(card[0]) for card in DECK}

#: The order in which the clock takes cards: rank first, then clubs, diamonds, spades, hearts.
BY_RANK: dict[str, int] = {card: STRENGTH[card] * 4 + "CDSH".index(card[1]) for card in DECK}


def in_order(cards: Iterable[str]) -> tuple[str, ...]:
    """The cards in deck order, which tells nothing of how they were come by."""
    return tuple(sorted(cards, key=ORDER.__getitem__))
