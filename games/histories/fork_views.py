"""The form of the replay page with which a game is played on from a moment of it."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.services import player_of
from games.cpu import LEVELS
from games.histories import forks, selectors
from games.numbers import number_in
from games.tables.selectors import USUAL_LEVEL

TIMERS = ("0", "30", "60")


@require_POST
def play_on(request: HttpRequest, game_id: int) -> HttpResponse:
    """Opens a game against CPUs that goes on from a moment of a game that is over."""
    found = selectors.finished_game(request.user, game_id) if game_id < 2**63 else None
    if found is None:
        raise Http404
    game, own_seat = found
    ply = _number(request.POST.get("ply", ""), game.ply)
    seat = _number(request.POST.get("seat", str(own_seat or 0)), game.players - 1)
    if not ply or seat is None:
        return HttpResponseBadRequest(_("There is no such moment or seat in this game."))
    level, timer = request.POST.get("level", ""), request.POST.get("timer", "")
    try:
        opened = forks.play_on(
            user=player_of(request),
            origin=game,
            ply=ply,
            seat=seat,
            level=level if level in LEVELS else USUAL_LEVEL,
            timer_s=int(timer) if timer in TIMERS else 0,
        )
    except forks.CannotPlayOn as cannot:
        messages.error(request, _sentence(cannot.code))
        return redirect(f"{reverse('replay', args=(game.pk,))}?ply={ply}")
    return redirect("table", opened.pk)


def _number(text: str, most: int) -> int | None:
    """A whole number from 0 to `most`, or None."""
    number = number_in(text, 9)
    return number if number is not None and number <= most else None


def _sentence(code: str) -> str:
    if code == "over":
        return _("The game is over at this moment: there is nothing left to play. Choose an earlier one.")
    if code == "sealed":
        return _("Others may still meet these cards today. From tomorrow on you can play on from here.")
    return _("The rules have changed since this game, so it cannot be played on.")
