"""Game codes for pages: what table a code is for, which rules fit it, and how others did with the same cards."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games import paging, verify
from games.codes.deals import GameCode
from games.kinds import KINDS, options_for, rules_for
from games.kinds.words import kind_label
from games.log.models import Game, Player
from games.presets.models import PresetVersion
from games.presets.selectors import Chip, chips
from games.rulebook import words
from games.rules import Refused

#: Games of a list of the same cards on one page.
PAGE = 20


# --- what a code is for -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Offer:
    """Rules that fit a code: a preset, as it is or with the pack of the code."""

    version: PresetVersion
    options: dict[str, Any]
    is_as_it_is: bool

    @property
    def chips(self) -> list[Chip]:
        """What is special about the rules."""
        return chips(self.version.preset.kind, self.options)


def offers(code: GameCode) -> list[Offer]:
    """The rules that a game from this code can be played by: presets as they are first, then those with its pack."""
    found = [offer for version in PresetVersion.objects.offered(code.kind) if (offer := _offer(code, version))]
    return sorted(found, key=lambda offer: not offer.is_as_it_is)


def _offer(code: GameCode, version: PresetVersion) -> Offer | None:
    if code.players not in version.preset.players:
        return None
    for options in (version.options, {**version.options, **code.pack_options}):
        try:
            if code.fits(rules_for(code.kind, code.players, options)):
                return Offer(version, options, options == version.options)
        except Refused:  # the preset has an option that does not go with this pack
            continue
    return None


def table_text(code: GameCode) -> str:
    """Kind, players and pack of a code in the reader's language."""
    players = ngettext("%(count)s player", "%(count)s players", code.players) % {"count": code.players}
    cards = ngettext("%(count)s card", "%(count)s cards", len(code.deck)) % {"count": len(code.deck)}
    removed = [card for card in verify.CARDS if card not in code.deck]
    if removed:
        cards = _("%(cards)s, without %(removed)s") % {"cards": cards, "removed": words.removed(removed)}
    return " · ".join((kind_label(code.kind), players, cards))


# --- how others did ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Place:
    """A person's seat in a game that is over."""

    name: str
    seat: int
    score: str
    place: int
    is_own: bool


@dataclass(frozen=True, slots=True)
class Try:
    """A finished game with the same cards by the same rules."""

    id: int
    at: datetime
    people: list[Place]
    cpus: int


def same_cards(game: Game) -> QuerySet[Game]:
    """Other games with this one's code and rules that are over with a result and for everybody to see, latest first."""
    if not game.code:
        return Game.objects.none()
    found = Game.objects.filter(code=game.code, status=Game.Status.FINISHED, is_private=False, options=game.options)
    return found.exclude(pk=game.pk).order_by("-pk")


def tries(game: Game, user: Any, before: int | None = None, most: int = PAGE) -> tuple[list[Try], int | None]:
    """A page of how others did with the cards of a game that is over, and from where the next page goes on."""
    found = paging.after(same_cards(game), ("-pk",), None if before is None else (before,))
    holders = Player.objects.select_related("user").order_by("seat")
    games, last = paging.cut(found.prefetch_related(Prefetch("player_set", holders)), most)
    return [_try(other, user) for other in games], None if last is None else last.pk


def own_try(game: Game, user: Any) -> Try:
    """The game itself, to be held against the others."""
    return _try(game, user)


def _try(game: Game, user: Any) -> Try:
    sign = options_for(game.kind, game.options).shown_sign
    result = game.result or {"placings": [0] * game.players, "scores": []}
    people = []
    for holder in game.player_set.all():
        if holder.user is None:
            continue
        side = KINDS[game.kind].side(holder.seat)
        score = str(sign * result["scores"][side]).replace("-", "−") if result["scores"] else ""
        people.append(
            Place(str(holder.user), holder.seat, score, result["placings"][holder.seat], holder.user_id == user.pk)
        )
    return Try(game.pk, game.created_at, sorted(people, key=lambda person: person.place), game.players - len(people))
