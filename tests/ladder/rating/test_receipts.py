"""Receipts as they are read: the sum can be followed, and every code has its sentence in both languages."""

from __future__ import annotations

import itertools
import re
from decimal import Decimal
from typing import Any

import pytest
from django.utils import translation

from games.models import Game
from ladder.models import RankedGame, RatingChange
from ladder.rating import receipts, sentences, services
from ladder.rating.formula import FLOOR, Change, Human, rate_hearts, rate_spades
from tests.ladder.finished import members, ranked
from tests.ladder.rating.test_services import leaves

pytestmark = pytest.mark.django_db


def every_change() -> list[Change]:
    """Changes of all sorts: who left, who won, how often the same people have played."""
    found: list[Change | None] = []
    for left, group in itertools.product(itertools.product((False, True), repeat=4), map(Decimal, ("1", "0.5", "0"))):
        seats = [Human(points=20 * seat, has_left=gone) for seat, gone in enumerate(left)]
        found += rate_hearts([*seats[:3], None], group=group)
        found += rate_hearts(seats, group=group)
        for winner in (0, 1, None):
            found += rate_spades(seats, winner=winner, group=group)
    return [change for change in found if change is not None]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_code_of_a_receipt_has_a_sentence(language: str) -> None:
    changes = every_change()
    with translation.override(language):
        told = {change.code: sentences.sentence(change.code, change.parameters) for change in changes}
        told["void"] = sentences.sentence("void", {})
    assert set(told) == set(sentences._SENTENCES) | {"hearts_left", "hearts_placed_leaver"}
    for text in told.values():
        assert text
        assert "%(" not in text


def test_leaving_is_explained() -> None:
    plain: dict[str, Any] = {"cpus": 0, "after": Decimal(1500), "code": "hearts_left"}
    assert sentences.notes(has_left=False, extra=Decimal(0), **plain) == []
    first, later = (sentences.notes(has_left=True, extra=Decimal(extra), **plain) for extra in (0, -5))
    assert len(first) == len(later) == 1
    assert "5" in later[0]
    assert first != later


def test_a_floor_and_a_cpu_are_explained() -> None:
    found = sentences.notes(has_left=False, extra=Decimal(0), cpus=1, after=FLOOR, code="hearts_placed")
    assert len(found) == 2
    assert "100" in found[0]


def test_numbers_are_written_as_people_read_them() -> None:
    assert [receipts.signed(Decimal(text)) for text in ("3.3333", "-3.3333", "0.0000", "-0.004", "10")] == [
        "+3.33",
        "−3.33",
        "0",
        "0",
        "+10.00",
    ]
    assert [receipts.plain(Decimal(text)) for text in ("0.5", "0.4286", "1.0000", "0.3300")] == [
        "0.50",
        "0.4286",
        "1.00",
        "0.33",
    ]


def test_a_receipt_names_the_opponents_and_its_sum_can_be_followed(django_assert_max_num_queries: Any) -> None:
    users = members()
    game = ranked(users)
    services.rate_game(game.pk)
    with django_assert_max_num_queries(4):
        outcome = receipts.outcome_of(game.pk)
    assert outcome is not None
    assert outcome.status == "rated"
    assert [receipt.name for receipt in outcome.receipts] == [str(user) for user in users]
    for receipt in outcome.receipts:
        assert len(receipt.rows) == 3
        assert {name for row in receipt.rows for name in row.opponents} == {
            str(user) for user in users if user.pk != receipt.user
        }
        assert receipt.before == "1500?"
        assert receipt.after.endswith("?")
        change = Decimal(receipt.change.replace("−", "-"))
        assert Decimal(receipt.exact_before) + change == Decimal(receipt.exact_after)
        for row in receipt.rows:
            scored = Decimal("0.5") if row.scored == "½" else Decimal(row.scored)
            product = row.k * Decimal(row.weight) * (scored - Decimal(row.expected))
            assert abs(product - Decimal(row.change.replace("−", "-"))) < Decimal("0.01")
        assert re.fullmatch(r"Place [1-4] of 4\.", receipt.sentence)
    own = outcome.of(users[2].pk)
    assert own is not None
    assert own.seat == 2
    assert outcome.of(None) is None


def test_the_question_mark_goes_after_ten_games() -> None:
    users = members()
    for seed in range(10):
        services.rate_game(ranked(users, seed=seed).pk)
    found = receipts.receipts_for(RatingChange.objects.filter(user=users[0]))
    assert [(receipt.before.endswith("?"), receipt.after.endswith("?")) for receipt in found] == [
        *[(True, True)] * 9,
        (True, False),
    ]
    services.void_game(found[0].game)
    last = receipts.receipts_for(RatingChange.objects.filter(user=users[0]))[-1]
    assert (last.is_void, last.before.endswith("?"), last.after.endswith("?")) == (True, False, True)


def test_a_game_is_running_then_pending_then_rated_then_taken_back() -> None:
    game = ranked(members())
    Game.objects.filter(pk=game.pk).update(status="playing")

    def status() -> str:
        outcome = receipts.outcome_of(game.pk)
        assert outcome is not None
        return outcome.status

    assert status() == "running"
    Game.objects.filter(pk=game.pk).update(status="finished")
    assert status() == "pending"
    services.rate_game(game.pk)
    assert status() == "rated"
    services.void_game(game.pk)
    assert status() == "taken_back"
    Game.objects.filter(pk=game.pk).update(status="void")
    assert status() == "void"
    RankedGame.objects.all().delete()
    assert receipts.outcome_of(game.pk) is None


def test_a_leaver_and_a_cpu_are_told_of() -> None:
    users = members(3)
    game = ranked([*users, "normal"], cause=leaves(1))
    services.rate_game(game.pk)
    outcome = receipts.outcome_of(game.pk)
    assert outcome is not None
    assert len(outcome.receipts) == 3, "a CPU has no receipt"
    left = outcome.of(users[1].pk)
    assert left is not None
    assert left.has_left
    assert left.sentence.startswith("Left the game")
    assert len(left.notes) == 2
