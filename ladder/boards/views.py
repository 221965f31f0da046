"""Pages of the ladder: boards, players and their games. Days are those of the ladder, in Tokyo."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.models import User
from games.kinds import KINDS
from games.kinds.words import joined_labels
from games.numbers import number_in
from games.presets.languages import addresses
from ladder.boards import careers, charts, selectors
from ladder.boards.pages import member_of, shown_page
from ladder.rating.formula import PROVISIONAL_GAMES, START
from ladder.rating.models import Ladder
from ladder.rating.standing import BOARD_ACTIVE, BOARD_GAMES, Season, season_of, shown

#: Width and height of the rating curve on a desk and on a phone.
DESK, PHONE = (860, 300), (330, 240)
#: Rows of the table behind the curve, at the most.
MOST_TOLD = 50
#: What a board asks for, for sentences.
_LIMITS = {
    "needed": BOARD_GAMES,
    "active_days": BOARD_ACTIVE.days,
    "provisional_games": PROVISIONAL_GAMES,
}


# --- boards -----------------------------------------------------------------------------------------------------------


@require_safe
@never_cache
def index(request: HttpRequest) -> HttpResponse:
    """All ladders with the first of each, and where the visitor stands."""
    member = member_of(request)
    ladders = selectors.ladders()
    entries = [
        {
            "ladder": ladder,
            "label": selectors.label_of(ladder),
            "rows": selectors.top(ladder),
            "own": selectors.row_of(member, ladder) if member else None,
        }
        for ladder in ladders
    ]
    ranked = {ladder.kind for ladder in ladders} or KINDS.keys()
    context = {
        "entries": entries,
        "games": joined_labels(kind for kind in KINDS if kind in ranked),
        "member": member,
        **_LIMITS,
        **addresses(request, reverse("ladders")),
    }
    return shown_page(request, "ladder/index.html", context)


@require_safe
@never_cache
def board(request: HttpRequest, slug: str) -> HttpResponse:
    """One ladder: its board as it is now, or of a season."""
    ladder = selectors.ladder_of(slug)
    if ladder is None:
        raise Http404
    asked = request.GET.get("season", "")
    season = Season.read(asked) if asked else None
    seasons = selectors.seasons_of(ladder)
    if asked and season not in seasons:
        raise Http404
    found = selectors.board(
        ladder,
        season=season,
        search=request.GET.get("q", ""),
        page=number_in(request.GET.get("page", "")) or 1,
        viewer=request.user,
    )
    context = {
        "board": found,
        "ladder": ladder,
        "label": selectors.label_of(ladder),
        "rules": ladder.preset_version,
        "seasons": [{"value": str(each), "label": season_label(each)} for each in seasons],
        "season": str(season) if season else "",
        "season_label": season_label(season) if season else "",
        "is_running": season == season_of(timezone.now()),
        "season_ends": season.ends_at - timedelta(seconds=1) if season else None,
        **_LIMITS,
        "moves": selectors.moves_of(ladder),
        "is_listed_here": found.own is not None and any(row.user_id == found.own.user_id for row in found.rows),
        "own_page": _page_link(season, selectors.page_of(found.own) if found.own else None),
        "previous": _page_link(season, found.page - 1 if found.page > 1 else None),
        "following": _page_link(season, found.page + 1 if found.page < found.pages else None),
        **addresses(request, reverse("ladder", args=[slug])),
    }
    return shown_page(request, "ladder/board.html", context)


def season_label(season: Season) -> str:
    """A season in the reader's language."""
    months = {
        1: _("January to March %(year)s"),
        2: _("April to June %(year)s"),
        3: _("July to September %(year)s"),
        4: _("October to December %(year)s"),
    }
    return months[season.quarter] % {"year": season.year}


def _page_link(season: Season | None, page: int | None) -> str:
    if page is None:
        return ""
    asked: dict[str, Any] = {"season": str(season)} if season else {}
    return "?" + urlencode({**asked, "page": page})


