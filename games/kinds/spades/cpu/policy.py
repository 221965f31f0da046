"""Spades by rules, compiled: the card that a sensible player plays, from its own hand and what is public.

It plays every seat in the deals that the expert plays out, so it has to be quick; and it says how likely a card seen is
with a hand. Each card that may be played is weighed: a sum of a few named things, with weights apart for what the seat
is after and where in the trick it plays. The weights are in `spades_weights`, with how they were come by.
"""

from __future__ import annotations

import numpy as np

from games.cpu.kernel import ALL, SPADES, Generator, any_of, below, compiled, count, highest, lowest
from games.kinds.spades.cpu import kernel as k
from games.kinds.spades.cpu.kernel import (
    ALL_SPADES,
    NO_CARDS,
    ONE,
    Numbers,
    above,
    beaten_by,
    in_suit,
    legal,
    put,
    under,
)
from games.kinds.spades.cpu.value import Floats

# --- what a seat is after ---------------------------------------------------------------------------------------------

NIL, COVER, ATTACK, WANT, AVOID = range(5)
AIMS = 5
#: Leading; following suit as second, third, last; playing off suit as second, third, last.
PLACES = 7
THINGS = 19
#: Cards of a hand that are weighed, at the most: four of the suit that is led, two of any other.
WEIGHED = 16

#: With so few tricks to spare between the two contracts, a side that has its own still wants tricks, to set the other.
SET_NEAR = 1


@compiled("boolean(int64[::1], int64)", inline=True)
def nil_alive(deal: Numbers, seat: int) -> bool:
    """Whether the seat bid nil and may still make it."""
    return deal[k.BIDS + seat] == 0 and deal[k.TAKEN + seat] == 0


@compiled("int64(int64[::1], int64)", inline=True)
def needed(deal: Numbers, side: int) -> int:
    """How many tricks the side needs for its contract, 0 if it has them."""
    need = NO_CARDS
    for seat in (side, side + 2):
        if deal[k.BIDS + seat] > 0:
            need += deal[k.BIDS + seat] - deal[k.TAKEN + seat]
    return max(need, 0)


@compiled("int64(int64[::1], int64, int64)", inline=True)
def aim_of(deal: Numbers, seat: int, left: int) -> int:
    """What the seat is after, with so many tricks left."""
    if nil_alive(deal, seat):
        return NIL
    if nil_alive(deal, (seat + 2) & 3):
        return COVER
    winner = (deal[k.LEADER] + deal[k.BEST]) & 3
    for foe in ((seat + 1) & 3, (seat + 3) & 3):
        later = ((foe - deal[k.LEADER]) & 3) > deal[k.PLAYED]
        if nil_alive(deal, foe) and (later or (deal[k.PLAYED] > 0 and winner == foe)):
            return ATTACK
    if deal[k.PENALTY] == 0:
        return WANT
    need, theirs = needed(deal, seat & 1), needed(deal, 1 - (seat & 1))
    if 0 < need <= left:
        return WANT if deal[k.BIDS + seat] > 0 else AVOID
    return WANT if 0 < theirs <= left and left - theirs <= SET_NEAR else AVOID


@compiled("float64(int64[::1], int64, int64)", inline=True)
def tightness(deal: Numbers, seat: int, left: int) -> float:
    """How much rides on each trick: 1 if both sides need all that are left."""
    spare = left - needed(deal, seat & 1) - needed(deal, 1 - (seat & 1))
    return 1.0 / (1.0 + max(spare, 0))


@compiled("int64(int64, int64[::1])", inline=True)
def place_of(may: int, deal: Numbers) -> int:
    """Leading, or following or not as second, third, last: which row of the weights."""
    place = deal[k.PLAYED]
    if place > 0 and not in_suit(may, deal[k.TRICK] >> 4):
        return place + 3
    return place


@compiled("float64(int64, int64, int64, int64, int64[::1], float64[::1], int64)", inline=True)
def cost_of_leading(suit: int, around: int, out: int, seat: int, deal: Numbers, weights: Floats, row: int) -> float:
    """What leading the suit costs, whichever card."""
    total = weights[row + 12] * 0.125 * around
    bit = ONE << suit
    for foe in ((seat + 1) & 3, (seat + 3) & 3):
        if deal[k.VOIDS + foe] & bit:
            if nil_alive(deal, foe):
                total += weights[row + 13]
            elif suit != SPADES and out & ALL_SPADES and not deal[k.VOIDS + foe] & 8:
                total += weights[row + 10]
    partner = (seat + 2) & 3
    if suit != SPADES and out & ALL_SPADES and deal[k.VOIDS + partner] & (bit | 8) == bit:
        total += weights[row + 11]
    return total


