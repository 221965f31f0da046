"""Spades for four players in two partnerships: its answers and its scoring.

The rules followed, with every option, are in `README.md` beside this file. Seats 0 and 2 are side 0, seats 1 and 3
side 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

from games.kinds.spades.options import SpadesOptions
from games.rules.answers import MOST_DEALS, sift, standing
from games.rules.cards import DECK, STRENGTH
from games.rules.engine import Rules
from games.rules.state import DealScore, Line, State, evolve

OPENING_CARD = "2C"
TRICK_POINTS = 10
NIL_POINTS = 100
BLIND_NIL_POINTS = 200
BLIND_NIL_GAP = 100  # how far a side has to be behind
BAGS_PER_PENALTY = 10
BAG_PENALTY = -100
FLOOR = -200

SPADES = DECK[39:]

#: Every card that beats a card within its suit.
HIGHER = {card: frozenset(c for c in DECK if c[1] == card[1] and STRENGTH[c] > STRENGTH[card]) for card in DECK}


class Spades(Rules):
    """Spades at one table."""

    kind: ClassVar[str] = "spades"
    phases = ("blind", "bid", "exchange", "play")
    trump: ClassVar[str | None] = "S"
    finish_shows_hand: ClassVar[bool] = True
    cards_given = 2
    deck = DECK
    hand_size = 13
    sides = 2
    options: SpadesOptions

    def __init__(self, players: int, options: SpadesOptions) -> None:
        super().__init__(players, options)
        self.options = options
        self._two_leads = options.first_lead == "club_two"

    def side(self, seat: int) -> int:
        return seat % 2

    def first_bags(self) -> tuple[int, ...]:
        return (0, 0)

    # --- a deal before its first trick --------------------------------------------------------------------------------

    def after_deal(self, state: State) -> State:
        if self._blind_seats(state):
            return evolve(state, phase="blind")
        return evolve(state, phase="bid", turn=(state.dealer + 1) % self.players)

    def _blind_seats(self, state: State) -> tuple[int, ...]:
        """Both seats of the side that is far enough behind, if blind nil is played."""
        gap = state.scores[0] - state.scores[1]
        if self.options.blind_nil == "no" or abs(gap) < BLIND_NIL_GAP:
            return ()
        return (1, 3) if gap > 0 else (0, 2)

    def _exchanging(self, state: State) -> tuple[int, ...]:
        """The blind bidder and the partner who is not blind; nobody if both are, or neither is."""
        for seats in ((0, 2), (1, 3)):
            if sum(state.blinds[seat] is True for seat in seats) == 1:
                return seats
        return ()

    def asked_together(self, state: State) -> tuple[int, ...]:
        return self._blind_seats(state) if state.phase == "blind" else self._exchanging(state)

    def giver(self, state: State, seat: int) -> int:
        return (seat + 2) % self.players

    def after_bids(self, state: State) -> State:
        return evolve(state, phase="exchange") if self._exchanging(state) else self.begin_play(state)

    def opener(self, state: State) -> int:
        if self._two_leads:
            return next(seat for seat, hand in enumerate(state.hands) if OPENING_CARD in hand)
        return (state.dealer + 1) % self.players

    # --- play ---------------------------------------------------------------------------------------------------------

    def legal_cards(self, state: State, reasons: dict[str, str] | None = None) -> Sequence[str]:
        """The hand after its filters, each left out if it would leave nothing."""
        hand = state.hands[state.mover]
        if state.trick:
            suit = state.trick[0][1]
            return sift(hand, [card for card in hand if card[1] == suit], "must_follow_suit", reasons)
        if self._two_leads and not state.tricks:  # the turn is the holder's
            return sift(hand, [OPENING_CARD], "must_lead_opening_card", reasons)
        if not state.broken:
            return sift(hand, [card for card in hand if card[1] != "S"], "spades_not_broken", reasons)
        return hand

    def breaks(self, state: State, card: str) -> bool:
        return card[1] == "S"

    def is_decided(self, state: State) -> bool:
        """Whether the leader wins every remaining trick in any order, from its own cards and what is public.

        Each card has to be the highest of its suit that is left. A card of a side suit must not be ruffed either:
        nobody who may hold a spade can have run out of the suit when it is led.
        """
        hand = state.hands[state.mover]
        seen = self.public_cards(state)
        seen.update(hand)
        if not all(HIGHER[card] <= seen for card in hand):
            return False
        only_spades = hand[0][1] == "S"  # they are last in deck order
        return only_spades or seen.issuperset(SPADES) or self._nobody_can_ruff(state, seen)

    def _nobody_can_ruff(self, state: State, seen: set[str]) -> bool:
        """Whether whoever may hold a spade surely holds as many cards of each side suit as are led of it.

        A seat surely holds cards of a suit if the others that it may hold are fewer than its cards.
        """
        mine = Counter(card[1] for card in state.hands[state.mover])
        unseen = Counter(card[1] for card in DECK if card not in seen)
        voids = self._shown_voids(state)
        for seat in range(self.players):
            if seat == state.mover or "S" in voids[seat]:
                continue
            may_hold = sum(number for suit, number in unseen.items() if suit not in voids[seat])
            for suit in "CDH":
                elsewhere = may_hold - (0 if suit in voids[seat] else unseen[suit])
                if mine[suit] and len(state.hands[seat]) - elsewhere < mine[suit]:
                    return False
        return True

    def _shown_voids(self, state: State) -> list[set[str]]:
        """The suits in which each seat has failed to follow."""
        voids: list[set[str]] = [set() for _ in range(self.players)]
        for trick in state.tricks:
            for place, card in enumerate(trick.cards):
                if card[1] != trick.cards[0][1]:
                    voids[(trick.leader + place) % self.players].add(trick.cards[0][1])
        return voids

    # --- scoring ------------------------------------------------------------------------------------------------------

    def score(self, state: State, choice: str | None) -> DealScore:
        tricks = self.tricks_of(state)
        lines: list[Line] = []
        bags = list(state.bags)
        for side in range(self.sides):
            seats = (side, side + 2)
            contract = sum(state.bids[seat] or 0 for seat in seats)
            counted = sum(tricks[seat] for seat in seats if state.bids[seat])
            over = 0
            if contract and counted < contract:
                lines.append(Line(side, "missed_contract", -TRICK_POINTS * contract))
            elif contract:
                lines.append(Line(side, "contract", TRICK_POINTS * contract))
                over = counted - contract
            for seat in seats:
                if not state.bids[seat]:
                    worth = BLIND_NIL_POINTS if state.blinds[seat] else NIL_POINTS
                    name = "blind_nil" if state.blinds[seat] else "nil"
                    made = tricks[seat] == 0
                    lines.append(Line(side, name if made else f"failed_{name}", worth if made else -worth, seat))
                    over += tricks[seat]
            if over:
                lines.append(Line(side, "bags", over))
            bags[side] += over
            if self.options.bag_penalty == "yes" and bags[side] >= BAGS_PER_PENALTY:
                penalties, bags[side] = divmod(bags[side], BAGS_PER_PENALTY)
                lines.append(Line(side, "bag_penalty", BAG_PENALTY * penalties))
        change = tuple(sum(line.amount for line in lines if line.side == side) for side in range(self.sides))
        scores = tuple(old + new for old, new in zip(state.scores, change, strict=True))
        return DealScore(state.deal, tuple(lines), change, scores, tuple(bags))

    def end(self, scores: tuple[int, ...], state: State) -> tuple[str | None, int]:
        """Floor, then target; equal scores play on. Sixty deals at the most, and then equal scores are a draw."""
        ends = "floor" if self.options.floor == "yes" and min(scores) <= FLOOR else None
        if ends is None and max(scores) >= self.options.target:
            ends = "target"
        if ends and scores[0] != scores[1]:
            return ends, 0
        return ("deal_cap", 0) if state.deal >= MOST_DEALS else (None, 0)

    def places(self, scores: tuple[int, ...]) -> tuple[int, ...]:
        return standing(scores, lowest_first=False)
