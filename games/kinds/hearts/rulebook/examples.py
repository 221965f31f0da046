"""Worked examples of Hearts. The cards are arranged here; every figure and every verdict is the engine's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from games.kinds.hearts.rulebook.facts import Facts
from games.kinds.hearts.rulebook.rigged import Haul, hearts_deal
from games.kinds.hearts.rules import JACK, QUEEN
from games.rulebook import words
from games.rulebook.page import Block, Example, Table
from games.rulebook.words import say
from games.rules import Action, State
from games.rules.options import _
from games.rules.state import Trick, evolve

NAMES = "ABCDEFG"


class Examples:
    """The examples of one page."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.rules = facts.rules
        self.n = facts.usual
        self.all = facts.hearts(self.n)

    # --- which cards may be played ------------------------------------------------------------------------------------

    def legal_cards(self) -> list[Block]:
        """Positions with the cards that the engine allows."""
        opened = evolve(self.rules.apply(self.rules.start(), Action("open", dealer=0)), phase="play", turn=0, leader=0)
        led = "AC"
        earlier = (Trick(0, tuple(card for card in self.rules.deck if card[1] == "D")[-self.n :], 0),)
        follows = {"trick": (led,), "leader": self.n - 1}
        rows = [
            self._position(say(_("You lead; no heart and no ♠Q has been played yet.")), opened, earlier, "4H 8H QS"),
            self._position(
                say(_("First trick: a club was led and you have none.")), evolve(opened, **follows), (), "6D 4H QS"
            ),
            self._position(
                say(_("Later trick: a club was led, you have none, hearts are not broken.")),
                evolve(opened, **follows),
                earlier,
                "6D 4H QS",
            ),
        ]
        thrown = evolve(opened, hands=((), (QUEEN, "6D")) + ((),) * (self.n - 2), turn=1, trick=(led,), tricks=earlier)
        broken = self.rules.apply(thrown, Action("play", 1, card=QUEEN)).broken
        rows.append(
            self._position(
                say(_("You lead; ♠Q has been played, but no heart.")), evolve(opened, broken=broken), earlier, "6D 4H"
            )
        )
        head = (say(_("Position")), say(_("Your cards")), say(_("You may play")))
        return [Table("legal", say(_("Which cards may be played")), head, tuple(rows))]

    def _position(self, told: str, state: State, tricks: tuple[Trick, ...], hand: str) -> tuple[str, str, str]:
        cards = tuple(hand.split())
        ordered = tuple(card for card in self.rules.deck if card in cards)
        state = evolve(state, hands=(ordered,) + ((),) * (self.n - 1), turn=0, tricks=tricks)
        allowed = [
            action.card for action in self.rules.legal_actions(state, 0) if action.kind == "play" and action.card
        ]
        return told, words.cards(ordered), words.cards(allowed)

    # --- deals --------------------------------------------------------------------------------------------------------

    def plain_deals(self) -> list[Block]:
        """A deal in which nobody shoots the moon."""
        hauls: dict[int, Haul] = {0: (3, False, self.facts.jack), 1: (2, True, False)}
        hauls[self.n - 1] = self._rest(hauls)
        state = hearts_deal(self.rules, hauls)
        meaning = (
            say(_("The hearts and ♠Q are spread over several players: no moon. ♦J makes up for some of A's hearts."))
            if self.facts.jack
            else say(_("The hearts and ♠Q are spread over several players: everyone scores the cards taken."))
        )
        return [self._example("plain", say(_("Example: an ordinary deal")), "", hauls, state, meaning)]

    def moons(self) -> list[Block]:
        """What a moon brings in every case, one that is worked out, and one that failed."""
        facts = self.facts
        everything: dict[int, Haul] = {0: (self.all, True, facts.jack)}
        if facts.options.moon == "off":
            state = hearts_deal(self.rules, everything)
            meaning = say(_("A keeps every point: there is no moon at this table."))
            return [self._example("all-taken", say(_("Example: everything taken")), "", everything, state, meaning)]
        blocks: list[Block] = [self._moon_table()]
        before = [facts.options.end_score * share // 10 for share in (6, 3, 2, 5, 1, 4, 0)][: self.n]
        for choice in self._choices():
            state = hearts_deal(self.rules, everything, scores=before, choice=choice)
            title = {
                "add": say(_("Example: a moon charged to the others")),
                "subtract": say(_("Example: a moon deducted from the shooter")),
            }[choice]
            given = say(_("A takes all hearts and ♠Q.")) if not facts.jack else say(_("A takes all hearts, ♠Q and ♦J."))
            blocks.append(
                self._example(f"moon-{choice}", title, given, everything, state, self._verdict(state), before)
            )
        one_short: dict[int, Haul] = {0: (self.all - 1, True, False), 1: (1, False, facts.jack)}
        state = hearts_deal(self.rules, one_short)
        meaning = say(_("A single heart went to B: there is no moon, and A keeps the points."))
        blocks.append(self._example("no-moon", say(_("Example: one heart short")), "", one_short, state, meaning))
        return blocks

    def _choices(self) -> tuple[str, ...]:
        return ("add", "subtract") if self.facts.options.moon == "choose" else (self.facts.options.moon,)

    def _moon_table(self) -> Table:
        """Every case of a moon: who has the jack, and how it counts."""
        facts = self.facts
        head = [say(_("Case")), say(_("Shooter")), say(_("Every other player"))]
        cases: list[tuple[str, dict[int, Haul]]] = [("", {0: (self.all, True, False)})]
        if facts.jack:
            head.insert(2, say(_("Who has ♦J")))
            cases = [
                (say(_("the shooter takes ♦J")), {0: (self.all, True, True)}),
                (say(_("another player takes ♦J")), {0: (self.all, True, False), 1: (0, False, True)}),
            ]
        ways = {"add": say(_("charged to the others")), "subtract": say(_("deducted from the shooter"))}
        rows = []
        for told, hauls in cases:
            for choice in self._choices():
                change = hearts_deal(self.rules, hauls, choice=choice).sheet[-1].change
                shot = self._is_moon(hauls)
                way = ways[choice] if shot else say(_("no moon"))
                case = say(_("%(case)s; %(way)s"), case=told, way=way) if told else way
                row = [case, facts.change(change[0]), facts.change(change[-1])]
                if facts.jack:
                    row.insert(2, "–" if 1 not in hauls else facts.change(change[1]))
                if tuple(row) not in rows:
                    rows.append(tuple(row))
        return Table("moon", say(_("What a moon brings")), tuple(head), tuple(rows), figures=1)

    def _is_moon(self, hauls: Mapping[int, Haul]) -> bool:
        lines = hearts_deal(self.rules, hauls).sheet[-1].lines
        return any(line.what == "moon" for line in lines)

    def ends(self) -> list[Block]:
        """The end test at the very line, and a tie for first."""
        end, low = self.facts.options.end_score, self.facts.options.end_score * 2 // 5
        middle = [low + 3 * place for place in range(1, self.n - 1)]
        exact = [low, *middle, end]
        tied = [low, low, *middle[1:], end + 1] if self.n > 2 else [end + 1, end + 1]
        at_the_line = say(_("The worst score is exactly %(total)s."), total=self.facts.total(end))
        return [
            self._end("end-exact", say(_("Example: exactly at the line")), at_the_line, exact),
            self._end(
                "end-tie",
                say(_("Example: a tie for first")),
                say(_("The line is passed, and two players share the best score.")),
                tied,
            ),
        ]

    def _end(self, name: str, title: str, given: str, totals: Sequence[int]) -> Example:
        """A deal after which the scores are these."""
        others = self.n - 1
        hauls: dict[int, Haul] = {
            seat: (self.all // others + (seat < self.all % others), False, False) for seat in range(others)
        }
        hauls[others] = (0, True, self.facts.jack)
        change = hearts_deal(self.rules, hauls).sheet[-1].change
        before = [total - scored for total, scored in zip(totals, change, strict=True)]
        state = hearts_deal(self.rules, hauls, scores=before)
        return self._example(name, title, given, hauls, state, self._verdict(state), before)

    # --- how an example is shown --------------------------------------------------------------------------------------

    def _rest(self, hauls: Mapping[int, Haul]) -> Haul:
        """The hearts that nobody has yet, for the last seat beside what it has."""
        own = hauls.get(self.n - 1, (0, False, False))
        left = self.all - sum(haul[0] for haul in hauls.values())
        return own[0] + left, own[1], own[2]

    def _example(
        self,
        name: str,
        title: str,
        given: str,
        hauls: Mapping[int, Haul],
        state: State,
        meaning: str,
        before: Sequence[int] = (),
    ) -> Example:
        facts = self.facts
        change = state.sheet[-1].change
        head = [say(_("Player")), say(_("Takes")), say(_("This deal"))]
        if before:
            head[2:2] = [say(_("Before"))]
            head.append(say(_("After")))
        result = self.rules.result(state)
        if result is not None:
            head.append(say(_("Place")))
        rows = []
        for seat in range(self.n):
            row = [NAMES[seat], self._takes(hauls.get(seat, (0, False, False))), facts.change(change[seat])]
            if before:
                row.insert(2, facts.score(before[seat]))
                row.append(facts.score(state.scores[seat]))
            if result is not None:
                row.append(str(result.placings[seat]))
            rows.append(tuple(row))
        return Example(name, title, given, Table(name, title, tuple(head), tuple(rows), figures=2), meaning)

    def _takes(self, haul: Haul) -> str:
        count, queen, jack = haul
        parts = [f"♥×{count}"] * bool(count) + [words.card(QUEEN)] * queen + [words.card(JACK)] * jack
        return " ".join(parts) or "–"

    def _verdict(self, state: State) -> str:
        """Whether the engine ended the game, and who is first."""
        result = self.rules.result(state)
        if result is None:
            return say(_("The game goes on with another deal."))
        first = [NAMES[seat] for seat, place in enumerate(result.placings) if place == 1]
        if len(first) > 1:
            return say(_("The game is over, and %(names)s share first place."), names=words.listed(first))
        return say(_("The game is over, and %(name)s has won."), name=first[0])
