"""The ranked part of the front page as the server writes it: ladders, numbers, and why somebody may not queue."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone, translation

from accounts.models import User
from ladder.models import Ladder, QueueLock, Rating, Wait
from ladder.queue import words as queue_words
from tests import factories
from tests.ladder.queue.queueing import join, rated, season, seasoned, seat

pytestmark = pytest.mark.django_db


def front(user: User | None = None, language: str = "en") -> str:
    client = Client()
    if user is not None:
        client.force_login(user)
    page = client.get("/", headers={"accept-language": language}).content.decode()
    found = re.search(r'<section class="ranked".*?</section>', page, re.DOTALL)
    assert found
    return found[0]


def bar_of(page: str) -> str:
    """What is said of why the visitor may not queue; empty where it is hidden."""
    found = re.search(r'id="ranked-bar"( hidden)?>\s*<p data-bar-text>(.*?)</p>', page)
    assert found
    return "" if found[1] else found[2]


def numbers(page: str, ladder: str) -> list[str]:
    card = page.split(f'data-ladder="{ladder}"', 1)[1].split("</article>", 1)[0]
    return re.findall(r'data-now="\w+">(.*?)</dd>', card)


def test_everybody_sees_how_busy_the_ladders_are_and_nobody_who_waits() -> None:
    users = seasoned(6)
    seat(*users[:4])
    join(*users[4:], ladder="spades")
    page = front()
    assert numbers(page, "hearts") == ["0", "4", "10 s"]
    assert numbers(page, "spades") == ["2", "0", "–"]
    assert not any(user.display_name in page for user in users)
    assert "/en/rules/hearts-standard/1/" in page


def test_why_somebody_may_not_queue_is_said_in_a_sentence() -> None:
    users = seasoned(5)
    assert "for players with an account" in bar_of(front())
    assert "for players with an account" in bar_of(front(factories.user()))
    assert bar_of(front(season(factories.user(is_guest=False), 2))).endswith("So far: 2 of 3.")
    QueueLock.objects.create(user=users[4], until=timezone.now() + timedelta(minutes=6, seconds=50))
    assert "wait for 7 minutes" in bar_of(front(users[4]))
    assert bar_of(front(users[0])) == ""
    game = seat(*users[:4])
    page = front(users[0])
    assert bar_of(page) == "Your ranked game goes on."
    assert f'href="/game/{game.pk}/" data-bar="running"' in page


def test_the_own_rating_is_shown_to_members_whole_and_with_a_mark_while_it_is_provisional() -> None:
    (user,) = seasoned(1)
    assert front(user).count("<strong title") == 2
    assert ">1500?<" in front(user)
    rated(user, 1623.5)
    Rating.objects.update(games=12)
    assert ">1624<" in front(user)
    assert "rung-rating" not in front(factories.user())


def test_a_ladder_that_is_closed_is_not_offered() -> None:
    Ladder.objects.filter(slug="spades").update(is_open=False)
    page = front()
    assert 'data-ladder="hearts"' in page
    assert 'data-ladder="spades"' not in page


@pytest.mark.parametrize(
    ("seconds", "words"), [(None, "–"), (0, "10 s"), (31, "40 s"), (54, "60 s"), (55, "1 min"), (61, "2 min")]
)
def test_a_usual_wait_is_rounded_to_what_is_worth_saying(seconds: int | None, words: str) -> None:
    with translation.override("en"):
        assert queue_words.wait_text(seconds) == words


def test_a_usual_wait_is_the_median_of_the_last_day_and_not_told_from_a_few() -> None:
    ladder = Ladder.objects.get(slug="hearts")
    now = timezone.now()
    for number in range(3):
        Wait.objects.create(ladder=ladder, seconds=100 + number, at=now)
        Wait.objects.create(ladder=ladder, seconds=9000, at=now - timedelta(days=2))
    assert numbers(front(), "hearts")[2] == "–"
    Wait.objects.create(ladder=ladder, seconds=300, at=now)
    assert numbers(front(), "hearts")[2] == "2 min"


def test_every_user_finds_a_page_without_ladders_whole() -> None:
    Ladder.objects.update(is_open=False)
    page = Client().get("/").content.decode()
    assert 'id="ranked"' not in page
