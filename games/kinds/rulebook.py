"""Rules pages of every kind, drawn from options in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from games.kinds import KINDS
from games.kinds.kind import load
from games.rulebook.page import Page
from games.rulebook.shared import Choices
from games.rules import Refused


def rules_page(
    kind: str,
    players: Sequence[int],
    options: Mapping[str, str | int],
    *,
    name: str = "",
    choices: Choices = None,
) -> Page:
    """The rules page of a set of options for tables of these numbers of players.

    Options that are left out have their defaults. Refused where they do not go together.
    """
    if kind not in KINDS:
        raise Refused("unknown_kind", field="kind")
    page: Page = load(KINDS[kind].rulebook).rules_page(players, options, name=name, choices=choices)
    return page


def sentences_of(kind: str) -> Mapping[str, Mapping[str, str]]:
    """Option, value: the sentence that states the rule."""
    found: Mapping[str, Mapping[str, str]] = load(KINDS[kind].rulebook).SENTENCES
    return found
