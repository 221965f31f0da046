"""Options as the rules page that they will have, before they are stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from games.kinds.rulebook import rules_page
from games.presets.selectors import chips
from games.presets.words import Choices, Setting


def rulebook_preview(
    kind: str,
    players: Sequence[int],
    options: Mapping[str, Setting],
    request: HttpRequest,
    *,
    name: str = "",
    choices: Choices | None = None,
) -> HttpResponse:
    """The rules page of these options, in the language of the request."""
    context = {
        "page": rules_page(kind, players, options, name=name, choices=choices),
        "kind": kind,
        "chips": chips(kind, dict(options)),
    }
    return render(request, "admin/games/rulepreset/preview.html", context)
