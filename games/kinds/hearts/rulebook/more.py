"""The rules page of Hearts, second half: tips, standards, house rules, words and questions of one set of options."""

from __future__ import annotations

from django.utils.translation import gettext

from games.kinds.hearts.rulebook.facts import Facts
from games.kinds.hearts.words import SENTENCES
from games.rulebook import words
from games.rulebook.page import Items, Paragraph, Questions, Section, Terms
from games.rulebook.shared import rule, standards
from games.rulebook.words import say
from games.rules.options import _

#: Minutes that a point of the end score takes, about.
MINUTES_PER_POINT = 0.3


class More:
    """What a page says beside the rules themselves."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.options = facts.options

    def _rule(self, option: str, **values: object) -> str:
        return rule(SENTENCES, self.options, option, **values)

    @property
    def minutes(self) -> int:
        """The usual length of a game, to five minutes."""
        return max(5, round(self.options.end_score * MINUTES_PER_POINT / 5) * 5)

    # --- advice -------------------------------------------------------------------------------------------------------

    def tips(self) -> Section:
        """How to play well with these options."""
        options = self.options
        told = [
            say(_("The one card that matters most is ♠Q. Ask yourself at every trick whether it could land on you."))
        ]
        if options.passing != "off":
            told += [
                say(
                    _(
                        "With few spades, pass ♠A, ♠K and ♠Q first. With four or more low spades beside it ♠Q is safe "
                        "enough to keep."
                    )
                ),
                say(_("Or pass a short suit away: once you are out of it you can throw ♠Q and high hearts on it.")),
            ]
        else:
            told.append(
                say(_("Play a short suit out early: once you are out of it you can throw ♠Q and high hearts on it."))
            )
        told.append(say(_("Without ♠Q in hand lead spades below it: sooner or later its holder has to play it.")))
        if options.first_trick_points == "no":
            told.append(say(_("The first trick hardly ever has points in it: a good moment to part with a high club.")))
        else:
            told.append(say(_("Points may fall on the very first trick. Play low there unless you want it.")))
        told += [
            say(
                _(
                    "Play high cards while there is little harm in a trick. If you must take one, take it with your "
                    "most dangerous card."
                )
            ),
            say(_("Count the spades and whether ♠Q has fallen. That alone is worth more than remembering all suits.")),
        ]
        if options.heart_discard == "after_break":
            told.append(say(_("Hearts cannot be thrown away before the break, so keep a low card of every suit.")))
        if options.moon != "off":
            told.append(
                say(_("If one player has taken every point so far, take one heart yourself: one is enough to stop it."))
            )
        if self.facts.jack:
            told.append(say(_("♦Q, ♦K and ♦A catch ♦J. Keep one of them until it has been played.")))
            if options.jack_in_moon == "required" and options.moon != "off":
                told.append(say(_("Taking ♦J yourself is enough to stop a moon.")))
        if options.standing == "winner_only":
            told.append(
                say(_("Since only first place counts, hold back the leader together, even if that costs you points."))
            )
        return Section("tips", say(_("Tips")), (Items(tuple(told)),))

    def beginners(self) -> Section:
        """The two rules with which one can sit down and play."""
        told = (
            say(_("If you have a card of the suit that was led, you must play one of it.")),
            say(_("Do not take hearts, and above all not the queen of spades.")),
        )
        after = say(
            _("The table dims what you may not play and tells you why, so you need not know the rest by heart.")
        )
        return Section("beginners", say(_("Two rules to begin with")), (Items(told, ordered=True), Paragraph(after)))

    def standards(self) -> Section:
        """What the site adds to the rules."""
        if self.options.tie_for_first == "shared":
            draws = say(
                _("Players who tie for first share first place; on a ladder they have half a win against each other.")
            )
        else:
            draws = say(
                _(
                    "A tie for first is played on. If it is shared after all, the players have half a win against each "
                    "other on a ladder."
                )
            )
        who = words.players(self.facts.players)
        if set(self.facts.players) & {2, 6, 7}:
            who = say(_("%(players)s; two, six and seven in parties only"), players=who)
        source = say(_("The common rules of Hearts as card-game sites play them, in our own words."))
        return standards(who, self.minutes, draws, source)

    def house_rules(self) -> Section:
        """Rules that are known and not offered."""
        return Section("house-rules", say(_("Known house rules that are not offered")), (house_rules_told(),))

    # --- words and questions ------------------------------------------------------------------------------------------

    def words(self) -> Section:
        """The words that matter with these options."""
        known = dict(_terms(self.options.passing != "off", self.facts.has_kitty, self.options.moon != "off"))
        return Section("words", say(_("Words")), (Terms(tuple(known.items())),))

    def questions(self) -> Section:
        """Frequent questions, answered for these options."""
        facts, options = self.facts, self.options
        asked = [
            (
                say(_("How are points counted?")),
                say(
                    _("Every heart taken scores %(heart)s and ♠Q %(queen)s. All else scores nothing."),
                    heart=facts.change(facts.heart_points),
                    queen=facts.change(facts.queen_points),
                )
                if not facts.jack
                else say(
                    _("Every heart taken scores %(heart)s, ♠Q %(queen)s and ♦J %(jack)s. All else scores nothing."),
                    heart=facts.change(facts.heart_points),
                    queen=facts.change(facts.queen_points),
                    jack=facts.change(facts.jack_points),
                ),
            ),
            (say(_("When may I lead a heart?")), self._rule("hearts_broken_by")),
            (say(_("May I throw hearts on the first trick?")), self._rule("first_trick_points")),
            (say(_("May I throw a heart before hearts are broken?")), self._rule("heart_discard")),
            (say(_("Who leads first?")), self._rule("first_lead")),
            (say(_("Which way are cards passed?")), self._passing()),
            (
                say(_("What if one player takes everything?")),
                self._rule(
                    "moon",
                    all=facts.change(facts.all_points(facts.usual)),
                    others=facts.change(facts.moon_others),
                    shooter=facts.change(facts.moon_shooter),
                ),
            ),
            (
                say(_("Does exactly %(total)s end the game?"), total=facts.total(options.end_score)),
                self._rule("end_test", total=facts.total(options.end_score)),
            ),
            (say(_("What happens if two are first?")), self._rule("tie_for_first")),
            (say(_("How long does a game take?")), say(_("About %(minutes)s minutes."), minutes=self.minutes)),
        ]
        if len(facts.players) > 1:
            asked.insert(1, (say(_("Which cards are left out?")), self._left_out()))
        return Section("questions", say(_("Questions")), (Questions(tuple(asked)),))

    def _passing(self) -> str:
        if self.options.passing != "rotate":
            return self._rule("passing")
        ways: dict[tuple[str, ...], list[int]] = {}
        for n in self.facts.players:
            ways.setdefault(self.facts.rotation(n), []).append(n)
        told = [
            say(
                _("With %(players)s: %(ways)s."),
                players=words.players(counts),
                ways=gettext(", then ").join(gettext(words.DIRECTIONS[way]) for way in rotation),
            )
            for rotation, counts in ways.items()
        ]
        return words.joined([self._rule("passing"), *told])

    def _left_out(self) -> str:
        told = [
            say(_("With %(players)s: %(cards)s."), players=words.players((n,)), cards=words.removed(cards))
            for n in self.facts.players
            if (cards := self.facts.removed(n))
        ]
        if not told:
            return say(_("None: the whole pack is in play, and what is left over is the kitty."))
        if self.facts.has_kitty:
            told.append(say(_("What cannot be dealt out evenly is the kitty.")))
        return words.joined(told)


def _terms(passing: bool, kitty: bool, moon: bool) -> list[tuple[str, str]]:
    told = [
        (say(_("Trick")), say(_("One card from each player, and what goes to whoever played the strongest."))),
        (say(_("Lead")), say(_("The first card of a trick. Whoever took the last trick leads to the next."))),
        (say(_("Follow suit")), say(_("To play a card of the led suit. Whoever can, must."))),
        (say(_("Being void")), say(_("Holding no card of a suit; then any card may be thrown on it."))),
        (say(_("Point card")), say(_("A heart or the queen of spades."))),
        (say(_("Breaking hearts")), say(_("Playing the card after which hearts may be led in this deal."))),
        (say(_("Deal")), say(_("From shuffling the cards to counting them. A game is several deals."))),
    ]
    if passing:
        told.append(
            (say(_("The pass")), say(_("The three cards that each player gives away before a deal is played.")))
        )
    if moon:
        told.append((say(_("Shooting the moon")), say(_("Taking every point card of a deal."))))
    if kitty:
        told.append(
            (say(_("Kitty")), say(_("Cards that were not dealt out; the winner of the first trick takes them.")))
        )
    return told


def words_page() -> tuple[str, str]:
    """Title and description of the page with all words of Hearts."""
    return say(_("Words of Hearts")), say(
        _("Trick, lead, breaking hearts, shooting the moon: what the words of Hearts mean.")
    )


def all_terms() -> Terms:
    """Every word of Hearts, with those that are heard elsewhere."""
    more = (
        (say(_("Throw away")), say(_("To play a card of another suit because you have none of the led one."))),
        (say(_("Hold")), say(_("A deal without a pass, played with the cards as they were dealt."))),
        (say(_("Black Lady")), say(_("Another name of the queen of spades, and of the game."))),
        (say(_("Omnibus Hearts")), say(_("Hearts in which the jack of diamonds takes ten points off."))),
    )
    return Terms((*_terms(passing=True, kitty=True, moon=True), *more))


def house_rules_told() -> Terms:
    """House rules of Hearts that are not offered, each with the reason."""
    return Terms(
        (
            (
                say(_("The queen must be thrown at the first chance")),
                say(_("It takes away the choice that makes ♠Q exciting: whom to give it to.")),
            ),
            (
                say(_("Hearts count their rank (spot hearts)")),
                say(_("Scores run away after a few deals, and one ace of hearts outweighs a whole evening.")),
            ),
            (
                say(_("Exactly the end score halves it, or sets it to zero")),
                say(_("It is luck and no skill, and makes the length of a game impossible to tell.")),
            ),
            (
                say(_("Taking every trick counts double (the sun)")),
                say(_("A hand that strong shoots the moon anyway; it only makes a bad deal worse for the others.")),
            ),
            (
                say(_("The ten of clubs doubles what was taken")),
                say(_("One card would outweigh ♠Q, and the moon would need rules of its own.")),
            ),
            (
                say(_("Passing one, two or four cards, or to several players")),
                say(
                    _("Three to one player is what all known tables agree on; more variety confuses more than it adds.")
                ),
            ),
            (
                say(_("Two packs for eight players or more")),
                say(_("Waiting for seven others takes too long for a game in the browser.")),
            ),
            (say(_("Playing for stakes")), say(_("Never here, of whatever kind: this site knows points only."))),
        )
    )
