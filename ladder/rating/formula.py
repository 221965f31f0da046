"""The maths of the ladder: seats of a finished game in, changes of ratings out. Pure; the standard library only.

Elo-style, made to be checked by hand. A draw is half a win. Everything is a Decimal, and each change is rounded once,
half to even, to two places. In every row of a receipt `change = k * weight * (scored - expected)`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext

START = Decimal("1500.00")
FLOOR = Decimal("100.00")
CENT = Decimal("0.01")
#: How exactly a receipt tells what was not rounded for the rating.
SHOWN = Decimal("0.0001")
#: A difference of so many points makes ten wins to one of what ratings promise.
SCALE = 400
#: Differences of ratings count up to this.
CAP = 400
HALF = Decimal("0.5")
ONE = Decimal(1)
NONE = Decimal(0)

PROVISIONAL_GAMES = 10
SETTLED_GAMES = 30
MASTER_RATING = 2000
#: Games of one set of humans in one day that count in full, and those that count at all.
FULL_GAMES_A_DAY = 5
GAMES_A_DAY = 10
#: What a leaver pays beside the result, by how often he left in the 30 days before.
EXTRAS = (NONE, Decimal(-5), Decimal(-10))

_EXACT = Context(prec=34, rounding=ROUND_HALF_EVEN)


@dataclass(frozen=True, slots=True)
class Human:
    """A rated seat at the end of a game. A CPU's seat is None instead.

    `games` are the rated games before this one, `points` the final score in Hearts (fewer is better), `earlier_leaves`
    how often this user abandoned a game in the 30 days before.
    """

    rating: Decimal = START
    games: int = 0
    points: int = 0
    has_left: bool = False
    earlier_leaves: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """One mini-game of a receipt: against one seat in Hearts, against both seats of the other side in Spades."""

    opponents: tuple[int, ...]
    expected: Decimal
    scored: Decimal
    k: int
    weight: Decimal  # everything but K that the surprise is multiplied by
    change: Decimal


@dataclass(frozen=True, slots=True)
class Change:
    """What a game does to one rating: the receipt. `code` and `parameters` make a sentence in the reader's language."""

    before: Decimal
    delta: Decimal
    after: Decimal
    rows: tuple[Row, ...]
    extra: Decimal
    code: str
    parameters: Mapping[str, int | str]


# --- parameters -------------------------------------------------------------------------------------------------------


def k_factor(games: int, rating: Decimal) -> int:
    """How far one game may move a rating, after so many rated games."""
    if games < PROVISIONAL_GAMES:
        return 40
    if games < SETTLED_GAMES:
        return 30
    return 15 if rating >= MASTER_RATING else 20


def length_weight(limit: int, full: int) -> Decimal:
    """L: a short game says less. The root of limit / full, kept in 0.5…1. `full`: the score that ends a whole game."""
    ratio = Decimal(max(limit, 0)) / full
    return min(ONE, max(HALF, ratio.sqrt(_EXACT)))


def group_weight(ordinal: int) -> Decimal:
    """g: of the n-th game (from 1) of exactly the same humans in one day. At 0 the game counts for nothing."""
    if ordinal < 1:
        raise ValueError("games are counted from 1")
    if ordinal <= FULL_GAMES_A_DAY:
        return ONE
    return HALF if ordinal <= GAMES_A_DAY else NONE


def opponent_weight(games: int, opponent_games: int) -> Decimal:
    """w: how far somebody settled trusts a result against somebody whose rating is not."""
    return HALF if opponent_games < PROVISIONAL_GAMES <= games else ONE


def expected(rating: Decimal, opponent: Decimal) -> Decimal:
    """E: the score that these ratings promise, from about 0.09 to about 0.91."""
    difference = min(Decimal(CAP), max(Decimal(-CAP), opponent - rating))
    with localcontext(_EXACT):
        return ONE / (ONE + Decimal(10) ** (difference / SCALE))


def extra_for(earlier_leaves: int) -> Decimal:
    """What a leaver pays beside the result: nothing the first time in 30 days, then 5, then 10 each time."""
    return EXTRAS[min(earlier_leaves, len(EXTRAS) - 1)]


# --- games ------------------------------------------------------------------------------------------------------------


def rate_hearts(
    seats: Sequence[Human | None],
    *,
    length: Decimal = ONE,
    group: Decimal = ONE,
    winner_only: bool = False,
) -> tuple[Change | None, ...]:
    """The change of every human of a game in which each seat scores for itself, such as Hearts. Each pair of humans is
    one mini-game; CPUs contribute nothing."""
    with localcontext(_EXACT):
        share = length * group / (len(seats) - 1)
        return tuple(
            None if human is None else _rate_hearts_seat(seats, seat, human, share, group, winner_only)
            for seat, human in enumerate(seats)
        )


