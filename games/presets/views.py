"""Pages of the rulebook, a game by the rules that were read, and what search engines ask for."""

from __future__ import annotations

import json
from collections.abc import Callable

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe

from games.guides.pages import guide as guide_page
from games.guides.pages import guides
from games.kinds.words import kind_label
from games.presets import rules_pages
from games.presets.languages import addresses, alternates
from games.presets.selectors import chips
from games.rulebook import Page

#: Where search engines have nothing to look for.
PRIVATE = ("/admin/", "/code/", "/game/", "/health/", "/history/", "/i18n/", "/people/", "/play/", "/ws/")


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """All rules by kind, and the general pages."""
    context = {"kinds": rules_pages.kinds_with_rules(), "guides": _guides(), **addresses(request)}
    return render(request, "games/presets/rules_index.html", context)


@require_safe
def rules(request: HttpRequest, slug: str, number: int | None = None) -> HttpResponse:
    """The rules of a preset; with a number those of one of its versions."""
    version = rules_pages.version_of(slug, number)
    if version is None:
        raise Http404
    preset = version.preset
    numbers = rules_pages.numbers_of(preset)
    page = rules_pages.page_of(version)
    is_current = version.number == numbers[0]
    solo_players = rules_pages.solo_players(preset) if preset.is_active and is_current else []
    context = {
        "page": page,
        "preset": preset,
        "name": preset.local_name,
        "note": preset.local_note,
        "kind_label": kind_label(preset.kind),
        "chips": chips(preset.kind, version.options),
        "version": version,
        "version_told": rules_pages.told_of(version),
        "is_current": is_current,
        "other_numbers": [other for other in numbers if other != version.number],
        "solo_players": solo_players,
        "usual_players": rules_pages.usual_players(solo_players),
        "is_indexed": preset.is_active and is_current,
        "questions_json": _questions_json(page),
        **addresses(request, reverse("rules", args=[slug])),
    }
    return render(request, "games/presets/rules.html", context)


@require_safe
def guide(request: HttpRequest, name: str) -> HttpResponse:
    """A general page."""
    if name not in guides():
        raise Http404
    context = {
        "page": guide_page(name),
        "name": name,
        "guides": _guides(),
        "contact": settings.CONTACT_EMAIL if name == "contact" else "",
        "asks_contact": name == "contact",
        "version": settings.VERSION,
        **addresses(request),
    }
    return render(request, "pages/guide.html", context)


# --- search engines ---------------------------------------------------------------------------------------------------


@require_safe
def sitemap(request: HttpRequest, more: Callable[[], list[rules_pages.Address]]) -> HttpResponse:
    """Every page in every language, each with its other languages; `more` are those of other apps."""
    entries = []
    for name, values in [*rules_pages.addresses(), *more()]:
        address = reverse(name, kwargs=values)
        others = alternates(request, address)
        entries += [{"address": entry["address"], "alternates": others} for entry in others[:-1]]
    return render(request, "pages/sitemap.xml", {"entries": entries}, content_type="application/xml")


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """What search engines should leave alone, and where the map is."""
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in PRIVATE)]
    lines.append(f"Sitemap: {request.build_absolute_uri(reverse('sitemap'))}")
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")


def _questions_json(page: Page) -> SafeString:
    """The questions of a page as schema.org has them, in the words that the page shows."""
    data = {
        "@context": "https://schema.org",
        "@type": "FAQPage",
        "mainEntity": [
            {"@type": "Question", "name": question, "acceptedAnswer": {"@type": "Answer", "text": answer}}
            for question, answer in page.questions()
        ],
    }
    text = json.dumps(data, ensure_ascii=False)
    for sign, code in (("<", "\\u003C"), (">", "\\u003E"), ("&", "\\u0026")):
        text = text.replace(sign, code)
    return mark_safe(text)


def _guides() -> list[dict[str, str]]:
    """The general pages for a menu."""
    return [{"name": name, "title": make().title} for name, make in guides().items()]
