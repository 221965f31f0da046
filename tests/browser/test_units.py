"""Runs the JavaScript units: every `units/*.test.js` in a page of its own, with the modules of the table page.

No server is needed: the page's requests are answered from the files. `units/check.js` is the whole test library.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route

from games.kinds import rules_for
from games.kinds.words import traits_of
from games.log import refusals
from games.rules import CODES, REASONS

UNITS = Path(__file__).resolve().parent / "units"
MODULES = UNITS.parents[2] / "games/static/games"
FILES = sorted(UNITS.glob("*.test.js"))
ORIGIN = "http://localhost"

#: What pages of tables are told of their games.
TRAITS = {
    "hearts": traits_of(rules_for("hearts", 4)),
    "queen": traits_of(rules_for("hearts", 4, {"hearts_broken_by": "queen"})),
    "spades": traits_of(rules_for("spades", 4)),
}

#: What Django's text catalogue defines, in English.
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>units</title><script>
gettext = (text) => text;
ngettext = (one, many, count) => (count === 1 ? one : many);
interpolate = (text, values) => text.replace(/%\\(\\w+\\)s/g, (match) => String(values[match.slice(2, -2)]));
</script><body></body></html>"""


def answer(route: Route) -> None:
    _, _, path = route.request.url.partition(ORIGIN)
    folder, _, name = path.removeprefix("/").partition("/")
    file = {"games": MODULES, "units": UNITS}.get(folder, UNITS) / name
    if not name:
        route.fulfill(body=PAGE, content_type="text/html")
    elif file.is_file():
        route.fulfill(body=file.read_text(), content_type="text/javascript")
    else:
        route.fulfill(status=404)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_units(browser: Browser, file: Path) -> None:
    page = browser.new_page()
    page.route(f"{ORIGIN}/**", answer)
    page.goto(f"{ORIGIN}/")
    known = {"codes": [*CODES, *refusals.CODES], "reasons": list(REASONS), "traits": TRAITS}
    page.evaluate("(known) => { window.known = known; }", known)
    results = page.evaluate(
        "async (name) => { await import(name); return (await import('/units/check.js')).run(); }", f"/units/{file.name}"
    )
    page.close()
    assert results, "the file has no tests"
    failed = [f"{result['name']}: {result['fault']}" for result in results if result["fault"]]
    assert not failed, "\n".join(failed)
