"""Hearts: what the cards played so far tell of the hands they came from.

Some things are certain: who did not follow is void, who led a heart before they were broken holds nothing else, the
cards passed lie where they went, and clubs below the opening card lie in the kitty. Others are likely: a player ducks
as high as it can, gets rid of the queen when it can, and does not lead low spades with her in hand. Those become
weights.
"""

from __future__ import annotations

from games.cpu.kernel import CLUBS, DIAMONDS, HEARTS, LANE, PLACE, SPADES, bits_of
from games.kinds.hearts.cpu.expert_engine import (
    BARRED,
    DECK,
    HEART_BITS,
    HEART_BREAKS,
    JACK,
    JACK_SCORES,
    LOW_CLUB,
    POINT_BITS,
    QUEEN,
    QUEEN_BIT,
    QUEEN_BREAKS,
    Numbers,
    lane,
)
from games.rules import View

#: How much likelier a seat is to hold certain cards after some plays. The queen: after throwing another card when she
#: could be thrown, playing another spade under the king or ace, leading a spade under her. The cards between: after
#: ducking with a lower card than need be. The cards below the best: after taking a trick with points.
QUEEN_NOT_THROWN = 0.06
QUEEN_NOT_DUCKED = 0.08
QUEEN_NOT_LED_TO = 0.4
BETWEEN = 0.45
TAKEN_NEEDLESSLY = 0.5
#: How often a player passes a card that it was dealt, from the two up: what `hearts_pass` does in random hands of four,
#: held back since people pass otherwise. Who was passed cards by this seat holds, besides them, what it has kept.
PASSED_SIDE = (0.12, 0.14, 0.15, 0.18, 0.22, 0.26, 0.32, 0.36, 0.43, 0.5, 0.57, 0.63, 0.66)
PASSED_HEARTS = (0.0, 0.0, 0.0, 0.0, 0.0, 0.01, 0.01, 0.03, 0.05, 0.08, 0.13, 0.18, 0.21)
PASSED_SPADES = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.96, 0.63, 0.61)
PASSED = (PASSED_SIDE, PASSED_SIDE, PASSED_HEARTS, PASSED_SPADES)
PASS_TRUST = 0.8
#: Who alone has taken this many points, by design or by force, holds high cards: by how many higher ones are out.
ALONE_POINTS = 8
ALONE = (3.0, 1.8, 1.2)
ALONE_REST = 0.6


