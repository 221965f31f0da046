"""Hearts: the sentence for every value of every option. What a page says of a rule is looked up here, never written."""

from __future__ import annotations

from games.rules.options import _

#: Option, value ("" for any number): the sentence. Placeholders are filled from what the engine does.
SENTENCES: dict[str, dict[str, str]] = {
    "surplus": {
        "remove": _("Cards that cannot be dealt out evenly are taken out of the pack; everyone knows which."),
        "kitty": _("No card is taken out. Those that cannot be dealt out evenly stay face down as the kitty."),
    },
    "removed_three": {
        "2D": _("Three players take out the two of diamonds (♦2)."),
        "2C": _("Three players take out the two of clubs (♣2); the lowest club is then ♣3."),
    },
    "removed_six": {
        "all_twos": _("Six players take out all four twos. Twelve hearts are left, and a deal has 25 points."),
        "keep_hearts": _("Six players take out ♦2, ♦3, ♣3 and ♣4, so that all thirteen hearts stay in."),
    },
    "passing": {
        "rotate": _("After the deal everyone passes three cards; the direction changes from deal to deal."),
        "always_left": _("After every deal everyone passes three cards to the player on the left."),
        "off": _("No cards are passed: every deal is played with the cards as they were dealt."),
    },
    "hold_deal": {
        "play": _("One deal of each round is played without a pass, with the cards as they were dealt."),
        "skip": _("There is no deal without a pass: every deal begins with one."),
    },
    "skip_right": {
        "none": _("A deal cannot be called off."),
        "one_each": _(
            "Once a game each player may call a deal off, as long as they have not sent their own pass. Passes made "
            "so far are dropped and new cards are dealt, with the same dealer and in the same direction. The first "
            "call counts and spends that player's right only; the new deal cannot be called off again. CPU players "
            "never call a deal off."
        ),
    },
    "first_lead": {
        "low_club": _("The holder of the lowest club in the hands leads that very card to the first trick."),
        "dealer_left": _("The player on the dealer's left leads to the first trick, any card that may be led."),
    },
    "first_trick_points": {
        "no": _("No heart and no ♠Q may be played on the first trick, unless you have nothing else you may play."),
        "yes": _("The first trick is no exception: hearts and ♠Q may be thrown on it as on any other."),
    },
    "hearts_broken_by": {
        "heart": _(
            "Hearts may not be led until they are broken, which means until a heart has been played in this deal. "
            "♠Q does not break them."
        ),
        "queen": _(
            "Hearts may not be led until they are broken, which means until ♠Q has been played in this deal. A heart "
            "thrown on another suit does not break them."
        ),
        "any_point": _(
            "Hearts may not be led until they are broken, which means until a heart or ♠Q has been played in this deal."
        ),
    },
    "heart_discard": {
        "free": _("If you cannot follow suit you may throw a heart, whether hearts are broken or not."),
        "after_break": _(
            "Before hearts are broken no heart may be played at all, not even thrown on another suit, unless you have "
            "nothing else you may play."
        ),
    },
    "jack_of_diamonds": {
        "off": _("The jack of diamonds (♦J) is a card like any other."),
        "minus_ten": _(
            "Whoever takes the jack of diamonds (♦J) scores %(jack)s for it, in a deal with a moon as well. It is not "
            "a point card: it may be played on the first trick and does not break hearts."
        ),
    },
    "moon": {
        "off": _(
            "Taking every point card brings nothing here: whoever takes all hearts and ♠Q keeps the points (%(all)s), "
            "and the others score 0."
        ),
        "add": _(
            "Whoever takes all hearts and ♠Q in one deal shoots the moon: the shooter scores 0 and every other player "
            "%(others)s."
        ),
        "subtract": _(
            "Whoever takes all hearts and ♠Q in one deal shoots the moon: the shooter scores %(shooter)s and the "
            "others 0."
        ),
        "choose": _(
            "Whoever takes all hearts and ♠Q in one deal shoots the moon and chooses, with both score tables in view: "
            "either every other player scores %(others)s, or the shooter scores %(shooter)s."
        ),
    },
    "jack_in_moon": {
        "no": _("The moon does not need ♦J. Its points go to whoever took it, on top of what the moon brings."),
        "required": _(
            "The moon needs ♦J as well, and the points of ♦J come on top of what the moon brings. If another player "
            "takes it there is no moon, and everyone scores the cards taken."
        ),
    },
    "end_score": {"": _("The game is played to %(total)s.")},
    "end_test": {
        "reach": _("It ends with the deal after which somebody stands at %(total)s or beyond; exactly that is enough."),
        "exceed": _("It ends with the deal after which somebody stands beyond %(total)s; exactly that is not enough."),
    },
    "tie_for_first": {
        "play_on": _(
            "If the best score is shared, further deals are played until one player is alone in front. Direction of "
            "the pass and number of the deal go on as usual. After five such deals in a row first place is shared."
        ),
        "shared": _("If the best score is shared, so is first place. There is no further deal."),
    },
    "score_sign": {
        "plus": _("Penalty points are written as plus points: the lowest score is the best."),
        "minus": _("Penalty points are written as minus points: the highest score is the best."),
    },
    "standing": {
        "placement": _("Every place counts: second is better than third."),
        "winner_only": _("Only first place counts: whoever is not first has lost, second or last."),
    },
}
