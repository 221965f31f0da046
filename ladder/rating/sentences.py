"""What a receipt says in words. Codes and parameters are stored; the sentence is written where the language is known.

The sentences name nobody, so the same one serves its own player and everybody else at the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ladder.rating.formula import FLOOR, FULL_GAMES_A_DAY, GAMES_A_DAY

Parameters = Mapping[str, int | str]

_SENTENCES: dict[str, Callable[[], str]] = {
    "hearts_placed": lambda: _("Place %(place)s of %(humans)s."),
    "spades_won": lambda: _("Won, together with the partner."),
    "spades_drew": lambda: _("A draw, which is half a win."),
    "spades_lost": lambda: _("Lost, together with the partner."),
    "spades_won_leaver": lambda: _("Won against a side that a player had left: half of it counts."),
    "spades_drew_leaver": lambda: _("A draw against a side that a player had left: half of it counts."),
    "spades_lost_leaver": lambda: _("Lost to a side that a player had left: half of it counts."),
    "spades_spared": lambda: _("The partner left and the game was not won: the rating stays as it is."),
    "spades_left": lambda: _("Left the game: a loss, whatever the side has made of it."),
    "repeated_half": lambda: _("From game %(from)s of the same people on one day each counts half."),
    "repeated": lambda: _("After %(most)s games of the same people on one day further ones count for nothing."),
    "void": lambda: _("The game was declared void: what it did to the rating is taken back."),
}


def sentence(code: str, parameters: Parameters) -> str:
    """The sentence of a receipt, in the reader's language."""
    if code == "hearts_placed_leaver":
        text = ngettext(
            "Place %(place)s of %(humans)s. %(leavers)s player has left and lost to everybody who stayed.",
            "Place %(place)s of %(humans)s. %(leavers)s players have left and lost to everybody who stayed.",
            int(parameters["leavers"]),
        )
    elif code == "hearts_left":
        text = _left(int(parameters["stayed"]))
    else:
        text = _SENTENCES[code]()
    return text % {**parameters, "from": FULL_GAMES_A_DAY + 1, "most": GAMES_A_DAY}


def _left(stayed: int) -> str:
    if stayed:
        return _("Left the game: lost to everybody who stayed, whatever the CPU in the seat has made of it.")
    return _("Everybody has left the game: nobody has won or lost against anybody.")


def notes(*, has_left: bool, extra: Decimal, after: Decimal, cpus: int, code: str) -> list[str]:
    """What else a reader has to know to follow the sum: what leaving costs, the floor, seats that count for nothing."""
    found: list[str] = []
    if code == "void":
        return found
    if has_left and extra:
        found.append(
            _("For leaving once more within 30 days another %(points)s points are taken off.") % {"points": abs(extra)}
        )
    elif has_left and code != "repeated":
        found.append(_("The first time within 30 days leaving takes off nothing more; the next time it does."))
    if after == FLOOR:
        found.append(_("No rating falls below %(floor)s.") % {"floor": int(FLOOR)})
    if cpus:
        found.append(_("A CPU has no rating: its seat adds nothing to the sum."))
    return found
