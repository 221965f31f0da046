"""Pages of the games app."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.services import player_of
from games import party_selectors, selectors, services
from games.rules import KINDS

#: Limits for a turn that may be asked for, in seconds; "0" is none.
TIMERS = ("0", "30", "60")


@require_POST
def play(request: HttpRequest, kind: str) -> HttpResponse:
    """Deals a game against CPUs at once; whoever is not signed in becomes a guest."""
    if kind not in KINDS:
        raise Http404
    version = selectors.play_now_preset(kind)
    if version is None:
        return render(request, "games/not_offered.html", status=404)
    asked = request.POST.get("timer", "")
    timer_s = int(asked) if asked in TIMERS else 0
    user = player_of(request)
    with services.opening_for(user):
        game = services.just_opened(user=user, kind=kind, timer_s=timer_s)
        if game is None:
            services.check_may_open(user)
            game = services.open_solo(user=user, version=version, timer_s=timer_s)
    request.session["timer"] = timer_s
    return redirect("table", game.pk)


@require_safe
@never_cache
def table(request: HttpRequest, game_id: int) -> HttpResponse:
    """The table of a game that the visitor has a seat in."""
    found = selectors.game_for(request.user, game_id)
    if found is None:
        raise Http404
    game, seat = found
    boot = selectors.boot_of(game, seat, request.user)
    boot["party"] = party_selectors.agreement_at_table(game)
    return render(request, "games/table.html", {"game": game, "boot": boot})
