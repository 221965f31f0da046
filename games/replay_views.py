"""Pages about finished games: the history, the replay, and the game as a file. Of a running game none says anything."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games import codes, histories, records
from games.models import Game
from games.records import notation

#: Other games with the same cards that a replay shows.
TRIES = 5


@require_safe
@never_cache
def history(request: HttpRequest) -> HttpResponse:
    """The visitor's finished games, the latest first."""
    filters = histories.Filters.of(request.GET)
    before = request.GET.get("before", "")
    lines: list[histories.Line] = []
    following = None
    if request.user.is_authenticated:
        start = int(before) if before.isdecimal() and before.isascii() and len(before) < 19 else None
        lines, following = histories.page_of(request.user, filters, start)
    context = {
        "lines": lines,
        "filters": filters,
        "is_narrowed": bool(filters.query()),
        "is_later": bool(before),
        "presets": histories.presets_of(filters.kind),
        "first": f"?{urlencode(filters.query())}",
        "following": None if following is None else f"?{urlencode(filters.query(before=following))}",
    }
    return render(request, "games/history.html", context)


@require_safe
@never_cache
def replay(request: HttpRequest, game_id: int) -> HttpResponse:
    """A finished game step by step."""
    game, seat = _found(request, game_id)
    try:
        shown = histories.replay_of(game, seat, request.user)
    except histories.Unfollowable:
        return _unfit(request, game)
    files = {"json": reverse("record_json", args=(game.pk,)), "text": reverse("record_text", args=(game.pk,))}
    tries, more = codes.tries(game, request.user, most=TRIES)
    context = {"game": game, "replay": {**shown, "files": files}, "tries": tries, "more_tries": more}
    return render(request, "games/replay.html", context)


@require_safe
@never_cache
def record_json(request: HttpRequest, game_id: int) -> HttpResponse:
    """A finished game as JSON."""
    game, _seat = _found(request, game_id)
    return _file(records.to_bytes(histories.record_of(game)), "application/json", f"moonshot-{game.pk}.json")


@require_safe
@never_cache
def record_text(request: HttpRequest, game_id: int) -> HttpResponse:
    """A finished game in the text notation."""
    game, _seat = _found(request, game_id)
    try:
        text = notation.to_text(histories.record_of(game))
    except records.BadRecord:
        return _unfit(request, game)
    return _file(text.encode(), "text/plain; charset=utf-8", f"moonshot-{game.pk}.txt")


@require_safe
def schema(request: HttpRequest) -> HttpResponse:
    """The JSON Schema of a record."""
    return HttpResponse(histories.schema_text(), content_type="application/schema+json")


def _found(request: HttpRequest, game_id: int) -> tuple[Game, int | None]:
    """A game that is over and may be seen. Any other is as if it were not there."""
    found = histories.finished_game(request.user, game_id) if game_id < 2**63 else None
    if found is None:
        raise Http404
    return found


def _unfit(request: HttpRequest, game: Game) -> HttpResponse:
    """The log of a game cannot be followed: a sentence, and the log as it is."""
    return render(request, "games/no_replay.html", {"game": game}, status=410)


def _file(content: bytes, kind: str, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "X-Content-Type-Options": "nosniff"}
    return HttpResponse(content, content_type=kind, headers=headers)
