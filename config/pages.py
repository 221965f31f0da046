"""Pages that need more than one app."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games import selectors
from games.daily import views as daily_views
from games.parties import selectors as party_selectors
from games.parties import words as party_words
from ladder.boards import selectors as ladders
from ladder.queue import words as queue_words


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The front page: play now, running games and parties of this visitor, ranked games, open parties, boards."""
    running = selectors.running_games(request.user) if request.user.is_authenticated else []
    own_parties = party_words.parties_of(request.user) if request.user.is_authenticated else []
    context = {
        "own_parties": own_parties,
        "parties": party_words.listed_parties(party_selectors.listed_states()),
        "running": running,
        "dailies": daily_views.standings(request.user),
        "kinds": selectors.kinds_to_play(),
        "limits": selectors.limits_to_play(),
        "timer": request.session.get("timer", 0),
        "tops": ladders.tops(),
        "levels": selectors.levels_to_play(),
        "level": request.session.get("level", selectors.USUAL_LEVEL),
        "ranked": queue_words.front_page(request.user),
    }
    return render(request, "games/lobby.html", context)
