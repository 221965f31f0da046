"""Spades: the sentence for every value of every option. What a page says of a rule is looked up here, never written."""

from __future__ import annotations

from games.rules.options import _

#: Option, value ("" for any number): the sentence. Placeholders are filled from what the engine does.
SENTENCES: dict[str, dict[str, str]] = {
    "target": {
        "": _(
            "The game ends with the deal after which a side stands at %(target)s points or more; the higher score wins."
        )
    },
    "bag_penalty": {
        "yes": _(
            "Bags are carried from deal to deal. Whenever a side has ten, it scores %(penalty)s and ten are taken off "
            "its count; those above ten stay."
        ),
        "no": _("Bags cost nothing: each is worth a point, however many a side collects."),
    },
    "blind_nil": {
        "no": _("Everyone sees the cards before bidding. There is no blind nil."),
        "yes": _(
            "A player whose side is %(gap)s points or more behind at the start of a deal may bid nil before seeing any "
            "card: %(blind)s if it is made, %(failed_blind)s if not. After the bidding the blind bidder and a partner "
            "who is not blind swap two cards, unseen until both have chosen."
        ),
    },
    "floor": {
        "yes": _("A side that stands at %(floor)s points or lower after a deal ends the game; the higher score wins."),
        "no": _("There is no floor: however low a side falls, the game goes on."),
    },
    "first_lead": {
        "dealer_left": _("The player on the dealer's left leads to the first trick, any card that may be led."),
        "club_two": _("The holder of ♣2 leads that very card to the first trick, also after bidding nil."),
    },
}
