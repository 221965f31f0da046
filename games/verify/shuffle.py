"""The shuffle: from the seed of a game to its packs and its first dealer."""

from __future__ import annotations

import hmac
from collections.abc import Iterator, Sequence

from games.verify.cards import CARDS

SHUFFLE_VERSION = 1


def stream(seed: bytes, label: str) -> Iterator[int]:
    """The bytes of a labelled stream, without end."""
    block = 0
    while True:
        yield from hmac.digest(seed, f"{label}|{block}".encode(), "sha256")
        block += 1


def below(n: int, source: Iterator[int]) -> int:
    """A number from 0 to n - 1, all equally likely; takes four bytes, or more where some are thrown away."""
    limit = 2**32 - 2**32 % n
    while True:
        word = int.from_bytes(bytes(next(source) for _ in range(4)), "big")
        if word < limit:
            return word % n


def shuffle(seed: bytes, deal: int, attempt: int, deck: Sequence[str] = CARDS) -> tuple[str, ...]:
    """The pack of a deal, in dealing order: version 1 of the shuffle."""
    source = stream(seed, f"moonshot-{SHUFFLE_VERSION}|pack|{deal}|{attempt}")
    pack = list(deck)
    for i in range(len(pack) - 1, 0, -1):
        j = below(i + 1, source)
        pack[i], pack[j] = pack[j], pack[i]
    return tuple(pack)


def first_dealer(seed: bytes, players: int) -> int:
    """The seat that deals first, drawn by lot."""
    return below(players, stream(seed, f"moonshot-{SHUFFLE_VERSION}|dealer"))
