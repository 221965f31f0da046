"""A rule player of Spades for the arena, written apart from `games.cpu`: bids by honours and shape, counts the cards.

It covers a partner's nil, leaves the other side's nils with their tricks, ruffs, cashes what is sure, ducks when its
contract is made, and takes a setting trick. Seat it as `tests.bench.spades_rule_player:rule`.
"""

from __future__ import annotations

import random

from games.rules import Action, View, in_order
from games.rules.cards import DECK, STRENGTH

HIGH, SIDE = 8, "CDH"  # a nil holds nothing over the ten of spades


def choose_action(seen: View, level: str, rng: random.Random, budget: float | None = None) -> Action:
    """The answer to any question of Spades; there is only one level."""
    ask = seen.ask
    assert ask is not None
    if ask.finish is not None:
        return Action("finish", seen.seat, cards=ask.finish)
    if ask.phase == "blind":
        return Action("blind", seen.seat, blind=False)
    if ask.phase == "bid":
        return Action("bid", seen.seat, bid=bid_of(seen))
    if ask.phase == "exchange":
        ordered = sorted(ask.cards, key=lambda card: STRENGTH[card] + 6 * (card[1] == "S"))
        nil = seen.bids[seen.seat or 0] == 0
        return Action("exchange", seen.seat, cards=in_order(ordered[-2:] if nil else ordered[:2]))
    return Action("play", seen.seat, card=Turn(seen).card())


def bid_of(seen: View) -> int:
    """Quick tricks, long spades and ruffs; nil with low cards only."""
    hand = seen.hand or ()
    suits = {suit: [STRENGTH[card] for card in hand if card[1] == suit] for suit in "CDHS"}
    spades = suits["S"]
    tricks = 0.0
    for suit in SIDE:
        held = suits[suit]
        tricks += (12 in held) + 0.7 * (11 in held and len(held) > 1) + 0.25 * (10 in held and len(held) > 2)
        if len(held) < 2 and len(spades) > 2:
            tricks += 0.9 if not held else 0.4
    tricks += sum({12: 1.0, 11: 0.8, 10: 0.5}.get(strength, 0.0) for strength in spades) + 0.8 * max(0, len(spades) - 3)
    calm = all(not held or held[0] < 4 for suit, held in suits.items() if suit in SIDE)
    calm = calm and all(len(held) < 2 or held[1] < 8 for suit, held in suits.items() if suit in SIDE)
    if tricks < 2.6 and calm and len(spades) < 4 and (not spades or spades[-1] <= HIGH):
        return 0
    heard = [bid for bid in seen.bids if bid is not None]
    most = 13 - sum(heard) if len(heard) == 3 else 13
    return max(1, min(int(tricks + 0.5), most))


class Turn:
    """One card to play."""

    def __init__(self, seen: View) -> None:
        assert seen.ask is not None
        self.me = seen.seat or 0
        self.partner = (self.me + 2) % 4
        self.cards, self.hand = list(seen.ask.cards), seen.hand or ()
        gone = {*self.hand, *seen.trick, *(card for trick in seen.tricks for card in trick.cards)}
        self.out = [card for card in DECK if card not in gone]
        bids, taken = [bid or 0 for bid in seen.bids], seen.tricks_taken
        self.nils = [bids[seat] == 0 and taken[seat] == 0 for seat in range(4)]
        left = len(self.hand)
        ours = sum(bids[s] - taken[s] for s in (self.me, self.partner) if bids[s])
        theirs = sum(bids[s] - taken[s] for s in ((self.me + 1) % 4, (self.me + 3) % 4) if bids[s])
        self.greedy = 0 < ours <= left or 0 < theirs <= left <= theirs + 1 or seen.options["bag_penalty"] == "no"
        self.trick, leader = seen.trick, seen.leader or 0
        self.place = 0
        for i in range(1, len(self.trick)):
            if self.beats(self.trick[i], self.trick[self.place]):
                self.place = i
        self.winner = (leader + self.place) % 4
        self.later = [(self.me + i) % 4 for i in range(1, 4 - len(self.trick))]

    @staticmethod
    def beats(card: str, other: str) -> bool:
        return STRENGTH[card] > STRENGTH[other] if card[1] == other[1] else card[1] == "S"

    def above(self, card: str) -> int:
        """How many cards that are out are higher in the suit."""
        return sum(other[1] == card[1] and STRENGTH[other] > STRENGTH[card] for other in self.out)

    def below(self, card: str) -> int:
        return sum(other[1] == card[1] and STRENGTH[other] < STRENGTH[card] for other in self.out)

    def card(self) -> str:
        if not self.trick:
            return self.lead()
        best = self.trick[self.place]
        wins = [card for card in self.cards if self.beats(card, best)]
        loses = [card for card in self.cards if card not in wins]
        wins.sort(key=lambda card: (card[1] == "S", STRENGTH[card]))
        if self.nils[self.me]:
            return self.shed(loses) if loses else wins[0] if self.later else wins[-1]
        if self.nils[self.partner] and wins and (self.winner == self.partner or self.partner in self.later):
            return wins[-1] if self.later else wins[0]
        foes = [(self.me + 1) % 4, (self.me + 3) % 4]
        if any(self.nils[foe] and (foe == self.winner or foe in self.later) for foe in foes) and loses:
            return self.shed(loses)
        if not self.greedy:
            return self.shed(loses) if loses else wins[0] if self.later else wins[-1]
        secure = not self.later or not self.above(best)
        if not wins or (self.winner == self.partner and secure):
            return self.small(loses or wins)
        if not self.later or wins[0][1] != self.trick[0][1]:
            return wins[0]
        sure = [card for card in wins if not self.above(card)]
        if sure:
            return sure[0]
        return wins[-1] if len(self.later) == 1 and self.winner != self.partner else self.small(loses or wins)

    def shed(self, cards: list[str]) -> str:
        """The highest card of one suit; off suit, the one that most that are out are below."""
        return max(cards, key=lambda card: (self.below(card), STRENGTH[card]))

    def small(self, cards: list[str]) -> str:
        """The lowest card, rather no spade and no winner."""
        return min(cards, key=lambda card: (card[1] == "S", not self.above(card), STRENGTH[card]))

    def lead(self) -> str:
        if self.nils[self.me] or not (self.greedy or self.nils[self.partner]):
            return min(self.cards, key=lambda card: (self.below(card) - self.above(card), STRENGTH[card]))
        if self.nils[self.partner]:
            return min(self.cards, key=lambda card: (self.above(card), card[1] == "S", -STRENGTH[card]))
        sure = [card for card in self.cards if not self.above(card)]
        side = [card for card in sure if card[1] != "S"]
        if side:
            return min(side, key=lambda card: sum(other[1] == card[1] for other in self.hand))
        if sure and sum(card[1] == "S" for card in self.hand) > 3:
            return sure[-1]
        return min(self.cards, key=lambda card: (card[1] == "S", STRENGTH[card]))
