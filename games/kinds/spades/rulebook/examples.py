"""Worked examples of Spades. Bids and tricks are arranged here; every figure and every verdict is the engine's."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext

from games.kinds.spades.rulebook.facts import Facts
from games.kinds.spades.rulebook.rigged import spades_deal
from games.rulebook import words
from games.rulebook.page import Block, Example, Table
from games.rulebook.words import say
from games.rules import Action, State
from games.rules.options import _
from games.rules.state import Trick, evolve

#: What a line of the score sheet is called on a page.
LINES = {
    "contract": _("contract"),
    "missed_contract": _("contract missed"),
    "nil": _("nil"),
    "failed_nil": _("nil failed"),
    "blind_nil": _("blind nil"),
    "failed_blind_nil": _("blind nil failed"),
    "bags": _("bags"),
    "bag_penalty": _("ten bags"),
}


class Examples:
    """The examples of one page. Your side is the first, seats 0 and 2."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.rules = facts.rules

    def legal_cards(self) -> list[Block]:
        """Positions with the cards that the engine allows."""
        opened = evolve(self.rules.apply(self.rules.start(), Action("open", dealer=0)), phase="play", turn=0, leader=0)
        earlier = (Trick(0, ("2D", "3D", "4D", "5D"), 3),)
        led = evolve(opened, trick=("9C",), leader=3)
        rows = [
            self._position(say(_("You lead; no spade has been played yet.")), opened, earlier, "6D 8H KS"),
            self._position(say(_("You lead; no spade has been played yet.")), opened, earlier, "5S KS"),
            self._position(say(_("First trick: a club was led and you have none.")), led, (), "6D 8H KS"),
            self._position(say(_("A club was led.")), led, earlier, "2C AC KS"),
        ]
        head = (say(_("Position")), say(_("Your cards")), say(_("You may play")))
        return [Table("legal", say(_("Which cards may be played")), head, tuple(rows))]

    def _position(self, told: str, state: State, tricks: tuple[Trick, ...], hand: str) -> tuple[str, str, str]:
        state = evolve(state, hands=(tuple(hand.split()), (), (), ()), turn=0, tricks=tricks)
        allowed = [
            action.card for action in self.rules.legal_actions(state, 0) if action.kind == "play" and action.card
        ]
        return told, words.cards(hand.split()), words.cards(allowed)

    # --- deals --------------------------------------------------------------------------------------------------------

    def contracts(self) -> list[Block]:
        """A contract made, passed and missed, and ten bags."""
        cases = [
            (say(_("contract 5, 5 tricks")), (3, 4, 2, 4), (3, 4, 2, 4), (0, 0)),
            (say(_("contract 5, 7 tricks")), (3, 4, 2, 4), (4, 3, 3, 3), (0, 0)),
            (say(_("contract 5, 4 tricks")), (3, 4, 2, 4), (2, 5, 2, 4), (0, 0)),
            (say(_("contract 5, 8 tricks, with 9 bags before")), (3, 4, 2, 4), (5, 3, 3, 2), (9, 0)),
        ]
        rows = []
        for told, bids, tricks, bags in cases:
            state = spades_deal(self.rules, bids, tricks, bags=bags)
            rows.append((told, self._sum(state), words.signed(state.sheet[-1].change[0]), str(state.bags[0])))
        return [self._table("contracts", say(_("Examples: contracts and bags")), rows)]

    def nils(self) -> list[Block]:
        """Nil made and failed beside a contract; blind nil where it is played."""
        cases: list[tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...]]] = [
            (say(_("nil made, partner bids 4 and takes 5")), (0, 4, 4, 4), (0, 4, 5, 4), ()),
            (say(_("nil takes 1 trick, partner bids 2 and takes 1")), (0, 5, 2, 5), (1, 6, 1, 5), ()),
            (say(_("nil takes 2 tricks, partner bids 4 and takes 4")), (0, 4, 4, 3), (2, 4, 4, 3), ()),
            (say(_("both bid nil, one takes 1 trick")), (0, 6, 0, 6), (1, 6, 0, 6), ()),
        ]
        if self.facts.options.blind_nil == "yes":
            cases += [
                (say(_("blind nil made, partner bids 4 and takes 4")), (0, 5, 4, 4), (0, 5, 4, 4), (0,)),
                (say(_("blind nil takes 1 trick, partner bids 4 and takes 4")), (0, 4, 4, 4), (1, 4, 4, 4), (0,)),
            ]
        rows = []
        for told, bids, tricks, blind in cases:
            state = spades_deal(self.rules, bids, tricks, blind=blind)
            rows.append((told, self._sum(state), words.signed(state.sheet[-1].change[0]), str(state.bags[0])))
        return [self._table("nils", say(_("Examples: nil")), rows)]

    def _table(self, name: str, caption: str, rows: Sequence[tuple[str, ...]]) -> Table:
        head = (say(_("Deal")), say(_("Sum")), say(_("Score")), say(_("Bags after")))
        return Table(name, caption, head, tuple(rows), figures=2)

    def _sum(self, state: State) -> str:
        """The lines of your side's score: contract +50, bags +2."""
        lines = [line for line in state.sheet[-1].lines if line.side == 0]
        told = [
            say(_("%(what)s %(amount)s"), what=gettext(LINES[x.what]), amount=words.signed(x.amount)) for x in lines
        ]
        return words.enumerated(told)

    def ends(self) -> list[Block]:
        """The target, equal scores and the floor, each tested by the engine."""
        target = self.facts.options.target
        made = spades_deal(self.rules, (3, 4, 2, 4), (3, 4, 2, 4)).sheet[-1].change
        shown = [
            self._end("end-target", say(_("Example: both sides reach the target")), made, (target + 10, target + 30)),
            self._end("end-equal", say(_("Example: equal scores at the target")), made, (target + 10, target + 10)),
        ]
        missed = spades_deal(self.rules, (3, 4, 2, 4), (2, 5, 2, 4)).sheet[-1].change
        floor = self.facts.floor if self.facts.floor is not None else -200
        title = say(_("Example: a side falls to %(score)s"), score=words.number(floor))
        shown.append(self._end("end-floor", title, missed, (floor, missed[1] + 10), made=False))
        return list(shown)

    def _end(
        self, name: str, title: str, change: Sequence[int], scores: tuple[int, int], *, made: bool = True
    ) -> Example:
        before = [total - scored for total, scored in zip(scores, change, strict=True)]
        tricks = (3, 4, 2, 4) if made else (2, 5, 2, 4)
        state = spades_deal(self.rules, (3, 4, 2, 4), tricks, scores=before)
        head = [say(_("Side")), say(_("Before")), say(_("This deal")), say(_("After"))]
        names = (say(_("A and C")), say(_("B and D")))
        rows = [
            (
                names[side],
                words.number(before[side]),
                words.signed(state.sheet[-1].change[side]),
                words.number(state.scores[side]),
            )
            for side in range(2)
        ]
        table = Table(name, title, tuple(head), tuple(rows), figures=1)
        return Example(name, title, "", table, self._verdict(state, names))

    def _verdict(self, state: State, names: Sequence[str]) -> str:
        result = self.rules.result(state)
        if result is None:
            return say(_("The game goes on with another deal."))
        winner = names[result.placings.index(1)]
        return say(_("The game is over: %(names)s have won."), names=winner)
