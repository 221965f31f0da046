"""Hearts on bits: the rules of `games.kinds.hearts.rules` from the first lead to the last card, compiled.

A table is an array of what its options say, a position an array of what moves. A position holds every hand, so it is
one of the deals that a player thinks possible, never the real one. Places in both arrays are the constants below.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from games.cpu.kernel import (
    HEARTS,
    LANE,
    PLACE,
    SUIT,
    Generator,
    any_of,
    bits_of,
    compiled,
    count,
    draw_wide,
    kth_bit,
    lowest,
)
from games.rules import Rules

Numbers = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]

# --- a table ---
PLAYERS, DECK, PENALTY, LOW_CLUB, BARRED, HELD_BACK, HEART_BREAKS, QUEEN_BREAKS = range(8)
MOON, JACK_SCORES, MOON_CARDS, DECISIVE = range(8, 12)
TABLE_SIZE = 12
#: What a moon does, at place MOON.
NO_MOON, ADD, SUBTRACT, CHOOSE = range(4)
MOONS = {"off": NO_MOON, "add": ADD, "subtract": SUBTRACT, "choose": CHOOSE}

# --- a position; HAND, TAKEN and VOIDS have an entry a seat ---
HAND, TAKEN, VOIDS = 0, 8, 16
#: TRICK: the cards on the table, SIZE of them; BEST: the place that wins so far, of seat WINNER. SOLE: the one seat
#: that has taken penalty cards, NOBODY yet, or SEVERAL. PLAYED: all cards that lie or lay open.
TURN, SIZE, LED, BEST, WINNER, TRICK, BROKEN, FIRST, KITTY, PLAYED, SOLE = range(24, 35)
POSITION_SIZE = 35
NOBODY, SEVERAL = -1, -2

QUEEN = PLACE["QS"]
QUEEN_BIT = 1 << QUEEN
JACK = PLACE["JD"]
JACK_BIT = 1 << JACK
HEART_BITS = SUIT << (LANE * HEARTS)
POINT_BITS = HEART_BITS | QUEEN_BIT
MOON_POINTS = 26


def table_of(rules: Rules) -> Numbers:
    """What the rules of a table say, for compiled functions."""
    options = rules.options.to_json()
    table = np.zeros(TABLE_SIZE, dtype=np.int64)
    deck = bits_of(rules.deck)
    jack = options["jack_of_diamonds"] == "minus_ten"
    table[PLAYERS], table[DECK], table[PENALTY] = rules.players, deck, deck & POINT_BITS
    table[LOW_CLUB] = options["first_lead"] == "low_club"
    table[BARRED] = options["first_trick_points"] == "no"
    table[HELD_BACK] = options["heart_discard"] == "after_break"
    table[HEART_BREAKS] = options["hearts_broken_by"] != "queen"
    table[QUEEN_BREAKS] = options["hearts_broken_by"] != "heart"
    table[MOON] = MOONS[str(options["moon"])]
    table[JACK_SCORES] = jack
    table[MOON_CARDS] = table[PENALTY] | (JACK_BIT if options["jack_in_moon"] == "required" else 0)
    table[DECISIVE] = table[PENALTY] | (JACK_BIT if jack else 0)
    return table


@compiled("int64(int64)", inline=True, lean=True)
def lane(suit: int) -> int:
    """All places of a suit."""
    return SUIT << (LANE * suit)


@compiled("int64(int64[::1], int64[::1])", inline=True, lean=True)
def legal(table: Numbers, position: Numbers) -> int:
    """What the seat on turn may play: its hand after four filters, each left out if it would leave nothing."""
    cards = position[HAND + position[TURN]]
    leads = position[SIZE] == 0
    if not leads:
        kept = cards & lane(position[LED])
        if kept:
            cards = kept
    elif position[FIRST] and table[LOW_CLUB]:
        cards &= -cards
    if not position[BROKEN] and (leads or table[HELD_BACK]):
        kept = cards & ~HEART_BITS
        if kept:
            cards = kept
    if position[FIRST] and table[BARRED]:
        kept = cards & ~POINT_BITS
        if kept:
            cards = kept
    return cards


@compiled("void(int64[::1], int64[::1], int64)", inline=True, lean=True)
def play(table: Numbers, position: Numbers, place: int) -> None:
    """The seat on turn plays this card; a full trick is taken, the first one with the kitty."""
    seat, bit, suit = position[TURN], 1 << place, place >> 4
    position[HAND + seat] &= ~bit
    position[PLAYED] |= bit
    position[TRICK] |= bit
    if position[SIZE] == 0:
        position[LED], position[BEST], position[WINNER] = suit, place, seat
    elif suit != position[LED]:
        position[VOIDS + seat] |= 1 << position[LED]
    elif place > position[BEST]:
        position[BEST], position[WINNER] = place, seat
    if suit == HEARTS:
        if table[HEART_BREAKS] or position[SIZE] == 0:
            position[BROKEN] = 1
    elif place == QUEEN and table[QUEEN_BREAKS]:
        position[BROKEN] = 1
    position[SIZE] += 1
    seat += 1
    position[TURN] = 0 if seat == table[PLAYERS] else seat
    if position[SIZE] == table[PLAYERS]:
        winner, haul = position[WINNER], position[TRICK]
        if position[FIRST]:
            haul |= position[KITTY]
            position[FIRST] = 0
        position[TAKEN + winner] |= haul
        if haul & table[PENALTY] and position[SOLE] != winner:
            position[SOLE] = winner if position[SOLE] == NOBODY else SEVERAL
        position[TRICK], position[SIZE], position[TURN] = 0, 0, winner


@compiled("int64(int64[::1], int64[::1])", inline=True, lean=True)
def decided(table: Numbers, position: Numbers) -> bool:
    """Whether every card that scores has been taken, or nobody has a card left. To be asked between tricks."""
    taken = 0
    for seat in range(table[PLAYERS]):
        taken |= position[TAKEN + seat]
    return (taken & table[DECISIVE]) == table[DECISIVE] or position[HAND + position[TURN]] == 0


@compiled("int64(int64)", inline=True, lean=True)
def points_of(cards: int) -> int:
    """Penalty points of these cards."""
    return count(cards & HEART_BITS) + 13 * ((cards >> QUEEN) & 1)


@compiled("int64(int64[::1], int64[::1])", inline=True, lean=True)
def shooter_of(table: Numbers, position: Numbers) -> int:
    """The seat that has taken every card that a moon takes, or NOBODY."""
    if table[MOON] != NO_MOON:
        for seat in range(table[PLAYERS]):
            if (position[TAKEN + seat] & table[MOON_CARDS]) == table[MOON_CARDS]:
                return seat
    return NOBODY


@compiled("void(int64[::1], int64[::1], int64, int64, int64[::1])", inline=True, lean=True)
def score(table: Numbers, position: Numbers, shooter: int, how: int, change: Numbers) -> None:
    """What the deal adds to the score of each seat; `how` the moon of `shooter` is paid is ADD or SUBTRACT."""
    for seat in range(table[PLAYERS]):
        taken = position[TAKEN + seat]
        if shooter == NOBODY:
            points = points_of(taken)
        elif how == ADD:
            points = 0 if seat == shooter else MOON_POINTS
        else:
            points = -MOON_POINTS if seat == shooter else 0
        if table[JACK_SCORES] and (taken >> JACK) & 1:
            points -= 10
        change[seat] = points


@compiled("void(int64[::1], int64[::1], uint64[::1])", lean=True)
def play_at_random(table: Numbers, position: Numbers, rng: Generator) -> None:
    """Plays random legal cards until the deal is decided. Leaves behind what was taken, and the hands; no more."""
    players, decisive = table[PLAYERS], table[DECISIVE]
    held_back = table[HELD_BACK]
    # First the tricks with rules of their own, and the one on the table.
    while position[SIZE] or position[FIRST] or (held_back and not position[BROKEN]):
        if position[HAND + position[TURN]] == 0:
            return
        play(table, position, any_of(rng, legal(table, position)))
    broken, leader, taken = position[BROKEN], position[TURN], 0
    breaking = (HEART_BITS if table[HEART_BREAKS] else 0) | (QUEEN_BIT if table[QUEEN_BREAKS] else 0)
    for seat in range(players):
        taken |= position[TAKEN + seat]
    while (taken & decisive) != decisive:
        hand = position[HAND + leader]
        if hand == 0:
            break
        cards = hand & ~HEART_BITS
        if broken or cards == 0:
            cards = hand
        bits = draw_wide(rng)  # 16 of them for a card, so four cards a draw
        best = kth_bit(cards, (int(bits >> np.uint64(48)) * count(cards)) >> 16)
        position[HAND + leader] = hand ^ best
        suit, winner, trick, seat = SUIT << (lowest(best) & 48), leader, best, leader
        broken |= (best & HEART_BITS) != 0
        for i in range(1, players):
            seat += 1
            seat = 0 if seat == players else seat
            bits = bits << np.uint64(16) if i & 3 else draw_wide(rng)
            hand = position[HAND + seat]
            cards = hand & suit
            cards = cards if cards else hand
            bit = kth_bit(cards, (int(bits >> np.uint64(48)) * count(cards)) >> 16)
            position[HAND + seat] = hand ^ bit
            trick |= bit
            over = bit & suit
            winner = seat if over > best else winner
            best = max(best, over)
        broken |= (trick & breaking) != 0
        position[TAKEN + winner] |= trick
        taken |= trick
        leader = winner
    position[BROKEN], position[TURN] = broken, leader


@compiled("int64(int64[::1], int64[::1], int64, uint64[::1], int64[::1], int64[::1])", lean=True)
def random_playouts(
    table: Numbers, start: Numbers, number: int, rng: Generator, position: Numbers, totals: Numbers
) -> int:
    """Plays a position out so often, with chance alone; adds the points of each seat to `totals`. How many moons."""
    moons = 0
    for _ in range(number):
        for i in range(POSITION_SIZE):
            position[i] = start[i]
        play_at_random(table, position, rng)
        shooter = shooter_of(table, position)
        moons += shooter != NOBODY
        for seat in range(table[PLAYERS]):
            taken = position[TAKEN + seat]
            if shooter == NOBODY:
                totals[seat] += points_of(taken)
            elif seat != shooter:
                totals[seat] += MOON_POINTS
    return moons
