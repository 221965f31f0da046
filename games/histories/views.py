"""Pages that list finished games, and all games of a user as one file. Of a running game none says anything."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.timezone import localdate
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts import limits
from accounts.models import User
from games.histories import lists, record_files
from games.histories.downloads import streamed
from games.numbers import number_in

#: Files with all games that a user may fetch in a minute.
FILES_A_MINUTE = 6


@require_safe
@never_cache
def history(request: HttpRequest) -> HttpResponse:
    """The visitor's finished games, the latest first."""
    return _list(request, request.user if isinstance(request.user, User) else None, is_own=True)


@require_safe
@never_cache
def history_of(request: HttpRequest, user_id: int) -> HttpResponse:
    """The finished games of somebody that the visitor may see."""
    if user_id == request.user.pk:
        query = request.GET.urlencode()
        return redirect(f"{reverse('history')}{'?' if query else ''}{query}")
    owner = lists.owner_of(user_id) if user_id < 2**63 else None
    if owner is None:
        raise Http404
    return _list(request, owner, is_own=False)


@require_safe
@never_cache
def games_file(request: HttpRequest, form: str) -> HttpResponseBase:
    """All games of the visitor that are over, one after the other, sent while they are read."""
    if not isinstance(request.user, User):
        raise Http404
    limits.count("game-files", request.user.pk, FILES_A_MINUTE)
    name = f"moonshot-games-{localdate().isoformat()}.{form}"
    parts = record_files.all_games(request.user, form)
    kind = "application/jsonl" if form == "jsonl" else "text/plain; charset=utf-8"
    return streamed(parts, kind, name)


def _list(request: HttpRequest, owner: User | None, *, is_own: bool) -> HttpResponse:
    filters = lists.Filters.of(request.GET)
    before, after = number_in(request.GET.get("before", "")), number_in(request.GET.get("after", ""))
    page = lists.Page([], None, None)
    if owner is not None:
        page = lists.page_of(owner, request.user, filters, before=before, after=after)

    def address(**more: Any) -> str:
        return f"{request.path}?{urlencode(filters.query(**more))}"

    context = {
        "owner": owner,
        "is_own": is_own,
        "lines": page.lines,
        "filters": filters,
        "chips": [(chip.text, f"{request.path}?{urlencode(chip.without)}") for chip in lists.chips_of(filters)],
        "is_later": page.newer is not None,
        "has_files": is_own and owner is not None and (bool(page.lines) or record_files.has_any(owner)),
        "presets": lists.presets_of(filters.kind),
        "results": [(result, lists.result_text(result)) for result in lists.RESULTS],
        "first": address(),
        "newer": None if page.newer is None else address(after=page.newer),
        "older": None if page.older is None else address(before=page.older),
    }
    return render(request, "games/histories/history.html", context)
