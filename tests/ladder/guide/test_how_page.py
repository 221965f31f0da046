"""The page that explains the ladder: its numbers are those that are used, and its sum is the one that is stored."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from ladder.guide import how, worked
from ladder.guide import rules as how_rules
from ladder.models import Rating, RatingChange
from ladder.rating import services
from ladder.rating.formula import CENT, Human, rate_hearts
from tests.ladder import crowd
from tests.ladder.crowd import Part
from tests.ladder.finished import Cause, ladder, members, ranked

pytestmark = pytest.mark.django_db


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def text_of(client: Client | None = None, language: str = "en") -> str:
    answer = (client or Client()).get(f"/{language}/ladder/how/")
    assert answer.status_code == 200
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())


def leave(*seats: int) -> Cause:
    return lambda _deal, seat: "cpu" if seat in seats else "player"


def assert_worked(user: User) -> worked.Worked:
    """The last game of a player, worked out, arrives at what is stored."""
    found = worked.last_of(user)
    assert found is not None
    change = RatingChange.objects.filter(user=user, reason="result").latest("seq")
    assert found.game_id == change.game_id
    assert (found.before, found.delta, found.after) == (change.before, change.delta, change.after)
    for line, row in zip(found.lines, change.receipt["rows"], strict=True):
        assert abs(line.change - Decimal(row["change"])) <= Decimal("0.00005")
        assert abs(line.expected - Decimal(row["expected"])) <= Decimal("0.00005")
        assert abs(found.share * line.weight - Decimal(row["weight"])) <= Decimal("0.00005")
        assert line.scored == Decimal(row["scored"])
        assert found.k == row["k"]
    return found


@pytest.mark.parametrize(
    ("kind", "left"),
    [("hearts", ()), ("hearts", (1,)), ("hearts", (0, 2)), ("spades", ()), ("spades", (0,)), ("spades", (0, 1))],
)
def test_the_last_game_worked_out_arrives_at_the_stored_change(kind: str, left: tuple[int, ...]) -> None:
    users = members()
    fillers = crowd.people(3)
    for user, rating, games in zip(users, (1700, 1480, 2105, 1350), (45, 4, 80, 10), strict=True):
        Rating.objects.create(user=user, ladder=ladder(kind), rating=Decimal(rating))
        before = [(user, Part(1)), *((filler, Part(2)) for filler in fillers)]
        crowd.played(ladder(kind), [before] * games, at=timezone.now() - timedelta(days=40))
    for seed in (1, 2):
        services.rate_game(ranked(users, kind=kind, seed=seed, cause=leave(*left)).pk)
        for user in users:
            assert_worked(user)


def test_a_cpu_in_the_fourth_seat_is_no_line_of_the_sum() -> None:
    users = members(3)
    services.rate_game(ranked([*users, "normal"]).pk)
    found = assert_worked(users[0])
    assert len(found.lines) == 2
    assert found.opponents == 3


def test_games_of_the_same_people_are_worked_with_less_weight() -> None:
    users = members()
    weights = []
    for seed in range(11):
        services.rate_game(ranked(users, seed=seed).pk)
        weights.append(assert_worked(users[0]).group)
    assert weights == [1] * 5 + [Decimal("0.5")] * 5 + [0]


def test_the_floor_is_a_step_of_the_sum() -> None:
    users = members()
    for user in users:
        Rating.objects.create(user=user, ladder=ladder(), rating=Decimal("100.50"))
    services.rate_game(ranked(users).pk)
    lowest = min(users, key=lambda user: RatingChange.objects.get(user=user).delta)
    found = assert_worked(lowest)
    assert found.is_at_floor
    assert found.after == 100


def test_a_leaver_sees_what_leaving_once_more_costs() -> None:
    users = members()
    for seed in (1, 2):
        services.rate_game(ranked(users, seed=seed, cause=leave(0)).pk)
    assert assert_worked(users[0]).extra == -5
    assert "For leaving once more: −5." in text_of(client_of(users[0]))


def test_the_reader_sees_every_step_of_his_own_game() -> None:
    users = members()
    services.rate_game(ranked(users).pk)
    found = assert_worked(users[0])
    page = text_of(client_of(users[0]))
    assert "Before it you had 0 rated games: K = 40." in page
    for line in found.lines:
        assert f"{line.expected:.4f}" in page
    assert f"= {found.after:.2f}" in page
    assert "The receipt says the same" in page
    assert "A game of Hearts between four players" not in page


@pytest.mark.parametrize("kind", ["hearts", "spades"])
@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_page_is_there_in_each_language_for_each_game(kind: str, language: str) -> None:
    users = members()
    services.rate_game(ranked(users, kind=kind).pk)
    page = text_of(client_of(users[0]), language)
    assert f"{assert_worked(users[0]).after:.2f}" in page


def test_everybody_else_sees_the_example_and_it_is_the_formulas_own() -> None:
    found = worked.example(("you", "A", "B", "C"))
    assert found.delta == Decimal("9.32")
    humans = [
        Human(Decimal(rating), 40, points) for rating, points in ((1512, 40), (1562, 60), (1484, 80), (1417, 101))
    ]
    change = rate_hearts(humans)[0]
    assert change is not None
    assert change.delta == found.delta
    page = text_of()
    assert "A game of Hearts between four players" in page
    assert "1512.00 + 9.32 = 1521.32" in page
    assert text_of(client_of(members(1)[0])).count("1521.32") == 1


def test_the_sum_on_the_page_can_be_followed_by_hand() -> None:
    """From the printed numbers alone, rounded as they are."""
    found = worked.example(("you", "A", "B", "C"))
    total = Decimal(0)
    for line in found.lines:
        promised = Decimal(f"{line.expected:.4f}")
        share = Decimal(f"{found.share:.4f}")
        total += found.k * share * line.weight * (line.scored - promised)
    assert abs(total - found.rounded) <= CENT


def test_the_tables_hold_the_numbers_of_the_ladder() -> None:
    page = how.page()
    assert [row[-1] for row in page.table("k").rows] == ["40", "30", "20", "15"]
    assert [row[0] for row in page.table("k").rows][:2] == ["1 to 10", "11 to 30"]
    assert [row[-1] for row in page.table("length").rows] == ["1", "0.707", "½", "1", "0.707"]
    assert [row[-1] for row in page.table("opponent").rows] == ["1", "½", "1", "1"]
    assert page.table("group").rows == (("1 to 5", "1"), ("6 to 10", "½"), ("from 11 on", "0"))
    assert [row[-1] for row in page.table("extra").rows] == ["0", "−5", "−10"]
    assert [row[-1] for row in page.table("locks").rows] == [
        "10 minutes",
        "30 minutes",
        "90 minutes",
        "4 h 30 min",
        "13 h 30 min",
        "40 h 30 min",
        "48 hours",
    ]
    assert page.table("bands").rows[0] == ("0", "350")
    assert page.table("expected").rows[-1] == ("400", "0.91", "0.09")
    text = " ".join(page.texts())
    for fact in (
        "30 rated games",
        "last 30 days",
        "20 rated games",
        "midnight in Tokyo",
        "2 of the last 20",
        "3 finished games",
        "at most 100 apart",
        "then 5 more",
        "after 120 seconds all",
        "after 45 seconds three",
        "15 seconds to say",
        "below 100",
    ):
        assert fact in text


def test_a_number_that_is_changed_changes_on_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ladder.rating.standing.BOARD_GAMES", 33)
    monkeypatch.setattr("ladder.rating.leaving.LOCK_FACTOR", 4)
    assert "33 rated games" in " ".join(how_rules.board().texts())
    assert "4 times as long" in " ".join(how_rules.leavers().texts())


def test_formulas_are_text_that_can_be_read_and_no_pictures() -> None:
    page: Any = Client().get("/en/ladder/how/").content.decode()
    assert page.count("<math") == 3
    main = page[page.index("<main") : page.index("</main>")]
    assert "<img" not in main
