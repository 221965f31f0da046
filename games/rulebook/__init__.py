"""What rules pages of every kind share: the page, its figures and words.

Pure but for translation: standard library, `games.rules` and gettext. A sentence that states a rule is looked up by the
value of its option, and every figure is asked of the engine, so a page and a table cannot disagree.
"""

from games.rulebook.page import Page, Section

__all__ = ["Page", "Section"]
