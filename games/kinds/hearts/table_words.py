"""What the table and the replay call what only Hearts has."""

from __future__ import annotations

from collections.abc import Mapping

from games.kinds.hearts.options import HeartsOptions
from games.kinds.kind import MistakeWords, Words
from games.rules.options import _, pgettext_noop

#: Why a heart may not be led yet, by what breaks hearts.
_NOT_BROKEN = {
    "heart": _("Hearts may not be led before a heart has been played. Lead another suit."),
    "queen": _("At this table hearts may not be led before the queen of spades has been played. Lead another suit."),
    "any_point": _(
        "At this table hearts may not be led before a heart or the queen of spades has been played. Lead another suit."
    ),
}

_ONCE_BROKEN = _("At this table a heart may be played only once hearts are broken, unless you hold nothing else.")
#: Why no heart may be played yet, by what breaks hearts.
_HELD_BACK = {
    "heart": _ONCE_BROKEN,
    "queen": _("At this table a heart may be played only after the queen of spades, unless you hold nothing else."),
    "any_point": _ONCE_BROKEN,
}


def refusals(options: HeartsOptions) -> Mapping[str, str]:
    """The sentences of refusals at a table with these options."""
    return {
        "hearts_not_broken": _NOT_BROKEN[options.hearts_broken_by],
        "hearts_held_back": _HELD_BACK[options.hearts_broken_by],
        "no_points_first_trick": _("Hearts and the queen of spades may not be played on the first trick."),
    }


WORDS = Words(
    broken=(_("Hearts not broken"), _("Hearts broken")),
    lines={
        "hearts": pgettext_noop("the suit", "Hearts"),
        "queen": _("Queen of spades"),
        "jack": _("Jack of diamonds"),
        "moon": _("Moon"),
    },
    refusals=refusals,
    mistakes=MistakeWords(
        counted=_(
            "Costs are in points against the average of the others; near the end of the game the final place counts, "
            "too. ± is one standard error."
        ),
        points=(("points", _("You get")),),
        rates=((("queen", _("♠Q")),), (("moon", _("Moon")),)),
    ),
)
