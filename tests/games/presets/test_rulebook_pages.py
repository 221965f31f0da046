"""Pages of the rulebook: addresses in each language, what search engines get, versions, and play with these rules."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from games import models
from games.guides.pages import guides
from games.presets.shipped import shipped_presets
from ladder.models import Ladder
from tests import factories

pytestmark = pytest.mark.usefixtures("transactional_db")

SITE = "http://testserver"


@pytest.fixture
def stadium() -> Iterator[models.RulePreset]:
    """A preset that a test may change."""
    preset = models.RulePreset.objects.get(slug="hearts-stadium")
    yield preset
    models.Game.objects.filter(preset_version__preset=preset).update(preset_version=None)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("set local moonshot.purge = 'on'")
        preset.versions.filter(number__gt=1).delete()
    models.RulePreset.objects.filter(pk=preset.pk).update(is_active=True, players=[2, 3, 4, 5, 6, 7])


def text_of(address: str, **headers: str) -> str:
    answer = Client().get(address, headers=headers)
    assert answer.status_code == 200
    return answer.content.decode()


def links_of(text: str) -> dict[str, str]:
    """hreflang of each alternate, and the canonical address."""
    found = dict(re.findall(r'<link rel="alternate" hreflang="([^"]+)" href="([^"]+)">', text))
    (found["canonical"],) = re.findall(r'<link rel="canonical" href="([^"]+)">', text)
    return found


def visible(text: str) -> str:
    """What a page shows, without markup."""
    body = re.sub(r"<script.*?</script>|<style.*?</style>", "", text.split("<body", 1)[1], flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]+>", "", body))


# --- addresses --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("preset", [preset.slug for preset in shipped_presets()])
def test_every_preset_has_its_page_in_each_language(preset: str, language: str) -> None:
    other = {"en": "ja", "ja": "en"}[language]
    text = text_of(f"/{language}/rules/{preset}/", **{"accept-language": other})
    assert f'<html lang="{language}">' in text
    assert re.search(r"<title>.+ · Moonshot</title>", text)
    (description,) = re.findall(r'<meta name="description" content="([^"]+)">', text)
    assert len(description) > 40
    assert links_of(text) == {
        "canonical": f"{SITE}/{language}/rules/{preset}/",
        "en": f"{SITE}/en/rules/{preset}/",
        "ja": f"{SITE}/ja/rules/{preset}/",
        "x-default": f"{SITE}/rules/{preset}/",
    }
    assert "noindex" not in text


@pytest.mark.parametrize("path", ["rules/", "rules/hearts-short/", "guide/table/"])
@pytest.mark.parametrize("language", ["en", "ja"])
def test_an_address_without_a_language_leads_to_the_readers(path: str, language: str) -> None:
    answer = Client().get(f"/{path}", headers={"accept-language": language})
    assert answer.status_code == 302
    assert answer["Location"] == f"/{language}/{path}"
    assert "Accept-Language" in answer["Vary"]


@pytest.mark.parametrize("path", ["rules/", "rules/hearts-short/", "rules/hearts-short/1/", "guide/etiquette/"])
def test_the_switch_in_the_header_leads_to_the_same_page_in_the_other_language(path: str) -> None:
    client = Client()
    text = client.get(f"/en/{path}").content.decode()
    (following,) = re.findall(r'name="next" value="([^"]+)"', text)
    answer = client.post(reverse("set_language"), {"language": "ja", "next": following})
    assert answer["Location"] == f"/ja/{path}"
    assert '<html lang="ja">' in client.get(answer["Location"]).content.decode()


@pytest.mark.parametrize("name", guides())
@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_general_page_can_be_read_and_leads_to_the_others(name: str, language: str) -> None:
    text = text_of(f"/{language}/guide/{name}/")
    assert f'<html lang="{language}">' in text
    for other in set(guides()) - {name}:
        assert f'href="/{language}/guide/{other}/"' in text
    assert set(links_of(text)) == {"canonical", "en", "ja", "x-default"}


@pytest.mark.parametrize(
    "path",
    [
        "/en/rules/nothing/",
        "/en/rules/hearts-short/0/",
        "/en/rules/hearts-short/2/",
        "/en/guide/nothing/",
        "/fr/rules/",
        "/rules/nothing/extra/",
    ],
)
def test_what_is_not_there_is_a_404_page(path: str) -> None:
    assert Client().get(path).status_code == 404


def test_the_index_has_every_active_preset_by_kind_with_its_chips(stadium: models.RulePreset) -> None:
    text = text_of("/en/rules/")
    for preset in shipped_presets():
        assert f'href="/en/rules/{preset.slug}/"' in text
    assert "2 to 7 players" in text
    assert "Always a pass" in text
    stadium.is_active = False
    stadium.save()
    assert "hearts-stadium" not in text_of("/en/rules/")


def test_the_front_page_leads_to_the_rules() -> None:
    for language in ("en", "ja"):
        assert f'href="/{language}/rules/"' in text_of("/", **{"accept-language": language})


def test_a_visit_makes_no_session_and_asks_the_database_little(django_assert_max_num_queries: Any) -> None:
    client = Client()
    for path, queries in (("/en/rules/", 2), ("/en/rules/hearts-standard/", 2), ("/en/guide/table/", 0)):
        with django_assert_max_num_queries(queries):
            client.get(path)
    assert "sessionid" not in client.cookies


# --- a page -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("preset", [preset.slug for preset in shipped_presets()])
def test_search_engines_are_told_the_questions_that_the_page_shows(preset: str, language: str) -> None:
    text = text_of(f"/{language}/rules/{preset}/")
    (script,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', text, re.DOTALL)
    told = json.loads(script)
    assert (told["@context"], told["@type"]) == ("https://schema.org", "FAQPage")
    assert len(told["mainEntity"]) >= 8
    shown = visible(text)
    for entry in told["mainEntity"]:
        assert entry["@type"] == "Question"
        assert entry["acceptedAnswer"]["@type"] == "Answer"
        assert f"{entry['name']}{entry['acceptedAnswer']['text']}" in shown


def test_every_section_is_in_the_contents_and_on_the_page_once() -> None:
    text = text_of("/en/rules/hearts-standard/")
    sections = re.findall(r'<section id="([^"]+)"', text)
    assert re.findall(r'<a href="#([^"]+)">', text.split('class="contents"')[1].split("</nav>")[0]) == sections
    assert len(set(sections)) == len(sections) == 14
    identifiers = re.findall(r' id="([^"]+)"', text)
    assert len(set(identifiers)) == len(identifiers)


def test_names_and_notes_of_administrators_are_shown_as_text_and_by_language(stadium: models.RulePreset) -> None:
    models.RulePreset.objects.filter(pk=stadium.pk).update(
        name="<b>Ours</b>", name_ja="<b>うちの卓</b>", note="A & B", note_ja="甲乙"
    )
    try:
        english, japanese = text_of("/en/rules/hearts-stadium/"), text_of("/ja/rules/hearts-stadium/")
    finally:
        models.RulePreset.objects.filter(pk=stadium.pk).update(
            name=stadium.name, name_ja="", note=stadium.note, note_ja=""
        )
    assert "&lt;b&gt;Ours&lt;/b&gt;" in english
    assert "<b>Ours" not in english
    assert "A &amp; B" in english
    assert "&lt;b&gt;うちの卓&lt;/b&gt;" in japanese
    assert "甲乙" in japanese


def test_the_date_of_the_version_is_shown_in_the_readers_way(stadium: models.RulePreset) -> None:
    version = stadium.versions.get(number=1)
    year, month, day = version.created_at.year, version.created_at.month, version.created_at.day
    assert f"{day}, {year}" in text_of("/en/rules/hearts-stadium/")
    assert f"{year}年{month}月{day}日" in text_of("/ja/rules/hearts-stadium/")


# --- versions ---------------------------------------------------------------------------------------------------------


def new_version(preset: models.RulePreset, **options: Any) -> models.PresetVersion:
    old = preset.versions.latest("number")
    return models.PresetVersion.objects.create(
        preset=preset, number=old.number + 1, options={**old.options, **options}, choices=old.choices
    )


def test_a_new_version_changes_the_page_and_the_old_one_stays_readable(stadium: models.RulePreset) -> None:
    new_version(stadium, end_score=70)
    today = text_of("/en/rules/hearts-stadium/")
    assert "The game is played to −70 points." in today
    assert 'href="/en/rules/hearts-stadium/1/"' in today
    old = text_of("/en/rules/hearts-stadium/1/")
    assert "The game is played to −100 points." in old
    assert "older rules" in old
    assert 'href="/en/rules/hearts-stadium/"' in old
    assert '<meta name="robots" content="noindex">' in old
    assert links_of(old)["canonical"] == f"{SITE}/en/rules/hearts-stadium/"
    assert "Play with these rules" not in old


def test_a_preset_that_is_switched_off_can_be_read_and_not_played(stadium: models.RulePreset) -> None:
    stadium.is_active = False
    stadium.save()
    text = text_of("/en/rules/hearts-stadium/")
    assert "no longer offered" in text
    assert '<meta name="robots" content="noindex">' in text
    assert "Play with these rules" not in text
    assert Client().post("/play/preset/hearts-stadium/1/").status_code == 404


# --- play with these rules --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", shipped_presets(), ids=lambda preset: preset.slug)
def test_play_with_these_rules_deals_a_game_by_exactly_this_version(preset: Any) -> None:
    client = Client()
    text = client.get(f"/en/rules/{preset.slug}/").content.decode()
    assert f'action="/play/preset/{preset.slug}/1/"' in text
    answer = client.post(f"/play/preset/{preset.slug}/1/")
    game = models.Game.objects.latest("pk")
    assert answer.status_code == 302
    assert answer["Location"] == reverse("table", args=[game.pk])
    assert (game.kind, game.players, game.timer_s) == (preset.kind, 4, 0)
    assert game.preset_version is not None
    assert (game.preset_version.preset.slug, game.preset_version.number) == (preset.slug, 1)
    assert {name: game.options[name] for name in preset.options} == preset.options
    assert [player.cpu_level for player in game.player_set.order_by("seat")] == ["", "normal", "normal", "normal"]
    assert client.get(answer["Location"]).status_code == 200


def test_an_older_version_that_was_being_read_is_the_one_that_is_played(stadium: models.RulePreset) -> None:
    new_version(stadium, end_score=70)
    Client().post("/play/preset/hearts-stadium/1/")
    game = models.Game.objects.latest("pk")
    assert (game.options["end_score"], game.preset_version) == (100, stadium.versions.get(number=1))


@pytest.mark.parametrize(("asked", "players"), [("3", 3), ("5", 5), ("7", 4), ("x", 4), ("", 4), ("٣", 4), ("-4", 4)])
def test_the_number_of_players_is_one_that_is_offered_or_the_usual_one(asked: str, players: int) -> None:
    Client().post("/play/preset/hearts-stadium/1/", {"players": asked})
    assert models.Game.objects.latest("pk").players == players


def test_a_double_click_opens_one_game_and_other_rules_another() -> None:
    client = Client()
    first = client.post("/play/preset/hearts-stadium/1/")["Location"]
    assert client.post("/play/preset/hearts-stadium/1/")["Location"] == first
    assert client.post("/play/preset/hearts-stadium/1/", {"players": "5"})["Location"] != first
    assert client.post("/play/preset/hearts-short/1/")["Location"] != first
    assert models.Game.objects.count() == 3


def test_rules_for_parties_alone_are_not_played_against_cpus(stadium: models.RulePreset) -> None:
    stadium.players = [2, 6, 7]
    stadium.save()
    assert "These rules are played in parties." in text_of("/en/rules/hearts-stadium/")
    assert Client().post("/play/preset/hearts-stadium/1/").status_code == 404


def test_a_game_is_opened_by_a_post_of_this_sites_own_form_alone() -> None:
    assert Client().get("/play/preset/hearts-short/1/").status_code == 405
    assert Client(enforce_csrf_checks=True).post("/play/preset/hearts-short/1/").status_code == 403
    assert Client().post("/play/preset/hearts-short/9/").status_code == 404
    assert Client().post("/play/preset/nothing/1/").status_code == 404
    assert not models.Game.objects.exists()


# --- search engines ---------------------------------------------------------------------------------------------------


def test_the_map_of_the_site_has_every_page_in_each_language_and_each_can_be_read() -> None:
    answer = Client().get("/sitemap.xml")
    assert answer["Content-Type"] == "application/xml"
    names = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9", "x": "http://www.w3.org/1999/xhtml"}
    entries = ElementTree.fromstring(answer.content).findall("s:url", names)
    addresses = [entry.findtext("s:loc", "", names) for entry in entries]
    pages = ["rules/", *(f"rules/{p.slug}/" for p in shipped_presets()), *(f"guide/{name}/" for name in guides())]
    pages += ["ladder/", "ladder/how/", *(f"ladder/{each.slug}/" for each in Ladder.objects.filter(is_open=True))]
    assert sorted(addresses) == sorted(f"{SITE}/{language}/{page}" for page in pages for language in ("en", "ja"))
    for entry in entries:
        alternates = {link.get("hreflang"): link.get("href") for link in entry.findall("x:link", names)}
        assert set(alternates) == {"en", "ja", "x-default"}
        assert entry.findtext("s:loc", "", names) in alternates.values()
    for address in addresses:
        assert Client().get(address.removeprefix(SITE)).status_code == 200


def test_a_preset_that_is_switched_off_leaves_the_map(stadium: models.RulePreset) -> None:
    stadium.is_active = False
    stadium.save()
    assert b"hearts-stadium" not in Client().get("/sitemap.xml").content


def test_robots_are_kept_from_games_and_the_admin_and_told_of_the_map() -> None:
    answer = Client().get("/robots.txt")
    assert answer["Content-Type"].startswith("text/plain")
    lines = answer.content.decode().splitlines()
    assert {"User-agent: *", "Disallow: /game/", "Disallow: /admin/", "Disallow: /play/"} <= set(lines)
    assert f"Sitemap: {SITE}/sitemap.xml" in lines
    assert not [line for line in lines if "rules" in line or line == "Disallow: /"]


def test_the_contact_page_shows_the_address_that_is_set_or_says_that_none_is(settings: Any) -> None:
    settings.CONTACT_EMAIL = "post@cards.example.org"
    assert 'href="mailto:post@cards.example.org"' in text_of("/en/guide/contact/")
    settings.CONTACT_EMAIL = ""
    assert "have not set an address yet" in text_of("/en/guide/contact/")


def test_the_contact_page_says_which_version_runs() -> None:
    project = Path(__file__).resolve().parents[3]
    version = tomllib.loads((project / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert f"This site runs version {version} of Moonshot." in text_of("/en/guide/contact/")
    assert f"バージョンは{version}です" in text_of("/ja/guide/contact/")
    assert version not in text_of("/en/guide/privacy/")


# --- the rules of one game --------------------------------------------------------------------------------------------


def test_a_table_shows_the_rules_that_it_is_played_by_and_no_others() -> None:
    plain = factories.game(2, 2)
    changed = factories.game(2, 2, options={"jack_of_diamonds": "minus_ten", "end_score": 70})
    pages = []
    for game in (plain, changed):
        client = Client(headers={"accept-language": "en"})
        assert game.users[0] is not None
        client.force_login(game.users[0])
        answer = client.get(f"/game/{game.id}/rules/")
        assert answer.status_code == 200
        pages.append(answer.content.decode())
    assert "70" in pages[1]
    assert pages[0] != pages[1]


def test_only_who_may_see_a_table_reads_its_rules() -> None:
    game = factories.game(2, 2)
    stranger = Client()
    stranger.force_login(factories.user())
    for client in (Client(), stranger):
        assert client.get(f"/game/{game.id}/rules/").status_code == 404
