"""A ladder and its rules: a preset that is edited leaves it as it is; an administrator moves it, and that is noted."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from accounts.models import User
from games.log import services
from games.models import Game, PresetVersion, RulePreset
from games.presets import services as preset_store
from ladder.models import Ladder, LadderMove, Rating
from ladder.rating import services as ladder_services
from tests.ladder.finished import members, ranked

pytestmark = pytest.mark.django_db


def version(slug: str = "hearts-standard") -> PresetVersion:
    found = PresetVersion.objects.filter(preset__slug=slug).order_by("-number").first()
    assert found is not None
    return found


def edited(slug: str = "hearts-standard", **changes: Any) -> PresetVersion:
    draft = preset_store.draft_of(RulePreset.objects.get(slug=slug))
    preset_store.save(replace(draft, **changes))
    return version(slug)


@pytest.fixture
def hearts() -> Ladder:
    return Ladder.objects.create(slug="moving", kind="hearts", preset_version=version())


@pytest.fixture
def chief() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("chief", "chief@example.org", "x"))
    return client


def move(chief: Client, ladder: Ladder, to: PresetVersion) -> int:
    form = {"preset_version": to.pk, "is_open": "on"}
    return chief.post(f"/admin/ladder/ladder/{ladder.pk}/change/", form).status_code


def test_editing_a_ranked_preset_makes_an_unranked_version_and_the_ladder_keeps_its_own(hearts: Ladder) -> None:
    before = version()
    assert before.ranked_players == 4
    after = edited(options={"end_score": 80})
    assert (after.number, after.ranked_players) == (before.number + 1, None)
    before.refresh_from_db()
    assert before.ranked_players == 4
    hearts.refresh_from_db()
    assert hearts.preset_version == before
    assert not LadderMove.objects.exists()


def test_a_ladder_moves_to_a_version_only_once_that_is_ranked_and_keeps_its_ratings(
    hearts: Ladder, chief: Client
) -> None:
    users = members()
    before = hearts.preset_version
    opened = services.open_game(kind="hearts", seats=users, preset_version=before, options=before.options)
    ladder_services.enter(game=opened, ladder=hearts)
    Rating.objects.create(user=users[0], ladder=hearts, rating=Decimal("1612.50"), games=12)
    after = edited(options={"end_score": 80})
    assert move(chief, hearts, after) == 200, "it is refused until it is ranked"
    after = edited(ranked_players=4)
    assert move(chief, hearts, after) == 302
    hearts.refresh_from_db()
    assert hearts.preset_version == after
    moved = LadderMove.objects.get()
    assert (moved.before, moved.after, moved.by.username) == (before, after, "chief")
    assert LogEntry.objects.filter(object_id=str(hearts.pk), user__username="chief").exists()
    assert Rating.objects.get().rating == Decimal("1612.50")
    game = Game.objects.get(pk=opened.pk)
    assert game.preset_version == before, "a game that runs is played as it was opened"


def test_a_ladder_is_not_moved_to_rules_of_another_game_or_number_of_players(hearts: Ladder, chief: Client) -> None:
    assert move(chief, hearts, version("spades-standard")) == 200
    three = edited(ranked_players=3)
    assert three.ranked_players == 3
    other = Ladder.objects.create(slug="four", kind="hearts", preset_version=version("hearts-short"))
    assert move(chief, other, three) == 200
    assert not LadderMove.objects.exists()


def test_a_rated_game_stays_rated_after_its_ladder_has_moved(hearts: Ladder, chief: Client) -> None:
    users = members()
    game = ranked(users)
    ladder_services.rate_game(game.pk)
    kept = list(Rating.objects.order_by("user").values_list("user", "rating"))
    edited(options={"end_score": 80})
    moving = Ladder.objects.get(slug="hearts-ranked")
    assert move(chief, moving, edited(ranked_players=4)) == 302
    assert list(Rating.objects.order_by("user").values_list("user", "rating")) == kept
