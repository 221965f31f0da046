"""Pages about one finished game: the replay, and the game as a file. Of a running game none says anything."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.histories import codes, forks, records, selectors
from games.histories.downloads import attached
from games.histories.records import notation
from games.kinds import KINDS
from games.log.models import Game, Player
from games.rules import RULES_VERSION

#: Other games with the same cards that a replay shows.
TRIES = 5


@require_safe
@never_cache
def replay(request: HttpRequest, game_id: int) -> HttpResponse:
    """A finished game step by step."""
    game, seat = _found(request, game_id)
    try:
        shown = selectors.replay_of(game, seat, request.user)
    except selectors.Unfollowable:
        return _unfit(request, game)
    files = {"json": reverse("record_json", args=(game.pk,)), "text": reverse("record_text", args=(game.pk,))}
    tries, more = codes.tries(game, request.user, most=TRIES)
    members = Player.objects.filter(game=game, user__is_guest=False).select_related("user").order_by("seat")
    weighed = KINDS[game.kind].mistakes is not None
    about = {
        "game": game,
        "replay": {**shown, "files": files},
        "people": selectors.people_of(game),
        "members": [player.user for player in members],
        "mistakes": seat is not None and game.rules_version == RULES_VERSION and weighed,
        "tries": tries,
        "more_tries": more,
        **forks.about(game, seat, shown, request.user),
    }
    return render(request, "games/histories/replay.html", about)


@require_safe
@never_cache
def record_json(request: HttpRequest, game_id: int) -> HttpResponse:
    """A finished game as JSON."""
    game, _seat = _found(request, game_id)
    if game.is_sealed:
        return _sealed(request, game)
    return attached(records.to_bytes(selectors.record_of(game)), "application/json", f"moonshot-{game.pk}.json")


@require_safe
@never_cache
def record_text(request: HttpRequest, game_id: int) -> HttpResponse:
    """A finished game in the text notation."""
    game, _seat = _found(request, game_id)
    if game.is_sealed:
        return _sealed(request, game)
    try:
        text = notation.to_text(selectors.record_of(game))
    except records.BadRecord:
        return _unfit(request, game)
    return attached(text.encode(), "text/plain; charset=utf-8", f"moonshot-{game.pk}.txt")


@require_safe
def schema(request: HttpRequest) -> HttpResponse:
    """The JSON Schema of a record."""
    return HttpResponse(selectors.schema_text(), content_type="application/schema+json")


def _found(request: HttpRequest, game_id: int) -> tuple[Game, int | None]:
    """A game that is over and may be seen. Any other is as if it were not there."""
    found = selectors.finished_game(request.user, game_id) if game_id < 2**63 else None
    if found is None:
        raise Http404
    return found


def _unfit(request: HttpRequest, game: Game) -> HttpResponse:
    """The log of a game cannot be followed: a sentence, and the log as it is."""
    return render(request, "games/histories/no_replay.html", {"game": game}, status=410)


def _sealed(request: HttpRequest, game: Game) -> HttpResponse:
    """The file of a game would say where cards came from that others have yet to meet."""
    return render(request, "games/tables/sealed.html", {"game": game}, status=403)
