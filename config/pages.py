"""Pages that need more than one app."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games.daily import views as daily_views
from games.parties import selectors as party_selectors
from games.parties import words as party_words
from games.presets.selectors import kinds_to_play
from games.tables.selectors import USUAL_LEVEL, levels_to_play, limits_to_play, running_games
from ladder.boards import selectors as ladders
from ladder.queue import words as queue_words


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The front page: play now, running games and parties of this visitor, ranked games, open parties, boards."""
    running = running_games(request.user) if request.user.is_authenticated else []
    own_parties = party_words.parties_of(request.user) if request.user.is_authenticated else []
    context = {
        "own_parties": own_parties,
        "parties": party_words.listed_parties(party_selectors.listed_states()),
        "running": running,
        "dailies": daily_views.standings(request.user),
        "kinds": kinds_to_play(),
        "limits": limits_to_play(),
        "timer": request.session.get("timer", 0),
        "tops": ladders.tops(),
        "levels": levels_to_play(),
        "level": request.session.get("level", USUAL_LEVEL),
        "ranked": queue_words.front_page(request.user),
    }
    return render(request, "pages/lobby.html", context)
