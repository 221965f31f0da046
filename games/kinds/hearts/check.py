"""Hearts in the check of finished games: its packs, and its rules once more, written on their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.verify.cards import CARDS, kept
from games.verify.kind import Check, Deal, Row

#: How many seats to the left cards are passed, deal after deal, by number of players; the last is the deal without.
ROTATIONS = {2: (1, 0), 3: (1, -1, 0), 4: (1, -1, 2, 0), 5: (1, -1, 0), 6: (1, -1, 3, 0), 7: (1, -1, 0)}
MOON = 26
JACK = 10  # taken off
EXTRA_DEALS = 5  # while the first place is shared


def points_of(card: str) -> int:
    """What a card costs its taker, but for the jack."""
    return 13 if card == "QS" else int(card[1] == "H")


class HeartsCheck(Check):
    """A table of Hearts."""

    ROWS = (
        Row("0", 2, {}, "3 5 7 9 J K"),
        Row("1", 3, {"removed_three": "2D"}, "2D"),
        Row("2", 3, {"removed_three": "2C"}, "2C"),
        Row("3", 3, {"surplus": "kitty"}, ""),
        Row("4", 4, {}, ""),
        Row("5", 5, {}, "2D 2C"),
        Row("6", 5, {"surplus": "kitty"}, ""),
        Row("7", 6, {"removed_six": "all_twos"}, "2"),
        Row("8", 6, {"removed_six": "keep_hearts"}, "2D 3D 3C 4C"),
        Row("9", 6, {"surplus": "kitty"}, ""),
        Row("A", 7, {}, "2D 3D 3C"),
        Row("B", 7, {"surplus": "kitty"}, ""),
    )
    OPTIONS = {
        "surplus": "remove",
        "removed_three": "2D",
        "removed_six": "all_twos",
        "passing": "rotate",
        "hold_deal": "play",
        "skip_right": "none",
        "first_lead": "low_club",
        "first_trick_points": "no",
        "hearts_broken_by": "heart",
        "heart_discard": "free",
        "jack_of_diamonds": "off",
        "moon": "add",
        "jack_in_moon": "no",
        "end_score": 100,
        "end_test": "reach",
        "tie_for_first": "play_on",
    }
    UNREAD = ("score_sign", "standing")
    IS_LOWEST_FIRST = True

    def __init__(self, players: int, options: Mapping[str, Any]) -> None:
        super().__init__(players, options)
        self.callers: set[int] = set()  # who has called a deal off: once a game each
        self.choice: str | None = None  # what the moon of this deal is to bring, where its shooter has said so
        self.extra = 0  # deals in a row after which the game would have ended

    def hand_size(self, cards: int) -> int:
        return 13 if self.players == 2 else super().hand_size(cards)

    def begin(self, deal: Deal) -> None:
        super().begin(deal)
        self.choice = None

    # --- before the first trick ---

    def answer(self, word: str, seat: int, data: Mapping[str, Any]) -> bool:
        if word == "pass":
            return self._pass(seat, data["cards"])
        if word == "skip":
            return self._call_off(seat)
        return word == "moon" and self._choose(seat, data["choice"])

    def _pass(self, seat: int, cards: Sequence[str]) -> bool:
        step = self._step()
        return step != 0 and self.deal.give(seat, cards, count=3, step=step, seats=range(self.players))

    def _step(self) -> int:
        """How many seats to the left cards are passed in this deal; 0: not at all."""
        passing = self.option("passing")
        if passing != "rotate":
            return 1 if passing == "always_left" else 0
        steps = ROTATIONS[self.players]
        if self.option("hold_deal") == "skip":
            steps = steps[:-1]
        return steps[(self.deal.number - 1) % len(steps)]

    def _call_off(self, seat: int) -> bool:
        """Before the own pass."""
        deal = self.deal
        may = self.option("skip_right") == "one_each" and self._step() != 0 and deal.attempt == 0
        if not may or seat in self.callers or seat in deal.given or len(deal.given) == self.players:
            return False
        self.callers.add(seat)
        deal.is_called_off = True
        return True

    # --- play ---

    def opener(self) -> int | None:
        if len(self.deal.given) != (self.players if self._step() else 0):
            return None
        if self.option("first_lead") == "dealer_left":
            return (self.deal.dealer + 1) % self.players
        return self.deal.holder_of_the_lowest()

    def may_play(self, seat: int) -> set[str]:
        """The hand after what the rules bar, each rule left out that would bar all."""
        deal = self.deal
        cards, is_first = deal.following(seat), not any(deal.tricks)
        if is_first and not deal.trick and self.option("first_lead") != "dealer_left":
            cards = {min(cards, key=CARDS.index)}
        if not deal.is_broken and (self.option("heart_discard") == "after_break" or not deal.trick):
            cards = kept(cards, lambda card: card[1] != "H")
        if is_first and self.option("first_trick_points") == "no":
            cards = kept(cards, lambda card: not points_of(card))
        return cards

    def breaks(self, card: str) -> bool:
        by = self.option("hearts_broken_by")
        if card[1] == "H":
            return bool(by != "queen" or not self.deal.trick)  # led before from a hand of hearts alone
        return bool(card == "QS" and by != "heart")

    def rest(self, seat: int, cards: Sequence[str]) -> bool:
        hidden = [*(card for hand in self.deal.hands for card in hand), *self.deal.kitty]
        return not cards and not any(map(self._matters, hidden))

    def _matters(self, card: str) -> bool:
        """Whether a card changes what a deal brings."""
        return points_of(card) > 0 or (card == "JD" and self._has_jack())

    def _has_jack(self) -> bool:
        return bool(self.option("jack_of_diamonds") == "minus_ten")

    # --- what it comes to ---

    def is_waiting(self) -> bool:
        is_open = self.deal.is_over and self.choice is None and self.option("moon") == "choose"
        return is_open and self._shooter() is not None

    def _choose(self, seat: int, choice: str) -> bool:
        if seat != self._shooter() or choice not in ("add", "subtract"):
            return False
        self.choice = choice
        return True

    def _shooter(self) -> int | None:
        """Who has taken every card that the moon needs; None also where there is no moon."""
        won = self.deal.won
        needs_jack = self.option("jack_in_moon") == "required"
        needed = [seat for seat, cards in enumerate(won) for card in cards if points_of(card)]
        needed += [seat for seat, cards in enumerate(won) if needs_jack and "JD" in cards]
        all_cards = {card for cards in won for card in cards}
        is_whole = "QS" in all_cards and (not needs_jack or "JD" in all_cards)
        is_off = self.option("moon") == "off"
        return None if is_off or not is_whole or len(set(needed)) != 1 else needed[0]

    def count(self) -> str | None:
        shooter, moon = self._shooter(), self.choice or self.option("moon")
        for seat, cards in enumerate(self.deal.won):
            if shooter is None:
                self.scores[seat] += sum(map(points_of, cards))
            elif moon == "add":
                self.scores[seat] += 0 if seat == shooter else MOON
            elif seat == shooter:
                self.scores[seat] -= MOON
            if self._has_jack() and "JD" in cards:
                self.scores[seat] -= JACK
        return self._reason()

    def _reason(self) -> str | None:
        highest, limit = max(self.scores), self.option("end_score")
        is_there = highest > limit if self.option("end_test") == "exceed" else highest >= limit
        is_clear = self.scores.count(min(self.scores)) == 1
        extra, self.extra = self.extra, self.extra + 1 if is_there else 0
        if is_there and (is_clear or self.option("tie_for_first") == "shared"):
            return "target"
        return "deal_cap" if is_there and extra == EXTRA_DEALS else None
