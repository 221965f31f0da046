"""The rules page of the game, and its words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from games.rulebook.page import Items, Page, Section, Terms
from games.rulebook.shared import Choices, local_rules
from tests.whist.options import WhistOptions

SENTENCES: dict[str, dict[str, str]] = {"target": {"": "The first side with %(total)s points wins."}}


def rules_page(
    players: Sequence[int], options: Mapping[str, str | int], *, name: str = "", choices: Choices = None
) -> Page:
    """The rules with these options."""
    chosen = WhistOptions.from_json(options)
    told = (
        "Diamonds are trump. Follow suit if you can.",
        "Each trick above six is a point for your side.",
        SENTENCES["target"][""] % {"total": chosen.target},
    )
    return Page(
        f"Rules of Whist: {name}" if name else "Rules of Whist",
        "How to play Whist here.",
        "Tricks, and nothing else.",
        (Section("play", "Play", (Items(told),)), local_rules(chosen, players, choices)),
    )


def words_page() -> tuple[str, str]:
    """Title and description of the page with all words of the game."""
    return "Words of Whist", "What the words of Whist mean."


def all_terms() -> Terms:
    """Every word of the game."""
    return Terms((("Odd trick", "A trick above six."),))


def house_rules_told() -> Terms:
    """House rules that are not offered, each with the reason."""
    return Terms((("A trump that is turned up", "The table has no place for it."),))
