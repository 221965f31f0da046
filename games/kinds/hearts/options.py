"""The options of Hearts, each declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from games.rules.options import Options, Value, _, choice, whole
from games.rules.refusals import Refused


@dataclass(frozen=True)
class HeartsOptions(Options):
    """Rule settings of a game of Hearts. Those that do nothing at a player count are inert there, never refused."""

    PLAYERS: ClassVar[tuple[int, ...]] = (2, 3, 4, 5, 6, 7)

    surplus: str = choice(
        Value("remove", _("Take cards out"), _("Cards out")),
        Value("kitty", _("Kitty"), _("Kitty")),
        default="remove",
        label=_("Cards left over"),
        effect=_("What happens to the cards that cannot be dealt out evenly."),
        about=_(
            "Taking low cards out is the usual way: everyone knows every card in play. With a kitty nothing "
            "is taken out; "
            "the cards left over lie face down, and whoever wins the first trick takes them, points "
            "included, unseen by the others."
        ),
        fits=_("Take cards out if in doubt; a kitty for those who like a gamble on the first trick."),
        icon="kitty",
        players=(3, 5, 6, 7),
    )
    removed_three: str = choice(
        Value("2D", _("Two of diamonds"), _("♦2 out")),
        Value("2C", _("Two of clubs"), _("♣2 out")),
        default="2D",
        label=_("Card taken out at three"),
        effect=_("Which card three players leave out."),
        about=_("Without the two of clubs, the three of clubs opens the first trick. Nothing else changes."),
        fits=_("Whichever you are used to."),
        icon="pack",
        players=(3,),
    )
    removed_six: str = choice(
        Value("all_twos", _("All four twos"), _("Twos out")),
        Value("keep_hearts", _("♦2 ♦3 ♣3 ♣4"), _("All hearts in")),
        default="all_twos",
        label=_("Cards taken out at six"),
        effect=_("Which four cards six players leave out."),
        about=_(
            "Taking out every two is easy to remember but leaves twelve hearts, so a deal has 25 points. "
            "Keeping the hearts leaves all thirteen in play. Shooting the moon is worth 26 either way."
        ),
        fits=_("The twos if it should be simple; keep the hearts if a deal should have 26 points."),
        icon="pack",
        players=(6,),
    )
    passing: str = choice(
        Value("rotate", _("Direction changes every deal"), _("Pass in turn")),
        Value("always_left", _("Always to the left"), _("Pass left")),
        Value("off", _("No passing"), _("No pass")),
        default="rotate",
        label=_("Passing three cards"),
        effect=_("Where three cards are passed at the start of a deal."),
        about=_(
            "Passing lets you part with the queen of spades or empty a suit. A changing direction spreads "
            "the luck of who sits beside whom; "
            "without passing you play what you were dealt, and luck weighs more."
        ),
        fits=_("Changing for regular play; no passing for a first game."),
        icon="pass",
    )
    hold_deal: str = choice(
        Value("play", _("Played without a pass"), _("One deal without a pass")),
        Value("skip", _("Left out"), _("Always a pass")),
        default="play",
        label=_("Deal without a pass"),
        effect=_("Whether the rotation has a deal in which nobody passes."),
        about=_(
            "The deal without a pass cannot be prepared for. Leave it out if every deal should start with a choice."
        ),
        fits=_("Leave it out for players who want to steer every deal."),
        icon="hold",
    )
    skip_right: str = choice(
        Value("none", _("Off"), _("No redeal")),
        Value("one_each", _("Once a game each"), _("One call-off each")),
        default="none",
        label=_("Calling a deal off"),
        effect=_("Each player may once a game call for new cards before passing."),
        about=_(
            "Until you have sent your own pass you may call the deal off: all cards are dealt anew, same "
            "dealer and same direction. "
            "The right is then spent, and that deal cannot be called off again."
        ),
        fits=_("Long games among players who know the value of a hand."),
        icon="skip",
    )
    first_lead: str = choice(
        Value("low_club", _("Holder of the lowest club"), _("Low club leads")),
        Value("dealer_left", _("Left of the dealer"), _("Dealer's left leads")),
        default="low_club",
        label=_("First lead"),
        effect=_("Who leads to the first trick."),
        about=_(
            "With the lowest club, usually the two, its holder must lead that very card. "
            "Otherwise the player to the left of the dealer leads any card that may be led, which makes the "
            "seat matter."
        ),
        fits=_("The lowest club is what most players expect."),
        icon="lead",
    )
    first_trick_points: str = choice(
        Value("no", _("Barred"), _("No points on trick 1")),
        Value("yes", _("Allowed"), _("Points on trick 1")),
        default="no",
        label=_("Points on the first trick"),
        effect=_("Whether hearts and the queen of spades may be played on the first trick."),
        about=_(
            "Nobody can tell yet who will take the first trick, so the usual rule keeps points out of it, "
            "unless a hand has nothing else. Allowing them makes a short club suit a weapon at once."
        ),
        fits=_("Barred for most tables; allowed for those who like it sharp."),
        icon="first-trick",
    )
    hearts_broken_by: str = choice(
        Value("heart", _("A heart"), _("Broken by ♥")),
        Value("queen", _("The queen of spades"), _("Broken by ♠Q")),
        Value("any_point", _("A heart or the queen of spades"), _("Broken by ♥ or ♠Q")),
        default="heart",
        label=_("Breaking hearts"),
        effect=_("What has to be played before hearts may be led."),
        about=_(
            "Under the usual rule the first heart thrown opens the suit. With the queen alone, hearts stay "
            "closed longer; "
            "with either, the deal opens sooner. A hand of nothing but hearts may always lead one, and that "
            "breaks them too."
        ),
        fits=_("A heart if in doubt."),
        icon="broken",
    )
    heart_discard: str = choice(
        Value("free", _("At any time"), _("Hearts any time")),
        Value("after_break", _("Only once hearts are broken"), _("No ♥ before the break")),
        default="free",
        label=_("Throwing hearts away"),
        effect=_("Whether a heart may be thrown on another suit before hearts are broken."),
        about=_(
            "Held back, hearts may not be played at all before the break unless a hand has nothing else. "
            "It goes well with hearts broken by the queen of spades."
        ),
        fits=_("Tables that want the queen to come out first."),
        icon="discard",
    )
    jack_of_diamonds: str = choice(
        Value("off", _("Off"), _("No ♦J bonus")),
        Value("minus_ten", _("Minus ten"), _("♦J −10")),
        default="off",
        label=_("Jack of diamonds"),
        effect=_("Taking the jack of diamonds takes ten points off."),
        about=_("One card becomes worth winning: high diamonds turn into hunters, and the order of play matters more."),
        fits=_("Players at home in the basic game. Not for two players, whose pack has no jacks."),
        icon="jack",
        players=(3, 4, 5, 6, 7),
    )
    moon: str = choice(
        Value("off", _("Off"), _("No moon")),
        Value("add", _("The others get 26 points"), _("Moon +26")),
        Value("subtract", _("26 points off for the shooter"), _("Moon −26")),
        Value("choose", _("The shooter chooses"), _("Moon by choice")),
        default="add",
        label=_("Shooting the moon"),
        effect=_("What happens when one player takes every penalty card."),
        about=_(
            "A hopeless hand can become the best of all, and the others have to watch for it, even taking a "
            "point to stop it. "
            "Switched off, whoever takes everything keeps all the points. By choice, the shooter sees both "
            "score tables first."
        ),
        fits=_("On for everyone but absolute beginners."),
        icon="moon",
    )
    jack_in_moon: str = choice(
        Value("no", _("Not needed"), _("Moon without ♦J")),
        Value("required", _("Needed"), _("Moon needs ♦J")),
        default="no",
        label=_("Jack of diamonds for the moon"),
        effect=_("Whether shooting the moon takes the jack of diamonds as well."),
        about=_(
            "Needed, the moon is harder by one card, which any player can keep away from the shooter. Its "
            "ten points count either way."
        ),
        fits=_("Tables that find the moon too easy."),
        icon="moon-jack",
        players=(3, 4, 5, 6, 7),
    )
    end_score: int = whole(
        default=100,
        low=20,
        high=300,
        label=_("End score"),
        effect=_("The game ends after a deal in which somebody gets there."),
        about=_("A game to 100 takes about half an hour, one to 50 about half of that."),
        fits=_("50 for a short game, 100 for the classic length."),
        icon="end-score",
        chip=_("To %(value)s"),
    )
    end_test: str = choice(
        Value("reach", _("Reached"), _("Ends on reaching")),
        Value("exceed", _("Exceeded"), _("Ends above")),
        default="reach",
        label=_("The game ends when the end score is"),
        effect=_("Whether exactly the end score ends the game."),
        about=_("It only matters when somebody lands on the very number."),
        fits=_("Whichever you are used to."),
        icon="end-test",
    )
    tie_for_first: str = choice(
        Value("play_on", _("Played on"), _("Ties played on")),
        Value("shared", _("Shared"), _("Ties shared")),
        default="play_on",
        label=_("Tie for first place"),
        effect=_("What happens when the lowest score is not alone at the end."),
        about=_(
            "Played on, further deals follow until one player is alone in front, five at the most. Shared, "
            "both are first."
        ),
        fits=_("Played on for a clear winner, shared for a fixed end."),
        icon="tie",
    )
    score_sign: str = choice(
        Value("plus", _("Plus points"), _("Scores in plus")),
        Value("minus", _("Minus points"), _("Scores in minus")),
        default="plus",
        label=_("How scores are shown"),
        effect=_("Penalty points are written as plus or as minus points. Nothing else changes."),
        about=_("With a minus every score is shown with its sign turned, so the highest one wins."),
        fits=_("A matter of habit."),
        icon="sign",
    )
    standing: str = choice(
        Value("placement", _("Every place"), _("Places count")),
        Value("winner_only", _("First place only"), _("Only first counts")),
        default="placement",
        label=_("What counts in the end"),
        effect=_("Whether a ladder reads every place or only who came first."),
        about=_(
            "If only the first wins, everybody gangs up on whoever is in front, and even helping a moon can "
            "make sense. "
            "If every place counts, second is worth playing for."
        ),
        fits=_("First place only for sharp tables."),
        icon="standing",
    )

    @property
    def shown_sign(self) -> int:
        return -1 if self.score_sign == "minus" else 1

    @property
    def only_first_counts(self) -> bool:
        return self.standing == "winner_only"

    def check_combination(self) -> None:
        if self.jack_in_moon == "required":
            if self.jack_of_diamonds != "minus_ten":
                raise Refused("bad_combination", field="jack_in_moon", other="jack_of_diamonds")
            if self.moon == "off":
                raise Refused("bad_combination", field="jack_in_moon", other="moon")
        if self.hold_deal == "skip" and self.passing != "rotate":
            raise Refused("bad_combination", field="hold_deal", other="passing")
        if self.skip_right == "one_each" and self.passing == "off":
            raise Refused("bad_combination", field="skip_right", other="passing")

    def check_players(self, players: object) -> None:
        super().check_players(players)
        if players == 2 and self.jack_of_diamonds == "minus_ten":
            raise Refused("bad_combination", field="jack_of_diamonds", other="players")
