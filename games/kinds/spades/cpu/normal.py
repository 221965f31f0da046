"""Spades: which card to play. Each card that may be played gets a cost in points; the cheapest is played.

A cost is a weighted sum of a few named things: who may take the trick, and what is given up for it. The weights were
fitted by least squares to sampled deals played out after each card, apart for what the seat is after and for leading,
following and discarding; matches in the arena tell whether a change helps.
"""

from __future__ import annotations

import random

from games.cpu.memory import Memory
from games.kinds.spades.cpu.bid import choose_bid, choose_blind, choose_exchange
from games.rules import Action, Rules, View
from games.rules.cards import STRENGTH

Weights = dict[str, float]

#: With so few tricks to spare, a side that has its contract still wants tricks, to set the other.
SET_NEAR = 2
#: How little a partner who may overtake does so, while the own card is winning.
PARTNER_SPARES = 0.8

#: By what the seat is after and what it does. `nil`: make its own. `cover`: see the partner's nil through. `attack`:
#: break a nil of the other side. `want`, `avoid`: tricks, or no more of them. The things weighed are those of
#: `Play.things`; a positive weight speaks against a card.
WEIGHTS: dict[str, Weights] = {
    "nil-lead": {"own": 50, "share": 37, "lowest": -27, "lowest_left": 27},
    "nil-follow": {"own": 200, "share": -10, "trump_rank": -10, "side": -20},
    "nil-discard": {"own": 83, "share": -15, "lowest": -20, "left": 1},
    "cover-lead": {
        "cover": -11.5,
        "trump": 6.4,
        "trump_master": -8.6,
        "tight": -17.5,
        "partner_void": -3.3,
        "nil_out": -6,
    },
    "cover-follow": {"nil_in": 48, "tight": -43, "rank": 14, "nil_out": -30},
    "cover-discard": {
        "nil_in": 48,
        "tight": -10,
        "nil_out": -70,
        "trump_master": 20,
        "share": 11,
        "trump_rank": 3,
        "left": 1.8,
    },
    "attack-lead": {"nil_out": -4, "trump": -5, "trump_master": 11.3, "master": 3.9, "master_left": 3},
    "attack-follow": {"nil_out": -64, "side": -10, "tight": -15, "rank": -3, "master": 2.6},
    "attack-discard": {"robs": 8, "nil_out": -85, "side": -16, "tight": -10, "own": 8, "trump_rank": -12, "lowest": -3},
    "want-lead": {
        "master_left": 1.2,
        "single": 3.7,
        "single_trumps": -4.7,
        "trump": 1.4,
        "trump_master": -3.2,
        "foes_void": 0.4,
    },
    "want-follow": {"own": -4.5, "side": -3.7, "tight": -11.4, "share": 2.6},
    "want-discard": {
        "robs": 8,
        "side": -11,
        "tight": -22.5,
        "trump_rank": 5.2,
        "trump_master": 6.7,
        "master": 3.7,
        "left": 0.7,
        "single": -1,
    },
    "avoid-lead": {"share": 3, "single": -1.9, "guard": -2, "foes_void": 0.5},
    "avoid-follow": {"own": 3, "side": 3, "master_left": 1.5, "rank": -2},
    "avoid-discard": {
        "robs": 8,
        "side": 3,
        "trump_master": -8,
        "master": -2.4,
        "master_left": 3,
        "lowest": -3,
        "single_trumps": -3,
    },
}


def choose(view: View, rules: Rules, memory: Memory, rng: random.Random) -> Action:
    """The answer to any question of Spades."""
    assert view.ask is not None
    seat = view.seat
    if view.phase == "blind":
        return Action("blind", seat, blind=choose_blind(view, memory, rng))
    if view.phase == "bid":
        return Action("bid", seat, bid=choose_bid(view, memory))
    if view.phase == "exchange":
        return Action("exchange", seat, cards=choose_exchange(view, memory))
    play = Play(view, memory)
    return Action("play", seat, card=min(view.ask.cards, key=play.cost))


def beats(card: str, other: str) -> bool:
    """Whether a card played later takes the trick from the other."""
    if card[1] == other[1]:
        return STRENGTH[card] > STRENGTH[other]
    return card[1] == "S"


