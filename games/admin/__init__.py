"""The admin: presets to write; games, parties, reports and users to look after. Never the cards of a running game.

One module for each thing that is looked after; `base` has what they share.
"""

from games.admin import games, log, parties, presets, reports, users

__all__ = ["games", "log", "parties", "presets", "reports", "users"]
