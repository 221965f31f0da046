"""Rules pages in the browser: on a phone and a desk, in both languages, in the dark, on paper, and into a game."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.site_run import Run

pytestmark = pytest.mark.slow

PHONE = {"width": 360, "height": 740}
DESK = {"width": 1280, "height": 800}
PATIENCE_MS = 10_000

PAGES = (
    "rules/",
    "rules/hearts-stadium/",
    "rules/hearts-portal-jack/",
    "rules/spades-blind-nil/",
    "guide/table/",
    "guide/privacy/",
)

#: Every text that is too faint on what it stands on, by the measure of WCAG AA.
TOO_FAINT = """() => {
  const parse = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility() || element.closest("script")) continue;
    const style = getComputedStyle(element);
    const [a, b] = [light(parse(style.color)), light(behind(element))].sort((x, y) => y - x);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
    if ((a + 0.05) / (b + 0.05) < (large ? 3 : 4.5)) found.push(walker.currentNode.data.trim().slice(0, 40));
  }
  return [...new Set(found)];
}"""


@contextmanager
def opened(browser: Browser, site: Run, path: str, viewport: Any, **more: Any) -> Iterator[tuple[Page, list[str]]]:
    """A page, and what goes wrong in it."""
    context = browser.new_context(viewport=viewport, **more)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    answer = page.goto(f"http://localhost:{site.port}{path}")
    assert answer is not None
    assert answer.status == 200
    yield page, faults
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["phone", "desk"])
def test_pages_fit_and_can_be_read_in_light_and_dark(
    browser: Browser, site: Run, viewport: Any, language: str, scheme: str
) -> None:
    for path in PAGES:
        with opened(browser, site, f"/{language}/{path}", viewport, color_scheme=scheme) as (page, faults):
            assert page.locator("html").get_attribute("lang") == language
            wide = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert wide <= 0, path
            assert page.evaluate(TOO_FAINT) == [], path
            assert faults == []


def test_the_contents_stay_in_view_on_a_desk_and_lead_to_their_sections(browser: Browser, site: Run) -> None:
    with opened(browser, site, "/en/rules/hearts-standard/", DESK) as (page, _):
        page.locator(".contents a[href='#moon']").click()
        assert page.url.endswith("#moon")
        page.wait_for_function("() => Math.abs(document.querySelector('#moon').getBoundingClientRect().top) < 100")
        box = page.locator(".contents").bounding_box()
        assert box is not None
        assert 0 <= box["y"] < 100
        assert page.locator(".contents a").last.is_visible()
    with opened(browser, site, "/en/rules/hearts-standard/", PHONE) as (page, _):
        page.locator(".contents summary").click()
        assert not page.locator(".contents ol").is_visible()


def test_the_switch_of_the_language_stays_on_the_page(browser: Browser, site: Run) -> None:
    with opened(browser, site, "/rules/hearts-short/", PHONE, locale="en-US") as (page, _):
        assert page.url.endswith("/en/rules/hearts-short/")
        page.locator(".site-header button[value=ja]").click()
        page.wait_for_url("**/ja/rules/hearts-short/")
        assert page.locator("html").get_attribute("lang") == "ja"
        page.locator(".site-nav a[href='/ja/rules/']").click()
        page.wait_for_url("**/ja/rules/")
        page.locator("a[href='/ja/rules/spades-standard/']").click()
        page.wait_for_url("**/ja/rules/spades-standard/")


def test_play_with_these_rules_deals_a_game_by_them(browser: Browser, site: Run) -> None:
    with opened(browser, site, "/en/rules/hearts-stadium/", PHONE) as (page, faults):
        page.locator(".play-these label", has_text="5").first.click()
        page.locator(".play-these button").first.click()
        page.wait_for_selector("#table[data-phase]", timeout=PATIENCE_MS)
        game = int(page.url.rstrip("/").split("/")[-1])
        assert faults == []
    with site.database() as link:
        row = link.execute(
            """select game.players, game.options ->> 'passing', game.options ->> 'score_sign', slug, number
               from games_game game join games_presetversion version on version.id = preset_version_id
               join games_rulepreset preset on preset.id = version.preset_id where game.id = %s""",
            [game],
        ).fetchone()
    assert row == (5, "always_left", "minus", "hearts-stadium", 1)


def test_paper_has_the_rules_and_nothing_that_cannot_be_pressed_there(browser: Browser, site: Run) -> None:
    with opened(browser, site, "/en/rules/hearts-standard/", DESK, color_scheme="dark") as (page, _):
        page.evaluate("() => { document.documentElement.dataset.theme = 'dark'; }")
        page.emulate_media(media="print")
        for hidden in (".site-header", ".contents", ".play-these", ".site-footer"):
            assert not page.locator(hidden).first.is_visible()
        for shown in ("h1", "#scoring table", "#local-rules", "#questions", ".colophon"):
            assert page.locator(shown).first.is_visible()
        colours = page.evaluate(
            "() => ['color', 'backgroundColor'].map((name) => getComputedStyle(document.body)[name])"
        )
        assert colours == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]


def test_a_page_can_be_used_with_the_keyboard_alone(browser: Browser, site: Run) -> None:
    with opened(browser, site, "/en/rules/hearts-standard/", DESK) as (page, _):
        page.keyboard.press("Tab")
        assert page.evaluate("() => document.activeElement.className") == "skip-link"
        reached = set()
        for _count in range(60):
            page.keyboard.press("Tab")
            reached.add(
                page.evaluate(
                    "() => document.activeElement.closest('.play-these, .contents, .sheet-scroll')?.className"
                )
            )
        assert {"play-these", "contents", "sheet-scroll"} <= reached