# --- one player -------------------------------------------------------------------------------------------------------


@require_safe
@never_cache
def player(request: HttpRequest, user_id: int) -> HttpResponse:
    """One player: a ladder at a time."""
    user, ratings, ladder = _player(request, user_id)
    context: dict[str, Any] = {
        "player": user,
        "is_self": request.user == user,
        "tabs": [_tab(rating.ladder, ladder) for rating in ratings],
        "ladder": ladder,
        "label": selectors.label_of(ladder) if ladder else "",
    }
    if ladder is not None:
        career = careers.career(user, ladder)
        opponents, partners = careers.people_met(user, ladder)
        told, following = careers.changes_of(user, ladder, size=careers.RECENT)
        context |= {
            "career": career,
            "rank_page": selectors.page_of(career.row),
            "is_partnership": KINDS[ladder.kind].is_partnership,
            **_LIMITS,
            "opponents": opponents,
            "partners": partners,
            "met_in": careers.MET_IN,
            "told": told,
            "is_more": following is not None,
            **_curve(user, ladder),
        }
    return shown_page(request, "ladder/player.html", context)


@require_safe
@never_cache
def changes(request: HttpRequest, user_id: int) -> HttpResponse:
    """All changes of a player's ratings, each with its receipt, the latest first."""
    user, ratings, ladder = _player(request, user_id)
    before = number_in(request.GET.get("before", ""))
    told, following = careers.changes_of(user, ladder, before=before)
    query: dict[str, Any] = {"ladder": ladder.slug} if ladder else {}
    context = {
        "player": user,
        "is_self": request.user == user,
        "tabs": [_tab(rating.ladder, ladder) for rating in ratings],
        "ladder": ladder,
        "label": selectors.label_of(ladder) if ladder else "",
        "told": told,
        "first": "?" + urlencode(query) if before is not None else "",
        "following": "?" + urlencode({**query, "before": following}) if following is not None else "",
    }
    return shown_page(request, "ladder/changes.html", context)


def _player(request: HttpRequest, user_id: int) -> tuple[User, list[Any], Ladder | None]:
    """The player of an address, his ratings, and the ladder that is asked for, or that he has played most."""
    user = careers.player_of(user_id)
    if user is None:
        raise Http404
    ratings = careers.ratings_of(user)
    asked = request.GET.get("ladder", "")
    chosen = next((rating.ladder for rating in ratings if not asked or rating.ladder.slug == asked), None)
    if chosen is None and asked:
        raise Http404
    return user, ratings, chosen


def _tab(ladder: Ladder, chosen: Ladder | None) -> dict[str, Any]:
    return {"slug": ladder.slug, "label": selectors.label_of(ladder), "is_chosen": ladder == chosen}


def _curve(user: User, ladder: Ladder) -> dict[str, Any]:
    """The rating curve for a desk and for a phone, and the table behind it."""
    points = tuple(careers.curve(user, ladder))
    if not points:
        return {}
    ratings = [point.rating for point in points]
    values = {
        "name": str(user),
        "games": points[-1].number,
        "start": shown(START, PROVISIONAL_GAMES),
        "last": shown(ratings[-1], PROVISIONAL_GAMES),
        "lowest": shown(min(ratings), PROVISIONAL_GAMES),
        "highest": shown(max(ratings), PROVISIONAL_GAMES),
    }
    words = {
        "title": _("The rating of %(name)s") % values,
        "description": _(
            "From %(start)s at the start to %(last)s after %(games)s changes; the lowest was %(lowest)s, the highest "
            "%(highest)s. The table below has the numbers."
        )
        % values,
    }
    step = max(1, -(-(len(points) - 1) // MOST_TOLD))
    return {
        "curve_desk": charts.curve_svg(points, name="curve-desk", width=DESK[0], height=DESK[1], **words),
        "curve_phone": charts.curve_svg(points, name="curve-phone", width=PHONE[0], height=PHONE[1], **words),
        "points": points[::-1][:-1:step],
    }
