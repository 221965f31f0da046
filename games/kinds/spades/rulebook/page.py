"""The rules page of Spades: sides, bidding, play, score and end, drawn from a table's own rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from games.kinds.spades.options import SpadesOptions
from games.kinds.spades.rulebook.examples import Examples
from games.kinds.spades.rulebook.facts import Facts, facts_of
from games.kinds.spades.rulebook.more import More
from games.kinds.spades.words import SENTENCES
from games.rulebook import words
from games.rulebook.page import Block, Items, Page, Paragraph, Section, Table
from games.rulebook.shared import Choices, local_rules, rule
from games.rulebook.words import say
from games.rules.options import _


def rules_page(
    players: Sequence[int], options: Mapping[str, str | int], *, name: str = "", choices: Choices = None
) -> Page:
    """The rules of Spades with these options."""
    return _Spades(facts_of(SpadesOptions.from_json(options))).page(name, choices)


class _Spades:
    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.options = facts.options
        self.examples = Examples(facts)
        self.more = More(facts)

    def page(self, name: str, choices: Choices) -> Page:
        title = say(_("Rules of Spades: %(name)s"), name=name) if name else say(_("Rules of Spades"))
        description = say(
            _(
                "How to play Spades in two partnerships to %(target)s: bidding, nil, bags, play and scoring, with "
                "worked examples and every local rule. Play at once in your browser, without signing up."
            ),
            target=words.points(self.options.target),
        )
        lead = say(
            _(
                "A trick game for four in two partnerships. Say how many tricks you will take together, and then take "
                "just that many."
            )
        )
        sections = (
            self._about(),
            self._setup(),
            self._bidding(),
            self._play(),
            self._scoring(),
            self._nil(),
            self._end(),
            self.more.tips(),
            self.more.beginners(),
            self.more.standards(),
            local_rules(self.options, (4,), choices),
            self.more.house_rules(),
            self.more.words(),
            self.more.questions(),
        )
        return Page(title, description, lead, sections, self.facts.as_dict())

    def _rule(self, option: str) -> str:
        return rule(SENTENCES, self.options, option, **self.facts.values())

    def _about(self) -> Section:
        told = say(
            _(
                "Spades is played by two against two. In every deal each player first says how many of the thirteen "
                "tricks they will take. A side that takes as many as its two players have bid scores; one that falls "
                "short loses as much."
            )
        )
        return Section("about", say(_("What Spades is")), (Paragraph(told), Items((self._rule("target"),))))

    def _setup(self) -> Section:
        rules = self.facts.rules
        told = (
            say(_("Four players; those who sit opposite each other are partners and score together.")),
            say(
                _("The whole pack of %(deck)s cards without jokers is dealt out, %(cards)s to each player."),
                deck=len(rules.deck),
                cards=rules.hand_size,
            ),
            say(_("In each suit the ace is the strongest card and the two the weakest. Spades are always trump.")),
            say(_("No cards are passed.")),
            say(_("The first dealer is drawn by lot. After every deal the next player on the left deals.")),
        )
        return Section("set-up", say(_("Set-up")), (Items(told),))

    def _bidding(self) -> Section:
        told = [
            say(
                _(
                    "From the dealer's left each player in turn bids the number of tricks they mean to take, from "
                    "%(low)s to %(high)s. Passing is not possible."
                ),
                low=self.facts.rules.bids.start,
                high=self.facts.rules.bids.stop - 1,
            ),
            say(_("The two bids of a side, nil left out, are added up: that is its contract.")),
            say(_("A bid of 0 is nil: the promise to take no trick at all.")),
            self._rule("blind_nil"),
        ]
        if self.options.blind_nil == "yes":
            told += [
                say(
                    _(
                        "Both players of that side are asked at the same time, and neither sees a card before both "
                        "have answered. Blind bidders are passed over in the bidding."
                    )
                ),
                say(_("If both partners are blind they do not swap. A partner who bid an ordinary nil does swap.")),
            ]
        return Section("bidding", say(_("Bidding")), (Items(tuple(told)),))

    def _play(self) -> Section:
        told = (
            self._rule("first_lead"),
            say(_("The others follow clockwise with one card each. Whoever has the led suit must play it.")),
            say(_("Whoever has none of it may play any card, a spade as well, on the first trick as on any other.")),
            say(
                _(
                    "The highest spade takes the trick; without a spade the highest card of the led suit. Its owner "
                    "leads to the next one."
                )
            ),
            say(
                _(
                    "Spades may not be led until they are broken, which means until a spade has been played in this "
                    "deal, unless you have nothing but spades."
                )
            ),
        )
        blocks: tuple[Block, ...] = (
            Items(told, ordered=True),
            *self.examples.legal_cards(),
            Paragraph(
                say(
                    _(
                        "Whoever is on lead and is sure to win every trick that is left may show the hand and finish "
                        "the deal at once."
                    )
                ),
                quiet=True,
            ),
        )
        return Section("play", say(_("Playing the cards")), blocks)

    def _scoring(self) -> Section:
        facts = self.facts
        rows = [
            (
                say(_("contract made")),
                say(_("%(points)s for each trick bid"), points=words.signed(facts.contract_trick)),
            ),
            (
                say(_("each trick above the contract (a bag)")),
                words.signed(facts.bag),
            ),
            (
                say(_("contract missed")),
                say(_("%(points)s for each trick bid"), points=words.signed(facts.missed_trick)),
            ),
            (say(_("nil made")), words.signed(facts.nil)),
            (say(_("nil failed")), words.signed(facts.failed_nil)),
        ]
        if self.options.blind_nil == "yes":
            rows += [
                (say(_("blind nil made")), words.signed(facts.blind_nil)),
                (say(_("blind nil failed")), words.signed(facts.failed_blind_nil)),
            ]
        if facts.bag_penalty:
            rows.append((say(_("every ten bags")), words.signed(facts.bag_penalty)))
        table = Table(
            "scores", say(_("What a side scores")), (say(_("Result")), say(_("Points"))), tuple(rows), figures=1
        )
        told = (
            say(_("The tricks of both partners count together towards the contract.")),
            self._rule("bag_penalty"),
            say(_("All of it is counted at once when the deal is over.")),
        )
        return Section("scoring", say(_("Scoring a deal")), (table, Items(told), *self.examples.contracts()))

    def _nil(self) -> Section:
        told = (
            say(
                _("Nil made scores %(made)s, nil failed %(failed)s, whatever becomes of the partner's contract."),
                made=words.signed(self.facts.nil),
                failed=words.signed(self.facts.failed_nil),
            ),
            say(_("The partner of a nil bidder has to make their own bid alone.")),
            say(_("Tricks that a failed nil takes never help the contract. Each is a bag.")),
            say(_("If both partners bid nil each stands alone; every trick that they take is a bag.")),
        )
        return Section("nil", say(_("Nil")), (Items(told), *self.examples.nils()))

    def _end(self) -> Section:
        told = (
            self._rule("target"),
            self._rule("floor"),
            say(_("Both are checked once a deal, when all of it is scored.")),
            say(_("If both sides stand equal then, another deal is played.")),
            say(
                _(
                    "After %(deals)s deals at the latest the game is over: the higher score wins, and equal scores are "
                    "a draw."
                ),
                deals=self.facts.most_deals,
            ),
        )
        return Section("end", say(_("End of the game")), (Items(told), *self.examples.ends()))
