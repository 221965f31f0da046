"""Receipts ready to be shown: names instead of seats, numbers as they are written, the sentence in the reader's
language. Every read; `ladder.rating.services` writes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from django.db.models import Count, IntegerField, OuterRef, Q, QuerySet, Subquery

from games.log.models import Game
from games.log.selectors import SeatHolder, holders_of
from ladder.rating import sentences
from ladder.rating.formula import CENT
from ladder.rating.models import RankedGame, RatingChange
from ladder.rating.standing import shown

MINUS = "\N{MINUS SIGN}"
Seats = Mapping[int, Sequence[SeatHolder]]
_SCORES = {Decimal(0): "0", Decimal("0.5"): "½", Decimal(1): "1"}


@dataclass(frozen=True, slots=True)
class ReceiptRow:
    """One line of the sum: `change = k * weight * (scored - expected)`."""

    opponents: tuple[str, ...]
    expected: str
    scored: str
    k: int
    weight: str
    change: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """What one game did to one player's rating. `before` and `after` are as people see ratings, e.g. `1500?`."""

    game: int
    user: int
    seat: int
    name: str
    ladder: str
    reason: str
    at: datetime
    before: str
    after: str
    exact_before: str
    exact_after: str
    change: str
    rows: tuple[ReceiptRow, ...]
    extra: str  # empty where leaving has cost nothing more
    sentence: str
    notes: tuple[str, ...]
    has_left: bool
    counts: bool

    @property
    def is_void(self) -> bool:
        """Whether it takes another one back."""
        return self.reason == RatingChange.Reason.VOID


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a ranked game did to everybody at its table.

    `status` is one of `running`, `pending` (over, and soon rated), `rated`, `taken_back` (rated, then declared void)
    and `void` (it has ended without a result).
    """

    game: int
    status: str
    receipts: tuple[Receipt, ...]  # by seat; of a game that was taken back those of the void

    def of(self, user_id: int | None) -> Receipt | None:
        """A user's own."""
        return next((receipt for receipt in self.receipts if receipt.user == user_id), None)


# --- numbers ----------------------------------------------------------------------------------------------------------


def signed(value: Decimal) -> str:
    """A change with its sign: +3.33, −3.33, 0."""
    rounded = value.quantize(CENT, rounding=ROUND_HALF_EVEN)
    if not rounded:
        return "0"
    return f"{'+' if rounded > 0 else MINUS}{abs(rounded)}"


def plain(value: Decimal) -> str:
    """A number with the places that it needs: at least two, at most the four that a receipt stores."""
    whole, _, places = f"{value:.4f}".partition(".")
    return f"{whole}.{places.rstrip('0').ljust(2, '0')}"


# --- reading ----------------------------------------------------------------------------------------------------------


def with_games_before(changes: QuerySet[RatingChange]) -> QuerySet[RatingChange]:
    """The changes, each with `games_before`: its player's rated games on the ladder until then, voids left out."""
    earlier = RatingChange.objects.filter(
        user=OuterRef("user"), ladder=OuterRef("ladder"), seq__lt=OuterRef("seq"), counts=True
    ).order_by()
    results = Count("seq", filter=Q(reason=RatingChange.Reason.RESULT))
    voids = Count("seq", filter=Q(reason=RatingChange.Reason.VOID))
    number = earlier.values("user").annotate(number=results - voids).values("number")
    return changes.annotate(games_before=Subquery(number, output_field=IntegerField()))


def number_games(changes: Sequence[RatingChange]) -> Sequence[RatingChange]:
    """Gives each change its `games_before`, as `with_games_before` does: of one player's changes that follow each
    other, the latest first. Those before the oldest are counted once for each ladder, the others as they come.
    """
    oldest = {change.ladder_id: change.pk for change in changes}
    counted = with_games_before(RatingChange.objects.filter(pk__in=oldest.values()))
    games: dict[int, int] = {each.ladder_id: getattr(each, "games_before", None) or 0 for each in counted}
    for change in reversed(changes):
        change.games_before = games[change.ladder_id]  # type: ignore[attr-defined]
        if change.counts:
            games[change.ladder_id] += -1 if change.reason == RatingChange.Reason.VOID else 1
    return changes


def receipts_for(
    changes: QuerySet[RatingChange] | Sequence[RatingChange], seated: Seats | None = None
) -> list[Receipt]:
    """The receipts of some changes, in their order, in a handful of queries.

    A list of changes has to come from `with_games_before`, or through `number_games`. `seated`: who sits in
    their games, for whoever has read that.
    """
    if isinstance(changes, QuerySet):
        changes = list(with_games_before(changes.select_related("ladder")))
    seats = holders_of({change.game_id for change in changes}) if seated is None else seated
    return [_receipt(change, seats[change.game_id]) for change in changes]


def outcome_of(game_id: int) -> Outcome | None:
    """What a ranked game did to ratings; None for a game that is not ranked."""
    ranked = RankedGame.objects.select_related("game").filter(pk=game_id).first()
    if ranked is None:
        return None
    if ranked.game.status == Game.Status.VOID:
        return Outcome(game_id, "void", ())
    if ranked.game.status != Game.Status.FINISHED:
        return Outcome(game_id, "running", ())
    changes = receipts_for(RatingChange.objects.filter(game=game_id))
    voids = [receipt for receipt in changes if receipt.is_void]
    found = sorted(voids or changes, key=lambda receipt: receipt.seat)
    return Outcome(game_id, "taken_back" if voids else "rated" if found else "pending", tuple(found))


def _receipt(change: RatingChange, holders: Sequence[SeatHolder]) -> Receipt:
    stored: dict[str, Any] = change.receipt
    names = [holder.name for holder in holders]
    seat = next(seat for seat, holder in enumerate(holders) if holder.user_id == change.user_id)
    games = getattr(change, "games_before", None) or 0
    one = int(change.counts)
    games_after = games - one if change.reason == RatingChange.Reason.VOID else games + one
    extra = Decimal(stored.get("extra", "0"))
    cpus = sum(holder.user_id is None for holder in holders)
    noted = sentences.notes(has_left=change.has_left, extra=extra, after=change.after, cpus=cpus, code=stored["code"])
    return Receipt(
        game=change.game_id,
        user=change.user_id,
        seat=seat,
        name=names[seat],
        ladder=change.ladder.slug,
        reason=change.reason,
        at=change.at,
        before=shown(change.before, games),
        after=shown(change.after, games_after),
        exact_before=f"{change.before:.2f}",
        exact_after=f"{change.after:.2f}",
        change=signed(change.delta),
        rows=tuple(_rows(stored.get("rows", ()), names)),
        extra=signed(extra) if extra else "",
        sentence=sentences.sentence(stored["code"], stored["parameters"]),
        notes=tuple(noted),
        has_left=change.has_left,
        counts=change.counts,
    )


def _rows(rows: Iterable[dict[str, Any]], names: Sequence[str]) -> Iterable[ReceiptRow]:
    for row in rows:
        yield ReceiptRow(
            opponents=tuple(names[seat] for seat in row["opponents"]),
            expected=plain(Decimal(row["expected"])),
            scored=_SCORES[Decimal(row["scored"])],
            k=row["k"],
            weight=plain(Decimal(row["weight"])),
            change=signed(Decimal(row["change"])),
        )
