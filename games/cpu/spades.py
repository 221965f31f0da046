"""Spades: which card to play. A seat ducks for its own nil, covers a partner's, else counts what its side needs."""

from __future__ import annotations

from games.cpu.memory import Memory
from games.rules import Action, View
from games.rules.cards import STRENGTH

SIDE_SUITS = "CDH"


def choose_play(view: View, memory: Memory) -> Action:
    """A card out of those that may be played."""
    ask = view.ask
    assert ask is not None
    table = Table(view, memory)
    cards = list(ask.cards)
    if len(cards) == 1:
        card = cards[0]
    elif table.own_nil:
        card = table.duck(cards)
    elif view.trick:
        card = table.follow(cards)
    else:
        card = table.lead(cards)
    return Action("play", view.seat, card=card)


class Table:
    """What matters for one card: nils that still hold, tricks still needed, and who wins the trick so far."""

    def __init__(self, view: View, memory: Memory) -> None:
        self.memory = memory
        self.me = view.seat or 0
        self.partner = (self.me + 2) % 4
        self.opponents = ((self.me + 1) % 4, (self.me + 3) % 4)
        bids = [bid or 0 for bid in view.bids]
        alive = [bids[seat] == 0 and view.tricks_taken[seat] == 0 for seat in range(4)]
        self.own_nil, self.partner_nil = alive[self.me], alive[self.partner]
        self.opposing_nils = [seat for seat in self.opponents if alive[seat]]
        self.left = len(view.hand or ())
        self.needs = self._missing(view, bids, (self.me, self.partner))
        self.they_need = self._missing(view, bids, self.opponents)
        self.trick = view.trick
        self.led = view.trick[0][1] if view.trick else ""
        self.is_last = len(view.trick) == 3
        bag_room = 10 - view.bags[self.me % 2] % 10 if view.options["bag_penalty"] == "yes" else 99
        they_can_be_set = 0 < self.left - self.they_need <= 2 and self.they_need > 0
        #: Whether another trick is worth more than it costs.
        self.wants = self.needs > 0 or they_can_be_set or (bag_room > 8 and self.they_need > 0)

    @staticmethod
    def _missing(view: View, bids: list[int], seats: tuple[int, int]) -> int:
        return sum(bids[seat] for seat in seats) - sum(view.tricks_taken[seat] for seat in seats if bids[seat])

    # --- reading cards ------------------------------------------------------------------------------------------------

    def beats(self, card: str, other: str | None) -> bool:
        """Whether a card takes the trick from the card that wins so far."""
        if other is None:
            return True
        if card[1] == other[1]:
            return STRENGTH[card] > STRENGTH[other]
        return card[1] == "S"

    def is_master(self, card: str) -> bool:
        """Whether nothing that is out beats the card within its suit."""
        out = self.memory.out[card[1]]
        return not out or STRENGTH[card] > out[-1]

    def may_be_ruffed(self, suit: str, seats: tuple[int, ...] | list[int]) -> float:
        """The chance that one of the seats is void in the suit and holds a spade."""
        if suit == "S" or not self.memory.out["S"]:
            return 0.0
        safe = 1.0
        for seat in seats:
            safe *= 1.0 - self.memory.void(seat, suit) * (1.0 - self.memory.void(seat, "S"))
        return 1.0 - safe

    def holds(self, card: str) -> bool:
        """Whether a card that wins so far will most likely win the trick."""
        later = [seat for seat in self.memory.later if seat in self.opponents]
        if not later:
            return True
        return self.is_master(card) and self.may_be_ruffed(card[1] if card[1] == self.led else "S", later) < 0.3

    # --- own nil ------------------------------------------------------------------------------------------------------

    def duck(self, cards: list[str]) -> str:
        """The card least likely to take a trick now, and rather a dangerous one if it is safe."""
        best = self.memory.best
        if best is None:
            return min(cards, key=lambda card: (self.memory.share(card[1], STRENGTH[card]), STRENGTH[card]))
        under = [card for card in cards if not self.beats(card, best)]
        if under:
            return max(under, key=self._danger)
        return max(cards, key=STRENGTH.__getitem__) if self.is_last else min(cards, key=STRENGTH.__getitem__)

    def _danger(self, card: str) -> float:
        """How much a nil would like to be rid of a card."""
        return self.memory.share(card[1], STRENGTH[card]) * 10 + STRENGTH[card] / 13 + 3 * (card[1] == "S")

    # --- leading ------------------------------------------------------------------------------------------------------

    def lead(self, cards: list[str]) -> str:
        if self.partner_nil:
            return max(cards, key=self._cover)
        target = [seat for seat in self.opposing_nils if any(not self._surely_void(seat, c[1]) for c in cards)]
        if target and not (self.wants and self.needs >= self.left):
            reachable = [card for card in cards if card[1] != "S" and not self._surely_void(target[0], card[1])]
            if reachable:
                return min(reachable, key=lambda card: (STRENGTH[card], len(self.memory.mine[card[1]])))
        if self.wants:
            return self._lead_for_tricks(cards)
        return min(cards, key=lambda card: (self._win_chance(card), STRENGTH[card]))

    def _surely_void(self, seat: int, suit: str) -> bool:
        return self.memory.void(seat, suit) > 0.95

    def _cover(self, card: str) -> float:
        """How well a lead takes care of a partner's nil: high, and in a suit that the partner can be under in."""
        return STRENGTH[card] + (6 if self.is_master(card) else 0) + 4 * self.memory.void(self.partner, card[1])

    def _lead_for_tricks(self, cards: list[str]) -> str:
        mine = self.memory.mine
        masters = [card for card in cards if self.is_master(card)]
        side = [card for card in masters if card[1] != "S" and self.may_be_ruffed(card[1], self.opponents) < 0.4]
        if side:
            return min(side, key=lambda card: (len(mine[card[1]]), -STRENGTH[card]))
        spades = [card for card in masters if card[1] == "S"]
        if spades and (len(mine["S"]) >= len(self.memory.out["S"]) or len(mine["S"]) == self.left):
            return max(spades, key=STRENGTH.__getitem__)
        low = [card for card in cards if card[1] != "S"] or cards
        if mine["S"]:  # a short suit gives ruffs
            return min(low, key=lambda card: (len(mine[card[1]]), self._guards(card), STRENGTH[card]))
        return min(low, key=lambda card: (self._guards(card), STRENGTH[card]))

    def _guards(self, card: str) -> int:
        """1 if leading the card would bare a king or queen that is worth keeping guarded."""
        held = self.memory.mine[card[1]]
        return int(len(held) in (2, 3) and held[-1] in (10, 11) and STRENGTH[card] != held[-1])

    def _win_chance(self, card: str) -> float:
        if card[1] != "S" and self.may_be_ruffed(card[1], self.opponents) > 0.5:
            return 0.1
        return self.memory.share(card[1], STRENGTH[card])

    # --- following ----------------------------------------------------------------------------------------------------

    def follow(self, cards: list[str]) -> str:
        best, winner = self.memory.best, self.memory.winner
        winning = [card for card in cards if self.beats(card, best)]
        losing = [card for card in cards if not self.beats(card, best)]
        if self.partner_nil and winner == self.partner and winning:
            return self._cheapest_win(winning)
        if self.partner_nil and self.partner in self.memory.later and winning:
            return max(winning, key=lambda card: (card[1] != "S", STRENGTH[card]))
        if winner in self.opposing_nils and losing and self.needs < self.left:
            return max(losing, key=self._useless)
        if (
            winner == self.partner
            and not self.partner_nil
            and best is not None
            and (self.holds(best) or not self.wants)
        ):
            return self._throw(losing or cards)
        if not self.wants:
            return max(losing, key=self._useless) if losing else self._unwanted(winning)
        if not winning:
            return self._throw(losing)
        if self.is_last:
            return self._cheapest_win(winning)
        sure = [card for card in winning if self.holds(card)]
        if sure:
            return self._cheapest_win(sure)
        if winner == self.partner:
            return self._throw(losing or cards)
        third = len(self.trick) == 2
        if third or winning[0][1] == "S":
            return self._best_try(winning, losing)
        return self._throw(losing or cards)

    def _best_try(self, winning: list[str], losing: list[str]) -> str:
        """A card that may win: a ruff as low as it goes, else the highest if it stands a chance."""
        ruffs = [card for card in winning if card[1] == "S" and self.led != "S"]
        if ruffs:
            return min(ruffs, key=STRENGTH.__getitem__)
        top = max(winning, key=STRENGTH.__getitem__)
        return top if self.memory.share(top[1], STRENGTH[top]) > 0.6 or not losing else self._throw(losing)

    def _cheapest_win(self, cards: list[str]) -> str:
        return min(cards, key=lambda card: (card[1] == "S" and self.led != "S", STRENGTH[card]))

    def _unwanted(self, winning: list[str]) -> str:
        """A trick that cannot be avoided is taken with the highest card, or left to a later seat with the lowest."""
        return max(winning, key=STRENGTH.__getitem__) if self.is_last else min(winning, key=STRENGTH.__getitem__)

    def _useless(self, card: str) -> float:
        """How little a side that wants no more tricks misses a card: the higher, the sooner it would take one."""
        return STRENGTH[card] + (5 if card[1] == "S" else 0)

    def _throw(self, cards: list[str]) -> str:
        """The card that is least worth keeping: low, beside spades, of a short suit, not the guard of a king."""
        mine = self.memory.mine
        return min(
            cards, key=lambda c: (c[1] == "S", self.is_master(c), self._guards(c), STRENGTH[c] + len(mine[c[1]]) / 4)
        )
