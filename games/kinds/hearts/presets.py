"""The presets of Hearts that are shipped with the site, each playing as one of the systems that were studied.

A preset is added, and changed, in this list alone: every site follows it when it next starts, a fresh one and a running
one, and keeps what its administrators have edited (`games.presets.services.sync_shipped`). They add more in the admin.
"""

from __future__ import annotations

from games.kinds.preset import Preset
from games.rules.options import _

_PORTAL: dict[str, str | int] = {
    "hearts_broken_by": "any_point",
    "end_test": "exceed",
    "moon": "choose",
    "standing": "winner_only",
    "tie_for_first": "shared",
}

PRESETS: tuple[Preset, ...] = (
    Preset(
        "hearts-standard",
        "hearts",
        (3, 4, 5),
        _("Standard"),
        _("The classic game to 100, played on until somebody is alone in front."),
        ranked=4,
    ),
    Preset(
        "hearts-short",
        "hearts",
        (4,),
        _("Short"),
        _("To 50, with a tie for first shared: about a quarter of an hour."),
        {"end_score": 50, "tie_for_first": "shared"},
    ),
    Preset(
        "hearts-stadium",
        "hearts",
        (2, 3, 4, 5, 6, 7),
        _("Stadium"),
        _("For two to seven: always pass left, hearts broken by the queen of spades, scores in minus."),
        {"passing": "always_left", "hearts_broken_by": "queen", "tie_for_first": "shared", "score_sign": "minus"},
        choices={
            "end_score": (40, 50, 60, 70, 80, 90, 100),
            "passing": ("always_left", "rotate"),
            "first_lead": ("low_club", "dealer_left"),
            "moon": ("add", "off"),
        },
    ),
    Preset(
        "hearts-portal-classic",
        "hearts",
        (4,),
        _("Portal classic"),
        _("Only first place counts, and the shooter of the moon chooses how it is scored."),
        _PORTAL,
    ),
    Preset(
        "hearts-portal-jack",
        "hearts",
        (4,),
        _("Portal ♦J"),
        _("Portal classic with the jack of diamonds at minus ten, which the moon needs as well."),
        {**_PORTAL, "jack_of_diamonds": "minus_ten", "jack_in_moon": "required"},
    ),
    Preset(
        "hearts-portal-club",
        "hearts",
        (4,),
        _("Portal club"),
        _("Portal classic with a pass in every deal, and one deal a game that each player may call off."),
        {**_PORTAL, "hold_deal": "skip", "moon": "add", "skip_right": "one_each"},
    ),
)
