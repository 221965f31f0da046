"""A third game, and one in which each is alone, on pages that know neither: by their own names, signs and words."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

from accounts.models import User
from games import models
from games.kinds import KINDS, rules_for
from games.kinds.words import each_label, joined_labels, traits_of
from games.log import endings
from games.rules import RULES_VERSION
from ladder.models import Ladder
from tests import factories
from tests.games.kinds import plain
from tests.games.tables.test_pages import boot_of

pytestmark = pytest.mark.django_db

NAMES = {"pairs": "Plain Pairs", "alone": "Plain Tricks"}
SIGNS = {"pairs": "C", "alone": "D"}


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    with plain.registered():
        yield


@pytest.fixture(params=[*NAMES])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def version(kind: str) -> models.PresetVersion:
    """A preset of the kind, the only one that is offered."""
    preset = models.RulePreset.objects.create(
        slug=kind, kind=kind, players=[4], name="Club", name_ja="クラブ", note="", note_ja="", order=1
    )
    models.RulePreset.objects.exclude(pk=preset.pk).update(is_active=False)
    return models.PresetVersion.objects.create(preset=preset, number=1)


@pytest.fixture
def user() -> User:
    return factories.user("ann", is_guest=False)


def game_of(kind: str, user: User, **fields: Any) -> models.Game:
    """A game as a row, with this user in the first seat."""
    options = rules_for(kind, 4).options.to_json()
    values = {"kind": kind, "players": 4, "options": options, "rules_version": RULES_VERSION, **fields}
    game = models.Game.objects.create(**values)
    models.Player.objects.bulk_create(
        models.Player(game=game, seat=seat, user=None if seat else user, cpu_level="normal" if seat else "")
        for seat in range(4)
    )
    return game


def text_of(path: str, user: User, language: str = "en") -> str:
    client = Client(headers={"accept-language": language})
    client.force_login(user)
    answer = client.get(path, follow=True)
    assert answer.status_code == 200
    return html.unescape(answer.content.decode())


def signs_in(text: str) -> set[str]:
    return set(re.findall(r'class="suit-sign suit-(\w)"', text))


def test_the_front_page_offers_it_with_its_sign_and_cards(kind: str, version: models.PresetVersion, user: User) -> None:
    game_of(kind, user)
    text = text_of("/", user)
    assert f"Continue {NAMES[kind]}" in text
    assert f'formaction="{reverse("play", args=[kind])}"' in text
    assert f'<form method="post" action="{reverse("play", args=[kind])}"' in text
    assert f"kind kind-{SIGNS[kind]}" in text
    assert re.findall(r'class="mini suit-(\w)"><b>(\w)', text) == [(SIGNS[kind], rank) for rank in "AKQ"]
    assert '<section class="resume" aria-labelledby="resume-title">' in text
    assert signs_in(text.split('id="resume-title"')[1].split("</section>")[0]) == {SIGNS[kind]}
    *first, last = [known.label for known in KINDS.values()]
    assert f"{', '.join(first)} and {last}, right away" in text


def test_the_table_is_told_of_it_by_its_own_traits(kind: str, user: User) -> None:
    game = game_of(kind, user)
    text = text_of(reverse("table", args=[game.pk]), user)
    assert f"<title>{NAMES[kind]} · Moonshot</title>" in text
    assert f'data-sides="{"partners" if kind == "pairs" else "alone"}"' in text
    assert f'action="{reverse("play", args=[kind])}"' in text
    traits = boot_of(text)["traits"]
    assert traits == traits_of(rules_for(kind, 4))
    assert traits == {
        "label": NAMES[kind],
        "suit": SIGNS[kind],
        "highest_wins": True,
        "phases": ["play"],
        "broken": "Nothing is broken.",
        "broken_facts": None,
        "nil": "",
        "lines": {"tricks": "Tricks won"},
        "refusals": {},
        "mistakes": None,
    }


def test_the_history_lists_it_and_can_be_narrowed_down_to_it(kind: str, user: User) -> None:
    result = {"placings": [1, 2, 1, 2], "scores": [20, 14], "reason": "target"}
    if kind == "alone":
        result = {"placings": [1, 2, 3, 4], "scores": [20, 14, 11, 7], "reason": "target"}
    game = game_of(kind, user, status="finished", result=result)
    endings.note_end(game, timezone.now())
    text = text_of(f"/history/?kind={kind}", user)
    assert re.findall(r'<option value="(\w+)"( selected)?>', text.split("</select>")[0]) == [
        (name, " selected" if name == kind else "") for name in KINDS
    ]
    line = text.split('<ol class="games">')[1].split("</ol>")[0]
    assert f"<strong>{NAMES[kind]}</strong>" in line
    assert signs_in(line) == {SIGNS[kind]}


def test_the_daily_deal_has_its_name_and_sign(kind: str, version: models.PresetVersion, user: User) -> None:
    card = text_of("/daily/", user).split('<section class="daily-card"')[-1].split("</section>")[0]
    assert f">{NAMES[kind]}</a>" in card
    assert signs_in(card) == {SIGNS[kind]}
    address = re.findall(r'href="(/daily/[^"]+)"', card)[0]
    day = text_of(address, user)
    assert "A win before a loss" in day if kind == "pairs" else "then by points: many are good" in day


def test_a_ladder_of_it_has_its_name_and_what_its_sides_need(
    kind: str, version: models.PresetVersion, user: User
) -> None:
    Ladder.objects.update(is_open=False)
    Ladder.objects.create(slug=kind, kind=kind, preset_version=version)
    text = text_of("/", user)
    rung = text.split('<article class="rung"')[1].split("</article>")[0]
    assert f'data-name="{NAMES[kind]}"' in rung
    assert signs_in(rung) == {SIGNS[kind]}
    assert ("data-pair" in rung, 'data-do="consent"' in rung) == ((True, False) if kind == "pairs" else (False, True))
    board = text_of(reverse("ladder", args=[kind]), user)
    assert NAMES[kind] in board
    assert signs_in(board) == {SIGNS[kind]}
    assert f"Ranked Hearts, Spades and {NAMES[kind]}: the best players" in text_of("/ladder/", user)


def test_a_career_has_neither_moons_nor_nils(kind: str) -> None:
    about = {
        "ladder": Ladder(kind=kind),
        "career": {},
        "provisional_games": 10,
        "is_partnership": KINDS[kind].is_partnership,
    }
    text = render_to_string("ladder/records.html", about)
    assert not re.search("Nils|Moons", text)
    assert ("Games drawn" in text) == (kind == "pairs")


def test_outcomes_and_boards_are_of_sides_or_of_places(kind: str) -> None:
    told = render_to_string("ladder/outcome.html", {"kind": kind, "outcome": "first", "place": 1}).strip()
    assert told == ("Won" if kind == "pairs" else "Place 1")
    board = render_to_string("games/daily/daily_board.html", {"kind": kind, "board": {"rows": [{"grades": []}]}})
    assert ("Result</th>" in board, "Place, points</th>" in board) == (
        (True, False) if kind == "pairs" else (False, True)
    )


def test_the_guide_has_each_under_the_formula_that_it_is_rated_by() -> None:
    text = render_to_string("ladder/formula.html", {"scale": 400})
    assert re.findall("<h3>(.*?)</h3>", text) == ["Hearts and Plain Tricks", "Spades and Plain Pairs"]
    assert "whoever has the better score has won it" in text


def test_names_are_joined_as_each_language_does() -> None:
    assert joined_labels([]) == ""
    assert joined_labels(["pairs"]) == "Plain Pairs"
    assert joined_labels(["hearts", "spades"]) == each_label(["hearts", "spades"]) == "Hearts and Spades"
    assert joined_labels(["hearts", "spades", "pairs"]) == "Hearts, Spades and Plain Pairs"
    with translation.override("ja"):
        assert joined_labels(["hearts", "spades", "pairs"]) == "ハーツ、スペードとPlain Pairs"
        assert each_label(["hearts", "spades", "pairs"]) == "ハーツもスペードもPlain Pairsも"
