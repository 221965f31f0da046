"""Twenty thousand packs are as even as theory says, and shuffles with a slip are not."""

from __future__ import annotations

import random

import pytest

from games.codes.deals import shuffle
from games.rules import DECK
from tests.games.codes.packs import Tally, p_of_neighbours, p_of_places, tally

PACKS = 20_000
LEAST = 0.001  # and as far from one: packs that are too even are no less suspicious


def seeds() -> list[bytes]:
    """Of as many games; the same in every run."""
    rng = random.Random(20)
    return [f"4{rng.getrandbits(70):014X}"[:15].encode() for _ in range(PACKS)]


def is_even(p: float) -> bool:
    return LEAST < p < 1 - LEAST


@pytest.fixture(scope="module")
def packs() -> Tally:
    return tally(shuffle(seed, 1 + number % 12, number % 5 == 0) for number, seed in enumerate(seeds()))


def test_n16_every_card_is_equally_often_at_every_place(packs: Tally) -> None:
    assert (packs.packs, packs.places.sum()) == (PACKS, PACKS * 52)
    assert is_even(p_of_places(packs))


def test_n16_every_card_is_equally_often_behind_every_other(packs: Tally) -> None:
    assert packs.neighbours.diagonal().sum() == 0
    assert is_even(p_of_neighbours(packs))


def test_the_packs_of_one_game_are_even_too() -> None:
    """Deal after deal from one seed: the labels alone tell them apart."""
    found = tally(shuffle(b"400000000000000", deal, 0) for deal in range(1, PACKS // 4))
    assert is_even(p_of_places(found))
    assert is_even(p_of_neighbours(found))


# --- the tests themselves ---------------------------------------------------------------------------------------------


def swapped_anywhere(rng: random.Random) -> list[str]:
    """The well-known slip: each card changes places with any, not with one that is left."""
    pack = list(DECK)
    for at in range(52):
        other = rng.randrange(52)
        pack[at], pack[other] = pack[other], pack[at]
    return pack


def never_staying(rng: random.Random) -> list[str]:
    """Another: a card never changes places with itself."""
    pack = list(DECK)
    for at in range(51, 0, -1):
        other = rng.randrange(at)
        pack[at], pack[other] = pack[other], pack[at]
    return pack


def cut(rng: random.Random) -> list[str]:
    """Even in places, not in neighbours."""
    at = rng.randrange(52)
    return [*DECK[at:], *DECK[:at]]


def test_shuffles_with_a_slip_are_found_out() -> None:
    rng = random.Random(3)
    for slip in (swapped_anywhere, never_staying):
        assert p_of_places(tally(slip(rng) for _ in range(PACKS))) < 1e-9, slip.__name__
    found = tally(cut(rng) for _ in range(PACKS))
    assert p_of_neighbours(found) < 1e-9


def test_both_figures_of_an_even_shuffle_are_spread_as_theory_says() -> None:
    """Of two hundred samples about as many lie below each tenth."""
    rng = random.Random(11)
    samples = [tally(rng.sample(DECK, 52) for _ in range(300)) for _ in range(200)]
    for p_of in (p_of_places, p_of_neighbours):
        found = sorted(p_of(sample) for sample in samples)
        gaps = [abs(p - (place + 0.5) / len(found)) for place, p in enumerate(found)]
        assert max(gaps) < 0.115, p_of.__name__  # Kolmogorov and Smirnov at one in a hundred
