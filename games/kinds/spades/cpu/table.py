"""What a view says of a deal of Spades, as the arrays of `spades_kernel`."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from games.cpu.kernel import PLACE, SPADES, bits_of
from games.kinds.spades.cpu import kernel as k
from games.kinds.spades.cpu.kernel import Numbers
from games.rules import View
from games.rules.cards import SUITS

MOST_DEALS = 60


def table_of(view: View) -> Numbers:
    """The public part of the deal. A seat that has not bid yet has a bid of -1."""
    deal = np.zeros(k.SIZE, np.int64)
    options = view.options
    deal[k.BIDS : k.BIDS + 4] = [-1 if bid is None else bid for bid in view.bids]
    deal[k.TAKEN : k.TAKEN + 4] = view.tricks_taken
    deal[k.BLIND : k.BLIND + 4] = [int(blind or 0) for blind in view.blinds] or [0] * 4
    deal[k.BAGS : k.BAGS + 2] = view.bags
    deal[k.SCORES : k.SCORES + 2] = view.scores
    deal[k.PENALTY] = options["bag_penalty"] == "yes"
    deal[k.FLOOR] = options["floor"] == "yes"
    deal[k.TARGET] = int(options["target"])
    deal[k.LAST] = view.deal >= MOST_DEALS
    deal[k.LEADER] = ((view.dealer or 0) + 1) % 4 if view.leader is None else view.leader
    for trick in view.tricks:
        _see(deal, trick.leader, trick.cards)
    deal[k.CLUB_TWO] = options["first_lead"] == "club_two" and not deal[k.SEEN]
    _see(deal, view.leader or 0, view.trick)
    deal[k.PLAYED] = len(view.trick)
    deal[k.TRICK : k.TRICK + len(view.trick)] = [PLACE[card] for card in view.trick]
    deal[k.BEST] = _best(view.trick)
    return deal


def _see(deal: Numbers, leader: int, cards: tuple[str, ...]) -> None:
    """What the cards of a trick show: themselves, and who is out of which suit."""
    if not cards:
        return
    led = cards[0][1]
    if led == "S" and not deal[k.BROKEN]:
        deal[k.VOIDS + leader] |= 7  # spades that are led first of all come from a hand of nothing else
    for i, card in enumerate(cards):
        if card[1] != led:
            deal[k.VOIDS + (leader + i) % 4] |= 1 << SUITS.index(led)
        if card[1] == "S":
            deal[k.BROKEN] = 1
    deal[k.SEEN] |= bits_of(cards)


def _best(cards: tuple[str, ...]) -> int:
    """The place in the trick of the card that wins it so far."""
    best = 0
    for i in range(1, len(cards)):
        card, winning = PLACE[cards[i]], PLACE[cards[best]]
        follows, trumps = card >> 4 == winning >> 4, card >> 4 == SPADES
        if (card > winning) if follows else trumps:
            best = i
    return best


def known_of(view: View) -> Numbers:
    """Cards that each seat is known to hold and has not played: the own hand, and what was given in an exchange."""
    known = np.zeros(4, np.int64)
    assert view.seat is not None
    known[view.seat] = bits_of(view.hand or ())
    if view.gave and view.received is not None:
        known[(view.seat + 2) % 4] = bits_of(view.gave) & ~bits_of(_seen(view))
    return known


def _seen(view: View) -> Iterable[str]:
    yield from view.trick
    for trick in view.tricks:
        yield from trick.cards
