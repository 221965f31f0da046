"""The worked cases of the ladder through whole stored games: played, stored, rated, and proved from their logs.

The scores of a case replace those of the game that was played; who left is in its log, and all else is as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from accounts.models import User
from games.models import Game
from ladder.models import Rating, RatingChange
from ladder.rating import services
from ladder.rating.proof import prove
from ladder.rating.standing import ZONE
from tests.ladder.finished import ladder, members, ranked

pytestmark = pytest.mark.django_db

#: Options with which a game has full weight.
FULL = {"hearts": {"end_score": 100, "tie_for_first": "shared"}, "spades": {"target": 500, "floor": "yes"}}
SETTLED = 50
CPU = "normal"


def table(
    kind: str, ratings: Sequence[object], games: Sequence[int] | None = None, *, users: Sequence[User] | None = None
) -> list[User | str]:
    """Users with these ratings, one for each seat; a rating of None is a CPU's seat."""
    people = iter(users or members(len(ratings)))
    found: list[User | str] = []
    for seat, rating in enumerate(ratings):
        if rating is None:
            found.append(CPU)
            continue
        user = next(people)
        played = SETTLED if games is None else games[seat]
        Rating.objects.create(user=user, ladder=ladder(kind), rating=Decimal(str(rating)), games=played)
        found.append(user)
    return found


def changes(
    kind: str,
    seats: Sequence[User | str],
    result: Mapping[str, object],
    left: Sequence[int] = (),
    *,
    options: Mapping[str, object] | None = None,
) -> list[Decimal | None]:
    """What a game with this result does to each seat's rating."""
    game = ranked(
        seats,
        kind=kind,
        options={**FULL[kind], **(options or {})},
        cause=lambda _deal, seat: "cpu" if seat in left else "player",
    )
    Game.objects.filter(pk=game.pk).update(result={**(game.result or {}), **result})
    assert services.rate_game(game.pk)
    found = dict(RatingChange.objects.filter(game=game).values_list("user", "delta"))
    return [None if isinstance(seat, str) else found[seat.pk] for seat in seats]


def numbers(text: str) -> list[Decimal | None]:
    return [None if each == "cpu" else Decimal(each) for each in text.split()]


@pytest.mark.parametrize(
    ("ratings", "scores", "left", "wanted"),
    [
        pytest.param([1500] * 4, [40, 60, 80, 101], [], "10.00 3.33 -3.33 -10.00", id="four"),
        pytest.param([1500] * 4, [40, 55, 55, 101], [], "10.00 0 0 -10.00", id="tie for second"),
        pytest.param([1512, 1562, 1484, 1417], [40, 60, 80, 101], [], "9.32 0.81 -2.96 -7.16", id="unequal"),
        pytest.param([1500] * 3, [40, 60, 101], [], "10.00 0 -10.00", id="three"),
        pytest.param([1500] * 5, [10, 20, 30, 40, 101], [], "10.00 5.00 0 -5.00 -10.00", id="five"),
        pytest.param([1500] * 3 + [None], [40, 60, 80, 0], [], "6.67 0 -6.67 cpu", id="CPU"),
        pytest.param([1500] * 4, [40, 60, 80, 101], [1], "10.00 -10.00 3.33 -3.33", id="second left"),
        pytest.param([1500] * 4, [40, 60, 80, 101], [0, 1], "-6.67 -6.67 10.00 3.33", id="two left"),
        pytest.param([1500] * 4, [40, 40, 70, 101], [1], "10.00 -10.00 3.33 -3.33", id="tie with a leaver"),
        pytest.param([1500] * 4, [40, 60, 80, 101], [0, 1, 2, 3], "0 0 0 0", id="all left"),
        pytest.param([1500] * 3 + [None], [40, 60, 80, 101], [0], "-6.67 6.67 0 cpu", id="CPU, and one left"),
        pytest.param([2600, 1500, None], [50, 40, 101], [], "-6.82 9.09 cpu", id="cap"),
        pytest.param([100, 100, 105], [101, 50, 40], [], "0 0.07 9.86", id="floor"),
    ],
)
def test_hearts(ratings: list[object], scores: list[int], left: list[int], wanted: str) -> None:
    assert changes("hearts", table("hearts", ratings), {"scores": scores}, left) == numbers(wanted)


@pytest.mark.parametrize(
    ("ratings", "scores", "left", "wanted"),
    [
        pytest.param([1500] * 4, [40, 60, 80, 101], [0], "-10.00 10.00 0 0", id="leaver first"),
        pytest.param([1500] * 3 + [None], [40, 60, 80, 10], [], "6.67 -3.33 -3.33 cpu", id="CPU first"),
        pytest.param([1500] * 4, [40, 40, 80, 101], [], "6.67 6.67 -6.67 -6.67", id="two firsts"),
        pytest.param([1500] * 4, [40, 80, 80, 101], [], "10.00 -3.33 -3.33 -3.33", id="one first"),
    ],
)
def test_hearts_where_only_the_first_place_counts(
    ratings: list[object], scores: list[int], left: list[int], wanted: str
) -> None:
    seats = table("hearts", ratings)
    found = changes("hearts", seats, {"scores": scores}, left, options={"standing": "winner_only"})
    assert found == numbers(wanted)


