"""The page of a table, and what opens a game against CPUs."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from accounts.services import player_of
from games.cpu import LEVELS
from games.hooks import table_shown
from games.kinds import KINDS, options_for
from games.kinds.rulebook import rules_page
from games.log import services
from games.log.models import Game
from games.presets import rules_pages
from games.presets.models import PresetVersion
from games.presets.selectors import chips, play_now_preset
from games.rulebook import Page
from games.tables.selectors import USUAL_LEVEL, boot_of, game_for

#: Limits for a turn that may be asked for, in seconds; "0" is none.
TIMERS = ("0", "30", "60")
#: The CPU players of a game that is opened from a rules page.
CPU_LEVEL = "normal"


@require_POST
def play(request: HttpRequest, kind: str) -> HttpResponse:
    """Deals a game against CPUs at once; whoever is not signed in becomes a guest."""
    if kind not in KINDS:
        raise Http404
    version = play_now_preset(kind)
    if version is None:
        return render(request, "games/tables/not_offered.html", status=404)
    asked = request.POST.get("timer", "")
    timer_s = int(asked) if asked in TIMERS else 0
    chosen = request.POST.get("level", "")
    level = chosen if chosen in LEVELS else USUAL_LEVEL
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
    found = game_for(request.user, game_id, request.GET.get("party", ""))
    if found is None:
        raise Http404
    game, seat = found
    boot = boot_of(game, seat, request.user)
    code = request.GET.get("party", "") if seat is None and game.is_private else ""
    boot |= {"daily": None, "party": None, "code_of_party": code}  # the code is what lets whoever watches in
    answers: Any = table_shown.send(Game, game=game)
    for _receiver, more in answers:
        added: Any = more or {}
        boot |= added
    boot["notice"] = " ".join(str(message) for message in messages.get_messages(request))
    return render(request, "games/tables/table.html", {"game": game, "boot": boot, "code_of_party": code})


@require_safe
@never_cache
def table_rules(request: HttpRequest, game_id: int) -> HttpResponse:
    """The rules of one game, drawn from what it is really played with; for whoever may see its table."""
    code = request.GET.get("party", "")
    found = game_for(request.user, game_id, code)
    if found is None:
        raise Http404
    game, seat = found
    query = f"?party={code}" if seat is None and game.is_private else ""  # the code of its party, or it is not found
    context = {
        "page": _page_of(game),
        "kind": game.kind,
        "chips": chips(game.kind, game.options),
        "back": reverse("table", args=[game.pk]) + query,
        "back_label": gettext("Back to the table"),
    }
    return render(request, "games/tables/table_rules.html", context)


@require_POST
def play_preset(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Deals a game against CPUs by exactly the version of the rules that was read."""
    version = rules_pages.version_of(slug, number)
    if version is None or not version.preset.is_active:
        raise Http404
    allowed = rules_pages.solo_players(version.preset)
    asked = request.POST.get("players", "")
    players = int(asked) if asked in map(str, allowed) else rules_pages.usual_players(allowed)
    if players is None:
        raise Http404
    return redirect("table", _game_by(player_of(request), version, players).pk)


def _game_by(user: User, version: PresetVersion, players: int) -> Game:
    """A new game by these rules, or the one that a double click has opened a moment ago. Raises TooMany."""
    with services.opening_for(user):
        game = services.just_opened(user=user, kind=version.preset.kind, timer_s=0)
        if game is None or (game.preset_version_id, game.players) != (version.pk, players):
            services.check_may_open(user)
            game = services.open_game(
                kind=version.preset.kind,
                seats=[user, *[CPU_LEVEL] * (players - 1)],
                options=version.options,
                preset_version=version,
            )
    return game


def _page_of(game: Game) -> Page:
    """The rules of one game. They bear the name of its preset, if nothing was changed in it."""
    version = game.preset_version
    named = version is not None and options_for(game.kind, version.options).to_json() == game.options
    name = version.preset.local_name if version is not None and named else gettext("Rules of this table")
    return rules_page(game.kind, [game.players], game.options, name=name, choices=None)
