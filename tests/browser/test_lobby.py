"""The front page: both games in sight on any screen, and one game for two clicks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.test import RequestFactory
from django.utils import translation
from django.utils.translation import gettext as _
from playwright.sync_api import Browser, Route

from games.kinds.words import kind_label
from games.tables.selectors import USUAL_LEVEL, levels_to_play, limits_to_play
from tests.browser.stage import ORIGIN, Stage

#: What a site with the shipped presets says of its games.
DETAILS = (
    ("hearts", "Avoid hearts and the queen of spades."),
    ("spades", "Partners to 500 points. Bid your tricks and make them."),
)


def front_page(language: str = "en") -> str:
    """The page of a newcomer, as the site would send it."""
    with translation.override(language):
        about: dict[str, Any] = {
            "running": [],
            "kinds": [{"kind": kind, "label": kind_label(kind), "detail": _(detail)} for kind, detail in DETAILS],
            "limits": limits_to_play(),
            "timer": 0,
            "levels": levels_to_play(),
            "level": USUAL_LEVEL,
        }
        return render_to_string("pages/lobby.html", about, request=RequestFactory().get("/"))


@pytest.fixture
def stage(browser: Browser) -> Iterator[Stage]:
    stage = Stage(browser, "hearts")
    stage.pages["/"] = front_page()
    yield stage
    stage.close()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_both_games_can_be_started_without_scrolling(stage: Stage, language: str) -> None:
    stage.pages["/"] = front_page(language)
    for width, height in ((360, 640), (740, 360), (667, 375), (640, 360), (390, 844), (1280, 800)):
        stage.page.set_viewport_size({"width": width, "height": height})
        stage.page.goto(f"{ORIGIN}/")
        bottoms = stage.page.eval_on_selector_all(
            ".kind-go", "nodes => nodes.map(node => node.getBoundingClientRect().bottom)"
        )
        assert len(bottoms) == 2
        assert max(bottoms) <= height, (width, height)
        assert stage.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_a_double_click_opens_one_game_and_coming_back_allows_another(stage: Stage) -> None:
    page, posts = stage.page, list[str]()

    def take(route: Route) -> None:
        posts.append(route.request.method)
        route.fulfill(status=204, body="")  # the page stays, as while an answer is on its way

    page.route(f"{ORIGIN}/play/**", take)
    page.goto(f"{ORIGIN}/")
    button = page.locator("button[formaction$='/play/spades/']")
    button.dblclick()
    button.press("Enter")
    page.locator("button[formaction$='/play/hearts/']").click()
    page.wait_for_timeout(200)
    assert posts == ["POST"]
    page.evaluate("() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    button.click()
    page.wait_for_timeout(200)
    assert posts == ["POST", "POST"]
    assert stage.faults == []
