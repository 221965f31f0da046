"""What is true at a table of Spades, asked of the engine by rigged deals."""

from __future__ import annotations

from dataclasses import dataclass

from games.kinds.spades.options import SpadesOptions
from games.kinds.spades.rulebook.rigged import spades_deal, spades_table
from games.kinds.spades.rules import BAGS_PER_PENALTY, BLIND_NIL_GAP, Spades
from games.rulebook import words
from games.rules.answers import MOST_DEALS
from games.rules.state import evolve


@dataclass(frozen=True)
class Facts:
    """The facts behind a page."""

    options: SpadesOptions
    rules: Spades
    contract_trick: int
    missed_trick: int
    bag: int
    nil: int
    failed_nil: int
    blind_nil: int
    failed_blind_nil: int
    bag_penalty: int  # of ten bags; 0 where they cost nothing
    ends_at: int  # the lowest score that ends the game
    floor: int | None  # the highest score at which a side ends it from below
    blind_gap: int = BLIND_NIL_GAP
    bags_per_penalty: int = BAGS_PER_PENALTY
    most_deals: int = MOST_DEALS

    def values(self) -> dict[str, object]:
        """What the sentences of the options name."""
        return {
            "target": self.ends_at,
            "penalty": words.signed(self.bag_penalty),
            "gap": self.blind_gap,
            "blind": words.signed(self.blind_nil),
            "failed_blind": words.signed(self.failed_blind_nil),
            "floor": "" if self.floor is None else words.number(self.floor),
        }

    def as_dict(self) -> dict[str, object]:
        """For tests and programs."""
        numbers = (
            "contract_trick missed_trick bag nil failed_nil blind_nil failed_blind_nil bag_penalty ends_at floor "
            "blind_gap bags_per_penalty most_deals"
        )
        return {
            "kind": "spades",
            "hand_size": self.rules.hand_size,
            "bids": list(self.rules.bids),
            **{name: getattr(self, name) for name in numbers.split()},
        }


def facts_of(options: SpadesOptions) -> Facts:
    """Asks the engine: each figure is the difference of two deals, or the first score that ends a game."""
    rules = spades_table(options.to_json())

    def change(bids: tuple[int, int, int, int], tricks: tuple[int, int, int, int], **more: tuple[int, ...]) -> int:
        return spades_deal(rules, bids, tricks, **more).sheet[-1].change[0]

    made = change((4, 5, 3, 4), (4, 3, 3, 3))
    trick = made // 7
    bag = change((4, 5, 3, 4), (5, 2, 3, 3)) - made
    partner = 4 * trick  # what the partner of a nil makes in the deals below
    failed = partner + bag
    full = (BAGS_PER_PENALTY - 1, 0)
    return Facts(
        options,
        rules,
        contract_trick=trick,
        missed_trick=change((4, 5, 3, 4), (3, 4, 3, 3)) // 7,
        bag=bag,
        nil=change((0, 5, 4, 4), (0, 5, 4, 4)) - partner,
        failed_nil=change((0, 5, 4, 4), (1, 4, 4, 4)) - failed,
        blind_nil=change((0, 5, 4, 4), (0, 5, 4, 4), blind=(0,)) - partner,
        failed_blind_nil=change((0, 5, 4, 4), (1, 4, 4, 4), blind=(0,)) - failed,
        bag_penalty=change((4, 5, 3, 4), (5, 2, 3, 3), bags=full) - made - bag,
        ends_at=_first(rules, range(1, 2001)) or options.target,
        floor=_first(rules, range(-1, -2001, -1)),
    )


def _first(rules: Spades, scores: range) -> int | None:
    """The first of these scores with which a side ends the game against one that stands at 0."""
    state = evolve(rules.start(), deal=1)
    return next((score for score in scores if rules.end((score, 0), state)[0] is not None), None)