class Guesses:
    """By seat: cards it cannot hold (`barred`) and is known to hold (`known`); by seat and card the `weights`."""

    def __init__(self, view: View, table: Numbers) -> None:
        self.players = view.players
        self.table = table
        self.barred = [0] * view.players
        self.known = [0] * view.players
        self.weights: dict[tuple[int, int], float] = {}
        self.played = 0
        self._pass(view)
        broken = False
        for number, trick in enumerate(view.tricks):
            broken = self._trick(trick.leader, trick.cards, first=number == 0, broken=broken)
        if view.trick and view.leader is not None:
            self._trick(view.leader, view.trick, first=not view.tricks, broken=broken)
        if view.phase == "play":
            self._opening(view)
            self._alone(view)

    def _pass(self, view: View) -> None:
        if not view.gave or view.received is None or view.seat is None:
            return
        away = {"left": 1, "opponent": 1, "right": -1, "across": view.players // 2}.get(view.direction or "")
        if away is None:
            return
        to = (view.seat + away) % view.players
        self.known[to] |= bits_of(view.gave)
        for suit, passed in enumerate(PASSED):
            for strength, rate in enumerate(passed):
                place = LANE * suit + strength
                if suit == DIAMONDS and place >= JACK and self.table[JACK_SCORES]:
                    continue  # kept for the jack's sake
                self.weights[to, place] = 1.0 - PASS_TRUST * rate

    def _opening(self, view: View) -> None:
        """Under the rule that the lowest club leads, no hand held a lower one."""
        if not self.table[LOW_CLUB]:
            return
        if view.tricks:
            opening = PLACE[view.tricks[0].cards[0]]
        elif view.trick:
            opening = PLACE[view.trick[0]]
        elif view.hand:
            opening = PLACE[view.hand[0]]
        else:
            return
        if opening >> 4 == CLUBS:
            self.barred = [cards | ((1 << opening) - 1) for cards in self.barred]

    def _alone(self, view: View) -> None:
        """The hand of a seat that alone has taken points."""
        takers = [seat for seat, points in enumerate(view.points_taken) if points]
        if len(takers) != 1 or takers[0] == view.seat or max(view.points_taken) < ALONE_POINTS:
            return
        out = int(self.table[DECK]) & ~(self.played | bits_of(view.hand or ()))
        for suit in range(4):
            cards = [place for place in range(LANE * suit, LANE * (suit + 1)) if out >> place & 1]
            for higher, place in enumerate(reversed(cards)):
                weight = ALONE[higher] if higher < len(ALONE) else ALONE_REST
                self.weights[takers[0], place] = self.weights.get((takers[0], place), 1.0) * weight

    def _trick(self, leader: int, cards: tuple[str, ...], *, first: bool, broken: bool) -> bool:
        """Takes in the cards of a trick in turn; whether hearts are broken after it."""
        places = [PLACE[card] for card in cards]
        led = places[0] >> 4
        best, trick = -1, 0
        for i, place in enumerate(places):
            seat, suit = (leader + i) % self.players, place >> 4
            later = self.players - 1 - i
            if i == 0:
                if suit == HEARTS and not broken:
                    self.barred[seat] |= int(self.table[DECK]) & ~HEART_BITS
                self._led(seat, place)
            elif suit != led:
                self.barred[seat] |= lane(led)
                self._thrown(seat, place, first=first)
            elif place < best:
                self._ducked(seat, place, best, trick)
            else:
                self._won(seat, place, best, trick, later)
            if suit == led:
                best = max(best, place)
            if (suit == HEARTS and (i == 0 or self.table[HEART_BREAKS])) or (
                place == QUEEN and self.table[QUEEN_BREAKS]
            ):
                broken = True
            trick |= 1 << place
            self.played |= 1 << place
            self.known[seat] &= ~(1 << place)
        return broken

    def _less_likely(self, seat: int, cards: int, weight: float) -> None:
        cards &= ~(self.played | self.known[seat])
        while cards:
            place = (cards & -cards).bit_length() - 1
            cards &= cards - 1
            self.weights[seat, place] = self.weights.get((seat, place), 1.0) * weight

    def _led(self, seat: int, place: int) -> None:
        if place >> 4 == SPADES and place < QUEEN:
            self._less_likely(seat, QUEEN_BIT, QUEEN_NOT_LED_TO)

    def _thrown(self, seat: int, place: int, *, first: bool) -> None:
        if first and self.table[BARRED]:
            if (1 << place) & POINT_BITS:
                self.barred[seat] |= int(self.table[DECK]) & ~POINT_BITS
            return
        if place != QUEEN:
            self._less_likely(seat, QUEEN_BIT, QUEEN_NOT_THROWN)

    def _ducked(self, seat: int, place: int, best: int, trick: int) -> None:
        between = ((1 << best) - 1) & ~((2 << place) - 1)
        if place >> 4 == SPADES and best > QUEEN:
            self._less_likely(seat, QUEEN_BIT, QUEEN_NOT_DUCKED)
        self._less_likely(seat, between & ~QUEEN_BIT, BETWEEN)

    def _won(self, seat: int, place: int, best: int, trick: int, later: int) -> None:
        if trick & POINT_BITS:
            self._less_likely(seat, lane(place >> 4) & ((1 << best) - 1) & ~QUEEN_BIT, TAKEN_NEEDLESSLY)
