"""One player's page, the list of his rated games with their receipts, and what leads there."""

from __future__ import annotations

import re
from decimal import Decimal
from html import unescape
from itertools import pairwise
from typing import Any

import pytest
from django.test import Client

from accounts import members as accounts
from accounts.models import User
from games.log import services as games
from games.models import Game
from games.tables.selectors import boot_of
from ladder.boards import careers, charts
from ladder.boards.careers import Point
from ladder.models import Rating, RatingChange
from ladder.rating import services
from ladder.rating.services import enter
from tests import factories
from tests.ladder import crowd
from tests.ladder.crowd import Part
from tests.ladder.finished import SHORT, ladder, members, ranked

pytestmark = pytest.mark.django_db


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def page_of(path: str, client: Client | None = None, language: str = "en") -> str:
    answer = (client or Client()).get(path, headers={"accept-language": language})
    assert answer.status_code == 200, path
    return answer.content.decode()


def text_of(path: str, client: Client | None = None) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page_of(path, client))).split())


@pytest.fixture
def four() -> list[User]:
    """Four members with two games of Hearts and one of Spades."""
    users = members()
    for kind, seed in (("hearts", 1), ("spades", 1), ("hearts", 2)):
        services.rate_game(ranked(users, kind=kind, seed=seed).pk)
    return users


def test_a_player_has_a_page_for_each_ladder_the_busiest_first(four: list[User]) -> None:
    user = four[0]
    first, spades = text_of(f"/player/{user.pk}/"), text_of(f"/player/{user.pk}/?ladder=spades-ranked")
    rating = Rating.objects.get(user=user, ladder=ladder())
    assert f"{rating.rating:.0f}?" in first
    assert "after 30 rated games; 2 so far" in first
    assert "First places" in first
    assert "Moons shot" in first
    assert "Nils made" in spades
    assert "Partners" in spades
    assert str(four[2]) in spades
    assert Client().get(f"/player/{user.pk}/?ladder=nothing").status_code == 404


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_curve_is_a_drawing_with_words_and_a_table_behind_it(four: list[User], language: str) -> None:
    page = page_of(f"/player/{four[0].pk}/", language=language)
    drawings = re.findall(r'<svg xmlns="http://www.w3.org/2000/svg".*?</svg>', page, re.DOTALL)
    assert len(drawings) == 2, "for a desk and for a phone"
    ids = [re.findall(r'id="([^"]*)"', drawing) for drawing in drawings]
    assert len({*ids[0], *ids[1]}) == 4, "no id twice"
    for drawing, (title, text) in zip(drawings, ids, strict=True):
        assert 'role="img"' in drawing
        assert f'aria-labelledby="{title}"' in drawing
        assert f'aria-describedby="{text}"' in drawing
        assert f'<title id="{title}">' in drawing
        for unwanted in ("<script", "<style", "href", "style=", "<!--"):
            assert unwanted not in drawing
    assert "kozea" not in page.lower()
    assert "pygal" not in page.lower()
    table = re.search(r'<table class="board points">.*?</table>', page, re.DOTALL)
    assert table
    for change in RatingChange.objects.filter(user=four[0], ladder=ladder()):
        assert f"{change.after:.2f}" in table[0]


def test_a_curve_stays_between_its_lines() -> None:
    ratings = [Decimal("1500"), Decimal("1531.99"), Decimal("1468.01"), Decimal("1519.99")]
    points = tuple(Point(number, None, rating) for number, rating in enumerate(ratings))
    drawing = charts.curve_svg(points, name="curve", title="A", description="B", width=860, height=300)
    heights = [float(y) for y in re.findall(r"[ML ][\d.]+ ([\d.]+)", re.findall(r'd="(M[^"]*L[^"]*)"', drawing)[0])]
    assert len(heights) >= 3
    assert all(0 <= height <= 300 for height in heights)
    for labels in ("1460", "1480", "1500", "1520", "1540"):
        assert f">{labels}<" in drawing


@pytest.mark.parametrize("span", [0, 1, 40, 900, 2400])
def test_a_curve_has_a_few_round_lines_whatever_it_spans(span: int) -> None:
    lines = charts._lines(Decimal(1500), Decimal(1500 + span))
    assert 2 <= len(lines) <= charts.MOST_LINES
    assert lines[0] <= 1500
    assert lines[-1] >= 1500 + span


@pytest.mark.parametrize("last", [1, 4, 9, 60, 999, 12_345])
def test_a_curve_counts_games_in_round_numbers(last: int) -> None:
    for most in (5, 9):
        numbers = charts._numbers(last, most)
        assert numbers[0] == 0
        assert numbers[-1] <= last
        assert len(numbers) <= most + 1


def test_names_in_drawings_are_text(four: list[User]) -> None:
    User.objects.filter(pk=four[0].pk).update(display_name="<img src=x>")
    page = page_of(f"/player/{four[0].pk}/")
    assert "<img" not in page
    assert "&lt;img src=x&gt;" in page


