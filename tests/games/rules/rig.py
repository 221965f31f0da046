"""Rigged positions for tests: exact hands, or a deal with one trick left to play. Cards are written "2C QS"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.kinds import rules_for
from games.rules import Action, Refused, Rules, State, in_order
from games.rules.state import DealScore, Trick, evolve


def table(kind: str, players: int = 4, **options: Any) -> Rules:
    """The rules of a table, options by name."""
    return rules_for(kind, players, options)


def dealt(
    rules: Rules, hands: Mapping[int, str], *, dealer: int = 0, kitty: str = "", before: State | None = None
) -> State:
    """A game whose deal gives these cards to these seats; the rest of the deck fills the hands in deck order.

    `before` is a state in which a deal is due; without it the game is opened with that dealer.
    """
    state = before or rules.apply(rules.start(), Action("open", dealer=dealer))
    _, _, dealer = rules.next_deal(state)
    wanted = {seat: cards.split() for seat, cards in hands.items()}
    named = {card for cards in wanted.values() for card in cards} | set(kitty.split())
    rest = [card for card in rules.deck if card not in named]
    full = []
    for seat in range(rules.players):
        hand = wanted.get(seat, [])
        missing = rules.hand_size - len(hand)
        full.append(hand + rest[:missing])
        rest = rest[missing:]
    order = [(dealer + 1 + i) % rules.players for i in range(rules.players)]
    pack = [full[seat][row] for row in range(rules.hand_size) for seat in order]
    return rules.apply(state, Action("deal", pack=(*pack, *kitty.split(), *rest)))


def play(rules: Rules, state: State, cards: str) -> State:
    """The state after these cards, each by the seat on turn."""
    for card in cards.split():
        state = rules.apply(state, Action("play", state.turn, card=card))
    return state


def legal(rules: Rules, state: State) -> str:
    """The cards that the seat on turn may play, in deck order."""
    assert state.turn is not None
    return " ".join(a.card or "" for a in rules.legal_actions(state, state.turn) if a.kind == "play")


def refusal(rules: Rules, state: State, action: Action) -> str:
    """The code with which the action is refused; "" if it is not. The list of legal actions has to agree."""
    try:
        rules.check(state, action)
    except Refused as refused:
        if action.seat is not None and 0 <= action.seat < rules.players:
            assert action not in rules.legal_actions(state, action.seat)
        return refused.code
    return ""


def why_not(rules: Rules, state: State, card: str) -> str:
    """The code with which the seat on turn is refused this card."""
    return refusal(rules, state, Action("play", state.turn, card=card))


def ending(rules: Rules, taken: Mapping[int, str], last: str, **fields: Any) -> State:
    """Hearts before the last trick, with seat 0 on lead: what seats have taken so far, and the last card of each seat.

    Cards of the deck that are not named were taken by seat 0. `fields` are fields of the state, such as `scores`.
    """
    hands = last.split()
    kitty = fields.pop("kitty", "").split()
    named = {card for cards in taken.values() for card in cards.split()} | {*hands, *kitty}
    hauls = {seat: cards.split() for seat, cards in taken.items()}
    hauls[0] = hauls.get(0, []) + [card for card in rules.deck if card not in named]
    n = rules.players
    tricks = [
        Trick(seat, tuple(cards[i : i + n]), seat)
        for seat, cards in sorted(hauls.items())
        for i in range(0, len(cards), n)
    ]
    dealt_state = rules.apply(rules.start(), Action("open", dealer=fields.pop("dealer", 0)))
    return evolve(
        dealt_state,
        **{
            "phase": "play",
            "hands": tuple((card,) for card in hands),
            "kitty": in_order(kitty),
            "tricks": tuple(tricks),
            "broken": True,
            "turn": 0,
            "leader": 0,
            "sheet": earlier_deals(rules, fields.get("deal", 1)),
            **fields,
        },
    )


def earlier_deals(rules: Rules, deal: int) -> tuple[DealScore, ...]:
    """Rows of the score sheet for the deals before this one, in which nobody scored."""
    none = (0,) * rules.sides
    return tuple(DealScore(number, (), none, none, rules.first_bags()) for number in range(1, deal))


def played_out(rules: Rules, state: State) -> State:
    """The state after each seat, from seat 0 on, has played its last card."""
    return play(rules, state, " ".join(hand[0] for hand in state.hands))


def spades_deal(rules: Rules, bids: str, tricks: str, **fields: Any) -> State:
    """Spades after a deal with these bids and tricks a seat, e.g. "5 3 nil blind" and "5 4 0 4" (13 in all)."""
    winners = [seat for seat, count in enumerate(tricks.split()) for _ in range(int(count))]
    assert len(winners) == 13
    last = winners.pop()
    dealt_state = rules.apply(rules.start(), Action("open", dealer=0))
    bidding = [0 if bid in ("nil", "blind") else int(bid) for bid in bids.split()]
    hands = tuple(("AS",) if seat == last else (card,) for seat, card in enumerate(["2C", "2D", "2H", "3C"]))
    state = evolve(
        dealt_state,
        **{
            "phase": "play",
            "hands": hands,
            "bids": tuple(bidding),
            "blinds": tuple(True if bid == "blind" else None for bid in bids.split()),
            "tricks": tuple(Trick(seat, ("4C", "5C", "6C", "7C"), seat) for seat in winners),
            "broken": True,
            "turn": 0,
            "leader": 0,
            "sheet": earlier_deals(rules, fields.get("deal", 1)),
            **fields,
        },
    )
    return played_out(rules, state)
