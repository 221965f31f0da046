"""Hearts: which cards to pass. Every choice of cards is compared by what the hand that is left may be expected to cost.

A cost is the sum over the suits of the hand, in points of a deal. The tables were fitted by least squares to some
hundred thousand deals of four players, played out after a pass; matches in the arena tell whether a change helps. A
share is how many of a suit's cards in other hands are lower than a card, 0 to 1.
The tables are compiled into `hearts_expert_pass` too.
"""

from __future__ import annotations

from functools import partial
from itertools import combinations

from games.cpu.memory import JACK, QUEEN, Memory
from games.rules import View
from games.rules.cards import STRENGTH, SUITS

#: A suit of clubs or diamonds: by its length, and for the share of each card from the lowest. Length takes back part
#: of what the cards add up to, since the last cards of a long suit seldom have to win a trick.
SIDE_LENGTH = (1.0, 1.7, 1.4, 0.4, -1.5, -3.0)
SIDE_SHARE = (1.1, 2.5, 2.5, 2.6, 1.4)
HEARTS_LENGTH = (4.2, 2.4, -0.3, -1.6, -2.2, -2.6)
HEARTS_SHARE = (3.3, 3.4, 1.7, 0.7, 0.2)
#: The queen of spades by the number of other spades, and passed on.
QUEEN_KEPT = (5.2, 4.2, 1.3, -0.9, -2.1, -3.2)
QUEEN_GIVEN = -4.5
#: The ace and king of spades, each, by the number of spades under the queen, while another seat may hold her.
TOP_KEPT = (3.6, 3.0, 1.5, 0.5, 0.1)
LOW_SPADE = -1.0
#: What the jack of diamonds is worth when it scores: by itself, and for each higher diamond.
JACK_KEPT = -3.0
JACK_CATCHER = -2.5


def choose_pass(view: View, memory: Memory) -> tuple[str, ...]:
    """The cheapest of all choices. Costs of suits are kept, since most choices share them."""
    assert view.ask is not None
    jack = view.options["jack_of_diamonds"] == "minus_ten"
    costs: dict[tuple[str, tuple[int, ...]], float] = {}

    def cost(cards: tuple[str, ...]) -> float:
        given: dict[str, tuple[int, ...]] = dict.fromkeys(SUITS, ())
        for card in cards:
            given[card[1]] += (STRENGTH[card],)
        total = 0.0
        for key in given.items():
            if key not in costs:
                costs[key] = suit_cost(*key, memory, jack=jack)
            total += costs[key]
        return total

    return min(combinations(view.ask.cards, view.ask.count), key=cost)


def suit_cost(suit: str, given: tuple[int, ...], memory: Memory, *, jack: bool) -> float:
    """The cost of what is left of a suit when these of its cards are passed."""
    kept = [strength for strength in memory.mine[suit] if strength not in given]
    if suit == "S":
        return _spades(kept, QUEEN in given)
    shares = map(partial(memory.share, suit), kept)
    if suit == "H":
        return _plain(HEARTS_LENGTH, HEARTS_SHARE, list(shares))
    cost = _plain(SIDE_LENGTH, SIDE_SHARE, list(shares))
    if suit == "D" and jack:
        cost += JACK_KEPT * (JACK in kept) + JACK_CATCHER * sum(strength > JACK for strength in kept)
    return cost


def _plain(lengths: tuple[float, ...], weights: tuple[float, ...], shares: list[float]) -> float:
    cost = lengths[min(len(shares), len(lengths) - 1)]
    return cost + sum(weight * share for weight, share in zip(weights, shares, strict=False))


def _spades(kept: list[int], queen_given: bool) -> float:
    low = sum(strength < QUEEN for strength in kept)
    cost = LOW_SPADE * low
    if QUEEN in kept:
        return cost + QUEEN_KEPT[min(len(kept) - 1, 5)]
    cost += TOP_KEPT[min(low, 4)] * (len(kept) - low)
    return cost + QUEEN_GIVEN * queen_given
