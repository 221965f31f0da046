"""Spades before the first card: blind nil, the bid, the exchange. Estimates are in tricks."""

from __future__ import annotations

import random

from games.cpu.memory import Suits, by_suit
from games.rules import Action, View
from games.rules.cards import STRENGTH, in_order

ACE, KING, QUEEN, JACK, TEN = 12, 11, 10, 9, 8
SIDE_SUITS = "CDH"

#: How far behind a side has to be before a nil is bid blind, and how often it then is.
BLIND_GAP = 200
BLIND_CHANCE = 0.4
#: The most that a nil may risk, in tricks that it would take against its will.
NIL_RISK = 0.5
#: Two sides that promise so much together are better off promising less.
TIGHT_SUM = 12


def choose_before_play(view: View, rng: random.Random) -> Action:
    """The answer to a blind question, a bid or an exchange."""
    seat, ask, hand = view.seat or 0, view.ask, view.hand or ()
    assert ask is not None
    if ask.phase == "blind":
        return Action("blind", seat, blind=_wants_blind(view, rng))
    if ask.phase == "exchange":
        give = _dangerous(hand) if (view.bids[seat] == 0 and view.blinds[seat]) else _harmless(hand)
        return Action("exchange", seat, cards=in_order(give))
    return Action("bid", seat, bid=choose_bid(view))


def _wants_blind(view: View, rng: random.Random) -> bool:
    side = (view.seat or 0) % 2
    gap = view.scores[1 - side] - view.scores[side]
    near_end = view.scores[1 - side] >= int(view.options["target"]) - 100
    return gap >= (BLIND_GAP - 100 if near_end else BLIND_GAP) and rng.random() < BLIND_CHANCE


def choose_bid(view: View) -> int:
    """Nil if the hand is safe for it, else the tricks that the hand is good for, with an eye on what was bid."""
    seat = view.seat or 0
    suits = by_suit(view.hand or ())
    estimate = tricks(suits)
    partner = view.bids[(seat + 2) % 4]
    if _nil_is_wise(view, suits, estimate, partner):
        return 0
    bid = max(1, int(estimate + 0.35))
    others = [other for other in view.bids if other is not None]
    if len(others) == 3 and sum(others) + bid > TIGHT_SUM and estimate < bid + 0.4:
        bid = max(1, bid - 1)
    return min(bid, 13)


def _nil_is_wise(view: View, suits: Suits, estimate: float, partner: int | None) -> bool:
    if estimate >= 2.2 or partner == 0:
        return False
    side = (view.seat or 0) % 2
    ahead = view.scores[side] - view.scores[1 - side]
    near_end = view.scores[side] >= int(view.options["target"]) - 70
    limit = NIL_RISK * (0.6 if near_end and ahead > 0 else 1.0) * (1.3 if ahead < -150 else 1.0)
    if partner is not None and partner >= 4:
        limit *= 1.25  # a strong partner can cover
    return nil_risk(suits) < limit


def tricks(suits: Suits) -> float:
    """What a hand is good for: high cards, long spades, ruffs."""
    spades = suits["S"]
    total = 0.0
    for suit in SIDE_SUITS:
        held, number = suits[suit], len(suits[suit])
        long = 1.0 if number <= 4 else 0.8 if number == 5 else 0.5
        if ACE in held:
            total += 0.95 * long
        if KING in held:
            total += (0.75 if number >= 2 else 0.3) * long
        if QUEEN in held and number >= 3 and number <= 4:
            total += 0.35 if KING in held or ACE in held else 0.2
    number = len(spades)
    high = [ACE in spades, KING in spades and number >= 2, QUEEN in spades and number >= 3]
    total += sum(high) + (0.5 if JACK in spades and number >= 4 else 0.0)
    spare = number - sum(high)
    long_spades = max(0, number - 3 - (0 if sum(high) else 1))
    total += 0.75 * min(long_spades, spare)
    spare -= min(long_spades, spare)
    short = sum({0: 0.9, 1: 0.5, 2: 0.15}.get(len(suits[suit]), 0.0) for suit in SIDE_SUITS)
    return total + min(short, 0.8 * max(0, spare))


def nil_risk(suits: Suits) -> float:
    """Tricks that the hand would take though it ducks, roughly."""
    spades = suits["S"]
    if ACE in spades or len(spades) >= 5:
        return 9.0
    risk = 0.0
    for place, strength in enumerate(spades):
        over = {KING: 0.8, QUEEN: 0.5, JACK: 0.35, TEN: 0.2}.get(strength, 0.06 if strength < 6 else 0.12)
        risk += over * (1.6 if len(spades) - place > 2 else 1.0)
    for suit in SIDE_SUITS:
        held = suits[suit]
        for place, strength in enumerate(held):
            # A card is safe under the others' while enough lower cards of the suit are played first.
            cover = place
            risk += max(0.0, (strength - 5) / 7.0) * (0.5, 0.22, 0.08, 0.02)[min(cover, 3)]
            if place == 0 and strength >= JACK:
                risk += 0.35
    return risk


def _dangerous(hand: tuple[str, ...]) -> list[str]:
    """What a blind nil gives away: high spades, then high cards with little under them."""
    suits = by_suit(hand)

    def danger(card: str) -> float:
        strength, suit = STRENGTH[card], card[1]
        if suit == "S":
            return 20.0 + strength if strength >= TEN else 4.0 + strength
        return strength + 3.0 - 2.0 * suits[suit].index(strength)

    return sorted(hand, key=danger)[-2:]


def _harmless(hand: tuple[str, ...]) -> list[str]:
    """What a partner gives a blind nil: the lowest cards beside spades."""
    return sorted(hand, key=lambda card: (card[1] == "S", STRENGTH[card]))[:2]
