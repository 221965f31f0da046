"""The rulebook: rules pages drawn from options, in the reader's language, and the site's general pages.

Pure but for translation: standard library, `games.rules` and gettext. A sentence that states a rule is looked up by the
value of its option, and every figure is asked of the engine, so a page and a table cannot disagree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from games.kinds.hearts.rulebook import sentences as hearts_sentences
from games.kinds.hearts.rulebook.page import hearts_page
from games.kinds.spades.rulebook import sentences as spades_sentences
from games.kinds.spades.rulebook.page import spades_page
from games.rulebook.guide import GUIDES, guide
from games.rulebook.page import Page, Section
from games.rulebook.shared import Choices
from games.rules import Refused

#: Kind, option, value: the sentence that states the rule.
SENTENCES = {"hearts": hearts_sentences.SENTENCES, "spades": spades_sentences.SENTENCES}

__all__ = ["GUIDES", "SENTENCES", "Page", "Section", "guide", "rules_page"]


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
    if kind == "hearts":
        return hearts_page(players, options, name=name, choices=choices)
    if kind == "spades":
        return spades_page(options, name=name, choices=choices)
    raise Refused("unknown_kind", field="kind")
