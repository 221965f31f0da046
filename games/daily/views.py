"""Pages of the daily deal: today's, each day's with its board, and the press that deals it."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.services import player_of
from games.daily import boards, services
from games.daily.models import DailyDeal
from games.kinds import KINDS
from games.kinds.words import level_name
from games.presets.selectors import chips

#: Rows of a board on the page of today.
FEW_ROWS = 5


def standings(user: Any) -> list[boards.Standing]:
    """Today's deals for a reader: of each kind that is offered."""
    today = services.today()
    found = (services.deal_of(kind, today) for kind in KINDS)
    return [boards.standing_of(daily, user, today) for daily in found if daily is not None]


@require_safe
@never_cache
def index(request: HttpRequest) -> HttpResponse:
    """Today's deals with the top of their boards, and past days."""
    before = _day(request.GET.get("before", "")) or services.today()
    past, are_more = boards.past_days(min(before, services.today()))
    shown = [
        {"standing": standing, "board": boards.board_of(standing.daily, request.user, FEW_ROWS)}
        for standing in standings(request.user)
    ]
    context = {
        "shown": shown,
        "today": services.today(),
        "past": past,
        "following": past[-1].day.isoformat() if are_more else None,
        "is_later": before < services.today(),
    }
    return render(request, "games/daily/daily.html", context)


@require_safe
@never_cache
def day(request: HttpRequest, day: str, kind: str) -> HttpResponse:
    """The deal of a day: how the reader stands, the board, and what proves that it was fair."""
    daily = _found(day, kind)
    today = services.today()
    standing = boards.standing_of(daily, request.user, today)
    board = boards.board_of(daily, request.user)
    days = DailyDeal.objects.filter(kind=kind)
    address = request.build_absolute_uri(reverse("daily_day", args=(day, kind)))
    rank = board.own_rank
    context = {
        "standing": standing,
        "daily": daily,
        "board": board,
        "day_text": boards.day_text(daily.day),
        "is_today": daily.day == today,
        "is_other_cpu": daily.day == today and daily.cpu_version != services.cpu_version(),
        "chips": chips(daily.kind, daily.preset_version.options),
        "level": level_name(daily.cpu_level),
        "share": boards.share_text(daily, standing, rank, address) if standing.outcome else "",
        "earlier": days.filter(day__lt=daily.day).order_by("-day").first(),
        "later": days.filter(day__gt=daily.day).order_by("day").first(),
        "games_to_be_listed": boards.GAMES_TO_BE_LISTED,
    }
    return render(request, "games/daily/daily_day.html", context)


@require_POST
def play(request: HttpRequest, day: str, kind: str) -> HttpResponse:
    """Deals the day's deal to whoever has not tried it, and leads back to the table whoever has."""
    daily = _found(day, kind)
    try:
        game = services.begin(user=player_of(request), daily=daily)
    except services.DayOver:
        messages.warning(request, _("That day is over in Tokyo. Here is the deal of today."))
        return redirect("daily_day", services.today().isoformat(), kind)
    return redirect("table", game.pk)


def _found(day: str, kind: str) -> DailyDeal:
    read = _day(day)
    daily = None if read is None or kind not in KINDS else services.deal_of(kind, read)
    if daily is None:
        raise Http404
    return daily


def _day(text: str) -> date | None:
    """A day as addresses have it, 2026-04-01; None for anything else."""
    try:
        read = date.fromisoformat(text)
    except ValueError:
        return None
    return read if read.isoformat() == text else None
