"""What one seat knows of the hidden cards of a deal of Spades, and deals sampled from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from games.cpu.kernel import ALL, LANE, PLACE, SUIT, generator
from games.kinds.spades.cpu import kernel as k
from games.kinds.spades.cpu.kernel import Numbers
from games.kinds.spades.cpu.table import known_of, table_of
from games.kinds.spades.cpu.value import Floats
from games.kinds.spades.cpu.weights import WEIGHTS
from games.kinds.spades.cpu.worlds import Hands, count_ways, pick, sample
from games.rules import View

#: Once cards have been played so many times the deals are drawn, and those kept that fit the plays.
SPARE = 2
#: How many are sampled at a time.
BLOCK = 96


@dataclass(frozen=True, slots=True)
class Deals:
    """All that a sample of deals is drawn from. Arrays are by seat unless said otherwise."""

    me: int
    table: Numbers  # the public part of the deal
    start: Numbers  # the same as trick one began
    cards: Numbers  # the cards played, in order
    played: Numbers  # the same, as a set for each seat
    known: Numbers  # cards known to be held
    hidden: int  # the set of all others
    sizes: Numbers  # by suit: how many are hidden
    others: Numbers  # the three other seats
    room: Numbers  # how many hidden cards each of these holds
    voids: Numbers
    heard: Numbers  # the bids that say something of a hand, -1 for none
    ways: Floats

    def sample(self, number: int, seed: int) -> Hands:
        """So many deals, each as likely as any other."""
        drawn = number * SPARE if len(self.cards) else number
        hands, weights, rng = np.zeros((drawn, 4), np.int64), np.ones(drawn), generator(seed)
        sample(
            hands, weights, self.hidden, self.sizes, self.room, self.known, self.played, self.heard, self.others,
            self.voids, self.ways, self.start, self.cards, self.me, WEIGHTS, rng,
        )  # fmt: skip
        if drawn == number:
            return hands
        picked = np.zeros((number, 4), np.int64)
        pick(hands, weights, picked, rng)
        return picked


class Supply:
    """Deals sampled when they are first asked for, up to so many."""

    def __init__(self, known: Deals, most: int, seed: int) -> None:
        self.known, self.seed = known, seed
        self.hands: Hands = np.zeros((most, 4), np.int64)
        self.filled = 0

    def up_to(self, number: int) -> Hands:
        """An array in which so many are there."""
        while self.filled < number:
            last = min(self.filled + BLOCK, len(self.hands))
            self.hands[self.filled : last] = self.known.sample(last - self.filled, self.seed + self.filled)
            self.filled = last
        return self.hands


def deals_of(view: View) -> Deals | None:
    """What the seat knows; None if the view fits no deal."""
    assert view.seat is not None
    me, table, known = view.seat, table_of(view), known_of(view)
    hidden = ALL & ~int(table[k.SEEN]) & ~int(np.bitwise_or.reduce(known))
    sizes = [(hidden >> LANE * suit & SUIT).bit_count() for suit in range(4)]
    others = [(me + i) % 4 for i in (1, 2, 3)]
    room = [view.hand_counts[seat] - int(known[seat]).bit_count() for seat in others]
    if min(room) < 0 or sum(room) != sum(sizes) or not _in_turn(view):
        return None
    voids = table[k.VOIDS : k.VOIDS + 4].copy()
    arrays = np.array(sizes, np.int64), np.array(room, np.int64), np.array(others, np.int64)
    ways = np.zeros((5, 14, 14))
    count_ways(arrays[0], arrays[1], voids, arrays[2], ways)
    if not ways[0, room[0], room[1]]:
        return None
    played, cards = _played(view)
    return Deals(
        me=me,
        table=table,
        start=_start(view, table),
        cards=cards,
        played=played,
        known=known,
        hidden=hidden,
        sizes=arrays[0],
        others=arrays[2],
        room=arrays[1],
        voids=voids,
        heard=_heard(view, table, me),
        ways=ways,
    )


def _in_turn(view: View) -> bool:
    """Whether hands have as many cards as they should at this point of a trick, and it is this seat's turn."""
    if view.phase != "play":
        return view.hand_counts == (13,) * 4
    leader, number = view.leader or 0, len(view.trick)
    mine = view.hand_counts[view.seat or 0]
    short = {(leader + i) % 4 for i in range(number)}
    counts = tuple(mine - (seat in short) for seat in range(4))
    return (leader + number) % 4 == view.seat and view.hand_counts == counts and mine + len(view.tricks) == 13


def _played(view: View) -> tuple[Numbers, Numbers]:
    """What each seat has played, as sets, and all cards in order."""
    played, cards = np.zeros(4, np.int64), []
    for leader, trick in [*((trick.leader, trick.cards) for trick in view.tricks), (view.leader or 0, view.trick)]:
        for i, card in enumerate(trick):
            played[(leader + i) % 4] |= 1 << PLACE[card]
            cards.append(PLACE[card])
    return played, np.array(cards, np.int64)


def _start(view: View, table: Numbers) -> Numbers:
    """The public part as trick one began."""
    start = table.copy()
    start[k.TAKEN : k.TAKEN + 4] = 0
    start[k.VOIDS : k.VOIDS + 4] = 0
    start[[k.PLAYED, k.BROKEN, k.SEEN, k.BEST]] = 0
    start[k.LEADER] = view.tricks[0].leader if view.tricks else table[k.LEADER]
    start[k.CLUB_TWO] = view.options["first_lead"] == "club_two"
    return start


def _heard(view: View, table: Numbers, me: int) -> Numbers:
    """The bids that say something of the hand from which a seat plays.

    Not those of a pair that has exchanged cards, nor nil that was bid blind.
    """
    heard = table[k.BIDS : k.BIDS + 4].copy()
    heard[me] = -1
    for seat in range(4):
        exchanged = table[k.BLIND + seat] != table[k.BLIND + (seat + 2) % 4] and view.phase == "play"
        if table[k.BLIND + seat] or exchanged:
            heard[seat] = -1
    return heard
