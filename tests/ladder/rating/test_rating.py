"""The ladder's formula: every vector of its description, and what holds for any table."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from decimal import Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.rating.formula import (
    CENT,
    FLOOR,
    Change,
    Human,
    expected,
    extra_for,
    group_weight,
    k_factor,
    length_weight,
    opponent_weight,
    rate_hearts,
    rate_spades,
    reversed_delta,
)

SETTLED = 30  # K 20, nobody provisional
CPU = None


def human(rating: object = 1500, points: int = 0, left: bool = False, games: int = SETTLED, leaves: int = 0) -> Human:
    return Human(Decimal(str(rating)), games, points, left, leaves)


def table(points: Sequence[int], ratings: Sequence[object] | None = None, left: Sequence[int] = ()) -> list[Human]:
    ratings = ratings or [1500] * len(points)
    return [human(ratings[seat], points[seat], seat in left) for seat in range(len(points))]


def deltas(changes: Sequence[Change | None]) -> list[str | None]:
    return [None if change is None else f"{change.delta:+.2f}" for change in changes]


FOUR = [40, 60, 80, 101]


@pytest.mark.parametrize(
    ("seats", "wanted"),
    [
        pytest.param(table(FOUR), "+10.00 +3.33 -3.33 -10.00", id="four"),
        pytest.param(table([40, 55, 55, 101]), "+10.00 +0.00 +0.00 -10.00", id="tie for second"),
        pytest.param(table(FOUR, [1512, 1562, 1484, 1417]), "+9.32 +0.81 -2.96 -7.16", id="unequal"),
        pytest.param(table([40, 60, 101]), "+10.00 +0.00 -10.00", id="three"),
        pytest.param([*table([40, 60, 80]), CPU], "+6.67 +0.00 -6.67 None", id="CPU in the fourth seat"),
        pytest.param(table(FOUR, left=[1]), "+10.00 -10.00 +3.33 -3.33", id="second abandoned"),
        pytest.param(table(FOUR, left=[0, 1]), "-6.67 -6.67 +10.00 +3.33", id="two leavers"),
        pytest.param(table([40, 40, 70, 101], left=[1]), "+10.00 -10.00 +3.33 -3.33", id="tie with a leaver"),
    ],
)
def test_hearts_as_the_description_says(seats: list[Human | None], wanted: str) -> None:
    assert " ".join(str(each) for each in deltas(rate_hearts(seats))) == wanted


def test_hearts_where_only_the_first_place_counts() -> None:
    changes = rate_hearts(table(FOUR, left=[0]), winner_only=True)
    assert deltas(changes) == ["-10.00", "+10.00", "+0.00", "+0.00"]
    changes = rate_hearts([CPU, *table([40, 60, 80])], winner_only=True)
    assert deltas(changes) == [None, "+6.67", "-3.33", "-3.33"]
    changes = rate_hearts(table([40, 40, 80, 101]), winner_only=True)
    assert deltas(changes) == ["+6.67", "+6.67", "-6.67", "-6.67"], "two firsts draw, and beat all others"


def test_the_sixth_game_of_the_same_four_in_a_day_counts_half() -> None:
    assert deltas(rate_hearts(table(FOUR), group=group_weight(6))) == ["+5.00", "+1.67", "-1.67", "-5.00"]
    assert [group_weight(number) for number in (1, 5, 6, 10, 11, 50)] == [1, 1, Decimal("0.5"), Decimal("0.5"), 0, 0]


def test_from_the_eleventh_game_on_nothing_changes_not_even_for_a_leaver() -> None:
    seats = [human(points=40, left=True, leaves=5), *table([60, 80, 101])]
    changes = rate_hearts(seats, group=group_weight(11))
    assert deltas(changes) == ["+0.00"] * 4
    assert {change.code for change in changes if change} == {"repeated"}


def test_a_result_against_somebody_new_moves_the_others_half() -> None:
    seats = [human(points=40), human(points=60, games=9), human(points=80), human(points=101)]
    assert k_factor(9, Decimal(1500)) == 40
    assert deltas(rate_hearts(seats)) == ["+8.33", "+6.67", "-1.67", "-8.33"]
    weights = [opponent_weight(*games) for games in ((10, 9), (9, 9), (9, 10), (10, 10))]
    assert weights == [Decimal("0.5"), 1, 1, 1]


def spades(winner: int | None, ratings: Sequence[object] = (1500,) * 4, left: Sequence[int] = ()) -> list[str | None]:
    """A1 B1 A2 B2, as they sit."""
    return deltas(rate_spades(table([0] * 4, ratings, left), winner=winner))


@pytest.mark.parametrize(
    ("winner", "left", "wanted"),
    [
        (0, [], "+10.00 -10.00 +10.00 -10.00"),
        (1, [], "-10.00 +10.00 -10.00 +10.00"),
        (None, [], "+0.00 +0.00 +0.00 +0.00"),
        (0, [0], "-10.00 -5.00 +10.00 -5.00"),
        (1, [0], "-10.00 +5.00 +0.00 +5.00"),
        (None, [0], "-10.00 +0.00 +0.00 +0.00"),
        (0, [0, 1], "-10.00 -10.00 +5.00 +0.00"),
        (1, [0, 1], "-10.00 -10.00 +0.00 +5.00"),
        (0, [0, 2], "-10.00 +5.00 -10.00 +5.00"),
        (None, [0, 2], "-10.00 +5.00 -10.00 +5.00"),
        (0, [0, 1, 2], "-10.00 -10.00 -10.00 +5.00"),
        (1, [0, 1, 2, 3], "-10.00 -10.00 -10.00 -10.00"),
    ],
)
def test_spades_among_equals_with_and_without_leavers(winner: int | None, left: list[int], wanted: str) -> None:
    assert " ".join(str(each) for each in spades(winner, left=left)) == wanted


def test_spades_partners_share_the_mean_of_their_ratings() -> None:
    mixed = (1600, 1550, 1400, 1550)
    assert spades(0, mixed) == ["+11.43", "-11.43", "+11.43", "-11.43"]
    assert spades(None, mixed) == ["+1.43", "-1.43", "+1.43", "-1.43"]
    assert spades(1, mixed) == ["-8.57", "+8.57", "-8.57", "+8.57"]


def test_spades_knows_no_weight_for_new_opponents_but_each_partner_has_his_own_k() -> None:
    seats = [human(games=0), human(games=0), human(games=15), human(games=40)]
    assert deltas(rate_spades(seats, winner=0)) == ["+20.00", "-20.00", "+15.00", "-10.00"]


@pytest.mark.parametrize(
    ("games", "rating", "wanted"),
    [
        (0, 1500, 40), (9, 2500, 40), (10, 1500, 30), (29, 2500, 30), (30, 1500, 20), (30, "1999.99", 20),
        (30, 2000, 15), (500, 2100, 15), (29, 2000, 30),
    ],
)  # fmt: skip
def test_k_falls_with_experience_and_at_the_top(games: int, rating: object, wanted: int) -> None:
    assert k_factor(games, Decimal(str(rating))) == wanted


def test_a_short_game_counts_less() -> None:
    assert length_weight(100, 100) == 1
    assert length_weight(500, 500) == 1
    assert round(length_weight(50, 100), 3) == round(length_weight(250, 500), 3) == Decimal("0.707")
    assert length_weight(400, 100) == 1, "never more"
    assert length_weight(5, 100) == length_weight(0, 500) == Decimal("0.5"), "never less than half"
    assert deltas(rate_hearts(table(FOUR), length=length_weight(50, 100))) == ["+7.07", "+2.36", "-2.36", "-7.07"]


def test_the_extra_for_leaving_grows_with_repeats() -> None:
    assert [extra_for(leaves) for leaves in (0, 1, 2, 9)] == [0, -5, -10, -10]
    for leaves, wanted in ((0, "-10.00"), (1, "-15.00"), (2, "-20.00")):
        seats = [human(points=40, left=True, leaves=leaves), *table([60, 80, 101])]
        assert deltas(rate_hearts(seats))[0] == wanted
        spades_seats = [human(left=True, leaves=leaves), *table([0, 0, 0])]
        assert deltas(rate_spades(spades_seats, winner=0))[0] == wanted


def test_whoever_came_back_in_time_pays_no_extra() -> None:
    assert deltas(rate_hearts([human(points=40, leaves=3), *table([60, 80, 101])]))[0] == "+10.00"


def test_a_rating_never_falls_below_the_floor() -> None:
    changes = rate_hearts([human("100.00", 101), human("104.00", 80), human(104, 60), human(104, 40)])
    assert changes[0] is not None
    assert (changes[0].after, changes[0].delta) == (FLOOR, Decimal(0))
    left = rate_hearts([human("103.00", 0, left=True, leaves=2), *table([60, 80, 101], [104, 104, 104])])
    assert left[0] is not None
    assert (left[0].after, left[0].delta) == (FLOOR, Decimal("-3.00"))


def test_m09_a_draw_at_the_floor_or_beyond_the_cap_is_half_a_win() -> None:
    floored = rate_hearts([human(100, 50), human(100, 50), human(100, 50)])
    assert deltas(floored) == ["+0.00"] * 3
    assert all(row.scored == Decimal("0.5") for change in floored if change for row in change.rows)
    low, high = rate_hearts([human(100, 50), human(2900, 50, games=30)])
    assert low is not None
    assert high is not None
    assert low.rows[0].scored == high.rows[0].scored == Decimal("0.5")
    assert low.delta == Decimal("8.18")
    assert high.delta == Decimal("-6.14"), "K 15 from 2000 up"
    assert deltas(rate_spades(table([0] * 4, [100] * 4), winner=None)) == ["+0.00"] * 4


def test_differences_count_up_to_400() -> None:
    assert expected(Decimal(1500), Decimal(1900)) == expected(Decimal(1500), Decimal(2700))
    assert round(expected(Decimal(1500), Decimal(1900)), 6) == Decimal("0.090909")
    assert expected(Decimal(1500), Decimal(1899)) > expected(Decimal(1500), Decimal(1900))


def test_a_void_takes_back_what_the_game_gave() -> None:
    assert reversed_delta(Decimal("1510.00"), Decimal("10.00")) == Decimal("-10.00")
    assert reversed_delta(Decimal("1400.00"), Decimal("-7.16")) == Decimal("7.16")
    assert reversed_delta(Decimal("104.00"), Decimal("10.00")) == Decimal("-4.00"), "the floor holds"


def test_halves_of_a_cent_are_rounded_to_even() -> None:
    # 20 * L * 1/2 = 0.125 and 0.135 exactly
    for length, wanted in (("0.0125", "0.12"), ("0.0135", "0.14")):
        winner, _ = rate_hearts(table([1, 2]), length=Decimal(length))
        assert winner is not None
        assert winner.delta == Decimal(wanted)


def test_the_receipt_can_be_checked_by_hand() -> None:
    changes = rate_hearts(table(FOUR, [1512, 1562, 1484, 1417]))
    assert changes[1] is not None
    rows = changes[1].rows
    assert [row.opponents for row in rows] == [(0,), (2,), (3,)]
    assert [str(row.expected) for row in rows] == ["0.5715", "0.6104", "0.6973"]
    assert [row.scored for row in rows] == [0, 1, 1]
    for row in rows:
        assert abs(row.k * row.weight * (row.scored - row.expected) - row.change) < Decimal("0.002")
    assert changes[1].before + changes[1].delta == changes[1].after
    assert (changes[1].code, changes[1].parameters["place"]) == ("hearts_placed", 2)


@pytest.mark.parametrize(
    ("left", "codes"),
    [
        ([], ["spades_won", "spades_lost", "spades_won", "spades_lost"]),
        ([0], ["spades_left", "spades_lost_leaver", "spades_won", "spades_lost_leaver"]),
        ([1], ["spades_won_leaver", "spades_left", "spades_won_leaver", "spades_spared"]),
    ],
)
def test_the_sentence_of_a_receipt_says_what_counted(left: list[int], codes: list[str]) -> None:
    assert [change.code for change in rate_spades(table([0] * 4, left=left), winner=0)] == codes


def test_places_are_counted_among_those_who_stayed() -> None:
    changes = [change for change in rate_hearts(table(FOUR, left=[0])) if change]
    assert [change.code for change in changes] == ["hearts_left", *["hearts_placed_leaver"] * 3]
    assert [change.parameters.get("place") for change in changes] == [None, 1, 2, 3]


def test_the_callers_decimal_context_does_not_matter() -> None:
    with localcontext() as context:
        context.prec = 5
        coarse = rate_hearts(table(FOUR, [1512, 1562, 1484, 1417]))
    assert coarse == rate_hearts(table(FOUR, [1512, 1562, 1484, 1417]))


# --- for any table ----------------------------------------------------------------------------------------------------

ratings = st.decimals(min_value=500, max_value=1999, places=2)
humans = st.builds(
    Human, rating=ratings, games=st.integers(30, 99), points=st.integers(-26, 130), has_left=st.booleans()
)
tables = st.lists(humans, min_size=3, max_size=5)
with_cpus = st.lists(st.one_of(st.none(), humans), min_size=3, max_size=5)
anyone = st.builds(
    Human,
    rating=st.decimals(min_value=100, max_value=3000, places=2),
    games=st.integers(0, 99),
    points=st.integers(-26, 130),
    has_left=st.booleans(),
    earlier_leaves=st.integers(0, 4),
)


@given(tables, st.booleans())
def test_with_equal_k_nothing_is_made_or_lost_but_rounding(seats: list[Human], winner_only: bool) -> None:
    changes = rate_hearts(seats, winner_only=winner_only)
    total = sum((change.delta for change in changes if change), Decimal(0))
    assert abs(total) <= CENT * len(seats) / 2


@given(tables, st.booleans(), st.permutations(range(5)))
def test_where_somebody_sits_does_not_matter_in_hearts(seats: list[Human], winner_only: bool, order: list[int]) -> None:
    order = [seat for seat in order if seat < len(seats)]
    plain = rate_hearts(seats, winner_only=winner_only)
    shuffled = rate_hearts([seats[seat] for seat in order], winner_only=winner_only)
    for place, seat in enumerate(order):
        one, other = shuffled[place], plain[seat]
        assert one is not None
        assert other is not None
        assert one.delta == other.delta


@given(with_cpus, st.booleans())
def test_a_cpu_only_widens_the_table(seats: list[Human | None], winner_only: bool) -> None:
    alone = [seat for seat in seats if seat is not None]
    changes = rate_hearts(seats, winner_only=winner_only)
    assert [change is None for change in changes] == [seat is None for seat in seats]
    if len(alone) < 2:
        assert all(change.delta == 0 for change in changes if change)
        return
    share = Decimal(len(alone) - 1) / (len(seats) - 1)
    narrow = rate_hearts(alone, length=share, winner_only=winner_only)
    for one, other in zip([change for change in changes if change], narrow, strict=True):
        assert other is not None
        assert abs(one.delta - other.delta) <= CENT


@given(st.lists(anyone, min_size=2, max_size=5), st.booleans())
def test_a_leaver_scores_nothing_and_nobody_loses_against_him(seats: list[Human], winner_only: bool) -> None:
    changes = rate_hearts(seats, winner_only=winner_only)
    for human_, change in zip(seats, changes, strict=True):
        assert change is not None
        assert change.after >= FLOOR
        assert change.before + change.delta == change.after
        assert change.delta == change.delta.quantize(CENT)
        if human_.has_left:
            assert change.delta <= 0
            assert {row.scored for row in change.rows} <= {Decimal(0)}
        for row in change.rows:
            if seats[row.opponents[0]].has_left:
                assert not human_.has_left, "a pair of two leavers contributes nothing"
                assert row.scored == 1


@given(ratings, ratings)
def test_what_one_expects_the_other_does_not(one: Decimal, other: Decimal) -> None:
    assert abs(expected(one, other) + expected(other, one) - 1) < Decimal("1e-30")


@given(st.lists(humans, min_size=4, max_size=4), st.sampled_from([0, 1, None]))
def test_spades_without_leavers_gives_one_side_what_it_takes_from_the_other(
    seats: list[Human], winner: int | None
) -> None:
    stayed = [Human(each.rating, each.games) for each in seats]
    changes = rate_spades(stayed, winner=winner)
    assert changes[0].delta == changes[2].delta == -changes[1].delta == -changes[3].delta


@given(st.lists(anyone, min_size=4, max_size=4))
def test_in_spades_a_win_is_never_worse_than_a_draw_nor_a_draw_than_a_loss(seats: list[Human]) -> None:
    games = [rate_spades(seats, winner=winner) for winner in (0, None, 1)]
    for better, worse in itertools.pairwise(games):
        for seat in (0, 2):
            assert better[seat].delta >= worse[seat].delta
            if seats[seat].has_left:
                assert better[seat].delta == worse[seat].delta
