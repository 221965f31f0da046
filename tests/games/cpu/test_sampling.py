"""Sampled deals: they fit what is known, and come as often as they should."""

from __future__ import annotations

import random
from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from games.cpu.kernel import bits_of, cards_of, generator
from games.cpu.sampling import Hidden, deal, hidden
from games.rules.cards import DECK


def drawn(knowledge: Hidden, number: int, seed: int = 1) -> list[tuple[int, ...]]:
    """So many deals, each the hands by place."""
    rng = generator(seed)
    hands, holder = np.zeros(8, dtype=np.int64), np.zeros(64, dtype=np.int64)
    work = np.zeros(8 + len(knowledge.slack), dtype=np.int64)
    found = []
    for _ in range(number):
        deal(
            knowledge.cards,
            knowledge.allowed,
            knowledge.room,
            knowledge.known,
            knowledge.slack,
            knowledge.weights,
            knowledge.swaps,
            rng,
            hands,
            holder,
            work,
        )
        found.append(tuple(int(hand) for hand in hands[: len(knowledge.room)]))
    return found


def random_knowledge(rng: random.Random) -> tuple[int, list[int], list[int], list[int]]:
    """Cards, room, barred and known of a random deal that is possible, with a few things given away about it."""
    places = rng.randint(1, 7)
    size = rng.randint(1, 49 // places)
    cards = rng.sample(DECK, places * size)
    hands = [bits_of(cards[i::places]) for i in range(places)]
    barred, known = [0] * places, [0] * places
    for place, hand in enumerate(hands):
        for suit in "CDHS":
            in_suit = bits_of(card for card in DECK if card[1] == suit)
            if not hand & in_suit and rng.random() < 0.7:
                barred[place] |= in_suit
        known[place] = bits_of(card for card in cards_of(hand) if rng.random() < 0.15)
    return sum(hands), [size] * places, barred, known


def test_every_deal_fits_what_is_known() -> None:
    rng = random.Random(5)
    for number in range(300):
        cards, room, barred, known = random_knowledge(rng)
        weights = {(rng.randrange(len(room)), rng.randrange(64)): rng.uniform(0.1, 5.0) for _ in range(20)}
        knowledge = hidden(cards, room, barred, known, weights if number % 2 else None)
        assert knowledge is not None
        for hands in drawn(knowledge, 20, number):
            assert sum(hands) == cards
            for place, hand in enumerate(hands):
                assert hand.bit_count() == room[place]
                assert not hand & barred[place]
                assert hand & known[place] == known[place]


@pytest.mark.parametrize("seed", range(6))
def test_all_deals_that_fit_are_as_likely(seed: int) -> None:
    """Six cards in three hands of two, with bars between; counted against the list of all of them."""
    rng = random.Random(seed)
    cards = rng.sample(DECK, 6)
    barred = [bits_of(rng.sample(cards, number)) for number in (2, 1, 0)]
    possible = set()
    for order in permutations(cards):
        hands = tuple(bits_of(order[i : i + 2]) for i in (0, 2, 4))
        if not any(hand & bar for hand, bar in zip(hands, barred, strict=True)):
            possible.add(hands)
    knowledge = hidden(bits_of(cards), [2, 2, 2], barred, [0, 0, 0])
    assert knowledge is not None
    number = 400 * len(possible)
    counts = Counter(drawn(knowledge, number))
    assert set(counts) == possible
    assert all(300 < counts[hands] < 500 for hands in possible)


def test_weights_make_deals_as_likely_as_their_product() -> None:
    cards = bits_of(("2C", "3C"))
    knowledge = hidden(cards, [1, 1], [0, 0], [0, 0], {(0, 0): 3.0})
    assert knowledge is not None
    counts = Counter(hands[0] for hands in drawn(knowledge, 20_000))
    assert counts[1] / 20_000 == pytest.approx(0.75, abs=0.02)


def test_what_no_deal_fits_is_told() -> None:
    cards = bits_of(("2C", "3C", "4D"))
    clubs = bits_of(card for card in DECK if card[1] == "C")
    assert hidden(cards, [2, 1], [clubs, 0], [0, 0]) is None
    assert hidden(cards, [1, 1], [0, 0], [0, 0]) is None
    assert hidden(cards, [2, 1], [0, 0], [0, cards]) is None
    assert hidden(cards, [1, 2], [clubs, 0], [0, 0]) is not None
