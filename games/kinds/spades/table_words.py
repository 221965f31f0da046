"""What the table and the replay call what only Spades has."""

from __future__ import annotations

from collections.abc import Mapping

from games.kinds.kind import MistakeWords, Words
from games.kinds.spades.options import SpadesOptions
from games.rules.options import _


def refusals(options: SpadesOptions) -> Mapping[str, str]:
    """The sentences of refusals at a table with these options."""
    return {"spades_not_broken": _("Spades may not be led before a spade has been played. Lead another suit.")}


WORDS = Words(
    broken=(_("Spades not broken"), _("Spades broken")),
    nil=_(
        "You promise to take no trick at all. Your side gets 100 points if you keep it, and loses 100 if you take even "
        "one. Your partner's bid counts on its own."
    ),
    lines={
        "contract": _("Contract made"),
        "missed_contract": _("Contract missed"),
        "nil": _("Nil made"),
        "failed_nil": _("Nil failed"),
        "blind_nil": _("Blind nil made"),
        "failed_blind_nil": _("Blind nil failed"),
        "bags": _("Bags"),
        "bag_penalty": _("Ten bags"),
    },
    refusals=refusals,
    mistakes=MistakeWords(
        counted=_("Costs are in points by what they do to the chance of winning the game. ± is one standard error."),
        points=(("points", _("Your side")), ("theirs", _("Opponents"))),
        rates=((("nil", _("Nil made")), ("contract", _("Bid made"))),),
    ),
)
