"""What is true at a table of Hearts, asked of the engine: packs, rotations, and what rigged deals scored."""

from __future__ import annotations

from dataclasses import dataclass

from games.kinds.hearts.options import HeartsOptions
from games.kinds.hearts.rulebook.rigged import all_hearts, hearts_deal, hearts_table
from games.kinds.hearts.rules import JACK, JACK_POINTS, MOON_POINTS, MOST_EXTRA_DEALS, Hearts
from games.rulebook import words
from games.rules.answers import MOST_DEALS
from games.rules.cards import DECK
from games.rules.state import evolve

#: Deals after which any rotation has begun anew.
_LONG = 8


@dataclass(frozen=True)
class Facts:
    """The facts behind a page. Points are penalty points, plus where they hurt; `change` writes them as the table does.

    `usual` is the number of players that examples are played with.
    """

    options: HeartsOptions
    tables: dict[int, Hearts]
    usual: int
    heart_points: int
    queen_points: int
    jack_points: int
    moon_shooter: int
    moon_others: int
    ends_at: int  # the lowest total that ends the game
    moon_points: int = MOON_POINTS
    most_deals: int = MOST_DEALS
    most_extra_deals: int = MOST_EXTRA_DEALS

    @property
    def players(self) -> tuple[int, ...]:
        return tuple(self.tables)

    @property
    def rules(self) -> Hearts:
        """The rules of the table that examples are played at."""
        return self.tables[self.usual]

    @property
    def jack(self) -> bool:
        """Whether the jack of diamonds scores."""
        return self.options.jack_of_diamonds == "minus_ten"

    @property
    def has_kitty(self) -> bool:
        return any(self.kitty(n) for n in self.players)

    def kitty(self, n: int) -> int:
        """Cards that lie in the kitty."""
        return len(self.tables[n].deck) - self.tables[n].hand_size * n

    def removed(self, n: int) -> list[str]:
        """Cards of the pack that are not in play."""
        return [card for card in DECK if card not in self.tables[n].deck]

    def hearts(self, n: int) -> int:
        """Hearts in play."""
        return all_hearts(self.tables[n])

    def all_points(self, n: int) -> int:
        """Penalty points in a deal, without the jack of diamonds."""
        return self.tables[n].points(self.tables[n].penalty)

    def opening_card(self, n: int) -> str:
        """The lowest club of the pack."""
        return self.tables[n].deck[0]

    def rotation(self, n: int) -> tuple[str, ...]:
        """What each deal in turn does with three cards, until it begins anew."""
        seen = [self.tables[n].direction(deal) for deal in range(1, 2 * _LONG + 1)]
        return next(
            tuple(seen[:length])
            for length in range(1, _LONG + 1)
            if all(seen[deal] == seen[deal % length] for deal in range(len(seen)))
        )

    def change(self, penalty: int) -> str:
        """Penalty points as this table writes a change of score."""
        return words.signed(-penalty if self.options.score_sign == "minus" else penalty)

    def total(self, penalty: int) -> str:
        """Penalty points as this table writes a score, in words."""
        return words.points(-penalty if self.options.score_sign == "minus" else penalty)

    def score(self, penalty: int) -> str:
        """Penalty points as this table writes a score."""
        return words.number(-penalty if self.options.score_sign == "minus" else penalty)

    def as_dict(self) -> dict[str, object]:
        """For tests and programs."""
        return {
            "kind": "hearts",
            "players": self.players,
            "removed": {n: self.removed(n) for n in self.players},
            "hand_size": {n: rules.hand_size for n, rules in self.tables.items()},
            "kitty": {n: self.kitty(n) for n in self.players},
            "rotation": {n: self.rotation(n) for n in self.players},
            "opening_card": {n: self.opening_card(n) for n in self.players},
            "all_points": {n: self.all_points(n) for n in self.players},
            "heart_points": self.heart_points,
            "queen_points": self.queen_points,
            "jack_points": self.jack_points,
            "moon_shooter": self.moon_shooter,
            "moon_others": self.moon_others,
            "ends_at": self.ends_at,
            "most_deals": self.most_deals,
            "most_extra_deals": self.most_extra_deals,
        }


def facts_of(players: tuple[int, ...], options: HeartsOptions) -> Facts:
    """Asks the engine. Refused where the options do not go with one of the numbers of players."""
    tables = {n: hearts_table(n, options.to_json()) for n in players}
    usual = 4 if 4 in players else players[0]
    rules = tables[usual]
    one_heart = hearts_deal(rules, {0: (1, False, False)}).sheet[-1].change[0]
    queen = hearts_deal(rules, {0: (1, True, False)}).sheet[-1].change[0] - one_heart
    jack = 0
    if JACK in rules.deck:
        jack = hearts_deal(rules, {0: (1, False, True)}).sheet[-1].change[0] - one_heart
    shooter, others = _moon(rules)
    return Facts(options, tables, usual, one_heart, queen, jack, shooter, others, _ends_at(rules))


def _moon(rules: Hearts) -> tuple[int, int]:
    """What a moon without the jack's own points brings the shooter if that is deducted, and the others if charged."""
    jack = JACK in rules.deck
    hauls = {0: (all_hearts(rules), True, jack)}
    bonus = JACK_POINTS if jack and rules.options.jack_of_diamonds == "minus_ten" else 0
    subtracted = hearts_deal(rules, hauls, choice="subtract").sheet[-1].change
    added = hearts_deal(rules, hauls, choice="add").sheet[-1].change
    return subtracted[0] - bonus, added[1]


def _ends_at(rules: Hearts) -> int:
    """The lowest total with which one player ends a game that another leads alone."""
    state = evolve(rules.start(), deal=1)
    scores = (0, *[1] * (rules.players - 2))
    return next(total for total in range(1, 1000) if rules.end((*scores, total), state)[0] is not None)
