"""The rules pages of Hearts: what `Kind.rulebook` asks for."""

from games.kinds.hearts.rulebook.more import all_terms, house_rules_told, words_page
from games.kinds.hearts.rulebook.page import rules_page
from games.kinds.hearts.words import SENTENCES

__all__ = ["SENTENCES", "all_terms", "house_rules_told", "rules_page", "words_page"]
