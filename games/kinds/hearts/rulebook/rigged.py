"""Rigged deals of Hearts for worked examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from games.kinds.hearts.options import HeartsOptions
from games.kinds.hearts.rules import JACK, QUEEN, Hearts
from games.rulebook.rigged import last_trick
from games.rules import Action, State, in_order
from games.rules.state import Trick, evolve

#: What a seat took that may score: how many hearts, the queen of spades, the jack of diamonds.
Haul = tuple[int, bool, bool]


def hearts_table(players: int, options: Mapping[str, str | int]) -> Hearts:
    """The rules of a table of Hearts."""
    return Hearts(players, HeartsOptions.from_json(options))


def all_hearts(rules: Hearts) -> int:
    """How many hearts are in play at a table."""
    return sum(card[1] == "H" for card in rules.penalty)


def hearts_deal(
    rules: Hearts, hauls: Mapping[int, Haul], *, scores: Sequence[int] = (), choice: str = "add", extra_deals: int = 0
) -> State:
    """The state after a deal in which seats took these point cards and ♦J; those not given go to the last seat.

    All else goes to seat 0. `scores` are those before the deal; `choice` is the shooter's where one is asked.
    """
    n = rules.players
    hearts = [card for card in rules.deck if card[1] == "H"]
    taken: list[list[str]] = [[] for _ in range(n)]
    for seat, (count, queen, jack) in hauls.items():
        taken[seat] += [hearts.pop(0) for _ in range(count)]
        taken[seat] += [QUEEN] * queen + [JACK] * jack
    named = {card for haul in taken for card in haul}
    taken[n - 1] += hearts + [card for card in (QUEEN, JACK) if card in rules.deck and card not in named]
    given = {card for haul in taken for card in haul}
    harmless = [card for card in rules.deck if card[1] != "H" and card != QUEEN and card not in given]
    last = [card for card in harmless if card[1] == "C"][-n:]  # the last trick, which seat 0 wins with the highest
    rest = [card for card in harmless if card not in last]
    kitty_count = len(rules.deck) - rules.hand_size * n
    kitty, rest = rest[:kitty_count], rest[kitty_count:]
    taken[0] += rest
    state = evolve(
        rules.apply(rules.start(), Action("open", dealer=0)),
        phase="play",
        hands=tuple((card,) for card in [last[-1], *last[:-1]]),
        kitty=in_order(kitty),
        kitty_taker=0 if kitty else None,
        tricks=tuple(
            Trick(seat, tuple(haul[i : i + n]), seat) for seat, haul in enumerate(taken) for i in range(0, len(haul), n)
        ),
        broken=True,
        turn=0,
        leader=0,
        scores=tuple(scores) or (0,) * n,
        extra_deals=extra_deals,
    )
    state = last_trick(rules, state)
    if state.phase == "moon":
        state = rules.apply(state, Action("moon", state.turn, choice=choice))
    return state
