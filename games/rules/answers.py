"""What sets one trick game apart from another: the questions that a kind answers. The skeleton in `engine` asks them.

Answers are pure functions of options and state.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from games.rules.cards import STRENGTH
from games.rules.options import Options
from games.rules.state import DealScore, State

#: A game that nothing else has ended ends after so many deals.
MOST_DEALS = 60


class Answers(ABC):
    """One kind at a table: its fixed facts, what can be read from a state, and its answers."""

    kind: ClassVar[str]
    trump: ClassVar[str | None] = None
    finish_shows_hand: ClassVar[bool] = False
    #: The phases of a deal in which seats are asked.
    phases: ClassVar[tuple[str, ...]]
    has_points: ClassVar[bool] = False  # whether cards that are taken have points
    #: Whether what a deal costs a seat may be told in public statistics: it is the same thing at every such table.
    points_are_told: bool = False
    options: Options
    players: int
    sides: int
    deck: tuple[str, ...]  # the cards of this table, in deck order
    hand_size: int
    cards_given: int  # how many cards a pass or an exchange is

    def __init__(self, players: int, options: Options) -> None:
        options.check_players(players)
        self.players = players

    # --- what can be read from a state ------------------------------------------------------------------------------

    def tricks_of(self, state: State) -> tuple[int, ...]:
        """Tricks taken by each seat in this deal; whoever showed a hand has taken the rest."""
        counts = [0] * self.players
        for trick in state.tricks:
            counts[trick.winner] += 1
        if state.finisher is not None and self.finish_shows_hand:
            counts[state.finisher] += len(state.hands[state.finisher])
        return tuple(counts)

    def taken(self, state: State, seat: int) -> list[str]:
        """The cards this seat has taken in tricks of this deal, without a kitty."""
        return [card for trick in state.tricks if trick.winner == seat for card in trick.cards]

    def public_cards(self, state: State) -> set[str]:
        """The cards of this deal that have been played in finished tricks."""
        return set().union(*[trick.cards for trick in state.tricks])

    def winner(self, leader: int, cards: Sequence[str]) -> int:
        """Who takes a full trick: the highest trump, or else the highest card of the led suit."""
        suit, best, place = cards[0][1], STRENGTH[cards[0]], 0
        for i in range(1, len(cards)):
            card = cards[i]
            if card[1] == suit:
                if STRENGTH[card] > best:
                    best, place = STRENGTH[card], i
            elif card[1] == self.trump:
                suit, best, place = card[1], STRENGTH[card], i
        return (leader + place) % self.players

    # --- what the skeleton offers to answers ------------------------------------------------------------------------

    @abstractmethod
    def begin_play(self, state: State) -> State:
        """Opens trick one; every hand is what it will be played from."""

    @abstractmethod
    def close_deal(self, state: State, choice: str | None = None) -> State:
        """Scores the deal and ends the game or makes the next deal due. `choice` is a moon's, add or subtract."""

    # --- answers ----------------------------------------------------------------------------------------------------

    def side(self, seat: int) -> int:
        """The side a seat scores for."""
        return seat

    def first_bags(self) -> tuple[int, ...]:
        """The bags each side starts with; empty where there are none."""
        return ()

    def direction(self, deal: int) -> str | None:
        """Where cards are passed in that deal: left, right, across, opponent or hold; None if the kind has no pass."""
        return None

    @abstractmethod
    def asked_together(self, state: State) -> tuple[int, ...]:
        """The seats that a simultaneous phase asks, answered or not."""

    @abstractmethod
    def giver(self, state: State, seat: int) -> int:
        """Who gives cards to this seat in a pass or exchange."""

    @abstractmethod
    def after_deal(self, state: State) -> State:
        """The first question of a deal whose hands have been dealt."""

    def after_bids(self, state: State) -> State:
        """What follows the last bid."""
        return self.begin_play(state)

    def after_play(self, state: State) -> State:
        """What follows the last trick, or the end of a deal that is decided."""
        return self.close_deal(state)

    def may_skip(self, state: State, seat: int) -> bool:
        """Whether this seat, which has not passed yet, may call the deal off."""
        return False

    @abstractmethod
    def opener(self, state: State) -> int:
        """Who leads to trick one."""

    @abstractmethod
    def legal_cards(self, state: State, reasons: dict[str, str] | None = None) -> Sequence[str]:
        """What the seat on turn may play, never empty, in deck order. Fills `reasons`: barred card to refusal code."""

    @abstractmethod
    def breaks(self, state: State, card: str) -> bool:
        """Whether this card, about to be played, breaks the suit that may not be led before."""

    @property
    def bids(self) -> range:
        """The bids that may be made, 0 for nil."""
        return range(self.hand_size + 1)

    def skips_left(self, state: State) -> tuple[bool, ...]:
        """Who may still call a deal off in this game, by seat; empty where nobody ever may."""
        return ()

    def points_taken(self, state: State) -> tuple[int, ...]:
        """Points taken in tricks of this deal, by seat; empty where cards have none. A kitty is never counted."""
        return ()

    @abstractmethod
    def is_decided(self, state: State) -> bool:
        """Whether nothing can change the outcome of the deal any more, as the seat on lead can know it.

        Asked between tricks only.
        """

    @abstractmethod
    def score(self, state: State, choice: str | None) -> DealScore:
        """The row of the score sheet for a deal that has been played."""

    def default_moon(self, state: State) -> str:
        """What the clock chooses for a shooter."""
        return "add"

    @abstractmethod
    def end(self, scores: tuple[int, ...], state: State) -> tuple[str | None, int]:
        """Given the scores after the state's deal: the reason if the game ends, and the extra deals begun in a row."""

    @abstractmethod
    def places(self, scores: tuple[int, ...]) -> tuple[int, ...]:
        """The place of each side, 1 for the first; equal scores share a place and the next is left out."""


def standing(scores: tuple[int, ...], *, lowest_first: bool) -> tuple[int, ...]:
    """Places by competition ranking, e.g. 20 20 30 52 with the lowest first: 1 1 3 4."""
    return tuple(1 + sum((other < own) if lowest_first else (other > own) for other in scores) for own in scores)


def sift(cards: Sequence[str], kept: Sequence[str], code: str, reasons: dict[str, str] | None) -> Sequence[str]:
    """What a filter leaves of the cards: all of them if it would leave nothing."""
    if not kept:
        return cards
    if reasons is not None:
        reasons.update((card, code) for card in cards if card not in kept)
    return kept
