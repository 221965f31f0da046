"""What the check asks of a kind: the packs that its game codes name, what may be done, and what a deal brings.

A kind's check is one class that extends `Check`, in `games/kinds/<kind>/check.py`. It has rules of its own, see the
README.md of this folder, so it imports nothing but the standard library and this package.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from games.verify.cards import CARDS


class Row(NamedTuple):
    """A pack of a kind. `character` is the first one of its game codes, and is never given to anything else.

    `options` are those that decide the pack; of several rows that fit the options of a table the last one is its row.
    `removed`: the cards that are not in the pack; a rank alone is taken out in every suit.
    """

    character: str
    players: int
    options: Mapping[str, str]
    removed: str


@dataclass
class Deal:
    """One deal as it is played. Before the first one it is number 0 and over."""

    dealer: int = 0
    number: int = 0
    attempt: int = 0
    hands: list[set[str]] = field(default_factory=list)
    kitty: Sequence[str] = ()  # the cards that were left over
    given: dict[int, list[str]] = field(default_factory=dict)  # by seat the cards that it has given away
    turn: int | None = None  # who has to play; None until the first card has been played
    trick: list[str] = field(default_factory=list)
    won: list[list[str]] = field(default_factory=list)  # the cards that each seat has taken
    tricks: list[int] = field(default_factory=list)  # how many each seat has taken
    is_broken: bool = False
    is_called_off: bool = False
    is_over: bool = True

    def give(self, seat: int, cards: Sequence[str], *, count: int, step: int, seats: Collection[int]) -> bool:
        """Notes the cards that a seat gives to the one `step` to its left; False if it may not give these.

        Cards change hands when all of `seats` have given theirs.
        """
        if seat in self.given or not self.hands[seat].issuperset(cards):
            return False
        if len(cards) != len(set(cards)) or len(cards) != count:
            return False
        self.given[seat] = list(cards)
        if all(other in self.given for other in seats):
            for giver in seats:
                self.hands[giver] -= set(self.given[giver])
            for giver in seats:
                self.hands[(giver + step) % len(self.hands)] |= set(self.given[giver])
        return True

    def following(self, seat: int) -> set[str]:
        """The cards of the suit that was led, where the seat has any; else, and on lead, its hand."""
        hand = self.hands[seat]
        return {card for card in hand if self.trick and card[1] == self.trick[0][1]} or hand

    def holder_of_the_lowest(self) -> int:
        """The seat with the first card in the order of the deck, which is the lowest club if any is dealt."""
        return min(range(len(self.hands)), key=lambda seat: min(map(CARDS.index, self.hands[seat])))


class Check(ABC):
    """A kind at a table. The walk through the log keeps `deal` and asks the questions below; scores are the kind's.

    The options that change nothing here are named in UNREAD. Tests hold OPTIONS and UNREAD to the declared options, and
    ROWS to the packs of the rules.
    """

    ROWS: ClassVar[tuple[Row, ...]]
    OPTIONS: ClassVar[Mapping[str, str | int]]  # those that are read, each with the value that it has if none is given
    UNREAD: ClassVar[tuple[str, ...]] = ()
    IS_LOWEST_FIRST: ClassVar[bool] = False  # of the scores, in the places
    trump: str | None = None
    scores: list[int]  # one a side; seat s belongs to the side s modulo their number

    def __init__(self, players: int, options: Mapping[str, Any]) -> None:
        self.players, self.options = players, options
        self.deal = Deal()
        self.scores = [0] * players

    def option(self, name: str) -> Any:
        """What an option of the table is. The name is one of OPTIONS."""
        return self.options.get(name, self.OPTIONS[name])

    def hand_size(self, cards: int) -> int:
        """How many cards each seat gets of so many."""
        return cards // self.players

    def begin(self, deal: Deal) -> None:
        """Takes up a new deal, or one that is dealt anew."""
        self.deal = deal

    def answer(self, word: str, seat: int, data: Mapping[str, Any]) -> bool:
        """Takes an answer from before the first card, or one that `is_waiting` waits for; False if it may not be."""
        return False

    @abstractmethod
    def opener(self) -> int | None:
        """Who leads to the first trick; None while something else has to be answered first."""

    @abstractmethod
    def may_play(self, seat: int) -> set[str]:
        """The cards that the seat whose turn it is may play."""

    def breaks(self, card: str) -> bool:
        """Whether this card, about to be played, breaks the suit that may not be led before."""
        return False

    def rest(self, seat: int, cards: Sequence[str]) -> bool:
        """Whether the seat on lead may lay down the rest. Adds the tricks that this brings it to those of the deal."""
        return False

    def is_waiting(self) -> bool:
        """Whether a seat has to say something before the deal that is over can be counted."""
        return False

    @abstractmethod
    def count(self) -> str | None:
        """Adds to the scores what the deal has brought. Why the game ends with it, None if it goes on.

        What ends every game, the number of deals, is not asked here.
        """


#: The kinds that are known, by name.
Checks = Mapping[str, type[Check]]
