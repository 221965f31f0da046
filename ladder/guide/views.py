"""The page that explains the ladder."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.presets.languages import addresses
from ladder.boards import selectors
from ladder.boards.pages import member_of, shown_page
from ladder.guide import how, worked
from ladder.rating.formula import SCALE


@require_safe
@never_cache
def how_it_works(request: HttpRequest) -> HttpResponse:
    """The formula and all that goes with it, worked on the reader's last game or on an example."""
    member = member_of(request)
    own = worked.last_of(member) if member else None
    shown_game = own or worked.example((_("you"), "A", "B", "C"))
    context = {
        "page": how.page(),
        "worked": shown_game,
        "is_own": own is not None,
        "label": selectors.label_of(own.ladder) if own and own.ladder else "",
        "scale": SCALE,
        **addresses(request, reverse("ladder_how")),
    }
    return shown_page(request, "ladder/how.html", context)
