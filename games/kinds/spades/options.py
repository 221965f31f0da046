"""The options of Spades, each declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from games.rules.options import Options, Value, _, choice, whole


@dataclass(frozen=True)
class SpadesOptions(Options):
    """Rule settings of a game of Spades. Every combination is allowed."""

    PLAYERS: ClassVar[tuple[int, ...]] = (4,)

    target: int = whole(
        default=500,
        low=100,
        high=1000,
        label=_("Target"),
        effect=_("The game ends with the deal in which a side gets there; the higher score wins."),
        about=_("A game to 500 takes about half an hour, one to 250 about half of that."),
        fits=_("250 for a short game, 500 for the classic length."),
        icon="end-score",
        chip=_("To %(value)s"),
    )
    bag_penalty: str = choice(
        Value("yes", _("Ten bags cost 100"), _("Bags −100")),
        Value("no", _("No penalty"), _("No bag penalty")),
        default="yes",
        label=_("Penalty for bags"),
        effect=_("Whether every ten tricks above the contracts cost a hundred points."),
        about=_(
            "Each trick above the contract is a bag and worth a point. With the penalty, taking too many "
            "hurts in the long run, "
            "so bids have to be close; without it, bidding low is safe."
        ),
        fits=_("With the penalty for everyone who knows the game; without it for a first try."),
        icon="bags",
    )
    blind_nil: str = choice(
        Value("no", _("Off"), _("No blind nil")),
        Value("yes", _("On"), _("Blind nil")),
        default="no",
        label=_("Blind nil"),
        effect=_("A side at least 100 behind may bid nil before seeing its cards, for 200 points."),
        about=_(
            "Made, it brings 200 points; failed, it costs 200. After the bidding the blind bidder and the "
            "partner swap two cards. "
            "It is the way back for a side that is far behind."
        ),
        fits=_("Players who like a comeback."),
        icon="blind-nil",
    )
    floor: str = choice(
        Value("yes", _("Game over at −200"), _("Floor −200")),
        Value("no", _("No floor"), _("No floor")),
        default="yes",
        label=_("Floor"),
        effect=_("Whether the game ends when a side falls to −200."),
        about=_("It cuts a one-sided game short: the side with the higher score wins at once."),
        fits=_("With the floor if in doubt."),
        icon="floor",
    )
    first_lead: str = choice(
        Value("dealer_left", _("Left of the dealer"), _("Dealer's left leads")),
        Value("club_two", _("Holder of the two of clubs"), _("♣2 leads")),
        default="dealer_left",
        label=_("First lead"),
        effect=_("Who leads to the first trick."),
        about=_(
            "To the left of the dealer, any card may be led that may be led at all. "
            "The holder of the two of clubs must lead that very card, as in Hearts, even after bidding nil."
        ),
        fits=_("Left of the dealer is the usual way; ♣2 for those who come from Hearts."),
        icon="lead",
    )