WIN, LOSS, DRAW = [1, 3, 1, 3], [3, 1, 3, 1], [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("ratings", "placings", "left", "wanted"),
    [
        pytest.param([1500] * 4, WIN, [], "10.00 -10.00 10.00 -10.00", id="even"),
        pytest.param([1600, 1550, 1400, 1550], WIN, [], "11.43 -11.43 11.43 -11.43", id="mixed, won"),
        pytest.param([1600, 1550, 1400, 1550], DRAW, [], "1.43 -1.43 1.43 -1.43", id="mixed, drawn"),
        pytest.param([1600, 1550, 1400, 1550], LOSS, [], "-8.57 8.57 -8.57 8.57", id="mixed, lost"),
        pytest.param([1500] * 4, WIN, [0], "-10.00 -5.00 10.00 -5.00", id="A1 left, A won"),
        pytest.param([1500] * 4, LOSS, [0], "-10.00 5.00 0 5.00", id="A1 left, A lost"),
        pytest.param([1500] * 4, DRAW, [0], "-10.00 0 0 0", id="A1 left, a draw"),
        pytest.param([1500] * 4, WIN, [0, 1], "-10.00 -10.00 5.00 0", id="A1 and B1 left"),
        pytest.param([1500] * 4, WIN, [0, 2], "-10.00 5.00 -10.00 5.00", id="A1 and A2 left"),
        pytest.param([1500] * 4, WIN, [0, 1, 2], "-10.00 -10.00 -10.00 5.00", id="all but B2 left"),
    ],
)
def test_spades(ratings: list[object], placings: list[int], left: list[int], wanted: str) -> None:
    assert changes("spades", table("spades", ratings), {"placings": placings}, left) == numbers(wanted)


def test_a_newcomer_at_the_table_moves_the_others_half() -> None:
    seats = table("hearts", [1500] * 4, [SETTLED, 5, SETTLED, SETTLED])
    assert changes("hearts", seats, {"scores": [40, 60, 80, 101]}) == numbers("8.33 6.67 -1.67 -8.33")


@pytest.mark.parametrize(
    ("rating", "games", "wanted"),
    [
        (1500, 9, 20),
        (1500, 10, 15),
        (1500, 29, 15),
        (1500, 30, 10),
        (2000, 29, 15),
        (2000, 30, "7.5"),
        ("1999.99", 30, 10),
    ],
)
def test_k_falls_with_the_games_before(rating: object, games: int, wanted: object) -> None:
    seats = table("hearts", [rating] * 4, [games] * 4)
    first = changes("hearts", seats, {"scores": [40, 60, 80, 101]})[0]
    assert first == Decimal(str(wanted))


def test_the_extra_is_paid_by_leavers_of_any_ladder_within_thirty_days(monkeypatch: pytest.MonkeyPatch) -> None:
    users, now = members(), timezone.now()
    hearts, spades = table("hearts", [1500] * 4, users=users), table("spades", [1500] * 4, users=users)
    scores, paid = {"scores": [40, 60, 80, 101]}, list[Decimal | None]()
    for days, kind in ((0, "hearts"), (1, "spades"), (2, "hearts"), (31, "hearts"), (62, "hearts")):
        monkeypatch.setattr(timezone, "now", lambda days=days: now + timedelta(days=days))
        Rating.objects.update(rating=1500)
        result = scores if kind == "hearts" else {"placings": LOSS}
        paid.append(changes(kind, hearts if kind == "hearts" else spades, result, [0])[0])
    assert paid == numbers("-10.00 -15.00 -20.00 -20.00 -10.00"), "-5, -10, -10 with two left, and none again"


@pytest.mark.parametrize(("second", "code"), [(59, "repeated_half"), (60, "hearts_placed")])
def test_the_games_of_a_group_are_counted_anew_from_midnight_in_tokyo(
    monkeypatch: pytest.MonkeyPatch, second: int, code: str
) -> None:
    users, before = members(), datetime(2026, 11, 30, 23, 59, tzinfo=ZONE)
    monkeypatch.setattr(timezone, "now", lambda: before)
    for seed in range(5):
        assert services.rate_game(ranked(users, seed=seed).pk)
    sixth = ranked(users, seed=6)
    monkeypatch.setattr(timezone, "now", lambda: before + timedelta(seconds=second))
    assert services.rate_game(sixth.pk)
    change = RatingChange.objects.filter(game=sixth).first()
    assert change is not None
    assert change.receipt["code"] == code
    assert prove() == []