def test_every_rated_game_is_listed_with_its_receipt_and_its_replay(four: list[User]) -> None:
    user = four[0]
    page, text = page_of(f"/player/{user.pk}/games/"), text_of(f"/player/{user.pk}/games/")
    changes = RatingChange.objects.filter(user=user, ladder=ladder())
    assert page.count('class="told-receipt"') == len(changes) == 2
    for change in changes:
        assert f'id="change-{change.seq}"' in page
        assert f"/game/{change.game_id}/replay/" in page
        for row in change.receipt["rows"]:
            assert f"{Decimal(row['expected']):.4f}".rstrip("0") in text
    for other in four[1:]:
        assert f"/player/{other.pk}/" in page


def test_a_game_taken_back_stands_in_the_list_twice(four: list[User]) -> None:
    game = RatingChange.objects.filter(user=four[0], ladder=ladder()).latest("seq").game_id
    services.void_game(game)
    text = text_of(f"/player/{four[0].pk}/games/")
    assert "Taken back" in text
    assert "The game was declared void" in text
    assert "after 30 rated games; 1 so far" in text_of(f"/player/{four[0].pk}/")


def test_the_list_goes_on_page_by_page(four: list[User], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(careers.changes_of, "__kwdefaults__", {"before": None, "size": 1})
    user = four[0]
    first, second = (
        RatingChange.objects.filter(user=user, ladder=ladder()).order_by("-seq").values_list("seq", flat=True)
    )
    page = page_of(f"/player/{user.pk}/games/?ladder=hearts-ranked")
    assert f'id="change-{first}"' in page
    assert f"?ladder=hearts-ranked&amp;before={first}" in page
    page = page_of(f"/player/{user.pk}/games/?ladder=hearts-ranked&before={first}")
    assert f'id="change-{second}"' in page
    assert "Earlier games" not in page
    for odd in ("x", "-1", "9" * 30, "1e3"):
        page_of(f"/player/{user.pk}/games/?before={odd}")


def test_who_has_no_ranked_game_has_a_page_that_says_so() -> None:
    (user,) = crowd.people(1)
    assert "No ranked game yet." in text_of(f"/player/{user.pk}/")
    assert "After the first one your rating stands here." in text_of(f"/player/{user.pk}/", client_of(user))
    assert "No ranked game yet." in text_of(f"/player/{user.pk}/games/")


def test_guests_and_numbers_of_nobody_have_no_page() -> None:
    guest = factories.user()
    for number in (guest.pk, 0, 999_999_999, 10**30):
        for path in (f"/player/{number}/", f"/player/{number}/games/"):
            assert Client().get(path).status_code == 404


def test_a_closed_account_is_shown_under_its_new_name(four: list[User]) -> None:
    name = str(four[0])
    accounts.close_account(user=four[0])
    for path in (f"/player/{four[0].pk}/", f"/player/{four[1].pk}/", f"/player/{four[0].pk}/games/"):
        text = text_of(path)
        assert name not in re.split(r"[ ,]", text)
        assert "Former player" in text


def test_a_game_that_still_runs_is_on_no_page(four: list[User]) -> None:
    running = games.open_game(kind="hearts", seats=four, options=SHORT["hearts"])
    enter(game=running, ladder=ladder())
    for path in (f"/player/{four[0].pk}/", f"/player/{four[0].pk}/games/", "/en/ladder/hearts-ranked/"):
        assert f"/game/{running.pk}/" not in page_of(path)


def test_players_are_found_from_the_history_the_replay_and_the_seat(four: list[User]) -> None:
    guest = factories.user()
    game = Game.objects.latest("pk")
    own = f"/player/{four[0].pk}/"
    assert own in page_of("/history/", client_of(four[0]))
    assert "/player/" not in page_of("/history/")
    assert own in page_of(f"/game/{game.pk}/replay/")
    assert own in page_of(f"/history/{four[0].pk}/")
    assert f"/history/{four[0].pk}/" in page_of(own)
    assert own in page_of("/account/", client_of(four[0]))
    table = games.open_game(kind="hearts", seats=[four[0], guest, "normal", "normal"])
    boot: Any = boot_of(table, 1, guest)
    assert boot["accounts"] == [four[0].pk, None, None, None], "a guest has no page"
    assert f"{boot['players_at']}{four[0].pk}/" == own


def test_a_page_costs_the_same_for_few_games_and_for_many(django_assert_max_num_queries: Any) -> None:
    users = crowd.people(4)
    for number in (1, 40):
        crowd.played(ladder(), [[(user, Part(1 + seat)) for seat, user in enumerate(users)] for _ in range(number)])
        with django_assert_max_num_queries(24):
            page_of(f"/player/{users[0].pk}/")
        with django_assert_max_num_queries(10):
            page_of(f"/player/{users[0].pk}/games/")


def test_headings_form_a_tree_and_tables_have_captions(four: list[User]) -> None:
    page = page_of(f"/player/{four[0].pk}/?ladder=spades-ranked")
    levels = [int(level) for level in re.findall(r"<h([1-6])", page)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert page.count("<table") == page.count("<caption")
    labels = re.findall(r'aria-labelledby="([^"]+)"', page)
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert set(labels) <= set(ids)
    assert len(ids) == len(set(ids))
