"""What a partner would wonder at. Such a card has to be clearly better than the others before it is played."""

from __future__ import annotations

import numpy as np

from games.cpu.kernel import ALL, SPADES
from games.kinds.spades.cpu import kernel as k
from games.kinds.spades.cpu.kernel import Numbers
from games.kinds.spades.cpu.value import Floats

#: Points that a card has to be better by: one that takes the partner's sure trick, and one that leaves the partner's
#: nil with a trick that can be taken from it; one that loses in any case while a higher one would, too, of a seat that
#: wants no trick at all.
ROBS, DESERTS, HOARDS = 6.0, 8.0, 12.0


def untactful(cards: Numbers, hand: int, table: Numbers) -> Floats:
    """Points to take off each card."""
    off = np.zeros(len(cards))
    played, leader = int(table[k.PLAYED]), int(table[k.LEADER])
    if not played:
        return off
    seat = (leader + played) % 4
    partner = (seat + 2) % 4
    if table[k.BIDS + seat] == 0 and table[k.TAKEN + seat] == 0:
        off += _hoards(cards, table)
    if (leader + int(table[k.BEST])) % 4 != partner:
        return off
    best, led = int(table[k.TRICK + int(table[k.BEST])]), int(table[k.TRICK]) >> 4
    takers = k.beaten_by(best, led)
    if table[k.BIDS + partner] == 0 and table[k.TAKEN + partner] == 0:
        if any(takers >> int(card) & 1 for card in cards):
            off[[not takers >> int(card) & 1 for card in cards]] += DESERTS
        return off
    out = ALL & ~hand & ~int(table[k.SEEN])
    left = (seat + 1) % 4
    ruffs = led != SPADES and table[k.VOIDS + left] >> led & 1 and not table[k.VOIDS + left] >> SPADES & 1
    sure = played == 3 or not (k.above(best) & out or (ruffs and best >> 4 != SPADES))
    nil = table[k.BIDS + seat] == 0 and table[k.TAKEN + seat] == 0
    if sure and not nil:
        off[[bool(takers >> int(card) & 1) for card in cards]] = ROBS
    return off


def _hoards(cards: Numbers, table: Numbers) -> Floats:
    """Points to take off a nil bidder's cards that lose the trick, but for the highest of them, if it follows suit."""
    best, led = int(table[k.TRICK + int(table[k.BEST])]), int(table[k.TRICK]) >> 4
    takers = k.beaten_by(best, led)
    losers = [int(card) for card in cards if int(card) >> 4 == led and not takers >> int(card) & 1]
    return np.array([HOARDS if int(card) in losers[:-1] else 0.0 for card in cards])
