"""Hearts: a view as the compiled search takes it. What lies open goes into a position, the rest into a sampler."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from games.cpu.kernel import PLACE, bits_of
from games.cpu.sampling import Hidden, hidden
from games.kinds.hearts.cpu.expert_engine import (
    BEST,
    BROKEN,
    DECK,
    FIRST,
    HAND,
    LED,
    NOBODY,
    PENALTY,
    PLAYED,
    POSITION_SIZE,
    SEVERAL,
    SIZE,
    SOLE,
    TAKEN,
    TRICK,
    TURN,
    VOIDS,
    WINNER,
    Floats,
    Numbers,
    lane,
    table_of,
)
from games.kinds.hearts.cpu.expert_guesses import Guesses
from games.kinds.hearts.cpu.expert_policy import (
    LAST_DEAL,
    LIMIT,
    PLACES_COUNT,
    POINTS_A_DEAL,
    SCORES,
    STAKES_SIZE,
    WINNER_ONLY,
)
from games.rules import Rules, View
from games.rules.answers import MOST_DEALS

#: With more deals to come than this only points count, with one only the places, between in proportion.
FAR, NEAR = 6.0, 1.0


@dataclass(frozen=True, slots=True)
class Seen:
    """What a seat knows. `kitty_taker` is the seat that took a kitty nobody else has seen, else NOBODY.

    `plays` are the cards played so far in turn, from the lead of `opener` on; `played` has those of each seat.
    """

    seat: int
    table: Numbers
    position: Numbers
    hidden: Hidden
    stakes: Floats
    kitty_taker: int
    plays: Numbers
    opener: int
    played: Numbers


def stakes_of(view: View) -> Floats:
    """What the scores make of the end of this deal."""
    stakes = np.zeros(STAKES_SIZE)
    limit = int(view.options["end_score"]) + (view.options["end_test"] == "exceed")
    stakes[SCORES : SCORES + view.players] = view.scores
    to_come = (limit - max(view.scores)) / POINTS_A_DEAL
    if view.deal >= MOST_DEALS - FAR:
        to_come = min(to_come, MOST_DEALS + 1 - view.deal)
    stakes[PLACES_COUNT] = min(1.0, max(0.0, (FAR - to_come) / (FAR - NEAR)))
    stakes[LIMIT] = limit
    stakes[LAST_DEAL] = view.deal >= MOST_DEALS
    stakes[WINNER_ONLY] = view.options["standing"] == "winner_only"
    return stakes


def opener_of(view: View) -> int:
    """Who leads first, unless a low club does."""
    return ((view.dealer or 0) + 1) % view.players


def away_of(view: View) -> int:
    """How many seats to the left the cards that are passed go."""
    return {"left": 1, "opponent": 1, "right": view.players - 1}.get(view.direction or "", view.players // 2)


def _in_step(view: View, leader: int) -> bool:
    """Whether all seats hold as many cards as this one, less one if they have played to the trick; it is on turn.

    Views of real games are; programs may send others, and a playout of those would run out of cards.
    """
    own = len(view.hand or ())
    played = [(leader + i) % view.players for i in range(len(view.trick))]
    counts = tuple(own - (other in played) for other in range(view.players))
    turn = view.phase == "pass" or (leader + len(played)) % view.players == view.seat
    return turn and view.hand_counts == counts


def see(view: View, rules: Rules, *, guessing: bool = True) -> Seen | None:
    """A view in numbers; None if it cannot be of a deal, or no deal fits what it says.

    Without `guessing` all deals that fit are as likely.
    """
    seat = view.seat or 0
    table = table_of(rules)
    leader = view.leader if view.leader is not None else seat
    if not _in_step(view, leader):
        return None
    position = np.zeros(POSITION_SIZE, dtype=np.int64)
    tricks = [(trick.leader, trick.cards, trick.winner) for trick in view.tricks]
    rounds = [*((trick.leader, trick.cards) for trick in view.tricks), (leader, view.trick)]
    hand = bits_of(view.hand or ())
    position[HAND + seat] = hand
    position[SOLE], position[FIRST], position[BROKEN] = NOBODY, not tricks, view.broken
    for number, (_, cards, winner) in enumerate(tricks):
        haul = bits_of(cards)
        position[PLAYED] |= haul
        if number == 0 and view.kitty is not None and winner == seat:
            haul |= bits_of(view.kitty)
        position[TAKEN + winner] |= haul
    takers = [s for s in range(view.players) if position[TAKEN + s] & table[PENALTY]]
    if takers:
        position[SOLE] = takers[0] if len(takers) == 1 else SEVERAL
    on_table = bits_of(view.trick)
    position[PLAYED] |= on_table
    position[TRICK], position[SIZE], position[TURN] = on_table, len(view.trick), seat
    if view.trick:
        winner = rules.winner(leader, view.trick)
        position[WINNER] = winner
        position[LED] = PLACE[view.trick[0]] >> 4
        position[BEST] = PLACE[view.trick[(winner - leader) % view.players]]
    guesses = Guesses(view, table)
    for other in range(view.players):
        position[VOIDS + other] = sum(
            1 << suit for suit in range(4) if guesses.barred[other] & lane(suit) == lane(suit) and other != seat
        )
    unseen = int(table[DECK]) & ~(hand | int(position[PLAYED]) | bits_of(view.kitty or ()))
    kitty_hidden = view.kitty_count if view.kitty is None else 0
    others = [(seat + 1 + i) % view.players for i in range(view.players - 1)]
    room = [view.hand_counts[other] for other in others]
    barred = [guesses.barred[other] for other in others]
    known = [guesses.known[other] & unseen for other in others]
    weights = {
        (others.index(other), card): weight
        for (other, card), weight in guesses.weights.items()
        if guessing and other != seat
    }
    if kitty_hidden:
        room, barred, known = [*room, kitty_hidden], [*barred, 0], [*known, 0]
    sampler = hidden(unseen, room, barred, known, weights)
    if sampler is None:
        return None
    taker = NOBODY
    if kitty_hidden and view.kitty_taker is not None:
        taker = view.kitty_taker
    played = np.zeros(8, dtype=np.int64)
    for first, cards in rounds:
        for i, card in enumerate(cards):
            played[(first + i) % view.players] |= 1 << PLACE[card]
    plays = np.array([PLACE[card] for _, cards in rounds for card in cards], dtype=np.int64)
    return Seen(seat, table, position, sampler, stakes_of(view), taker, plays, rounds[0][0], played)
