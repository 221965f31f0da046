"""The page that describes the read API: it needs no other site, and works on a phone."""

from __future__ import annotations

import mimetypes
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import RequestFactory
from ninja.openapi.views import openapi_json, openapi_view
from playwright.sync_api import Browser, Route, expect

from config.api import api

ORIGIN = "http://localhost"


@pytest.mark.parametrize("width", [360, 1280])
def test_the_description_is_shown_without_any_other_site(browser: Browser, width: int) -> None:
    pages = {
        "/api/": openapi_view(RequestFactory().get("/api/"), api=api).content,
        "/api/openapi.json": openapi_json(RequestFactory().get("/api/openapi.json"), api=api).content,
    }
    elsewhere: list[str] = []
    faults: list[str] = []

    def answer(route: Route) -> None:
        address = route.request.url
        path = address.removeprefix(ORIGIN).partition("?")[0]
        if not address.startswith(ORIGIN):
            elsewhere.append(address)
            route.abort()
        elif path in pages:
            kind = "application/json" if path.endswith("json") else "text/html; charset=utf-8"
            route.fulfill(body=pages[path], content_type=kind)
        elif found := finders.find(path.removeprefix("/static/")):
            kind = mimetypes.guess_type(str(found))[0] or "application/octet-stream"
            route.fulfill(body=Path(str(found)).read_bytes(), content_type=kind)
        else:
            route.fulfill(status=404, body="")

    context = browser.new_context(viewport={"width": width, "height": 800})
    page = context.new_page()
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    page.route("**/*", answer)
    page.goto(f"{ORIGIN}/api/")
    expect(page.locator(".opblock")).to_have_count(len(api.get_openapi_schema()["paths"]))
    expect(page.locator("main")).to_contain_text("A board")
    page.locator(".opblock", has_text="/api/ladders/{ladder}/board").locator(".opblock-control-arrow").click()
    expect(page.locator(".opblock.is-open")).to_contain_text("2026-Q4")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert elsewhere == []
    assert faults == []
    context.close()
