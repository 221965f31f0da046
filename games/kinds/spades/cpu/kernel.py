"""Spades on bits, compiled: which cards may be played, who takes a trick, what a deal scores.

Held equal to `games.rules` by test. Hands are sets of cards as in `kernel`, in an array by seat. What is public of a
deal is one array of whole numbers, with the fields named below; fields of several numbers have one for each seat, or
side.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from games.cpu.kernel import ALL, SPADES, SUIT, Generator, any_of, compiled

Numbers = np.ndarray[Any, np.dtype[np.int64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]

#: Of the width of a set: a literal would do for Python, and be too narrow to be shifted once compiled.
ONE: Any = np.int64(1)
NO_CARDS: Any = np.int64(0)

# --- the public part of a deal --------------------------------------------------------------------------------------

BIDS = 0  # 4
TAKEN = 4  # 4: tricks
BLIND = 8  # 4: 1 for a nil that was bid blind
VOIDS = 12  # 4: a bit for each suit that the seat is known to be out of
TRICK = 16  # 4: places of the cards on the table, from the leader on
LEADER = 20
PLAYED = 21  # how many cards are on the table
BROKEN = 22  # whether a spade has been played
SEEN = 23  # the set of cards that have been played, those on the table too
BAGS = 24  # 2, as the deal began
PENALTY = 26  # 1 if ten bags cost a hundred
CLUB_TWO = 27  # 1 while the two of clubs has to lead
BEST = 28  # place in the trick of the card that wins it so far
SCORES = 29  # 2, as the deal began
TARGET = 31
FLOOR = 32  # 1 if -200 ends the game
LAST = 33  # 1 if the game ends with this deal at the latest
SIZE = 34

ALL_SPADES = SUIT << 48
SIDE_SUITS = ALL ^ ALL_SPADES


@compiled("int64(int64, int64)", inline=True)
def in_suit(cards: int, suit: int) -> int:
    """The cards of the set that are of the suit."""
    return cards & (SUIT << (suit << 4))


@compiled("int64(int64)", inline=True)
def above(place: int) -> int:
    """The cards of the same suit that are higher."""
    return (SUIT << (place & 48)) & ~(((ONE << 1) << place) - 1)


@compiled("int64(int64)", inline=True)
def under(place: int) -> int:
    """The cards of the same suit that are lower."""
    return (SUIT << (place & 48)) & ((ONE << place) - 1)


@compiled("int64(int64, int64)", inline=True)
def beaten_by(best: int, led: int) -> int:
    """The cards that take a trick from its best card, in a trick where this suit was led."""
    higher = above(best)
    if best >> 4 != SPADES:
        higher |= ALL_SPADES
    return higher


@compiled("int64(int64, int64[::1])", inline=True)
def between(hand: int, deal: Numbers) -> int:
    """Cards not of the hand that make a difference between those of it: they lie elsewhere, or win the trick so far."""
    out = ALL & ~(hand | deal[SEEN])
    return out | (ONE << deal[TRICK + deal[BEST]]) if deal[PLAYED] > 0 else out


@compiled("int64(int64, int64[::1])", inline=True)
def legal(hand: int, deal: Numbers) -> int:
    """What the seat on turn may play from its hand."""
    if deal[PLAYED] > 0:
        follows = in_suit(hand, deal[TRICK] >> 4)
        return follows if follows else hand
    if deal[CLUB_TWO] and hand & 1:
        return 1
    if not deal[BROKEN]:
        others = hand & SIDE_SUITS
        return others if others else hand
    return hand


@compiled("void(int64[::1], int64[::1], int64)", inline=True)
def put(hands: Numbers, deal: Numbers, card: int) -> None:
    """The seat on turn plays a card, which may be played. A full trick is taken and its winner leads."""
    played, leader = deal[PLAYED], deal[LEADER]
    seat = (leader + played) & 3
    bit = ONE << card
    hands[seat] &= ~bit
    deal[SEEN] |= bit
    deal[TRICK + played] = card
    if played == 0:
        deal[BEST] = 0
        deal[CLUB_TWO] = 0
        if card >> 4 == SPADES and not deal[BROKEN]:
            deal[VOIDS + seat] |= 7  # nothing but spades
    else:
        led = deal[TRICK] >> 4
        if card >> 4 != led:
            deal[VOIDS + seat] |= ONE << led
        if beaten_by(deal[TRICK + deal[BEST]], led) & bit:
            deal[BEST] = played
    if card >> 4 == SPADES:
        deal[BROKEN] = 1
    if played == 3:
        winner = (leader + deal[BEST]) & 3
        deal[TAKEN + winner] += 1
        deal[LEADER] = winner
        deal[PLAYED] = 0
    else:
        deal[PLAYED] = played + 1


@compiled("void(int64[::1], int64, int64[::1])")
def score(deal: Numbers, side: int, into: Numbers) -> None:
    """What the deal changes the score of a side by, and its bags afterwards."""
    change, over, contract, counted = 0, 0, 0, 0
    for seat in (side, side + 2):
        bid, taken = deal[BIDS + seat], deal[TAKEN + seat]
        if bid > 0:
            contract += bid
            counted += taken
        else:
            worth = 200 if deal[BLIND + seat] else 100
            change += worth if taken == 0 else -worth
            over += taken
    if counted < contract:
        change -= 10 * contract
    else:
        change += 10 * contract
        if contract > 0:
            over += counted - contract
    change += over
    bags = deal[BAGS + side] + over
    if deal[PENALTY]:
        change -= 100 * (bags // 10)
        bags %= 10
    into[0], into[1] = change, bags


@compiled("void(int64[::1], int64[::1], uint64[::1])")
def play_at_random(hands: Numbers, deal: Numbers, rng: Generator) -> None:
    """Plays the deal out, every card that may be played being as likely."""
    while True:
        seat = (deal[LEADER] + deal[PLAYED]) & 3
        if hands[seat] == 0:
            return
        put(hands, deal, any_of(rng, legal(hands[seat], deal)))
