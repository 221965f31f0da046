"""The check in the browser against the one in Python: what of both has to be the same, kind by kind."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from playwright.sync_api import Browser, Route

from games.kinds import KINDS
from games.kinds.checks import scripts
from games.verify import walk

ORIGIN = "http://localhost"
SCRIPTS = scripts()
each_script = pytest.mark.parametrize("kind", SCRIPTS)


def answer(route: Route) -> None:
    path = route.request.url.removeprefix(f"{ORIGIN}/")
    file = finders.find(path) if path else None
    if file:
        route.fulfill(body=Path(str(file)).read_text(), content_type="text/javascript")
    else:
        route.fulfill(body="<!doctype html>", content_type="text/html")


@pytest.fixture(scope="module")
def classes(browser: Browser) -> dict[str, Any]:
    """What the classes of the scripts say of themselves, by kind."""
    page = browser.new_page()
    page.route(f"{ORIGIN}/**", answer)
    page.goto(f"{ORIGIN}/")
    found: dict[str, Any] = page.evaluate(
        """async (scripts) => Object.fromEntries(await Promise.all(Object.entries(scripts).map(async ([kind, path]) => {
          const { ROWS, OPTIONS, isLowestFirst, trump } = (await import(`/${path}`)).default;
          return [kind, { ROWS, OPTIONS, isLowestFirst, trump }];
        })))""",
        SCRIPTS,
    )
    page.close()
    return found


@each_script
def test_the_class_of_a_script_is_that_of_python(classes: dict[str, Any], kind: str) -> None:
    check, its = KINDS[kind].check, classes[kind]
    places = f"of {SCRIPTS[kind]} against those of {check.__module__}"
    rows = [[row.character, row.players, dict(row.options), row.removed] for row in check.ROWS]
    assert its["ROWS"] == rows, f"ROWS {places}"
    assert its["OPTIONS"] == dict(check.OPTIONS), f"OPTIONS {places}"
    facts = (check.trump, check.IS_LOWEST_FIRST)
    assert (its["trump"], its["isLowestFirst"]) == facts, f"trump and isLowestFirst {places}"


@each_script
def test_a_script_reads_the_options_that_it_lists(classes: dict[str, Any], kind: str) -> None:
    text = Path(str(finders.find(SCRIPTS[kind]))).read_text()
    read = set(re.findall(r'this\.option\(\s*"(\w+)"', text))
    read |= {name for _, _, options, _ in classes[kind]["ROWS"] for name in options}
    assert read == set(classes[kind]["OPTIONS"]), f"what {SCRIPTS[kind]} reads against its own OPTIONS"


@pytest.mark.parametrize("name", ["RULES_VERSION", "MOST_DEALS"])
def test_the_figures_of_the_walk_are_those_of_python(name: str) -> None:
    text = Path(str(finders.find("games/histories/walk.js"))).read_text()
    found = re.search(rf"const {name} = (\d+);", text)
    assert found is not None, f"{name} is not in js/walk.js"
    assert int(found[1]) == getattr(walk, name), f"{name} of js/walk.js against {walk.__name__}"


@each_script
def test_the_figures_of_a_script_are_those_of_python(kind: str) -> None:
    """Whatever is a constant with a whole number in one of the two has the same number in the other."""
    check = KINDS[kind].check
    text = Path(str(finders.find(SCRIPTS[kind]))).read_text()
    there = {name: int(value) for name, value in re.findall(r"^const ([A-Z_]+) = (-?\d+);", text, re.MULTILINE)}
    module = vars(__import__(check.__module__, fromlist=["*"]))
    here = {name: value for name, value in module.items() if name.isupper() and type(value) is int}
    assert there == here, f"constants of {SCRIPTS[kind]} against those of {check.__module__}"