class Play:
    """One decision: what each card that may be played would cost."""

    def __init__(self, view: View, memory: Memory) -> None:
        self.memory = memory
        self.me, self.partner = memory.me, (memory.me + 2) % 4
        self.foes = ((memory.me + 1) % 4, (memory.me + 3) % 4)
        bids, taken = [bid or 0 for bid in view.bids], view.tricks_taken
        self.nils = [not bids[seat] and not taken[seat] for seat in range(4)]  # those that may still be made
        need = sum(bids[seat] - taken[seat] for seat in (self.me, self.partner) if bids[seat])
        they_need = sum(bids[seat] - taken[seat] for seat in self.foes if bids[seat])
        spare = max(0, len(view.hand or ()) - max(0, need) - max(0, they_need))
        #: How much rides on each trick: 1 if both sides need all that are left.
        self.tight = 1.0 / (1.0 + spare)
        helps = bool(bids[self.me])  # the tricks of a failed nil count for nothing but bags
        self.wants = (
            (need > 0 and helps) or (they_need > 0 and spare <= SET_NEAR) or view.options["bag_penalty"] == "no"
        )
        assert view.ask is not None
        follows = view.ask.cards[0][1] == memory.led
        doing = "lead" if memory.best is None else "follow" if follows else "discard"
        self.weights = WEIGHTS[f"{self._aim()}-{doing}"]

    def _aim(self) -> str:
        """What the seat is after; a nil that may still be made goes first."""
        if self.nils[self.me]:
            return "nil"
        if self.nils[self.partner]:
            return "cover"
        if any(self.nils[seat] for seat in self.foes):
            return "attack"
        return "want" if self.wants else "avoid"

    def cost(self, card: str) -> float:
        things = self.things(card)
        return sum(weight * things[name] for name, weight in self.weights.items())

    def things(self, card: str) -> Weights:
        """What there is to weigh about a card. Chances and shares are 0 to 1, claims 0 or 1."""
        memory, suit, strength = self.memory, card[1], STRENGTH[card]
        mine, out = memory.mine[suit], memory.out[suit]
        rest = [s for s in mine if s != strength]
        trump = suit == "S"
        takes = self.takes(card)
        side = takes[self.me] + (0.0 if self.nils[self.partner] else takes[self.partner])
        share = memory.share(suit, strength)
        master = not out or strength > out[-1]
        return {
            # who takes the trick
            "own": takes[self.me],
            "side": side,
            "tight": side * self.tight * self.wants,
            "nil_in": takes[self.partner] * self.nils[self.partner],
            "nil_out": sum(takes[seat] * self.nils[seat] for seat in self.foes),
            # the card that is given up for it
            "rank": strength / 12,
            "share": 0.0 if trump else share,  # of the lower cards among those out
            "cover": share * self.nils[self.partner],
            "master": master and not trump,
            "trump": trump,
            "trump_master": master and trump,
            "trump_rank": strength / 12 * trump,
            "robs": trump and self._partner_wins(),
            "guard": not trump and bool(rest) and strength != mine[-1] and _is_bared(rest, out),
            # what is left of the suit
            "left": len(rest),
            "single": not rest,
            "single_trumps": not rest and not trump and bool(memory.mine["S"]),
            "master_left": bool(rest) and (not out or rest[-1] > out[-1]),
            "lowest": memory.share(suit, mine[0]),
            "lowest_left": memory.share(suit, rest[0]) if rest else 0.0,
            # who may ruff it, when led
            "foes_void": 0.0 if trump else sum(memory.void(seat, suit) for seat in self.foes),
            "partner_void": 0.0 if trump else memory.void(self.partner, suit),
        }

    def _partner_wins(self) -> float:
        """The chance that the trick is the partner's if this seat does not take it, and the partner wants it."""
        memory = self.memory
        if memory.winner != self.partner or memory.best is None or memory.led == "S" or self.nils[self.partner]:
            return 0.0
        chance = 1.0
        for seat in memory.later:
            chance *= 1.0 - self.overtakes(seat, memory.led or "", memory.best)
        return chance

    def takes(self, card: str) -> list[float]:
        """The chance of each seat to take the trick if this card is played."""
        memory = self.memory
        if memory.best is None or beats(card, memory.best):
            ahead, best = self.me, card
        else:
            ahead, best = memory.winner or 0, memory.best
        takes = [0.0] * 4
        takes[ahead] = 1.0
        for seat in memory.later:
            over = self.overtakes(seat, memory.led or card[1], best)
            if seat == self.partner and not self.nils[seat]:
                over *= 1.0 - PARTNER_SPARES * takes[self.me]
            takes = [chance * (1.0 - over) for chance in takes]
            takes[seat] += over
        return takes

    def overtakes(self, seat: int, led: str, best: str) -> float:
        """The chance that a later seat takes the trick from the best card: a nil only if it must."""
        memory = self.memory
        none, trumps = memory.none_of(seat, led), memory.none_of(seat, "S")
        void = none[-1]
        higher = sum(s > STRENGTH[best] for s in memory.out[best[1]])
        if best[1] != led:  # ruffed: only a higher trump of a seat that is void
            return 0.0 if self.nils[seat] else void * (1.0 - trumps[higher])
        if self.nils[seat]:
            return memory.over(seat, led, STRENGTH[best], 0.0)
        ruffs = void * (1.0 - trumps[-1]) if led != "S" else 0.0
        return 1.0 - none[higher] + ruffs


def _is_bared(rest: list[int], out: list[int]) -> bool:
    """Whether the highest card left is no longer guarded: as many cards are higher as there are cards to play."""
    return sum(s > rest[-1] for s in out) == len(rest)
