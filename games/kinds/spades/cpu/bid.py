"""Spades before the first trick: how many tricks to bid, nil, blind nil, and the cards exchanged after it.

The tables were fitted to some ten thousand deals played out: how many tricks a hand takes, and how often a nil is
made. Matches in the arena tell whether a change helps.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from games.cpu.memory import Memory
from games.rules import View, in_order
from games.rules.cards import STRENGTH

QUEEN, KING, ACE = 10, 11, 12
SIDE_SUITS = "CDH"

# --- tricks a hand takes ---------------------------------------------------------------------------------------------

#: An ace; a king by the length of its suit, from one card on, without and with the ace; a queen likewise, and with a
#: higher card beside it.
SIDE_ACE = 1.0
SIDE_KING = (0.1, 0.74, 0.74, 0.74, 0.7, 0.56)
KING_BESIDE_ACE = (0.0, 0.77, 0.77, 0.77, 0.6, 0.38)
SIDE_QUEEN = (0.0, 0.1, 0.29, 0.29, 0.26, 0.2)
QUEEN_SECOND = (0.0, 0.16, 0.32, 0.32, 0.1, 0.1)
#: Each high spade, and the length of the suit, from none to seven.
HIGH_SPADES = {ACE: 0.96, KING: 0.71, QUEEN: 0.48, 9: 0.3, 8: 0.18}
SPADE_LENGTH = (-0.25, -0.2, 0.05, 0.45, 1.0, 1.75, 2.5, 3.3)
LONGER = 0.83
#: A suit of none, one or two cards, by the number of spades to ruff with.
SHORT = (
    (-0.3, 0.05, 0.7, 1.05, 1.1, 1.1),
    (-0.1, 0.35, 0.65, 0.75, 0.75, 0.65),
    (-0.1, 0.2, 0.3, 0.33, 0.3, 0.2),
)
#: Added before rounding down.
ROUNDING = 0.2
#: How much of what others bid above or below the usual is taken off the own estimate.
OTHERS = 0.06
USUAL_BID = 2.8
#: Added when the next bags cost a penalty: rather a trick too many in the contract than on top of it.
BAGS_FULL = 7
BAGS_ROUNDING = 0.25

# --- nil ------------------------------------------------------------------------------------------------------------

#: Terms of the log odds of a nil: by the length of each side suit; taken off for its lowest cards as their rank rises;
#: by the number of spades; taken off for the highest spade, and for the second as its rank rises.
NIL_EVEN = 1.26
NIL_LENGTH = (0.14, 0.37, 0.81, 0.87, 0.78, 0.8)
NIL_LOW_CARDS = (0.82, 1.21, 0.52)
NIL_SPADES = (0.7, 0.22, 0.42, 0.42, -0.5)
NIL_TOP_SPADE = {KING: 1.1, QUEEN: 0.45, 9: 0.2}
NIL_SECOND_SPADE = 1.97
#: How likely a nil has to be, and how much more for each trick above two that the hand is worth.
NIL_LEAST = 0.68
NIL_PER_TRICK = 0.04
#: The same beside a partner who bid nil: nobody covers.
NIL_BESIDE_NIL = 0.8

# --- blind nil ------------------------------------------------------------------------------------------------------

#: How far a side has to be behind, and how often it then risks it: usually, and when the game may end with this deal.
BLIND_GAP = 200
BLIND_OFTEN = 0.25
BLIND_LAST_CHANCE = 0.6


def tricks_in(memory: Memory) -> float:
    """About how many tricks the hand takes."""
    number = min(len(memory.mine["S"]), 5)
    tricks = spade_tricks(memory.mine["S"])
    for suit in SIDE_SUITS:
        mine = memory.mine[suit]
        tricks += side_tricks(mine)
        if len(mine) < len(SHORT):
            tricks += SHORT[len(mine)][number]
    return tricks


def spade_tricks(spades: Sequence[int]) -> float:
    """What these spades, by strength, add to the tricks of a hand."""
    tricks = SPADE_LENGTH[min(len(spades), 7)] + LONGER * max(0, len(spades) - 7)
    return tricks + sum(HIGH_SPADES.get(strength, 0.0) for strength in spades)


def side_tricks(mine: Sequence[int]) -> float:
    """What the high cards of a side suit add to the tricks of a hand."""
    tricks = 0.0
    place = min(len(mine), 6) - 1
    if ACE in mine:
        tricks += SIDE_ACE
    if KING in mine:
        tricks += (KING_BESIDE_ACE if ACE in mine else SIDE_KING)[place]
    if QUEEN in mine:
        tricks += (QUEEN_SECOND if ACE in mine or KING in mine else SIDE_QUEEN)[place]
    return tricks


def nil_chance(memory: Memory) -> float:
    """About how likely a nil is made with this hand."""
    spades = memory.mine["S"]
    if not nil_possible(spades):
        return 0.0
    odds = NIL_EVEN + nil_spades(spades) + sum(nil_side(memory.mine[suit]) for suit in SIDE_SUITS)
    return 1.0 / (1.0 + math.exp(-odds))


def nil_possible(spades: Sequence[int]) -> bool:
    """Whether each of these spades, ascending, can fall to a higher one of another hand: they fall in different tricks.

    Not so for the ace, for king and queen, or for king, jack and ten.
    """
    fall = all(ACE - strength - i > i for i, strength in enumerate(reversed(spades)))
    return fall and len(spades) < len(NIL_SPADES)


def nil_spades(spades: Sequence[int]) -> float:
    """What these spades, ascending, add to the log odds of a nil that is possible with them."""
    odds = NIL_SPADES[len(spades)]
    if spades:
        odds -= NIL_TOP_SPADE.get(spades[-1], 0.0)
    if len(spades) > 1:
        odds -= NIL_SECOND_SPADE * spades[-2] / ACE
    return odds


def nil_side(mine: Sequence[int]) -> float:
    """What a side suit, ascending, adds to the log odds of a nil."""
    odds = NIL_LENGTH[min(len(mine), 5)]
    return odds - sum(weight * strength / ACE for weight, strength in zip(NIL_LOW_CARDS, mine, strict=False))


def choose_bid(view: View, memory: Memory) -> int:
    """Nil if it is likely enough, else what the hand is good for."""
    assert view.ask is not None
    partner = view.bids[(memory.me + 2) % 4]
    heard = [bid for bid in view.bids if bid is not None]
    tricks = tricks_in(memory)
    if 0 in view.ask.bids and nil_chance(memory) >= nil_least(view, memory, tricks, partner):
        return 0
    counted = [bid for bid in heard if bid]
    tricks -= OTHERS * (sum(counted) - USUAL_BID * len(counted))
    full = view.options["bag_penalty"] == "yes" and view.bags[memory.me % 2] >= BAGS_FULL
    bid = int(tricks + ROUNDING + BAGS_ROUNDING * full)
    if len(heard) == 3:  # the last to bid knows how many tricks the others leave
        bid = min(bid, 13 - sum(heard))
    return max(1, min(bid, 13))


def nil_least(view: View, memory: Memory, tricks: float, partner: int | None) -> float:
    """The chance from which on nil is bid."""
    least = NIL_LEAST + NIL_PER_TRICK * max(0.0, tricks - 2.0)
    if partner == 0:
        return max(least, NIL_BESIDE_NIL)
    own, theirs = view.scores[memory.me % 2], view.scores[1 - memory.me % 2]
    target = int(view.options["target"])
    if theirs >= target - 80 and own < theirs:  # they are about to win: nothing to lose
        least -= 0.12
    elif own >= target - 60 and own > theirs:  # a plain contract wins
        least += 0.15
    return least


def choose_blind(view: View, memory: Memory, rng: random.Random) -> bool:
    """A gamble that only a side far behind takes, and not always."""
    own, theirs = view.scores[memory.me % 2], view.scores[1 - memory.me % 2]
    if theirs - own < BLIND_GAP:
        return False
    last_chance = theirs >= int(view.options["target"]) - 100
    return rng.random() < (BLIND_LAST_CHANCE if last_chance else BLIND_OFTEN)


def choose_exchange(view: View, memory: Memory) -> tuple[str, ...]:
    """A blind bidder gives what is likeliest to take a trick; the partner gives what is least likely to."""
    assert view.ask is not None
    cards, count = view.ask.cards, view.ask.count
    if view.blinds[memory.me]:

        def danger(card: str) -> float:
            low = sum(strength < STRENGTH[card] for strength in memory.mine[card[1]])
            return STRENGTH[card] - (0.0 if card[1] == "S" else 1.0 * low) + (6.0 if card[1] == "S" else 0.0)

        return in_order(sorted(cards, key=danger)[-count:])
    return in_order(sorted(cards, key=lambda card: STRENGTH[card] + 0.5 * (card[1] == "S"))[:count])
