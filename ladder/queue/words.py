"""The ranked part of the front page, in words: the ladders, how busy they are, and why a visitor may not queue."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from games.kinds.words import kind_label
from games.presets.selectors import Chip, chips
from ladder.queue.selectors import LadderNow, ladders_now
from ladder.queue.tickets import GAMES_NEEDED, Bar, bar_of
from ladder.rating.formula import PROVISIONAL_GAMES, START
from ladder.rating.models import Ladder, Rating
from ladder.rating.standing import shown


@dataclass(frozen=True, slots=True)
class Offer:
    """A ladder on the front page."""

    now: LadderNow
    kind: str
    label: str
    name: str
    preset: str
    version: int
    chips: list[Chip]
    timer_s: int
    rating: str | None
    is_provisional: bool

    @property
    def wait_text(self) -> str:
        """How long a search takes, in words."""
        return wait_text(self.now.wait_s)


def front_page(user: Any) -> dict[str, Any]:
    """The ladders with what is to be known of them, and why this visitor may not queue, if so."""
    known = user if isinstance(user, User) else None
    bar = bar_of(known)
    own: dict[int, Rating] = {}
    if known is not None and known.is_member:
        own = {row.ladder_id: row for row in Rating.objects.filter(user=known)}
    busy = {now.slug: now for now in ladders_now()}
    offers = []
    for ladder in Ladder.objects.filter(is_open=True).select_related("preset_version__preset"):
        version = ladder.preset_version
        rating = own.get(ladder.pk) or Rating(rating=START, games=0)
        offers.append(
            Offer(
                now=busy[ladder.slug],
                kind=ladder.kind,
                label=kind_label(ladder.kind),
                name=ladder.local_name,
                preset=version.preset.slug,
                version=version.number,
                chips=chips(ladder.kind, version.options),
                timer_s=ladder.timer_s,
                rating=shown(rating.rating, rating.games) if known is not None and known.is_member else None,
                is_provisional=rating.games < PROVISIONAL_GAMES,
            )
        )
    return {"offers": offers, "bar": bar, "bar_text": bar_text(bar)}


def bar_text(bar: Bar | None) -> str:
    """Why somebody may not queue, in a sentence."""
    if bar is None:
        return ""
    if bar.code == "too_few_games":
        values = {"done": bar.games or 0, "needed": GAMES_NEEDED}
        return _("Finish %(needed)s games of any sort first. So far: %(done)s of %(needed)s.") % values
    if bar.code == "locked" and bar.until is not None:
        minutes = max(1, math.ceil((bar.until - timezone.now()).total_seconds() / 60))
        text = ngettext(
            "You have left ranked games, so you have to wait for %(minutes)s minute.",
            "You have left ranked games, so you have to wait for %(minutes)s minutes.",
            minutes,
        )
        return text % {"minutes": minutes}
    if bar.code == "running":
        return _("Your ranked game goes on.")
    return _("Ranked games are for players with an account. What you have played as a guest stays yours.")


def wait_text(wait_s: int | None) -> str:
    """A usual wait, rounded to what is worth saying."""
    if wait_s is None:
        return "–"
    if wait_s < 55:
        seconds = max(10, math.ceil(wait_s / 10) * 10)
        return _("%(seconds)s s") % {"seconds": seconds}
    return _("%(minutes)s min") % {"minutes": math.ceil(wait_s / 60)}
