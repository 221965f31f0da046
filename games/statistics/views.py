"""The public page of the statistics of deals."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games.statistics import page


@require_safe
def statistics(request: HttpRequest) -> HttpResponse:
    """All deals of finished games beside theory, and people beside CPU players."""
    context = {"page": page.page(), "fewest": page.FEWEST_DEALS}
    return render(request, "games/statistics/statistics.html", context)
