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
    return render(request, "games/lobby.html", {"running": running, "kinds": selectors.kinds_to_play()})
