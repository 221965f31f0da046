"""Pages about the cards of a game: play from a game code, the same cards once more, how others did with them."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.services import player_of
from games.codes import deals
from games.cpu import LEVELS
from games.histories import codes, selectors
from games.kinds.words import kind_label
from games.log import services
from games.log.models import Game, Player
from games.numbers import number_in
from games.rules import Refused
from games.tables.selectors import USUAL_LEVEL, levels_to_play, limits_to_play


def _sentence(bad: deals.BadCode) -> str:
    """Why a text is not a game code, in the reader's language."""
    sentences = {
        "bad_length": _("A game code has 16 letters and digits, for example 4000-0000-0000-000K."),
        "bad_character": _("“%(character)s” is in no game code.") % {"character": bad.character},
        "bad_check": _("One of the letters or digits is wrong: please compare them once more."),
        "unknown_table": _("This code is for a game that is not played here."),
        "other_table": _("This code is for another number of players, or another pack."),
    }
    return sentences[bad.code]


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def code(request: HttpRequest) -> HttpResponse:
    """A game code: what table it is for, and a game against CPUs from it."""
    sent = request.POST if request.method == "POST" else request.GET
    typed = sent.get("code", "")
    level, timer_s = _level(request), _timer(request)
    context: dict[str, Any] = {
        "typed": typed[:200],
        "levels": levels_to_play(),
        "limits": limits_to_play(),
        "level": level,
        "timer": timer_s,
    }
    try:
        read = deals.read_code(typed) if typed.strip() else None
    except deals.BadCode as bad:
        return render(request, "games/histories/code.html", {**context, "fault": _sentence(bad)}, status=422)
    if read is None:
        return render(request, "games/histories/code.html", context)
    offers = codes.offers(read)
    wanted = sent.get("preset", "")
    chosen = next((offer for offer in offers if offer.version.preset.slug == wanted), offers[0] if offers else None)
    if request.method == "POST" and chosen is not None:
        return redirect("table", _open(request, read, chosen, level, timer_s).pk)
    context |= {"code": read.text, "table": codes.table_text(read), "offers": offers, "chosen": chosen}
    return render(request, "games/histories/code.html", context, status=200 if chosen else 422)


def _open(request: HttpRequest, read: deals.GameCode, offer: codes.Offer, level: str, timer_s: int) -> Game:
    """A new game from a code, or the one that a double click has opened a moment ago. Raises TooMany."""
    user = player_of(request)
    with services.opening_for(user):
        game = services.just_opened(user=user, kind=read.kind, timer_s=timer_s, code=read.text)
        if game is None or game.preset_version_id != offer.version.pk:
            services.check_may_open(user)
            game = services.open_game(
                kind=read.kind,
                seats=[user, *[level] * (read.players - 1)],
                options=offer.options,
                timer_s=timer_s,
                preset_version=offer.version,
                code=read.text,
            )
    request.session["timer"], request.session["level"] = timer_s, level
    return game


@require_POST
def again(request: HttpRequest, game_id: int) -> HttpResponse:
    """The cards of a finished game once more: the visitor against CPUs, in the seat that he had, by the same rules."""
    game, own = _found(request, game_id)
    asked = request.POST.get("seat", "")
    seat = int(asked) if asked in map(str, range(game.players)) else own or 0
    user = player_of(request)
    try:
        following = _again(user, game, seat, _level(request))
    except (Refused, deals.BadCode):
        messages.error(request, _("The rules of this game are not played here any more."))
        return redirect("replay", game.pk)
    return redirect("table", following.pk)


def _again(user: Any, game: Game, seat: int, level: str) -> Game:
    with services.opening_for(user):
        following = services.just_opened(user=user, kind=game.kind, timer_s=game.timer_s, code=game.code)
        if following is not None and following.options == game.options:
            return following
        services.check_may_open(user)
        levels = Player.objects.filter(game=game).order_by("seat").values_list("cpu_level", flat=True)
        seats = [user if place == seat else known or level for place, known in enumerate(levels)]
        return services.open_game(
            kind=game.kind,
            seats=seats,
            options=game.options,
            timer_s=game.timer_s,
            preset_version=game.preset_version,
            code=game.code,
        )


@require_safe
@never_cache
def others(request: HttpRequest, game_id: int) -> HttpResponse:
    """How others did with the cards of a finished game."""
    game, _seat = _found(request, game_id)
    start = number_in(request.GET.get("before", ""))
    tries, following = codes.tries(game, request.user, start)
    version = game.preset_version
    link = {"code": game.code, **({"preset": version.preset.slug} if version else {})}
    context = {
        "game": game,
        "label": kind_label(game.kind),
        "rules": version.preset.local_name if version else "",
        "tries": tries if start is not None else [codes.own_try(game, request.user), *tries],
        "is_later": start is not None,
        "following": following,
        "link": request.build_absolute_uri(f"{reverse('code')}?{urlencode(link)}"),
    }
    return render(request, "games/histories/others.html", context)


def _found(request: HttpRequest, game_id: int) -> tuple[Game, int | None]:
    """A game that is over and may be seen, and the visitor's seat in it. Any other is as if it were not there."""
    found = selectors.finished_game(request.user, game_id) if game_id < 2**63 else None
    if found is None or not found[0].code:
        raise Http404
    return found


def _level(request: HttpRequest) -> str:
    """How CPUs are to play: as asked, or as the last time."""
    asked = request.POST.get("level", request.session.get("level", ""))
    return asked if asked in LEVELS else USUAL_LEVEL


def _timer(request: HttpRequest) -> int:
    """The limit for a turn: as asked, or as the last time."""
    asked = request.POST.get("timer", str(request.session.get("timer", 0)))
    return int(asked) if asked in {str(limit["seconds"]) for limit in limits_to_play()} else 0
