"""The rules page of the plain kinds, and their words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from games.kinds import KINDS
from games.rulebook.page import Items, Page, Section, Terms
from games.rulebook.shared import Choices, local_rules

SENTENCES: dict[str, dict[str, str]] = {"goal": {"": "The first side with %(total)s points wins."}}


def rules_page(
    players: Sequence[int], options: Mapping[str, str | int], *, name: str = "", choices: Choices = None
) -> Page:
    """The rules with these options."""
    chosen = KINDS["pairs"].options.from_json(options)
    total = SENTENCES["goal"][""] % {"total": chosen.to_json()["goal"]}
    told = ("Follow suit if you can.", "Each trick is a point.", total)
    sections = (Section("play", "Play", (Items(told),)), local_rules(chosen, players, choices))
    return Page(f"Rules: {name}" if name else "Rules", "How to play it.", "Tricks, and nothing else.", sections)


def words_page() -> tuple[str, str]:
    """Title and description of the page with all words of the game."""
    return "Plain words", "What the words mean."


def all_terms() -> Terms:
    """Every word of the game."""
    return Terms((("Trick", "A card from each seat."),))


def house_rules_told() -> Terms:
    """House rules that are not offered, each with the reason."""
    return Terms((("Trumps", "There are none."),))
