"""Deals that fit what a seat knows, drawn without rejection: sizes of hands, voids, and cards whose place is known.

Hidden cards go to places: the other seats and, where there is one, the kitty. The cards are dealt one by one, those
with the fewest possible places first, each to a place from which the rest can still be dealt (Hall's condition, by a
count of slack for each set of places). Dealing in order favours some deals a little where there are voids, so swaps of
two cards follow, accepted as Metropolis would: in the end deals are as likely as the product of the weights says, which
is even where none are given. A weight says how much likelier a place is to hold a card, from what was seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from games.cpu.kernel import Generator, below, chance, compiled

Numbers = np.ndarray[Any, np.dtype[np.int64]]
Weights = np.ndarray[Any, np.dtype[np.float32]]

#: Weights are held between this and its inverse, so that no guess rules a deal out.
CLIP = 20.0
MOST_PLACES = 8


@dataclass(frozen=True, slots=True)
class Hidden:
    """What is known of hidden cards, as compiled functions take it. Made by `hidden`."""

    cards: Numbers  # the hidden cards whose place is open, in the order of dealing
    allowed: Numbers  # for each of them the set of places, as bits, that may hold it
    room: Numbers  # how many of them each place takes
    known: Numbers  # the cards that each place is known to hold
    slack: Numbers  # for each set of places: its room, less the cards that fit nowhere else
    weights: Weights  # by place of a hand, then place of a card
    swaps: int


def hidden(
    cards: int,
    room: Sequence[int],
    barred: Sequence[int],
    known: Sequence[int],
    weights: Mapping[tuple[int, int], float] | None = None,
) -> Hidden | None:
    """What is known of the hidden `cards`; None if no deal fits.

    By place: `room` is how many hidden cards it holds in all, `barred` the cards it cannot hold, `known` those it is
    known to hold. `weights` are by place of a hand and place of a card.
    """
    places = len(room)
    left = [room[place] - known[place].bit_count() for place in range(places)]
    open_cards = cards & ~sum(known)
    allowed = {
        card: sum(1 << place for place in range(places) if not barred[place] >> card & 1 and room[place])
        for card in range(64)
        if open_cards >> card & 1
    }
    order = sorted(allowed, key=lambda card: (allowed[card].bit_count(), allowed[card], card))
    slack = [
        sum(left[place] for place in range(places) if chosen >> place & 1)
        - sum(not fits & ~chosen for fits in allowed.values())
        for chosen in range(1 << places)
    ]
    if min([*slack, *left]) < 0 or sum(left) != len(order):
        return None
    table = np.ones((MOST_PLACES, 64), dtype=np.float32)
    for (place, card), weight in (weights or {}).items():
        table[place, card] = min(CLIP, max(1.0 / CLIP, weight))
    everywhere = sum(1 << place for place in range(places) if room[place])
    even = not weights and all(fits == everywhere for fits in allowed.values())
    return Hidden(
        cards=np.array(order, dtype=np.int64),
        allowed=np.array([allowed[card] for card in order], dtype=np.int64),
        room=np.array(left, dtype=np.int64),
        known=np.array(known, dtype=np.int64),
        slack=np.array(slack, dtype=np.int64),
        weights=table,
        swaps=0 if even else 2 * len(order),
    )


@compiled(
    "void(int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], float32[:, ::1], int64, uint64[::1],"
    " int64[::1], int64[::1], int64[::1])",
    lean=True,
)
def deal(
    cards: Numbers,
    allowed: Numbers,
    room: Numbers,
    known: Numbers,
    slack: Numbers,
    weights: Weights,
    swaps: int,
    rng: Generator,
    hands: Numbers,
    holder: Numbers,
    work: Numbers,
) -> None:
    """Draws a deal into `hands`, by place. `holder` (64 numbers) and `work` (8 and one for each slack) are scratch."""
    places, number, sets = len(room), len(cards), len(slack)
    everywhere = sets - 1
    for place in range(places):
        hands[place] = known[place]
        work[place] = room[place]
    for chosen in range(sets):
        work[8 + chosen] = slack[chosen]
    for i in range(number):
        card, fits = cards[i], allowed[i]
        total, taken = 0.0, -1
        for place in range(places):
            if not (fits >> place) & 1 or work[place] == 0:
                continue
            if fits != everywhere:
                open_ = True
                for chosen in range(sets):
                    if (chosen >> place) & 1 and fits & ~chosen and work[8 + chosen] <= 0:
                        open_ = False
                        break
                if not open_:
                    continue
            weight = work[place] * weights[place, card]
            total += weight
            if chance(rng) * total < weight:
                taken = place
        hands[taken] |= 1 << card
        holder[card] = taken
        work[taken] -= 1
        if fits != everywhere:
            for chosen in range(sets):
                if (chosen >> taken) & 1 and fits & ~chosen:
                    work[8 + chosen] -= 1
    for _ in range(swaps):
        i, j = below(rng, number), below(rng, number)
        a, b = holder[cards[i]], holder[cards[j]]
        if a == b or not (allowed[i] >> b) & 1 or not (allowed[j] >> a) & 1:
            continue
        one, two = cards[i], cards[j]
        before, after = weights[a, one] * weights[b, two], weights[b, one] * weights[a, two]
        if after < before and chance(rng) * before >= after:
            continue
        hands[a] ^= (1 << one) | (1 << two)
        hands[b] ^= (1 << one) | (1 << two)
        holder[one], holder[two] = b, a
