"""What one seat can know of the cards, worked out from its view: who may hold what, and how likely.

Suits are letters and cards of a suit are strengths (0 is the two, 12 the ace), in ascending lists.
"""

from __future__ import annotations

from games.rules import Rules, View
from games.rules.cards import RANKS, STRENGTH, SUITS

Suits = dict[str, list[int]]

JACK, QUEEN = 9, 10  # strengths
#: In Hearts the last tricks are remembered as they were, as people do; of those before them the spades, cards from the
#: ten up, and what this seat played or passed itself.
FRESH = 2
KEPT_SUIT = "S"
KEPT_FROM = 8


def by_suit(cards: tuple[str, ...]) -> Suits:
    """Strengths by suit, ascending, of cards in deck order."""
    suits: Suits = {suit: [] for suit in SUITS}
    for card in cards:
        suits[card[1]].append(STRENGTH[card])
    return suits


class Memory:
    """The cards as one seat knows them.

    `mine` is the own hand. `out` are the cards that other hands may hold: everything in the deck but the own hand and
    what was seen. `voids` has a set of suits for each seat that has shown to hold none of them, `holder` the seat that
    was given a card and still has it. Of the trick on the table, `best` is the card that wins it so far, of `winner`,
    and `later` are the seats that play to it after this one.

    In Hearts small cards of early tricks are forgotten, so `out` may hold a few that are gone; see `FRESH`. Without
    `counting` nothing but the trick on the table is remembered, and whether the queen of spades has been played, which
    nobody misses.
    """

    __slots__ = (
        "_none",
        "best",
        "counting",
        "counts",
        "deck",
        "hidden",
        "holder",
        "later",
        "led",
        "me",
        "mine",
        "others",
        "out",
        "voids",
        "winner",
    )

    def __init__(self, view: View, rules: Rules, *, counting: bool = True) -> None:
        self.me = view.seat or 0
        self.deck = frozenset(rules.deck)
        self.counts = view.hand_counts
        self.counting = counting
        self.others = [(self.me + i) % view.players for i in range(1, view.players)]
        hand = view.hand or ()
        self.mine = by_suit(hand)
        seen = {*hand, *view.trick, *(view.kitty or ())}
        if counting and rules.has_points:
            given = set(view.gave or ())
            seen.update(*[self._remembered(trick.leader, trick.cards, given) for trick in view.tricks[:-FRESH]])
            seen.update(*[trick.cards for trick in view.tricks[-FRESH:]])
        elif counting:
            seen.update(*[trick.cards for trick in view.tricks])
        elif any("QS" in trick.cards for trick in view.tricks):
            seen.add("QS")
        self.out = by_suit(tuple(card for card in rules.deck if card not in seen))
        self.hidden = view.kitty_count if view.kitty is None else 0
        self.voids: list[set[str]] = [set() for _ in range(view.players)]
        self.holder: dict[str, int] = {}
        self._see_trick(view, rules)
        if counting:
            self._see_voids(view)
            self._see_given(view, seen)
        self._none: dict[tuple[int, str], list[float]] = {}

    def _remembered(self, leader: int, cards: tuple[str, ...], given: set[str]) -> list[str]:
        """What stays in mind of a trick that was some time ago. `given`: the cards that this seat passed."""
        own = cards[(self.me - leader) % len(cards)]
        return [
            card
            for card in cards
            if card == own or card in given or card[1] == KEPT_SUIT or STRENGTH[card] >= KEPT_FROM
        ]

    def _see_trick(self, view: View, rules: Rules) -> None:
        self.led: str | None = view.trick[0][1] if view.trick else None
        self.winner: int | None = None
        self.best: str | None = None
        if view.trick:
            self.winner = rules.winner(view.leader or 0, view.trick)
            self.best = view.trick[(self.winner - (view.leader or 0)) % view.players]
        self.later = self.others[: view.players - 1 - len(view.trick)]

    def _see_voids(self, view: View) -> None:
        tricks = [(trick.leader, trick.cards) for trick in view.tricks]
        if view.trick:
            tricks.append((view.leader or 0, view.trick))
        for leader, cards in tricks:
            suit = cards[0][1]
            for i, card in enumerate(cards):
                if card[1] != suit:
                    self.voids[(leader + i) % view.players].add(suit)

    def _see_given(self, view: View, seen: set[str]) -> None:
        """The cards this seat gave away lie where they went until they are played."""
        if not view.gave or view.received is None:
            return
        away = {"left": 1, "opponent": 1, "right": -1, "across": view.players // 2, None: 2}.get(view.direction)
        if away is not None:
            to = (self.me + away) % view.players
            self.holder = {card: to for card in view.gave if card not in seen}

    # --- chances ----------------------------------------------------------------------------------------------------

    def none_of(self, seat: int, suit: str) -> list[float]:
        """At place k: the chance that the seat holds none of k certain cards of the suit that are out.

        Every place of a card that is out counts as equally likely, but for seats that are void. The last place is the
        chance that the seat is void.
        """
        known = self._none.get((seat, suit))
        if known is not None:
            return known
        number = len(self.out[suit])
        if suit in self.voids[seat]:
            table = [1.0] * (number + 1)
        else:
            held = self.counts[seat]
            places = self.hidden + sum(self.counts[s] for s in self.others if suit not in self.voids[s])
            table = [1.0]
            for k in range(number):
                left = places - k
                table.append(table[-1] * max(0.0, left - held) / left if left > 0 else 0.0)
        self._none[seat, suit] = table
        return table

    def void(self, seat: int, suit: str) -> float:
        """The chance that the seat holds no card of the suit."""
        if self.holder and any(to == seat and card[1] == suit for card, to in self.holder.items()):
            return 0.0
        return self.none_of(seat, suit)[-1]

    def holds(self, seat: int, card: str) -> float:
        """The chance that the seat holds a card."""
        if STRENGTH[card] not in self.out[card[1]]:
            return 0.0
        if card in self.holder:
            return float(self.holder[card] == seat)
        return 1.0 - self.none_of(seat, card[1])[1]

    def over(self, seat: int, suit: str, strength: int, willing: float) -> float:
        """The chance that the seat plays a higher card of the suit.

        It does if it holds nothing lower, and, with cards on both sides, as often as it is `willing`.
        """
        none = self.none_of(seat, suit)
        low = sum(s < strength for s in self.out[suit])
        nothing_low, void = none[low], none[-1]
        nothing_high = none[len(self.out[suit]) - low]
        both = max(0.0, 1.0 - nothing_low - nothing_high + void)
        return max(0.0, nothing_low - void) + willing * both

    def in_deck(self, suit: str, strength: int) -> bool:
        return RANKS[strength] + suit in self.deck

    def share(self, suit: str, strength: int) -> float:
        """How many of the cards of the suit that are out are lower, 0 to 1; 1 if none is out."""
        out = self.out[suit]
        return sum(s < strength for s in out) / len(out) if out else 1.0

    def followers(self, suit: str) -> int:
        """How many other seats have not shown to be void in the suit."""
        return sum(suit not in self.voids[seat] for seat in self.others)