def _rate_hearts_seat(
    seats: Sequence[Human | None], seat: int, human: Human, share: Decimal, group: Decimal, winner_only: bool
) -> Change:
    scored = _winner_only if winner_only else _by_points
    k = k_factor(human.games, human.rating)
    rows = []
    for other, opponent in enumerate(seats):
        if opponent is None or other == seat:
            continue
        score = scored(seats, human, opponent)
        if score is not None:
            weight = share * opponent_weight(human.games, opponent.games)
            rows.append(_row((other,), expected(human.rating, opponent.rating), score, k, weight))
    code, parameters = _hearts_sentence(seats, human)
    return _change(human, rows, group, code, parameters)


def _by_points(seats: Sequence[Human | None], human: Human, opponent: Human) -> Decimal | None:
    """S of a pair; None where it contributes nothing."""
    if human.has_left and opponent.has_left:
        return None
    if human.has_left or opponent.has_left:
        return NONE if human.has_left else ONE
    return _score(opponent.points - human.points)


def _winner_only(seats: Sequence[Human | None], human: Human, opponent: Human) -> Decimal | None:
    """S of a pair where only the first place counts. Whoever stayed beats whoever left, as elsewhere."""
    if human.has_left or opponent.has_left:
        return _by_points(seats, human, opponent)
    best = min(other.points for other in seats if other is not None and not other.has_left)
    return _score((human.points == best) - (opponent.points == best))


def rate_spades(
    seats: Sequence[Human],
    *,
    winner: int | None,
    length: Decimal = ONE,
    group: Decimal = ONE,
) -> tuple[Change, ...]:
    """The change of each of four humans in a game of partners, such as Spades. Seats 0 and 2 are side 0; `winner` is a
    side, or None for a draw."""
    if len(seats) != 4:
        raise ValueError("ranked Spades has four humans")
    with localcontext(_EXACT):
        return tuple(_rate_spades_seat(seats, seat, winner, length, group) for seat in range(4))


def _rate_spades_seat(seats: Sequence[Human], seat: int, winner: int | None, length: Decimal, group: Decimal) -> Change:
    human, side = seats[seat], seat % 2
    ratings = [(seats[each].rating + seats[each + 2].rating) / 2 for each in (0, 1)]
    deserted = [seats[each].has_left and seats[each + 2].has_left for each in (0, 1)]
    if deserted[0] != deserted[1]:
        winner = deserted.index(False)  # a side without a human who stayed loses, whatever its CPUs did
    result = HALF if winner is None else ONE if winner == side else NONE
    facing_leaver = seats[1 - side].has_left or seats[3 - side].has_left
    if human.has_left:
        result, share, code = NONE, ONE, "spades_left"
    elif seats[(seat + 2) % 4].has_left and result != ONE:
        share, code = NONE, "spades_spared"
    else:
        share = HALF if facing_leaver else ONE
        code = {ONE: "spades_won", HALF: "spades_drew", NONE: "spades_lost"}[result]
        code += "_leaver" if facing_leaver else ""
    k = k_factor(human.games, human.rating)
    row = _row((1 - side, 3 - side), expected(ratings[side], ratings[1 - side]), result, k, length * group * share)
    return _change(human, [row], group, code, {})


def reversed_delta(rating: Decimal, delta: Decimal) -> Decimal:
    """What the void of a game adds to a rating as it is now: what the game added, taken back; the floor holds."""
    return max(FLOOR, rating - delta) - rating


def _score(lead: int) -> Decimal:
    """1, ½ or 0: a draw is half a win whatever the ratings are."""
    return ONE if lead > 0 else NONE if lead < 0 else HALF


def _row(opponents: tuple[int, ...], promised: Decimal, scored: Decimal, k: int, weight: Decimal) -> Row:
    return Row(opponents, promised, scored, k, weight, k * weight * (scored - promised))


def _change(
    human: Human, rows: Sequence[Row], group: Decimal, code: str, parameters: Mapping[str, int | str]
) -> Change:
    """Adds up exact rows and rounds once. A game that counts for nothing changes nothing, leaver or not."""
    total = sum((row.change for row in rows), NONE).quantize(CENT)
    extra = extra_for(human.earlier_leaves) if human.has_left and group else NONE
    after = max(FLOOR, human.rating + total + extra)
    shown = tuple(
        Row(row.opponents, _told(row.expected), row.scored, row.k, _told(row.weight), _told(row.change)) for row in rows
    )
    if group != ONE:
        code = "repeated_half" if group else "repeated"
    return Change(human.rating, after - human.rating, after, shown, extra, code, parameters)


def _told(value: Decimal) -> Decimal:
    return value.quantize(SHOWN)


def _hearts_sentence(seats: Sequence[Human | None], human: Human) -> tuple[str, Mapping[str, int | str]]:
    stayed = [other.points for other in seats if other is not None and not other.has_left]
    if human.has_left:
        return "hearts_left", {"stayed": len(stayed)}
    place = 1 + sum(points < human.points for points in stayed)
    leavers = sum(other is not None and other.has_left for other in seats)
    code = "hearts_placed_leaver" if leavers else "hearts_placed"
    return code, {"place": place, "humans": len(stayed) + leavers, "leavers": leavers}
