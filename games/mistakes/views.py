"""The mistakes of a player, as the replay page asks for them: for the player alone, and of games that are over."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.limits import TooMany
from accounts.models import User
from games.mistakes import services
from games.mistakes.models import Review


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def mistakes(request: HttpRequest, game_id: int) -> HttpResponse:
    """How far the search is, and what it found; a POST begins it."""
    player = services.seat_of(request.user, game_id) if game_id < 2**63 else None
    if player is None:
        raise Http404
    if request.method != "POST":
        return JsonResponse(_told(services.of(player)))
    assert isinstance(request.user, User)
    try:
        return JsonResponse(_told(services.ask(user=request.user, player=player)), status=202)
    except TooMany as many:
        text = _("Your mistakes were looked for in very many games today. Please come back tomorrow.")
        answer = JsonResponse({"status": "limit", "text": text}, status=429)
        answer["Retry-After"] = str(many.seconds)
        return answer


def _told(review: Review | None) -> dict[str, object]:
    if review is None:
        return {"status": "none"}
    found = {"mistakes": review.mistakes} if review.status == Review.Status.DONE else {}
    return {"status": str(review.status), "share": round(review.share, 3), **found}
