"""Hearts: how deals are played out, and what an end is worth. Compiled.

Each seat plays the card with the lowest cost, from what it may know alone: its own hand, the cards that lie open and
who has shown to be void. A cost is a sum of entries of tables, one entry for each thing that the card has to it, as
`marks` lists them; the tables were fitted to the outcome of the search itself (see `hearts_expert_tables`). Over that
stand two plans with rules of their own: to shoot the moon, and to stop the seat that has taken every point so far.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from games.cpu.kernel import DIAMONDS, HEARTS, SPADES, Generator, any_of, chance, compiled, count, highest, lowest
from games.kinds.hearts.cpu.expert_engine import (
    ADD,
    BEST,
    CHOOSE,
    DECK,
    HAND,
    HEART_BITS,
    JACK,
    JACK_BIT,
    JACK_SCORES,
    LED,
    MOON,
    NO_MOON,
    NOBODY,
    PENALTY,
    PLAYED,
    PLAYERS,
    QUEEN,
    QUEEN_BIT,
    SIZE,
    SOLE,
    SUBTRACT,
    TAKEN,
    TRICK,
    TURN,
    VOIDS,
    WINNER,
    Floats,
    Numbers,
    decided,
    lane,
    legal,
    play,
    points_of,
    score,
    shooter_of,
)

Costs = np.ndarray[Any, np.dtype[np.float32]]

#: A defender thinks of stopping a moon once one seat alone has taken this many points; at once where a plan is tried,
#: for against good players a moon comes off only if they cannot help it.
THREAT_POINTS = 6

# --- tables: where each begins --------------------------------------------------------------------------------------

#: What a card is: of a plain suit (a heart by itself), under or over the queen of spades that another seat may hold,
#: the queen, a spade beside the own queen, a diamond while the jack scores and is out or held, the jack itself.
PLAIN, HEART, UNDER, OVER, LADY, GUARD, CATCHER, KNAVE = range(8)
KINDS = 8
#: By kind, and the cards of the suit in other hands that are lower and higher, 7 at most each; by kind, length of the
#: own suit, and how many own cards of it are lower.
RANKED, LONG = KINDS * 8 * 8, KINDS * 8 * 3
RANKED_LEAD = 0
RANKED_UNDER = RANKED_LEAD + RANKED
RANKED_OVER = RANKED_UNDER + RANKED
RANKED_THROWN = RANKED_OVER + RANKED
LONG_LEAD = RANKED_THROWN + RANKED
LONG_UNDER = LONG_LEAD + LONG
LONG_OVER = LONG_UNDER + LONG
LONG_THROWN = LONG_OVER + LONG
#: By kind, and the number of other seats that have shown to be void in the suit; by kind, and how late it is.
VOID_LEAD = LONG_THROWN + LONG
LATE_LEAD = VOID_LEAD + KINDS * 4
#: A card that wins the trick so far: by seats that play later, points on the table, kind and higher cards out; by later
#: seats, cards of the suit out, and whether the queen of spades may be thrown.
WINS = LATE_LEAD + KINDS * 8
WORTHS = 5
RISK = WINS + 4 * WORTHS * KINDS * 8
#: By kind, how late it is and lower cards out; by kind, cards out under the lowest own one, and length of the suit.
STAGED, SAFE = KINDS * 8 * 8, KINDS * 8 * 8
STAGED_LEAD = RISK + 4 * 8 * 2
STAGED_UNDER = STAGED_LEAD + STAGED
STAGED_OVER = STAGED_UNDER + STAGED
STAGED_THROWN = STAGED_OVER + STAGED
SAFE_LEAD = STAGED_THROWN + STAGED
SAFE_UNDER = SAFE_LEAD + SAFE
SAFE_OVER = SAFE_UNDER + SAFE
SAFE_THROWN = SAFE_OVER + SAFE
#: A lead by what the own hand has of spades while the queen is out, kind and higher cards out; a card that wins so far
#: by later seats and the number of suits whose lowest card nobody can go under.
LADY_LEAD = SAFE_THROWN + SAFE
EXITS = LADY_LEAD + 4 * KINDS * 8
TABLES_SIZE = EXITS + 4 * 4
MOST_MARKS = 8


@compiled("int64(int64[::1], int64[::1], int64, int64, int64, int64, int64[::1])", inline=True, lean=True)
def marks(table: Numbers, position: Numbers, out: int, worth: int, exits: int, place: int, found: Numbers) -> int:
    """The entries of the tables that make up the cost of a card for the seat on turn; how many there are.

    `out` are the cards that others may hold, `worth` the class of what lies on the table, `exits` as below.
    """
    seat, size, suit, bit = position[TURN], position[SIZE], place >> 4, 1 << place
    hand = position[HAND + seat]
    in_suit = lane(suit)
    mine, theirs = hand & in_suit, out & in_suit
    low, high = min(count(theirs & (bit - 1)), 7), min(count(theirs & -bit), 7)
    kind = PLAIN
    if suit == HEARTS:
        kind = HEART
    elif suit == SPADES:
        if place == QUEEN:
            kind = LADY
        elif hand & QUEEN_BIT:
            kind = GUARD
        elif out & QUEEN_BIT:
            kind = UNDER if place < QUEEN else OVER
    elif suit == DIAMONDS and table[JACK_SCORES]:
        if place == JACK:
            kind = KNAVE
        elif (out | hand) & JACK_BIT:
            kind = CATCHER
    ranked = (kind * 8 + low) * 8 + high
    long = (kind * 8 + min(count(mine), 7)) * 3 + min(count(mine & (bit - 1)), 2)
    staged = (kind * 8 + min(count(hand) >> 1, 7)) * 8 + low
    safe = (kind * 8 + min(count(theirs & ((mine & -mine) - 1)), 7)) * 8 + min(count(mine), 7)
    if size == 0:
        voids = 0
        for other in range(table[PLAYERS]):
            voids += (position[VOIDS + other] >> suit) & 1
        found[0], found[1] = RANKED_LEAD + ranked, LONG_LEAD + long
        found[2] = VOID_LEAD + kind * 4 + min(voids - ((position[VOIDS + seat] >> suit) & 1), 3)
        found[3] = LATE_LEAD + kind * 8 + min(count(hand) >> 1, 7)
        found[4] = WINS + ((min(table[PLAYERS] - 1, 3) * WORTHS) * KINDS + kind) * 8 + high
        lady = 0
        if out & QUEEN_BIT:
            lady = 1 if hand & lane(SPADES) == 0 else 3 if hand & (QUEEN_BIT * 6) else 2
        found[5], found[6] = STAGED_LEAD + staged, SAFE_LEAD + safe
        found[7] = LADY_LEAD + (lady * KINDS + kind) * 8 + high
        return 8
    if suit != position[LED]:
        found[0], found[1] = RANKED_THROWN + ranked, LONG_THROWN + long
        found[2], found[3] = STAGED_THROWN + staged, SAFE_THROWN + safe
        return 4
    if place < position[BEST]:
        found[0], found[1] = RANKED_UNDER + ranked, LONG_UNDER + long
        found[2], found[3] = STAGED_UNDER + staged, SAFE_UNDER + safe
        return 4
    later = min(table[PLAYERS] - 1 - size, 3)
    found[0], found[1] = RANKED_OVER + ranked, LONG_OVER + long
    found[2] = WINS + ((later * WORTHS + worth) * KINDS + kind) * 8 + high
    found[3] = RISK + (later * 8 + min(count(theirs), 7)) * 2 + ((out >> QUEEN) & 1)
    found[4], found[5] = STAGED_OVER + staged, SAFE_OVER + safe
    found[6] = EXITS + later * 4 + exits
    return 7


@compiled("int64(int64[::1], int64[::1])", inline=True, lean=True)
def worth_of_trick(table: Numbers, position: Numbers) -> int:
    """The class of what lies on the table: nothing, a heart or two, more, the queen of spades, the jack that scores."""
    trick = position[TRICK]
    if trick & QUEEN_BIT:
        return 3
    if table[JACK_SCORES] and trick & JACK_BIT:
        return 4
    hearts = count(trick & HEART_BITS)
    return 0 if hearts == 0 else 1 if hearts < 3 else 2


@compiled("int64(int64, int64)", inline=True, lean=True)
def exits_of(hand: int, out: int) -> int:
    """How many suits of a hand, three at most, have a card that nobody else can go under."""
    number = 0
    for suit in range(4):
        mine = hand & lane(suit)
        if mine and out & lane(suit) and out & lane(suit) & ((mine & -mine) - 1) == 0:
            number += 1
    return min(number, 3)


@compiled("int64(int64, int64)", inline=True, lean=True)
def distinct(cards: int, out: int) -> int:
    """The cards without those that have an own card right above them, with none of `out` between.

    `out` are the cards that others may hold and those on the table.

    The queen of spades, hearts and the jack of diamonds keep their worth: only the queen and the jack differ from their
    neighbours, so they stay, and so do the cards next to them.
    """
    above = cards
    between = out | QUEEN_BIT | JACK_BIT | (QUEEN_BIT >> 1) | (JACK_BIT >> 1)
    kept = 0
    while above:
        bit = above & -above
        above ^= bit
        suit = lane(lowest(bit) >> 4)
        higher = above & suit
        if higher == 0 or (between & suit & ((higher & -higher) - bit)):
            kept |= bit
    return kept


@compiled("int64(int64[::1], int64[::1], int64, int64)", inline=True, lean=True)
def to_shoot(table: Numbers, position: Numbers, cards: int, out: int) -> int:
    """The card to play for the own moon: win what can be won, and throw what cannot win."""
    hand = position[HAND + position[TURN]]
    best, best_value = -1, -1000
    if position[SIZE] and cards & lane(position[LED]):
        over = cards & ~((2 << position[BEST]) - 1)
        if over == 0:
            return lowest(cards)
        last = position[SIZE] == table[PLAYERS] - 1
        return lowest(over) if last else highest(over)
    left = cards
    while left:
        bit = left & -left
        left ^= bit
        place = lowest(bit)
        suit = place >> 4
        theirs, mine = out & lane(suit), hand & lane(suit)
        higher = count(theirs & -bit)
        if position[SIZE] == 0:  # masters first, from the longest suit that others still hold, hearts later
            value = -20 * min(higher, 5) + 8 * (theirs != 0) + 2 * min(count(mine), 8) - 6 * (suit == HEARTS)
        else:
            value = 10 * min(higher, 5) - (place & 15) - 30 * (suit == HEARTS or place == QUEEN)
        if value > best_value:
            best, best_value = place, value
    return best


@compiled("int64(int64[::1], int64[::1], float32[::1], int64[::1], int64)", inline=True, lean=True)
def by_tables(table: Numbers, position: Numbers, costs: Costs, found: Numbers, cards: int) -> int:
    """The cheapest of these cards for the seat on turn."""
    hand = position[HAND + position[TURN]]
    out = table[DECK] & ~(position[PLAYED] | hand)
    worth = worth_of_trick(table, position)
    exits = exits_of(hand, out) if position[SIZE] else 0
    left = distinct(cards, out | position[TRICK])
    best, cheapest = -1, np.float32(1e9)
    while left:
        place = lowest(left)
        left &= left - 1
        number = marks(table, position, out, worth, exits, place, found)
        cost = costs[found[0]] + costs[found[1]]
        for i in range(2, number):
            cost += costs[found[i]]
        if cost < cheapest:
            best, cheapest = place, cost
    return best


@compiled("int64(int64)", inline=True, lean=True)
def weakest(cards: int) -> int:
    """The card of the lowest strength."""
    best = lowest(cards)
    while cards:
        place = lowest(cards)
        cards &= cards - 1
        if (place & 15) < (best & 15):
            best = place
    return best


@compiled("int64(int64[::1], int64[::1], float32[::1], int64[::1], int64, int64)", lean=True)
def to_stop(table: Numbers, position: Numbers, costs: Costs, found: Numbers, cards: int, threat: int) -> int:
    """The card to play against the moon of the seat `threat`."""
    size, players = position[SIZE], table[PLAYERS]
    if size == 0:
        return by_tables(table, position, costs, found, cards)
    turn = position[TURN]
    penalty = table[PENALTY]
    winning = position[WINNER] == threat
    to_come = (threat - turn) % players < players - size  # it plays to this trick after this seat
    following = cards & lane(position[LED])
    if following:
        over = following & ~((2 << position[BEST]) - 1)
        if over and (winning or to_come) and position[TRICK] & penalty and not (over == QUEEN_BIT and to_come):
            return lowest(over) if size == players - 1 else highest(over)
        return by_tables(table, position, costs, found, cards)
    if winning or to_come:
        harmless = cards & ~penalty
        return weakest(harmless) if harmless else lowest(cards)  # what is high may stop it yet
    points = cards & HEART_BITS
    return lowest(points) if points else by_tables(table, position, costs, found, cards)


@compiled("int64(int64[::1], int64[::1], float32[::1], int64[::1], int64)", lean=True)
def choice_of(table: Numbers, position: Numbers, costs: Costs, found: Numbers, shooter: int) -> int:
    """The card that the seat on turn plays; `shooter` is the seat with the plan to shoot the moon, or NOBODY."""
    cards = legal(table, position)
    if cards & (cards - 1) == 0:
        return lowest(cards)
    turn, sole = position[TURN], position[SOLE]
    if turn == shooter and sole in (NOBODY, turn):
        out = table[DECK] & ~(position[PLAYED] | position[HAND + turn])
        return to_shoot(table, position, cards, out)
    threat = sole >= 0 and sole != turn and table[MOON] != NO_MOON
    if threat and (sole == shooter or points_of(position[TAKEN + sole]) >= THREAT_POINTS):
        return to_stop(table, position, costs, found, cards, sole)
    return by_tables(table, position, costs, found, cards)


@compiled("void(int64[::1], int64[::1], float32[::1], int64[::1], uint64[::1], float64, int64)", lean=True)
def play_out(
    table: Numbers, position: Numbers, costs: Costs, found: Numbers, rng: Generator, noise: float, shooter: int
) -> None:
    """Plays until the deal is decided. A seat plays a random legal card as often as `noise` says."""
    while position[SIZE] or not decided(table, position):
        if chance(rng) < noise:
            play(table, position, any_of(rng, legal(table, position)))
        else:
            play(table, position, choice_of(table, position, costs, found, shooter))


# --- what an end is worth -------------------------------------------------------------------------------------------

#: What the end of a deal is worth depends on these: scores before it (an entry a seat), how much the places at the end
#: of the game count against points, the score that ends it, whether this is the last deal in any case, whether only the
#: winner counts.
SCORES, PLACES_COUNT, LIMIT, LAST_DEAL, WINNER_ONLY = 0, 8, 9, 10, 11
STAKES_SIZE = 12
#: The worth of first place over last, in points of a deal; what a deal adds to the highest score, and its deviation.
PRIZE = 40.0
POINTS_A_DEAL = 8.0
DEVIATION = 7.0


@compiled("float64(int64[::1], float64[::1], int64[::1], int64)", lean=True)
def worth_to(table: Numbers, stakes: Floats, change: Numbers, seat: int) -> float:
    """What these changes of the scores are worth to a seat, in points of a deal."""
    players = table[PLAYERS]
    others = 0.0
    for other in range(players):
        others += change[other]
    margin = (others - change[seat]) / (players - 1) - change[seat]
    weight = stakes[PLACES_COUNT]
    if weight == 0.0:
        return margin
    top = -1e9
    for other in range(players):
        top = max(top, stakes[SCORES + other] + change[other])
    own = stakes[SCORES + seat] + change[seat]
    over = top >= stakes[LIMIT] or stakes[LAST_DEAL] > 0.0
    spread = DEVIATION * math.sqrt(2.0 * max(1.0, (stakes[LIMIT] - top) / POINTS_A_DEAL))
    beaten, first, ties = 0.0, 1.0, 1.0
    for other in range(players):
        if other == seat:
            continue
        lead = stakes[SCORES + other] + change[other] - own
        if over:
            better = 1.0 if lead > 0.0 else 0.5 if lead == 0.0 else 0.0
            if lead == 0.0:
                ties += 1.0
            elif lead < 0.0:
                first = 0.0
        else:
            better = 0.5 * (1.0 + math.erf(lead / (spread * math.sqrt(2.0))))
            first *= better
        beaten += better
    share = beaten / (players - 1)
    if stakes[WINNER_ONLY] > 0.0:
        share = first / ties
    return (1.0 - weight) * margin + weight * PRIZE * share


@compiled("float64(int64[::1], int64[::1], float64[::1], int64[::1], int64)", lean=True)
def outcome(table: Numbers, position: Numbers, stakes: Floats, change: Numbers, seat: int) -> float:
    """What the deal as it was played out is worth to a seat. A shooter who may choose takes what is better for it."""
    shooter = shooter_of(table, position)
    how = SUBTRACT if table[MOON] == SUBTRACT else ADD
    score(table, position, shooter, how, change)
    if shooter != NOBODY and table[MOON] == CHOOSE:
        added = worth_to(table, stakes, change, shooter)
        score(table, position, shooter, SUBTRACT, change)
        if worth_to(table, stakes, change, shooter) <= added:
            score(table, position, shooter, ADD, change)
    return worth_to(table, stakes, change, seat)
