"""The presets of Spades that are shipped with the site, each playing as one of the systems that were studied.

A preset is added, and changed, in this list alone: every site follows it when it next starts, a fresh one and a running
one, and keeps what its administrators have edited (`games.presets.services.sync_shipped`). They add more in the admin.
"""

from __future__ import annotations

from games.kinds.preset import Preset
from games.rules.options import _

PRESETS: tuple[Preset, ...] = (
    Preset(
        "spades-standard",
        "spades",
        (4,),
        _("Standard"),
        _("Partnerships to 500, with nil, bags and the floor at minus 200."),
        ranked=4,
    ),
    Preset("spades-short", "spades", (4,), _("Short"), _("To 250: half the length."), {"target": 250}),
    Preset(
        "spades-blind-nil",
        "spades",
        (4,),
        _("Blind nil"),
        _("A side far behind may bid nil before it sees its cards."),
        {"blind_nil": "yes"},
    ),
)
