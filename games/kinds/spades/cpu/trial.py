"""Spades before the first trick, compiled: bids, blind nils and exchanges, each played out in sampled deals.

What is still to come before the play is modelled: later seats bid by the tables of `spades_hands`, and a pair that
exchanges gives what the rules of `spades_bid` would.
"""

from __future__ import annotations

import numpy as np

from games.cpu.kernel import ALL, Generator, any_of, compiled, count, highest, lowest
from games.kinds.spades.cpu import bid
from games.kinds.spades.cpu import kernel as k
from games.kinds.spades.cpu.hands import nil_odds, tricks_of
from games.kinds.spades.cpu.kernel import ALL_SPADES, NO_CARDS, ONE, Flags, Numbers
from games.kinds.spades.cpu.policy import WEIGHED, play_out
from games.kinds.spades.cpu.value import Floats, worth
from games.kinds.spades.cpu.worlds import Hands

NOISE = 0.05
#: From which odds others are taken to bid nil, and how much more for each trick above two.
NIL_FROM = 0.75
NIL_PER_TRICK = 0.2
#: What is answered: a bid, two cards to exchange, whether to bid nil blind.
BID, GIFT, BLIND = range(1, 4)


@compiled("int64(int64, int64[::1], int64)")
def usual_bid(hand: int, deal: Numbers, seat: int) -> int:
    """What is bid with the hand after the bids so far (-1: not yet)."""
    tricks, heard, number = tricks_of(hand), 0, 0
    for other in range(4):
        if other != seat and deal[k.BIDS + other] > 0:
            tricks -= bid.OTHERS * (deal[k.BIDS + other] - bid.USUAL_BID)
        if other != seat and deal[k.BIDS + other] >= 0:
            heard += deal[k.BIDS + other]
            number += 1
    if nil_odds(hand) >= NIL_FROM + NIL_PER_TRICK * max(0.0, tricks - 2.0) + (deal[k.BIDS + (seat + 2) % 4] == 0):
        return 0
    most = 13 - heard if number == 3 else 13
    return max(1, min(int(tricks + bid.ROUNDING), most))


@compiled("void(int64[::1], int64[::1])")
def bid_on(hands: Numbers, deal: Numbers) -> None:
    """The seats that have not bid yet do, from the dealer's left."""
    for place in range(4):
        seat = (deal[k.LEADER] + place) & 3
        if deal[k.BIDS + seat] < 0:
            deal[k.BIDS + seat] = usual_bid(hands[seat], deal, seat)


@compiled("int64(int64)")
def worst_two(hand: int) -> int:
    """What a blind bidder gives: the highest spades from the nine up, else the highest cards."""
    given = NO_CARDS
    for _ in range(2):
        left = hand & ~given
        spades = left & ALL_SPADES
        card = -1
        if spades and highest(spades) & 15 >= 7:
            card = highest(spades)
        else:
            most = -1
            for suit in range(4):
                mine = k.in_suit(left, suit)
                if mine:
                    top = highest(mine)
                    danger = 2 * (top & 15) - 2 * count(mine) + (6 if suit == 3 else 0)
                    if danger > most or card < 0:
                        most, card = danger, top
        given |= ONE << card
    return given


@compiled("int64(int64)")
def lowest_two(hand: int) -> int:
    """What the partner of a blind bidder gives: the lowest cards, rather of side suits."""
    given = NO_CARDS
    for _ in range(2):
        left = hand & ~given
        card, least = -1, 99
        for suit in range(4):
            mine = k.in_suit(left, suit)
            if mine:
                low = lowest(mine)
                if (low & 15) + (2 if suit == 3 else 0) < least:
                    least, card = (low & 15) + (2 if suit == 3 else 0), low
        given |= ONE << card
    return given


@compiled("void(int64[::1], int64[::1], int64, int64)")
def exchange(hands: Numbers, deal: Numbers, me: int, given: int) -> None:
    """Pairs with one blind bidder swap two cards; `given` are those of seat `me`, 0 if it follows the rules too."""
    for seat in range(2):
        partner = seat + 2
        if deal[k.BLIND + seat] == deal[k.BLIND + partner]:
            continue
        one = worst_two(hands[seat]) if deal[k.BLIND + seat] else lowest_two(hands[seat])
        two = worst_two(hands[partner]) if deal[k.BLIND + partner] else lowest_two(hands[partner])
        if given and me == seat:
            one = given
        if given and me == partner:
            two = given
        hands[seat] = (hands[seat] & ~one) | two
        hands[partner] = (hands[partner] & ~two) | one


@compiled("void(int64[::1], int64[::1], int64, int64, int64)")
def answer_on(hands: Numbers, deal: Numbers, me: int, what: int, answer: int) -> None:
    """Seat `me` answers, what is still to come before the play follows, and trick one is opened.

    An answer is a bid, a set of two cards to give, or 0 and 1 for no and yes to a blind nil.
    """
    if what == BID:
        deal[k.BIDS + me] = answer
    elif what == BLIND and answer:
        deal[k.BIDS + me], deal[k.BLIND + me] = 0, 1
    bid_on(hands, deal)
    exchange(hands, deal, me, answer if what == GIFT else 0)
    if deal[k.CLUB_TWO]:
        for seat in range(4):
            if hands[seat] & 1:
                deal[k.LEADER] = seat


@compiled("void(int64[::1], uint64[::1])")
def deal_blind(hands: Numbers, rng: Generator) -> None:
    """A deal of which nothing is known."""
    left = ALL | NO_CARDS
    hands[:] = 0
    for i in range(52):
        card = any_of(rng, left)
        left &= ~(ONE << card)
        hands[i & 3] |= ONE << card


@compiled(
    "void(int64[:, ::1], int64[::1], int64, int64, int64[::1], boolean[::1], int64, int64, float64[::1],"
    " float64[:, ::1])"
)
def try_answers(
    worlds: Hands,
    table: Numbers,
    me: int,
    what: int,
    answers: Numbers,
    tried: Flags,
    first: int,
    last: int,
    weights: Floats,
    values: Floats,
) -> None:
    """Values at [world, answer] of those that are to be tried, for the worlds from first to last.

    The same chance plays out each answer of a world.
    """
    hands, deal, scratch = np.zeros(4, np.int64), np.zeros(k.SIZE, np.int64), np.zeros(2, np.int64)
    rng = np.zeros(1, np.uint64)
    tried_cards, costs = np.zeros(WEIGHED, np.int64), np.zeros(WEIGHED)
    for world in range(first, last):
        for i in range(len(answers)):
            if not tried[i]:
                continue
            hands[:] = worlds[world]
            deal[:] = table
            rng[0] = np.uint64(0x9E3779B97F4A7C15) * np.uint64(world + 1)
            answer_on(hands, deal, me, what, answers[i])
            play_out(hands, deal, NOISE, weights, rng, tried_cards, costs)
            values[world, i] = worth(deal, me & 1, scratch)
