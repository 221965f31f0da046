"""Spades in the check of finished games: its pack, and its rules once more, written on their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.verify.cards import CARDS, kept
from games.verify.kind import Check, Deal, Row

NIL, BLIND_NIL = 100, 200
BLIND_GAP = 100
BAGS, BAG_PENALTY = 10, 100
FLOOR = -200


class SpadesCheck(Check):
    """A table of Spades."""

    ROWS = (Row("C", 4, {}, ""),)
    OPTIONS = {"target": 500, "bag_penalty": "yes", "blind_nil": "no", "floor": "yes", "first_lead": "dealer_left"}
    trump = "S"

    def __init__(self, players: int, options: Mapping[str, Any]) -> None:
        super().__init__(players, options)
        self.scores = [0, 0]
        self.bags = [0, 0]
        self.bids: dict[int, int] = {}
        self.blinds: dict[int, bool] = {}

    def begin(self, deal: Deal) -> None:
        super().begin(deal)
        self.bids, self.blinds = {}, {}

    # --- before the first trick ---

    def answer(self, word: str, seat: int, data: Mapping[str, Any]) -> bool:
        if word == "bid":
            return self._bid(seat, data["bid"])
        if word == "blind":
            return self._blind(seat, data["blind"])
        return word == "exchange" and self._exchange(seat, data["cards"])

    def _bid(self, seat: int, bid: int) -> bool:
        order = [(self.deal.dealer + 1 + place) % self.players for place in range(self.players)]
        is_due = seat == next((other for other in order if other not in self.bids), None)
        if not is_due or len(self.blinds) != len(self._behind()) or type(bid) is not int or not 0 <= bid <= 13:
            return False
        self.bids[seat] = bid
        return True

    def _behind(self) -> tuple[int, ...]:
        """Who is asked whether to bid nil blind: both seats of a side that is far behind, before anybody bids."""
        gap = self.scores[0] - self.scores[1]
        if self.option("blind_nil") == "no" or abs(gap) < BLIND_GAP:
            return ()
        return (1, 3) if gap > 0 else (0, 2)

    def _blind(self, seat: int, blind: bool) -> bool:
        if seat not in self._behind() or seat in self.blinds or type(blind) is not bool:
            return False
        self.blinds[seat] = blind
        if len(self.blinds) == 2:
            self.bids = {other: 0 for other, is_blind in self.blinds.items() if is_blind}
        return True

    def _exchange(self, seat: int, cards: Sequence[str]) -> bool:
        pair = (seat, (seat + 2) % 4)
        if len(self.bids) < self.players or self._lone_blind() not in pair:
            return False
        return self.deal.give(seat, cards, count=2, step=2, seats=pair)

    def _lone_blind(self) -> int | None:
        """Who has bid nil blind without the partner: the two exchange cards."""
        blind = [seat for seat, is_blind in self.blinds.items() if is_blind]
        return blind[0] if len(blind) == 1 else None

    # --- play ---

    def opener(self) -> int | None:
        exchanging = 0 if self._lone_blind() is None else 2
        if len(self.deal.given) != exchanging or len(self.bids) != self.players:
            return None
        if self.option("first_lead") == "dealer_left":
            return (self.deal.dealer + 1) % self.players
        return self.deal.holder_of_the_lowest()

    def may_play(self, seat: int) -> set[str]:
        """The hand after what the rules bar, each rule left out that would bar all."""
        deal = self.deal
        cards = deal.following(seat)
        if not deal.trick and not any(deal.tricks) and self.option("first_lead") != "dealer_left":
            cards = {min(cards, key=CARDS.index)}
        if not deal.trick and not deal.is_broken:
            cards = kept(cards, lambda card: card[1] != "S")
        return cards

    def breaks(self, card: str) -> bool:
        return card[1] == "S"

    def rest(self, seat: int, cards: Sequence[str]) -> bool:
        hand = self.deal.hands[seat]
        if sorted(cards) != sorted(hand) or not self._takes_the_rest(seat):
            return False
        self.deal.tricks[seat] += len(hand)
        return True

    def _takes_the_rest(self, seat: int) -> bool:
        """Whether every card of a hand is the highest of its suit, and none can be ruffed."""
        hand = self.deal.hands[seat]
        for other in (held for place, held in enumerate(self.deal.hands) if place != seat):
            if any(mine[1] == card[1] and CARDS.index(mine) < CARDS.index(card) for mine in hand for card in other):
                return False
            lengths = {suit: sum(card[1] == suit for card in other) for suit in "CDHS"}
            if lengths["S"] and any(lengths[suit] < sum(card[1] == suit for card in hand) for suit in "CDH"):
                return False
        return True

    # --- what it comes to ---

    def count(self) -> str | None:
        tricks = self.deal.tricks
        for side in (0, 1):
            seats = (side, side + 2)
            contract = sum(self.bids[seat] for seat in seats)
            counted = sum(tricks[seat] for seat in seats if self.bids[seat])
            is_made = counted >= contract
            self.scores[side] += 10 * contract if is_made else -10 * contract
            bags = counted - contract if is_made and contract else 0
            for seat in (seat for seat in seats if not self.bids[seat]):
                worth = BLIND_NIL if self.blinds.get(seat) else NIL
                self.scores[side] += -worth if tricks[seat] else worth
                bags += tricks[seat]
            self._add_bags(side, bags)
        is_low = self.option("floor") == "yes" and min(self.scores) <= FLOOR
        is_there = max(self.scores) >= self.option("target")
        if (is_low or is_there) and self.scores[0] != self.scores[1]:
            return "floor" if is_low else "target"
        return None

    def _add_bags(self, side: int, bags: int) -> None:
        self.scores[side] += bags
        self.bags[side] += bags
        if self.option("bag_penalty") == "yes":
            penalties, self.bags[side] = divmod(self.bags[side], BAGS)
            self.scores[side] -= BAG_PENALTY * penalties
