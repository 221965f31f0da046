"""The rules page of Spades, second half: tips, standards, house rules, words and questions of one set of options."""

from __future__ import annotations

from games.kinds.spades.rulebook.facts import Facts
from games.kinds.spades.words import SENTENCES
from games.rulebook import words
from games.rulebook.page import Items, Paragraph, Questions, Section, Terms
from games.rulebook.shared import rule, standards
from games.rulebook.words import say
from games.rules.options import _

#: Minutes that a point of the target takes, about.
MINUTES_PER_POINT = 0.06


class More:
    """What a page says beside the rules themselves."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.options = facts.options

    def _rule(self, option: str) -> str:
        return rule(SENTENCES, self.options, option, **self.facts.values())

    @property
    def minutes(self) -> int:
        """The usual length of a game, to five minutes."""
        return max(5, round(self.options.target * MINUTES_PER_POINT / 5) * 5)

    def tips(self) -> Section:
        """How to play well with these options."""
        told = [
            say(_("Count sure tricks: aces, guarded kings, high spades, and every spade beyond the third.")),
            say(_("Look at your partner's bid first. What the two of you need together is all that counts.")),
            say(_("Draw out high cards of side suits early, before others run out of the suit and trump them.")),
            say(_("A good nil hand has no ace or king, few spades, all of them low, and low cards in long suits.")),
            say(_("When your partner has bid nil, play high: take the tricks that might otherwise fall to them.")),
            say(_("Against a nil, lead low cards, best in suits in which the nil bidder has used up low ones.")),
        ]
        if self.options.bag_penalty == "yes":
            told += [
                say(_("With your contract safe get rid of high cards: bags come back at you once there are ten.")),
                say(_("If the others have eight or nine bags, leave them tricks they did not bid.")),
            ]
        else:
            told.append(say(_("Bags cost nothing here, so bid carefully and take whatever you can get.")))
        if self.options.blind_nil == "yes":
            told.append(say(_("Blind nil is for a side far behind. Give your highest cards away in the swap.")))
        if self.options.floor == "yes":
            told.append(
                say(_("Close to the floor a modest bid that is made is worth more than a brave one that fails."))
            )
        return Section("tips", say(_("Tips")), (Items(tuple(told)),))

    def beginners(self) -> Section:
        """The two rules with which one can sit down and play."""
        told = (
            say(_("If you have a card of the suit that was led, you must play one of it.")),
            say(_("Together with your partner take as many tricks as you have bid, and not many more.")),
        )
        after = say(
            _("The table dims what you may not play and tells you why, so you need not know the rest by heart.")
        )
        return Section("beginners", say(_("Two rules to begin with")), (Items(told, ordered=True), Paragraph(after)))

    def standards(self) -> Section:
        """What the site adds to the rules."""
        draws = say(
            _(
                "Equal scores are played on. Should the last possible deal end equal it is a draw, which a ladder "
                "counts as half a win."
            )
        )
        source = say(_("The common rules of partnership Spades as card-game sites play them, in our own words."))
        return standards(words.players((4,)), self.minutes, draws, source)

    def house_rules(self) -> Section:
        """Rules that are known and not offered."""
        return Section("house-rules", say(_("Known house rules that are not offered")), (house_rules_told(),))

    def words(self) -> Section:
        """The words that matter with these options."""
        return Section("words", say(_("Words")), (Terms(tuple(_terms(blind=self.options.blind_nil == "yes"))),))

    def questions(self) -> Section:
        """Frequent questions, answered for these options."""
        facts = self.facts
        asked = [
            (
                say(_("How does it differ from Hearts?")),
                say(
                    _(
                        "In Hearts you avoid point cards; here you take the number of tricks you have bid. Spades are "
                        "always trump, and partners score together."
                    )
                ),
            ),
            (
                say(_("May we take more than we have bid?")),
                say(
                    _("Yes, the contract is made. Each trick above it is a bag, worth %(bag)s."),
                    bag=words.signed(facts.bag),
                ),
            ),
            (say(_("What do bags cost?")), self._rule("bag_penalty")),
            (
                say(_("When may I play a spade?")),
                say(
                    _(
                        "Whenever you have none of the led suit. To lead one, a spade must have been played in this "
                        "deal, or you have only spades left."
                    )
                ),
            ),
            (say(_("Who leads first?")), self._rule("first_lead")),
            (
                say(_("What if a nil fails?")),
                say(
                    _("It scores %(failed)s. The tricks taken are bags and do not help the partner's contract."),
                    failed=words.signed(facts.failed_nil),
                ),
            ),
            (say(_("May I bid nil without looking at my cards?")), self._rule("blind_nil")),
            (say(_("When does the game end?")), self._rule("target")),
            (say(_("What happens to a side far below zero?")), self._rule("floor")),
            (say(_("How long does a game take?")), say(_("About %(minutes)s minutes."), minutes=self.minutes)),
        ]
        return Section("questions", say(_("Questions")), (Questions(tuple(asked)),))


def _terms(*, blind: bool) -> list[tuple[str, str]]:
    told = [
        (say(_("Trick")), say(_("One card from each player, and what goes to whoever played the strongest."))),
        (say(_("Lead")), say(_("The first card of a trick. Whoever took the last trick leads to the next."))),
        (say(_("Follow suit")), say(_("To play a card of the led suit. Whoever can, must."))),
        (say(_("Trump")), say(_("Spades: any spade beats every card of another suit."))),
        (say(_("A bid")), say(_("How many tricks a player means to take in this deal."))),
        (say(_("Contract")), say(_("The bids of both partners together, nil left out."))),
        (say(_("Nil")), say(_("A bid of no trick at all."))),
    ]
    if blind:
        told.append((say(_("Blind nil")), say(_("Nil bid before seeing the cards, for twice as much."))))
    told += [
        (say(_("Bag")), say(_("A trick above the contract, or one taken by a failed nil."))),
        (say(_("Breaking spades")), say(_("Playing the first spade of a deal; from then on spades may be led."))),
        (say(_("Deal")), say(_("From shuffling the cards to counting them. A game is several deals."))),
    ]
    return told


def words_page() -> tuple[str, str]:
    """Title and description of the page with all words of Spades."""
    return say(_("Words of Spades")), say(_("Bid, contract, nil, bag, trump: what the words of Spades mean."))


def all_terms() -> Terms:
    """Every word of Spades, with those that are heard elsewhere."""
    more = (
        (say(_("Partner")), say(_("The player opposite. Two partners are a side."))),
        (say(_("Trumping")), say(_("Playing a spade on another suit of which you have none."))),
        (say(_("Being void")), say(_("Holding no card of a suit; then any card may be thrown on it."))),
        (say(_("Set")), say(_("Said of a side that has missed its contract."))),
        (say(_("Sandbag, overtrick")), say(_("Other names of a bag."))),
        (say(_("Target and floor")), say(_("The scores at which the game ends, above and below."))),
    )
    return Terms((*_terms(blind=True), *more))


def house_rules_told() -> Terms:
    """House rules of Spades that are not offered, each with the reason."""
    return Terms(
        (
            (
                say(_("Jokers and high twos")),
                say(_("They change which hands are strong, and with them every habit of bidding.")),
            ),
            (
                say(_("A side must bid at least four")),
                say(_("It forbids honest bids with weak hands; the penalty for a missed contract is enough.")),
            ),
            (
                say(_("Ten tricks bid and made for 200")),
                say(_("It rewards the cards and not the play, and decides games in a single deal.")),
            ),
            (
                say(_("Swapping cards with every nil")),
                say(_("An ordinary nil is bid with the cards in view; help from the partner would make it too easy.")),
            ),
            (
                say(_("The first deal plays without bids")),
                say(_("The first deal should count like any other, most of all in a short game.")),
            ),
            (
                say(_("Two, three or six players, or each for oneself")),
                say(_("Partnership is what the game lives on; bids and nil are made for two against two.")),
            ),
            (say(_("Playing for stakes")), say(_("Never here, of whatever kind: this site knows points only."))),
        )
    )
