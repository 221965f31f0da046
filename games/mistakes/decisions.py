"""What a seat decided in a game: each of its own answers, with the view it had when it gave it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from games.cpu.questions import Decision
from games.log.positions import Entry, Table, taken_over
from games.rules import view

#: Answers that are looked at. To call a deal off cannot be weighed against a hand, and finishing costs nothing.
KINDS = ("pass", "blind", "bid", "exchange", "play", "moon")


def decisions_of(table: Table, entries: Sequence[Entry], seat: int) -> Iterator[Decision]:
    """The answers that the player of a seat gave himself, in order, where there was more than one.

    Not those of a stand-in or of the clock, nor what a game that was played on took over, nor what followed once a deal
    was decided. Raises Refused where the log cannot be followed.
    """
    begin = taken_over(entries)
    state = table.rules.start()
    for entry in entries:
        action = entry.action
        if action is None:
            continue
        if entry.seat == seat and entry.cause == "player" and entry.ply > begin and entry.kind in KINDS:
            seen = view(table.rules, state, seat)
            ask = seen.ask
            if ask is not None and ask.finish is None and not (entry.kind == "play" and len(ask.cards) == 1):
                yield Decision(entry.ply, seen, action)
        state = table.rules.apply(state, action)
