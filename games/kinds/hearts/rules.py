"""Hearts for two to seven players: its answers and its scoring.

The rules followed, with every option, are in `README.md` beside this file. Low score wins; a heart is one point, the
queen of spades thirteen, and every seat scores for itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from games.kinds.hearts.options import HeartsOptions
from games.rules.answers import MOST_DEALS, sift, standing
from games.rules.cards import DECK, ORDER
from games.rules.engine import Rules
from games.rules.state import DealScore, Line, State, evolve

QUEEN = "QS"
QUEEN_POINTS = 13
JACK = "JD"
JACK_POINTS = -10
MOON_POINTS = 26  # whatever the pack
MOST_EXTRA_DEALS = 5

#: Cards left out by (players, value of the option that says which; "" where none does).
REMOVED: dict[tuple[int, str], tuple[str, ...]] = {
    (2, ""): tuple(card for card in DECK if card[0] in "3579JK"),
    (3, "2D"): ("2D",),
    (3, "2C"): ("2C",),
    (4, ""): (),
    (5, ""): ("2D", "2C"),
    (6, "all_twos"): ("2C", "2D", "2H", "2S"),
    (6, "keep_hearts"): ("2D", "3D", "3C", "4C"),
    (7, ""): ("2D", "3D", "3C"),
}

#: Cards each, by number of players. Where that is less than the pack, the rest is the kitty.
HAND_SIZE = {2: 13, 3: 17, 4: 13, 5: 10, 6: 8, 7: 7}


class Hearts(Rules):
    """Hearts at one table. `penalty` is the set of point cards in play; the jack of diamonds is not one of them."""

    kind: ClassVar[str] = "hearts"
    phases = ("pass", "play", "moon")
    has_points = True
    cards_given = 3
    options: HeartsOptions

    def __init__(self, players: int, options: HeartsOptions) -> None:
        super().__init__(players, options)
        self.options = options
        self.sides = players
        if options.surplus == "kitty" and players in (3, 5, 6, 7):
            self.deck = DECK
        else:
            which = {3: options.removed_three, 6: options.removed_six}.get(players, "")
            self.deck = tuple(card for card in DECK if card not in REMOVED[players, which])
        self.hand_size = HAND_SIZE[players]
        self.penalty = frozenset(card for card in self.deck if card[1] == "H" or card == QUEEN)
        self.points_are_told = options.jack_of_diamonds == "off"
        self._jack_scores = options.jack_of_diamonds == "minus_ten"
        self._decisive = self.penalty | {JACK} if self._jack_scores else self.penalty
        self._moon_cards = self.penalty | {JACK} if options.jack_in_moon == "required" else self.penalty
        self._low_club_leads = options.first_lead == "low_club"
        self._points_barred = options.first_trick_points == "no"
        self._hearts_held_back = options.heart_discard == "after_break"
        self._heart_breaks = options.hearts_broken_by != "queen"
        self._queen_breaks = options.hearts_broken_by != "heart"
        self._rotation = self._directions()

    def _directions(self) -> tuple[str, ...]:
        """The pass rotation: what each deal in turn does with three cards."""
        if self.options.passing == "off":
            return ("hold",)
        ways: tuple[str, ...] = ("opponent",) if self.players == 2 else ("left", "right")
        if self.players in (4, 6):
            ways = (*ways, "across")
        if self.options.passing == "always_left":
            return ways[:1]
        return ways if self.options.hold_deal == "skip" else (*ways, "hold")

    # --- a deal before its first trick --------------------------------------------------------------------------------

    def direction(self, deal: int) -> str:
        return self._rotation[(deal - 1) % len(self._rotation)]

    def giver(self, state: State, seat: int) -> int:
        away = {"left": 1, "right": -1, "across": self.players // 2, "opponent": 1}[self.direction(state.deal)]
        return (seat - away) % self.players

    def asked_together(self, state: State) -> tuple[int, ...]:
        return tuple(range(self.players))

    def after_deal(self, state: State) -> State:
        if self.direction(state.deal) == "hold":
            return self.begin_play(state)
        return evolve(state, phase="pass")

    def may_skip(self, state: State, seat: int) -> bool:
        return self.options.skip_right == "one_each" and state.attempt == 0 and not state.skipped[seat]

    def skips_left(self, state: State) -> tuple[bool, ...]:
        return tuple(not spent for spent in state.skipped) if self.options.skip_right == "one_each" else ()

    def opener(self, state: State) -> int:
        if not self._low_club_leads:
            return (state.dealer + 1) % self.players
        return min(range(self.players), key=lambda seat: ORDER[state.hands[seat][0]])  # clubs are first in deck order

    # --- play ---------------------------------------------------------------------------------------------------------

    def legal_cards(self, state: State, reasons: dict[str, str] | None = None) -> Sequence[str]:
        """The hand after four filters in turn, each left out if it would leave nothing."""
        hand = state.hands[state.mover]
        cards: Sequence[str] = hand
        leads, first = not state.trick, not state.tricks
        if not leads:
            suit = state.trick[0][1]
            cards = sift(cards, [card for card in cards if card[1] == suit], "must_follow_suit", reasons)
        elif first and self._low_club_leads:  # the turn is the opener's, whose first card is the lowest club
            cards = sift(cards, cards[:1], "must_lead_opening_card", reasons)
        if not state.broken and (leads or self._hearts_held_back):
            code = "hearts_not_broken" if leads else "hearts_held_back"
            cards = sift(cards, [card for card in cards if card[1] != "H"], code, reasons)
        if first and self._points_barred:
            harmless = [card for card in cards if card[1] != "H" and card != QUEEN]
            cards = sift(cards, harmless, "no_points_first_trick", reasons)
        return cards

    def breaks(self, state: State, card: str) -> bool:
        if card[1] == "H":
            return self._heart_breaks or not state.trick  # led before the break only from a hand of hearts
        return card == QUEEN and self._queen_breaks

    def is_decided(self, state: State) -> bool:
        """Every card that scores lies in public tricks. One in the kitty is in the way, and nobody is told so."""
        if len(state.tricks) * self.players < len(self._decisive):  # quick to see, for most leads of a deal
            return False
        return self._decisive <= self.public_cards(state)

    # --- scoring ------------------------------------------------------------------------------------------------------

    def after_play(self, state: State) -> State:
        shooter = self.shooter(state)
        if shooter is not None and self.options.moon == "choose":
            return evolve(state, phase="moon", turn=shooter)
        return self.close_deal(state)

    def haul(self, state: State, seat: int) -> set[str]:
        """All the cards a seat has taken, with the kitty if it took that."""
        return {*self.taken(state, seat), *(state.kitty if state.kitty_taker == seat else ())}

    def shooter(self, state: State) -> int | None:
        """Who has taken every card that the moon needs, or None; also where the moon is switched off."""
        if self.options.moon == "off":
            return None
        for seat in range(self.players):
            if self._moon_cards <= self.haul(state, seat):
                return seat
        return None

    def points(self, cards: Iterable[str]) -> int:
        """Penalty points of cards taken, without the jack of diamonds."""
        return sum(QUEEN_POINTS if card == QUEEN else card[1] == "H" for card in cards)

    def points_taken(self, state: State) -> tuple[int, ...]:
        totals = [0] * self.players
        for trick in state.tricks:
            totals[trick.winner] += self.points(trick.cards)
        return tuple(totals)

    def score(self, state: State, choice: str | None) -> DealScore:
        shooter = self.shooter(state)
        lines: list[Line] = []
        for seat in range(self.players):
            haul = self.haul(state, seat)
            lines += (
                _points_lines(seat, haul)
                if shooter is None
                else _moon_lines(seat, shooter, choice or self.options.moon)
            )
            if self._jack_scores and JACK in haul:
                lines.append(Line(seat, "jack", JACK_POINTS, seat))
        change = tuple(sum(line.amount for line in lines if line.side == seat) for seat in range(self.players))
        scores = tuple(old + new for old, new in zip(state.scores, change, strict=True))
        return DealScore(state.deal, tuple(lines), change, scores, ())

    def default_moon(self, state: State) -> str:
        """Add, unless that ends the game with the shooter not alone in first; then the better place, or subtract."""
        seat = state.mover
        added, subtracted = self.score(state, "add").scores, self.score(state, "subtract").scores
        if self.end(added, state)[0] is None or (self.places(added)[seat] == 1 and added.count(added[seat]) == 1):
            return "add"
        return "add" if self.places(added)[seat] < self.places(subtracted)[seat] else "subtract"

    def end(self, scores: tuple[int, ...], state: State) -> tuple[str | None, int]:
        """The end test, once a deal: final score, tie for first, five extra deals in a row, sixty deals in all."""
        highest, limit = max(scores), self.options.end_score
        over = highest > limit if self.options.end_test == "exceed" else highest >= limit
        if over:
            if self.options.tie_for_first == "shared" or scores.count(min(scores)) == 1:
                return "target", state.extra_deals
            if state.extra_deals == MOST_EXTRA_DEALS:
                return "deal_cap", state.extra_deals
        if state.deal >= MOST_DEALS:
            return "deal_cap", state.extra_deals
        return None, state.extra_deals + 1 if over else 0

    def places(self, scores: tuple[int, ...]) -> tuple[int, ...]:
        return standing(scores, lowest_first=True)


def _points_lines(seat: int, haul: set[str]) -> list[Line]:
    """What penalty cards cost their taker."""
    hearts = sum(card[1] == "H" for card in haul)
    lines = [Line(seat, "hearts", hearts, seat)] if hearts else []
    return [*lines, Line(seat, "queen", QUEEN_POINTS, seat)] if QUEEN in haul else lines


def _moon_lines(seat: int, shooter: int, how: str) -> list[Line]:
    """What a moon brings a seat; the shooter has a line in any case, so that the sheet says who shot."""
    if seat == shooter:
        return [Line(seat, "moon", -MOON_POINTS if how == "subtract" else 0, shooter)]
    return [Line(seat, "moon", MOON_POINTS, shooter)] if how == "add" else []
