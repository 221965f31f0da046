"""Rigged deals of Spades for worked examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from games.kinds.spades.options import SpadesOptions
from games.kinds.spades.rules import Spades
from games.rulebook.rigged import last_trick
from games.rules import Action, State
from games.rules.state import Trick, evolve


def spades_table(options: Mapping[str, str | int]) -> Spades:
    """The rules of a table of Spades."""
    return Spades(4, SpadesOptions.from_json(options))


def spades_deal(
    rules: Spades,
    bids: Sequence[int],
    tricks: Sequence[int],
    *,
    blind: Sequence[int] = (),
    scores: Sequence[int] = (0, 0),
    bags: Sequence[int] = (0, 0),
) -> State:
    """The state after a deal with these bids and tricks by seat; 0 is nil, `blind` are the seats that bid it so."""
    winners = [seat for seat, count in enumerate(tricks) for _ in range(count)]
    last = winners.pop()
    hands = tuple(("AS",) if seat == last else (card,) for seat, card in enumerate(["2C", "2D", "2H", "3C"]))
    state = evolve(
        rules.apply(rules.start(), Action("open", dealer=0)),
        phase="play",
        hands=hands,
        bids=tuple(bids),
        blinds=tuple(True if seat in blind else None for seat in range(4)),
        tricks=tuple(Trick(seat, ("4C", "5C", "6C", "7C"), seat) for seat in winners),
        broken=True,
        turn=0,
        leader=0,
        scores=tuple(scores),
        bags=tuple(bags),
    )
    return last_trick(rules, state)
