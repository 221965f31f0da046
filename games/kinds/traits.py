"""What pages tell their scripts of a game, so that no script asks for its name. Pure."""

from __future__ import annotations

from typing_extensions import TypedDict


class Column(TypedDict):
    """A column about the answers of a question: the name of its fact, and the title."""

    name: str
    title: str


class MistakeTraits(TypedDict):
    """How the replay tells what comes of answers; see `MistakeWords`."""

    counted: str
    points: list[Column]
    rates: list[list[Column]]


class Traits(TypedDict):
    """What the scripts of the table and of the replay know of a game, instead of asking for its name."""

    label: str
    suit: str  # whose sign stands for the game
    highest_wins: bool
    phases: list[str]  # of a deal, in which seats are asked
    broken: str  # the sentence when the suit is broken
    broken_facts: list[str] | None  # before and afterwards, beside the sign
    nil: str  # what is asked before a nil is bid; empty where a bid of nothing has no name
    lines: dict[str, str]  # of a deal's score
    refusals: dict[str, str]  # codes that only this game's rules know
    mistakes: MistakeTraits | None
