"""Pages that need more than one app."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games import selectors


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The front page: play now, and the running games of this visitor."""
    running = selectors.running_games(request.user) if request.user.is_authenticated else []
    context = {
        "running": running,
        "kinds": selectors.kinds_to_play(),
        "limits": selectors.limits_to_play(),
        "timer": request.session.get("timer", 0),
    }
    return render(request, "games/lobby.html", context)
