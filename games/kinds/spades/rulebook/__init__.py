"""The rules pages of Spades: what `Kind.rulebook` asks for."""

from games.kinds.spades.rulebook.more import all_terms, house_rules_told, words_page
from games.kinds.spades.rulebook.page import rules_page
from games.kinds.spades.words import SENTENCES

__all__ = ["SENTENCES", "all_terms", "house_rules_told", "rules_page", "words_page"]
