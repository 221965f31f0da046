"""Pages of the games app."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.services import player_of
from games import selectors
from games.cpu import LEVELS
from games.daily import boards as daily_boards
from games.hooks import table_shown
from games.kinds import KINDS
from games.log import services
from games.log.models import Game
from games.parties import selectors as party_selectors

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
    chosen = request.POST.get("level", "")
    level = chosen if chosen in LEVELS else selectors.USUAL_LEVEL
    user = player_of(request)
    with services.opening_for(user):
        game = services.just_opened(user=user, kind=kind, timer_s=timer_s)
        if game is None:
            services.check_may_open(user)
            game = services.open_solo(user=user, version=version, level=level, timer_s=timer_s)
    request.session["timer"], request.session["level"] = timer_s, level
    return redirect("table", game.pk)


@require_safe
@never_cache
def table(request: HttpRequest, game_id: int) -> HttpResponse:
    """The table of a game that the visitor has a seat in, or may watch."""
    found = selectors.game_for(request.user, game_id, request.GET.get("party", ""))
    if found is None:
        raise Http404
    game, seat = found
    boot = selectors.boot_of(game, seat, request.user)
    boot["daily"] = daily_boards.address_of(game)
    boot["party"] = party_selectors.agreement_at_table(game)
    code = request.GET.get("party", "") if seat is None and game.is_private else ""
    boot["code_of_party"] = code  # what lets whoever watches in
    answers: Any = table_shown.send(Game, game=game)
    for _receiver, more in answers:
        boot |= more or {}
    boot["notice"] = " ".join(str(message) for message in messages.get_messages(request))
    return render(request, "games/table.html", {"game": game, "boot": boot, "code_of_party": code})
