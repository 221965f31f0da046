"""The formula worked on one game, step by step: a reader's own, from its stored changes, or an example.

Every step is computed here anew with the functions of `ladder.rating.formula`, so what the page arrives at is no copy
of what is stored. Tests compare the two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from accounts.models import User
from games.kinds import KINDS
from games.log.models import Game
from games.log.selectors import holders_of
from ladder.rating.formula import (
    CAP,
    CENT,
    FLOOR,
    HALF,
    NONE,
    ONE,
    Human,
    expected,
    k_factor,
    length_weight,
    opponent_weight,
    rate_hearts,
)
from ladder.rating.models import Ladder, RatingChange
from ladder.rating.receipts import with_games_before

#: The example for readers without a game: settled players, one game to the usual score.
EXAMPLE = ((1512, 40), (1562, 60), (1484, 80), (1417, 101))
EXAMPLE_GAMES = 40


@dataclass(frozen=True, slots=True)
class Line:
    """One mini-game of the sum. `difference` is the others' rating less the own one, `capped` what of it counts."""

    opponents: tuple[str, ...]
    rating: Decimal
    difference: Decimal
    capped: Decimal
    expected: Decimal
    scored: Decimal
    weight: Decimal  # w in Hearts, the share that leavers leave in Spades
    change: Decimal


@dataclass(frozen=True, slots=True)
class Worked:
    """A game's change for one player, with everything it is made of."""

    kind: str
    ladder: Ladder | None
    game_id: int | None
    at: datetime | None
    names: tuple[str, ...]
    scores: tuple[int, ...]
    seat: int
    games: int
    k: int
    limit: int
    length: Decimal
    group: Decimal
    opponents: int  # seats beside the own one
    own: Decimal  # what is compared: the rating, in Spades the mean of both partners
    partner: str
    share: Decimal  # what all rows have in common beside K
    lines: tuple[Line, ...]
    total: Decimal
    rounded: Decimal
    extra: Decimal
    before: Decimal
    after: Decimal

    @property
    def delta(self) -> Decimal:
        """What the rating changes by."""
        return self.after - self.before

    @property
    def is_at_floor(self) -> bool:
        """Whether the floor has held the rating up."""
        return self.before + self.rounded + self.extra < self.after


def last_of(user: User) -> Worked | None:
    """A player's last rated game; None if he has none."""
    change = RatingChange.objects.filter(user=user, reason=RatingChange.Reason.RESULT).order_by("-seq").first()
    return None if change is None else _of_game(change)


def _of_game(change: RatingChange) -> Worked:
    game = Game.objects.get(pk=change.game_id)
    ladder = Ladder.objects.select_related("preset_version__preset").get(pk=change.ladder_id)
    results = with_games_before(RatingChange.objects.filter(game=game, reason=RatingChange.Reason.RESULT))
    by_user = {row.user_id: row for row in results}
    holders = holders_of({game.pk})[game.pk]
    humans: list[Human | None] = []
    for holder in holders:
        row = None if holder.user_id is None else by_user.get(holder.user_id)
        games = getattr(row, "games_before", None) or 0
        humans.append(None if row is None else Human(row.before, games, has_left=row.has_left))
    seat = next(seat for seat, holder in enumerate(holders) if holder.user_id == change.user_id)
    return work(
        humans,
        seat,
        kind=game.kind,
        limit=int(game.options[KINDS[game.kind].limit_option]),
        group={"repeated_half": HALF, "repeated": NONE}.get(change.receipt["code"], ONE),
        receipt=change.receipt,
        names=[holder.name for holder in holders],
        scores=list((game.result or {}).get("scores", ())),
        ladder=ladder,
        game_id=game.pk,
        at=change.at,
    )


def example(names: Sequence[str]) -> Worked:
    """What the page works out for everybody else: the first of four in a game of Hearts."""
    kind = next(kind for kind in KINDS.values() if not kind.is_partnership)
    humans = [Human(Decimal(rating), EXAMPLE_GAMES, points) for rating, points in EXAMPLE]
    change = rate_hearts(humans)[0]
    assert change is not None
    receipt = {
        "rows": [{"opponents": row.opponents, "scored": row.scored, "weight": row.weight} for row in change.rows]
    }
    scores = [points for _, points in EXAMPLE]
    return work(
        humans, 0, kind=kind.name, limit=kind.full_limit, group=ONE, receipt=receipt, names=names, scores=scores
    )


def work(
    humans: Sequence[Human | None],
    seat: int,
    *,
    kind: str,
    limit: int,
    group: Decimal,
    receipt: Mapping[str, Any],
    names: Sequence[str],
    scores: Sequence[int],
    ladder: Ladder | None = None,
    game_id: int | None = None,
    at: datetime | None = None,
) -> Worked:
    """Works out one seat's change from the ratings at the table and from what a receipt says of results and leavers."""
    human = humans[seat]
    assert human is not None
    k, length = k_factor(human.games, human.rating), length_weight(limit, KINDS[kind].full_limit)
    is_partnership = KINDS[kind].is_partnership
    share = length * group / (1 if is_partnership else len(humans) - 1)
    own = _mean(humans, (seat, (seat + 2) % 4)) if is_partnership else human.rating
    lines = []
    for row in receipt["rows"]:
        opponents = tuple(row["opponents"])
        others, scored = _mean(humans, opponents), Decimal(row["scored"])
        if is_partnership:
            weight = _left_over(Decimal(row["weight"]), share)
        else:
            weight = opponent_weight(human.games, _human(humans, opponents[0]).games)
        promised = expected(own, others)
        lines.append(
            Line(
                opponents=tuple(names[other] for other in opponents),
                rating=others,
                difference=others - own,
                capped=min(Decimal(CAP), max(Decimal(-CAP), others - own)),
                expected=promised,
                scored=scored,
                weight=weight,
                change=k * share * weight * (scored - promised),
            )
        )
    total = sum((line.change for line in lines), NONE)
    rounded, extra = total.quantize(CENT), Decimal(receipt.get("extra", "0"))
    return Worked(
        kind=kind,
        ladder=ladder,
        game_id=game_id,
        at=at,
        names=tuple(names),
        scores=tuple(scores),
        seat=seat,
        games=human.games,
        k=k,
        limit=limit,
        length=length,
        group=group,
        opponents=len(humans) - 1,
        own=own,
        partner=names[(seat + 2) % 4] if is_partnership else "",
        share=share,
        lines=tuple(lines),
        total=total,
        rounded=rounded,
        extra=extra,
        before=human.rating,
        after=max(FLOOR, human.rating + rounded + extra),
    )


def _human(humans: Sequence[Human | None], seat: int) -> Human:
    human = humans[seat]
    assert human is not None
    return human


def _mean(humans: Sequence[Human | None], seats: Sequence[int]) -> Decimal:
    return sum((_human(humans, seat).rating for seat in seats), NONE) / len(seats)


def _left_over(weight: Decimal, share: Decimal) -> Decimal:
    """What leavers leave of a row: all, half, or nothing."""
    return min((NONE, HALF, ONE), key=lambda part: abs(part * share - weight)) if share else ONE
