"""The receipt of a game, which its table fetches when the game is over."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.histories import selectors as histories
from ladder.rating import voids
from ladder.rating.receipts import outcome_of


@require_safe
@never_cache
def receipt(request: HttpRequest, game_id: int) -> HttpResponse:
    """What a ranked game that is over did to everybody's rating: a fragment of a page, for whoever may see the game."""
    outcome = outcome_of(game_id) if histories.finished_game(request.user, game_id) else None
    if outcome is None:
        raise Http404
    user = request.user.pk if request.user.is_authenticated else None
    own = outcome.of(user)
    context = {
        "outcome": outcome,
        "own": own,
        "others": [each for each in outcome.receipts if each is not own],
        "was_absent": outcome.status == "void" and voids.has_abandoned(game_id, user),
    }
    return render(request, "ladder/receipt.html", context)
