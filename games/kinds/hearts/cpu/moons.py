"""Hearts: the moon. How near another seat is to shooting it, whether to shoot it oneself, and the choice after it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

from games.cpu.memory import Memory, by_suit
from games.rules import Rules, View, in_order
from games.rules.cards import STRENGTH, SUITS

MOON = 26.0
#: Tricks that a hand may lose and still try: after a pass made for it, and without one.
LOSERS_PLANNED = 2
LOSERS_FOUND = 1


# --- of another seat ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Threat:
    """A seat that alone has taken points so far: `taken` penalty cards of `total`."""

    seat: int
    taken: int
    total: int
    tricks_left: int

    def chance(self, more: int = 0) -> float:
        """About how likely it shoots the moon if it takes `more` penalty cards with this trick."""
        taken = 14.0 * (self.taken + more) / self.total
        return float((taken / (taken + 0.8 * self.tricks_left)) ** 1.4) if taken else 0.0


def threat_in(view: View, memory: Memory, penalty: frozenset[str]) -> Threat | None:
    """The seat that alone has taken points; None if that is nobody or this seat, or no moon can be shot any more."""
    takers = [seat for seat, points in enumerate(view.points_taken) if points]
    if len(takers) != 1 or takers[0] == memory.me or not _moon_open(view, takers[0]):
        return None
    if memory.me == view.kitty_taker and penalty.intersection(view.kitty or ()):
        return None
    taken = sum(card in penalty for trick in view.tricks for card in trick.cards)
    return Threat(takers[0], taken, len(penalty), max(1, len(view.hand or ()) - 1))


def _moon_open(view: View, seat: int) -> bool:
    """Whether the rules let this seat shoot, as far as the jack of diamonds and the switch go."""
    if view.options["moon"] == "off":
        return False
    if view.options["jack_in_moon"] == "no":
        return True
    return all(trick.winner == seat for trick in view.tricks if "JD" in trick.cards)


# --- the own --------------------------------------------------------------------------------------------------------


def losers(mine: list[int], out: list[int], followers: int) -> int:
    """About how many of these cards of a suit would lose their trick if all are led from the top."""
    left, lost = list(out), 0
    for strength in reversed(mine):
        if left and left[-1] > strength:
            lost += 1
            left.pop()
        if followers:
            del left[: round(followers * (1.0 - (1.0 - 1.0 / followers) ** len(left)))]
    return lost


def moon_pass(hand: tuple[str, ...], count: int, memory: Memory) -> tuple[str, ...] | None:
    """The cards to pass from a hand with which to shoot the moon; None from any other."""
    suits = by_suit(hand)
    out = {suit: [s for s in range(13) if s not in suits[suit] and memory.in_deck(suit, s)] for suit in SUITS}
    if sum(losers(suits[suit], out[suit], len(memory.others)) for suit in SUITS) > LOSERS_PLANNED + count:
        return None
    lost: dict[tuple[str, tuple[int, ...]], int] = {}

    def rest(cards: tuple[str, ...]) -> tuple[int, int, int]:
        total = 0
        for suit in SUITS:
            given = tuple(STRENGTH[card] for card in cards if card[1] == suit)
            if (suit, given) not in lost:
                kept = [s for s in suits[suit] if s not in given]
                lost[suit, given] = losers(kept, out[suit], len(memory.others))
            total += lost[suit, given]
        return total, sum(card[1] == "H" for card in cards), sum(STRENGTH[card] for card in cards)

    best = min(combinations(hand, count), key=rest)
    return best if rest(best)[0] <= LOSERS_PLANNED else None


def shoots(view: View, memory: Memory) -> bool:
    """Whether to play for the own moon from here on: nobody else has a point, and few tricks would be lost."""
    if any(points for seat, points in enumerate(view.points_taken) if seat != memory.me):
        return False
    if not _moon_open(view, memory.me):
        return False
    if view.kitty_taker not in (None, memory.me):  # a point may lie in it
        return False
    lost = sum(losers(memory.mine[suit], memory.out[suit], memory.followers(suit)) for suit in SUITS)
    if memory.best is not None and not _may_win(view, memory):
        if any(card[1] == "H" or card == "QS" for card in view.trick):
            return False
        lost += 1  # and another leads next
    if lost <= LOSERS_FOUND:
        return True
    return lost <= LOSERS_PLANNED and _planned(view, memory)


def _may_win(view: View, memory: Memory) -> bool:
    """Whether a card that may be played beats the best of the trick."""
    assert view.ask is not None
    best = memory.best
    assert best is not None
    return any(card[1] == best[1] and STRENGTH[card] > STRENGTH[best] for card in view.ask.cards)


def _planned(view: View, memory: Memory) -> bool:
    """Whether the cards passed were passed for the moon."""
    if view.gave is None or view.received is None:
        return False
    played = [trick.cards[(memory.me - trick.leader) % view.players] for trick in view.tricks]
    dealt = {*(view.hand or ()), *played, *view.gave} - set(view.received)
    return moon_pass(in_order(dealt), len(view.gave), memory) == view.gave


def shoot(view: View, memory: Memory) -> str:
    """The card to play for the own moon."""
    assert view.ask is not None
    cards, mine, out = view.ask.cards, memory.mine, memory.out

    def is_master(card: str) -> bool:
        return not out[card[1]] or STRENGTH[card] > out[card[1]][-1]

    def lead(card: str) -> tuple[bool, bool, bool, int, int]:
        """Masters first; of suits that others still hold, hearts later, from the longest suit."""
        suit = card[1]
        return is_master(card), bool(out[suit]), suit != "H", len(mine[suit]), STRENGTH[card]

    if memory.best is None:
        return max(cards, key=lead)
    if cards[0][1] == memory.led:
        over = [card for card in cards if STRENGTH[card] > STRENGTH[memory.best]]
        if over and memory.later:
            return max(over, key=STRENGTH.__getitem__)
        return min(over or cards, key=STRENGTH.__getitem__)
    harmless = [card for card in cards if card[1] != "H" and card != "QS"] or cards
    return min(harmless, key=lambda card: (is_master(card), STRENGTH[card]))


# --- the choice -----------------------------------------------------------------------------------------------------


def choose_moon(view: View, rules: Rules) -> str:
    """Add, unless that ends the game with the shooter not alone in first; then the better place, or subtract.

    The end test needs a state; it gets one that holds nothing but what the view says of the game.
    """
    assert view.ask is not None
    assert view.seat is not None
    seat, tables = view.seat, view.ask.tables
    game = replace(rules.start(), deal=view.deal, extra_deals=view.extra_deals, scores=view.scores)
    added, subtracted = tables["add"], tables["subtract"]
    if rules.end(added, game)[0] is None or (rules.places(added)[seat] == 1 and added.count(added[seat]) == 1):
        return "add"
    return "add" if rules.places(added)[seat] < rules.places(subtracted)[seat] else "subtract"