@compiled("float64(int64, int64[::1], int64, float64, float64[::1], int64)", inline=True)
def cost_of_taking(out: int, deal: Numbers, seat: int, tight: float, weights: Floats, row: int) -> float:
    """What it costs to take the trick on the table so far."""
    best = deal[k.TRICK + deal[k.BEST]]
    winner = (deal[k.LEADER] + deal[k.BEST]) & 3
    left = (seat + 1) & 3
    last = deal[k.PLAYED] == 3
    total = weights[row + 10] + weights[row + 14] * tight
    if winner == (seat + 2) & 3:
        total += weights[row + 12]
        if last or not above(best) & out:
            total += weights[row + 13]
    if nil_alive(deal, winner):
        total += weights[row + 15]
    if not last:
        if nil_alive(deal, left):
            total += weights[row + 16]
        if best >> 4 != SPADES and deal[k.VOIDS + left] >> (deal[k.TRICK] >> 4) & 1:
            total += weights[row + 18]
    return total


@compiled("int64(int64, int64, int64[::1], float64[::1], int64[::1], float64[::1])")
def weigh(hand: int, may: int, deal: Numbers, weights: Floats, cards: Numbers, costs: Floats) -> int:
    """Fills in the cards of the hand worth a thought, with what each costs; returns how many.

    Of each suit these are the lowest and the highest card, and those beside the card to beat.
    """
    seat = (deal[k.LEADER] + deal[k.PLAYED]) & 3
    out = ALL & ~(hand | deal[k.SEEN])
    left = count(hand)
    tight = tightness(deal, seat, left)
    place = place_of(may, deal)
    row = (aim_of(deal, seat, left) * PLACES + place) * THINGS
    leads, last = place == 0, deal[k.PLAYED] == 3
    takers, taking = NO_CARDS, 0.0
    if not leads:
        takers = may & beaten_by(deal[k.TRICK + deal[k.BEST]], deal[k.TRICK] >> 4)
        if takers:
            taking = cost_of_taking(out, deal, seat, tight, weights, row)
    number = 0
    for suit in range(4):
        mine = in_suit(may, suit)
        if not mine:
            continue
        around_them = in_suit(out, suit)
        around, held = count(around_them), count(mine)
        low, top = lowest(mine), highest(mine)
        trump = suit == SPADES
        each = 1.0 / around if around else 0.0
        base = weights[row + 6] * 0.25 * (held - 1)
        if trump:
            base += weights[row + 3]
        if leads:
            base += cost_of_leading(suit, around, out, seat, deal, weights, row)
        tried = (ONE << low) | (ONE << top)
        takes = mine & takers
        if takes:
            tried |= ONE << lowest(takes)
            if mine != takes:
                tried |= ONE << highest(mine ^ takes)
        while tried:
            card = lowest(tried)
            tried &= tried - 1
            higher = count(above(card) & around_them)
            strength = (card & 15) / 12.0
            total = base + weights[row + 5] * strength
            if trump:
                total += weights[row + 4] * strength
                if higher == 0:
                    total += weights[row + 2]
            else:
                total += weights[row] * ((around - higher) * each if around else 1.0)
                if higher == 0:
                    total += weights[row + 1]
            if held > 1:
                rest = mine ^ (ONE << card)
                over = count(above(highest(rest)) & around_them)
                if over == 0:
                    total += weights[row + 9]
                elif not trump and card != top and over == held - 1:
                    total += weights[row + 8]
                total += weights[row + 17] * (count(under(lowest(rest)) & around_them) * each if around else 1.0)
            else:
                total += weights[row + 17] * 0.5
                if not trump and hand & ALL_SPADES:
                    total += weights[row + 7]
            if leads:
                if higher == 0:
                    total += weights[row + 15] * tight
                    if not trump and around <= 4:
                        total += weights[row + 14]
            elif takes >> card & 1:
                total += taking
                if last or higher == 0:
                    total += weights[row + 11]
            cards[number], costs[number] = card, total
            number += 1
    return number


@compiled("int64(int64, int64, int64[::1], float64[::1], int64[::1], float64[::1])")
def rule_card(hand: int, may: int, deal: Numbers, weights: Floats, cards: Numbers, costs: Floats) -> int:
    """What the seat on turn plays of the cards that it may play. `cards` and `costs` are scratch."""
    if may & (may - 1) == 0:
        return lowest(may)
    number = weigh(hand, may, deal, weights, cards, costs)
    best = 0
    for i in range(1, number):
        if costs[i] < costs[best]:
            best = i
    return cards[best]


@compiled("void(int64[::1], int64[::1], float64, float64[::1], uint64[::1], int64[::1], float64[::1])")
def play_out(
    hands: Numbers, deal: Numbers, noise: float, weights: Floats, rng: Generator, cards: Numbers, costs: Floats
) -> None:
    """Plays the deal out by the rules; now and then any card is played instead."""
    threshold = np.int64(noise * 65536)
    while True:
        seat = (deal[k.LEADER] + deal[k.PLAYED]) & 3
        hand = hands[seat]
        if hand == 0:
            return
        may = legal(hand, deal)
        if threshold > 0 and below(rng, 65536) < threshold:
            card = any_of(rng, may)
        else:
            card = rule_card(hand, may, deal, weights, cards, costs)
        put(hands, deal, card)
