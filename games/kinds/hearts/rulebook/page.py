"""The rules page of Hearts: what it is, set-up, pass, play, score, moon and end, drawn from a table's own rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import lcm

from django.utils.translation import gettext

from games.kinds.hearts.options import HeartsOptions
from games.kinds.hearts.rulebook.examples import Examples
from games.kinds.hearts.rulebook.facts import Facts, facts_of
from games.kinds.hearts.rulebook.more import More
from games.kinds.hearts.words import SENTENCES
from games.rulebook import words
from games.rulebook.page import Block, Items, Page, Paragraph, Section, Table
from games.rulebook.shared import Choices, local_rules, rule
from games.rulebook.words import say
from games.rules.options import _


def rules_page(
    players: Sequence[int], options: Mapping[str, str | int], *, name: str = "", choices: Choices = None
) -> Page:
    """The rules of Hearts with these options, for tables of these numbers of players."""
    facts = facts_of(tuple(sorted(players)), HeartsOptions.from_json(options))
    return _Hearts(facts).page(name, choices)


class _Hearts:
    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.options = facts.options
        self.examples = Examples(facts)
        self.more = More(facts)

    def page(self, name: str, choices: Choices) -> Page:
        facts = self.facts
        who, end = words.players(facts.players), facts.total(self.options.end_score)
        title = say(_("Rules of Hearts: %(name)s"), name=name) if name else say(_("Rules of Hearts"))
        description = say(
            _(
                "How to play Hearts with %(players)s to %(total)s: set-up, passing, play, scoring, the moon, with "
                "worked examples and every local rule. Play at once in your browser, without signing up."
            ),
            players=who,
            total=end,
        )
        sections = (
            self._about(who),
            self._setup(),
            self._passing(),
            self._play(),
            self._scoring(),
            self._moon(),
            self._end(),
            self.more.tips(),
            self.more.beginners(),
            self.more.standards(),
            local_rules(self.options, facts.players, choices),
            self.more.house_rules(),
            self.more.words(),
            self.more.questions(),
        )
        lead = say(
            _(
                "A trick game for %(players)s in which you do not want the points. Avoid the hearts and the queen of "
                "spades, or take them all."
            )
            if self.options.moon != "off"
            else _(
                "A trick game for %(players)s in which you do not want the points. Avoid the hearts and the queen of "
                "spades."
            ),
            players=who,
        )
        return Page(title, description, lead, sections, facts.as_dict())

    def _rule(self, option: str, **values: object) -> str:
        return rule(SENTENCES, self.options, option, **values)

    # --- before play --------------------------------------------------------------------------------------------------

    def _about(self, who: str) -> Section:
        facts = self.facts
        blocks: list[Block] = [
            Paragraph(
                say(
                    _(
                        "In Hearts %(players)s play one card each in turn, and whoever played the strongest takes them "
                        "all. Among the cards taken every heart and the queen of spades are penalty points. At the end "
                        "of the game whoever has the fewest penalty points has won."
                    ),
                    players=who,
                )
            ),
            Items(
                (
                    self._rule("end_score", total=facts.total(self.options.end_score)),
                    self._rule("score_sign"),
                )
            ),
        ]
        return Section("about", say(_("What Hearts is")), tuple(blocks))

    def _setup(self) -> Section:
        facts, options = self.facts, self.options
        told = [
            say(
                _(
                    "A pack of 52 cards without jokers. In each suit the ace is the strongest card and the two the "
                    "weakest; there is no trump."
                )
            )
        ]
        if set(facts.players) & {3, 5, 6, 7}:
            told.append(self._rule("surplus"))
        if 2 in facts.players:
            two = facts.tables[2]
            told.append(
                say(
                    _(
                        "Two players always use a small pack of %(deck)s cards; the %(kitty)s cards left over are the "
                        "kitty."
                    ),
                    deck=len(two.deck),
                    kitty=facts.kitty(2),
                )
            )
        if options.surplus == "remove":
            told += [self._rule("removed_three")] * (3 in facts.players)
            told += [self._rule("removed_six")] * (6 in facts.players)
        if facts.has_kitty:
            told.append(
                say(
                    _(
                        "The kitty goes to the winner of the first trick, who alone may look at it before the deal is "
                        "scored. Point cards in it count for that player."
                    )
                )
            )
        told.append(say(_("The first dealer is drawn by lot. After every deal the next player on the left deals.")))
        return Section("set-up", say(_("Set-up")), (Items(tuple(told)), self._pack_table()))

    def _pack_table(self) -> Table:
        facts = self.facts
        head = [say(_("Number of players")), say(_("Taken out")), say(_("Cards each")), say(_("Points in a deal"))]
        if facts.has_kitty:
            head.insert(3, say(_("Kitty")))
        rows = []
        for n, rules in facts.tables.items():
            row = [str(n), words.removed(facts.removed(n)), str(rules.hand_size), facts.change(facts.all_points(n))]
            if facts.has_kitty:
                row.insert(3, str(facts.kitty(n)))
            rows.append(tuple(row))
        return Table("pack", say(_("Cards by number of players")), tuple(head), tuple(rows))

    def _passing(self) -> Section:
        options = self.options
        told = [self._rule("passing")]
        if options.passing == "off":
            return Section("passing", say(_("Passing cards")), (Items(tuple(told)),))
        if options.passing == "rotate":
            told.append(self._rule("hold_deal"))
        told += [
            say(_("Any three cards of your hand may be passed.")),
            say(_("All choose at the same time. Nobody sees the cards received until everyone has passed.")),
            self._rule("skip_right"),
        ]
        return Section("passing", say(_("Passing cards")), (Items(tuple(told)), self._pass_table()))

    def _pass_table(self) -> Table:
        facts = self.facts
        groups: dict[tuple[str, ...], list[int]] = {}
        for n in facts.players:
            groups.setdefault(facts.rotation(n), []).append(n)
        longest = max(map(len, groups))
        head = (say(_("Deal")), *(words.players(counts) for counts in groups.values()))
        if longest == 1:
            one = (say(_("every deal")), *(gettext(words.DIRECTIONS[rotation[0]]) for rotation in groups))
            return Table("pass", say(_("Direction of the pass, deal by deal")), head, (one,))
        deals = range(1, (longest if len(groups) == 1 else min(lcm(*map(len, groups)), 6)) + 1)
        rows = [
            (
                say(_("deal %(number)s"), number=deal),
                *(gettext(words.DIRECTIONS[rotation[(deal - 1) % len(rotation)]]) for rotation in groups),
            )
            for deal in deals
        ]
        rows.append(
            (
                say(_("repeats")),
                *(
                    say(_("every %(count)s deals"), count=len(rotation)) if len(rotation) > 1 else say(_("every deal"))
                    for rotation in groups
                ),
            )
        )
        return Table("pass", say(_("Direction of the pass, deal by deal")), head, tuple(rows))

    # --- play ---------------------------------------------------------------------------------------------------------

    def _play(self) -> Section:
        facts, options = self.facts, self.options
        told = [words.joined([self._rule("first_lead"), *self._opening_cards()])]
        told += [
            say(_("The others follow clockwise with one card each. Whoever has the led suit must play it.")),
            say(
                _(
                    "The strongest card of the led suit takes the trick. Its owner leads to the next one. Cards of "
                    "other suits never win, however high."
                )
            ),
            self._rule("first_trick_points"),
            self._rule("hearts_broken_by"),
            say(
                _(
                    "With nothing but hearts in hand you may lead one at any time; that breaks them, too. What was "
                    "broken in one deal is closed again in the next."
                )
            ),
            self._rule("heart_discard"),
        ]
        if options.first_trick_points == "yes":
            told.append(say(_("♠Q may be led at any time.")))
        else:
            told.append(say(_("♠Q may be led at any time after the first trick.")))
        blocks: list[Block] = [Items(tuple(told), ordered=True), *self.examples.legal_cards()]
        blocks.append(
            Paragraph(
                say(
                    _(
                        "When every point card and ♦J lie in finished tricks, the rest cannot change the score. "
                        "Whoever is on lead may then finish the deal at once."
                    )
                    if facts.jack
                    else _(
                        "When every point card lies in finished tricks, the rest cannot change the score. Whoever is "
                        "on lead may then finish the deal at once."
                    )
                ),
                quiet=True,
            )
        )
        return Section("play", say(_("Playing the cards")), tuple(blocks))

    def _opening_cards(self) -> list[str]:
        facts = self.facts
        if self.options.first_lead != "low_club":
            return []
        groups: dict[str, list[int]] = {}
        for n in facts.players:
            groups.setdefault(facts.opening_card(n), []).append(n)
        if len(groups) == 1:
            told = [say(_("That is %(card)s."), card=words.card(next(iter(groups))))]
        else:
            named = [
                say(_("%(card)s with %(players)s"), card=words.card(card), players=words.players(counts))
                for card, counts in groups.items()
            ]
            told = [say(_("That is %(cards)s."), cards=words.enumerated(named))]
        if facts.has_kitty:
            told.append(say(_("If that card lies in the kitty, the next higher club leads.")))
        return told

    # --- score --------------------------------------------------------------------------------------------------------

    def _scoring(self) -> Section:
        facts = self.facts
        hearts = {facts.hearts(n) for n in facts.players}
        rows = [
            (
                say(_("each heart (%(count)s in all)"), count=hearts.pop())
                if len(hearts) == 1
                else say(_("each heart")),
                facts.change(facts.heart_points),
            ),
            (say(_("queen of spades (♠Q)")), facts.change(facts.queen_points)),
        ]
        told = []
        if set(facts.players) - {2}:
            told.append(self._rule("jack_of_diamonds", jack=facts.change(facts.jack_points)))
        if facts.jack:
            rows.append((say(_("jack of diamonds (♦J)")), facts.change(facts.jack_points)))
        rows.append((say(_("any other card")), "0"))
        card_table = Table(
            "cards", say(_("What cards taken score")), (say(_("Card")), say(_("Points"))), tuple(rows), figures=1
        )
        notes = (Items(tuple(told)),) if told else ()
        return Section("scoring", say(_("Scoring a deal")), (card_table, *notes, *self.examples.plain_deals()))

    def _moon(self) -> Section:
        facts, options = self.facts, self.options
        told = [
            self._rule(
                "moon",
                all=facts.change(facts.all_points(facts.usual)),
                others=facts.change(facts.moon_others),
                shooter=facts.change(facts.moon_shooter),
            )
        ]
        if options.moon == "off":
            return Section("moon", say(_("Shooting the moon")), (Items(tuple(told)), *self.examples.moons()))
        if facts.jack:
            told.append(self._rule("jack_in_moon"))
        told += [
            say(
                _(
                    "It is the cards that count and not the number of points. One heart with another player, and there "
                    "is no moon: whoever tried it keeps all those points."
                )
            ),
            say(
                _("The moon is always worth %(points)s, also where the pack has fewer points."),
                points=words.points(facts.moon_points),
            ),
        ]
        if facts.has_kitty:
            told.append(say(_("With a point card in the kitty only the winner of the first trick can shoot the moon.")))
        if options.moon == "choose":
            told.append(
                say(
                    _(
                        "At tables with a limit the shooter has 15 seconds to choose. A CPU player, or the clock, "
                        "charges the others, unless that ends the game without the shooter alone in first place; "
                        "then it takes whichever gives the shooter the better place, or the deduction if both are "
                        "equal."
                    )
                )
            )
        return Section("moon", say(_("Shooting the moon")), (Items(tuple(told)), *self.examples.moons()))

    def _end(self) -> Section:
        facts, options = self.facts, self.options
        total = facts.total(options.end_score)
        told = [
            self._rule("end_test", total=total),
            say(
                _(
                    "This is checked once a deal, when all of it is scored, the moon included. A score that has come "
                    "back under the line no longer ends the game."
                )
            ),
            self._rule("tie_for_first"),
            self._rule("standing"),
            say(
                _("After %(deals)s deals at the latest the game is over, and a tie for first is shared."),
                deals=facts.most_deals,
            ),
        ]
        return Section("end", say(_("End of the game")), (Items(tuple(told)), *self.examples.ends()))
