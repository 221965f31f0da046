"""The walk through a log: who holds which cards, whose turn it is, what may be played, and what it comes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.verify.cards import CARDS
from games.verify.kind import Checks, Deal

RULES_VERSION = 1  # of the rules that are known here
MOST_DEALS = 60  # of any game
#: Entries that say nothing about the cards.
SITES_OWN = ("void", "outage", "stand_in", "back")
#: Instead of the name of a question, where the text notation names none.
NOT_NAMED = object()


class Walk:
    """Goes through a log once. Raises KeyError, TypeError or ValueError where the record is none."""

    def __init__(self, record: Mapping[str, Any], checks: Checks) -> None:
        self.players: int = record["players"]
        self.log: Sequence[Mapping[str, Any]] = record["log"]
        self.stated: Mapping[str, Any] | None = record["result"]
        self.is_known = record["rules_version"] == RULES_VERSION
        self.check = checks[record["kind"]](self.players, record["options"])
        self.deals = 0  # that have been counted
        self.reason: str | None = None  # why the game has ended
        self.is_void = False

    @property
    def deal(self) -> Deal:
        """The deal that is played."""
        return self.check.deal

    def faults(self) -> list[str]:
        """`wrong_log` with the first ply that cannot be, or `wrong_result`; nothing if all is as it has to be."""
        if not self.is_known:
            return ["other_rules"]
        for number, entry in enumerate(self.log, 1):
            is_over = self.is_void or self.reason is not None
            if entry["ply"] != number or is_over or not self._fits(number, entry):
                return [f"wrong_log {number}"]
        if not self.is_void and self.reason is None:
            return [f"wrong_log {len(self.log)}"]
        return [] if self.stated == (None if self.is_void else self.result()) else ["wrong_result"]

    def result(self) -> dict[str, Any]:
        """As a record has it."""
        scores = self.check.scores
        sign = 1 if self.check.IS_LOWEST_FIRST else -1
        places = [1 + sum(sign * other < sign * own for other in scores) for own in scores]
        seats = [places[seat % len(places)] for seat in range(self.players)]
        return {"placings": seats, "scores": scores, "reason": self.reason}

    def _fits(self, number: int, entry: Mapping[str, Any]) -> bool:
        word, seat, data = entry["kind"], entry["seat"], entry["data"]
        if number == 1 or word == "open":
            self.deal.dealer = data["dealer"] - 1  # it moves on with every deal
            return number == 1 and word == "open"
        if word == "deal":
            return self._deal(data["pack"])
        if word == "void":
            self.is_void = True
        if word in SITES_OWN:
            return True
        if self.deal.is_over:
            return self.check.is_waiting() and self._answers(entry) and self._after(word, seat, data)
        if self.deal.is_called_off or not 0 <= seat < self.players or not self._answers(entry):
            return False
        if word == "play":
            return self._play(seat, data["card"])
        if word == "finish":
            return self._finish(seat, data.get("cards", ()))
        return self.deal.turn is None and self.check.answer(word, seat, data)

    def _answers(self, entry: Mapping[str, Any]) -> bool:
        """Whether an entry is for the question that is asked. Not every line of the text notation names one."""
        phase = {"skip": "pass", "finish": "play"}.get(entry["kind"], entry["kind"])
        number = (entry["seat"] - self.deal.dealer - 1) % self.players + 1 if phase == "bid" else 0
        number = sum(self.deal.tricks) + 1 if phase == "play" else number
        asked = f"{self.deal.number}.{self.deal.attempt}.{phase}.{number}"
        return entry["ask"] is NOT_NAMED or bool(entry["ask"] == asked)

    def _deal(self, pack: Sequence[str]) -> bool:
        last = self.deal
        if not (last.is_over or last.is_called_off) or self.check.is_waiting() or not set(pack) <= set(CARDS):
            return False
        size = self.check.hand_size(len(pack))
        dealer = last.dealer if last.is_called_off else (last.dealer + 1) % self.players
        dealt = pack[: self.players * size]
        deal = Deal(
            dealer=dealer,
            number=last.number if last.is_called_off else last.number + 1,
            attempt=last.attempt + 1 if last.is_called_off else 0,
            hands=[set(dealt[(seat - dealer - 1) % self.players :: self.players]) for seat in range(self.players)],
            kitty=pack[self.players * size :],
            won=[[] for _ in range(self.players)],
            tricks=[0] * self.players,
            is_over=False,
        )
        self.check.begin(deal)
        return True

    def _next(self) -> int | None:
        """Whose turn it is to play; None before everything that comes first has been answered."""
        return self.check.opener() if self.deal.turn is None else self.deal.turn

    def _play(self, seat: int, card: str) -> bool:
        deal = self.deal
        if seat != self._next() or card not in self.check.may_play(seat):
            return False
        deal.hands[seat].remove(card)
        deal.is_broken = deal.is_broken or self.check.breaks(card)
        deal.trick.append(card)
        deal.turn = (seat + 1) % self.players
        if len(deal.trick) == self.players:
            deal.turn = winner = (deal.turn + self._best(deal.trick)) % self.players  # it was the leader's turn again
            if not any(deal.tricks):
                deal.won[winner] += deal.kitty
            deal.won[winner] += deal.trick
            deal.tricks[winner] += 1
            deal.trick = []
            if not any(deal.hands):
                self._end()
        return True

    def _best(self, trick: Sequence[str]) -> int:
        """The place of the card that takes a trick: the highest trump, or else the highest card of the led suit."""
        trump, led = self.check.trump, trick[0][1]
        ranks = [
            (card[1] == trump, card[1] == led, CARDS.index(card) if card[1] in (trump, led) else -1) for card in trick
        ]
        return ranks.index(max(ranks))

    def _finish(self, seat: int, cards: Sequence[str]) -> bool:
        """The rest is laid down: nothing can change any more what the deal brings."""
        if self.deal.trick or seat != self._next() or not self.check.rest(seat, cards):
            return False
        self._end()
        return True

    def _end(self) -> None:
        self.deal.is_over = True
        if not self.check.is_waiting():
            self._count()

    def _after(self, word: str, seat: int, data: Mapping[str, Any]) -> bool:
        """An answer about the deal that is over."""
        if not self.check.answer(word, seat, data):
            return False
        if not self.check.is_waiting():
            self._count()
        return True

    def _count(self) -> None:
        self.deals += 1
        self.reason = self.check.count() or ("deal_cap" if self.deals >= MOST_DEALS else None)
