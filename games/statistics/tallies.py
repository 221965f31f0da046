"""What one finished game adds to the public statistics of deals. Pure: from its log to counts.

Counted are games among four, with all 52 cards. Of a deal only what is told here is kept, never whose it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from games.log.positions import Entry, Table
from games.rules import State

QUEEN = "QS"
PEOPLE = "people"
#: Kinds of a log's entry that answer a question of a deal.
ANSWERS = ("skip", "pass", "blind", "bid", "exchange", "play", "moon", "finish")
#: Lines of a score that say how a nil went.
NILS = {"nil": "made", "failed_nil": "failed", "blind_nil": "made", "failed_blind_nil": "failed"}

#: What was counted, and the value that it was counted for.
Key = tuple[str, str]


def is_counted(table: Table) -> bool:
    """Whether games at this table are counted."""
    return table.rules.players == 4 and len(table.rules.deck) == 52


def of_game(table: Table, entries: Iterable[Entry]) -> Counter[Key]:
    """The counts of a game from its log."""
    found: Counter[Key] = Counter()
    if not is_counted(table):
        return found
    state = table.rules.start()
    causes: dict[tuple[int, int], set[str]] = {}  # of the answers of a seat in a deal
    for entry in entries:
        action = entry.action
        if action is None:
            continue
        if entry.kind in ANSWERS and entry.seat is not None:
            causes.setdefault((state.deal, entry.seat), set()).add(entry.cause)
        state = table.rules.apply(state, action)
        if entry.kind == "open":
            found["first_dealer", str(state.dealer)] += 1
            found["games", table.rules.kind] += 1
        elif entry.kind == "deal":
            found.update(_of_deal(table, state))
    found.update(_of_play(table, state, causes))
    return found


def _of_deal(table: Table, state: State) -> Counter[Key]:
    """What lies in the hands before a card is passed."""
    found: Counter[Key] = Counter({("deals", table.rules.kind): 1})
    for seat, hand in enumerate(state.hands):
        lengths = Counter(card[1] for card in hand)
        for suit in "CDHS":
            found["length", str(lengths[suit])] += 1
        away = (seat - state.dealer) % 4
        if QUEEN in hand:
            found["queen_seat", str(seat)] += 1
            found["queen_away", str(away)] += 1
        if away == 1:  # one suit of one hand of each deal: such numbers do not hang together
            found["one_length", str(lengths["S"])] += 1
    return found


def _of_play(table: Table, state: State, causes: dict[tuple[int, int], set[str]]) -> Counter[Key]:
    """Points of deals of Hearts and nils of Spades, by who played the seat from the first card to the last."""
    found: Counter[Key] = Counter()
    for row in state.sheet:
        for seat in range(4):
            who = _who(table, seat, causes.get((row.deal, seat), set()))
            if who is None:
                continue
            if table.rules.points_are_told:
                found["points", f"{who} {row.change[seat]}"] += 1
            for line in row.lines:
                if line.seat == seat and line.what in NILS:
                    found["nil", f"{who} {NILS[line.what]}"] += 1
    return found


def _who(table: Table, seat: int, causes: set[str]) -> str | None:
    """People, or the level of a CPU; None where a seat was in several hands during a deal."""
    level = table.holders[seat].cpu_level
    if level:
        return level
    return PEOPLE if causes == {"player"} else None
