"""The section of the page that explains the ladder about finding a table. Every number comes from where it is used."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.rulebook.page import Items, Section
from ladder.queue import matchmaking, tickets, windows


def queue() -> Section:
    """Who may queue, and who is seated with whom."""
    values = {
        "first": windows.FIRST_WINDOW,
        "growth": windows.GROWTH,
        "open": windows.OPEN_AFTER_S,
        "cpu": windows.CPU_AFTER_S,
        "apart": windows.PAIR_APART,
        "check": matchmaking.CHECK_S,
        "lost": tickets.LOST_S,
    }
    return Section(
        "queue",
        _("Finding a table"),
        (
            Items(
                (
                    ngettext(
                        "You need an account and %(games)s finished game of any sort. You wait for one ranked game at "
                        "a time, and play one at a time.",
                        "You need an account and %(games)s finished games of any sort. You wait for one ranked game at "
                        "a time, and play one at a time.",
                        tickets.GAMES_NEEDED,
                    )
                    % {"games": tickets.GAMES_NEEDED},
                    _(
                        "At first only ratings at most %(first)s apart are seated together, then %(growth)s more with "
                        "each second of waiting, and after %(open)s seconds all. Whoever has waited longest comes "
                        "first. Blocked players are never seated together."
                    )
                    % values,
                    _(
                        "Spades: two may queue as partners if their ratings are at most %(apart)s apart. In Hearts "
                        "nobody queues together."
                    )
                    % values,
                    _(
                        "Hearts: after %(cpu)s seconds three may start with a CPU in the fourth seat, if all "
                        "three agree."
                    )
                    % values,
                    _(
                        "When a table is found you have %(check)s seconds to say that you are there. Who does not "
                        "loses the place; the others keep theirs. Whoever is not heard of for %(lost)s seconds "
                        "loses it, too."
                    )
                    % values,
                )
            ),
        ),
    )
