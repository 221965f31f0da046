"""Ranked games, played to the end by their own rules and stored as the site stores them, without a socket."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from django.utils import timezone

from accounts.models import User
from games import models
from games.codes import deals
from games.log import services
from games.log.positions import Entry, Position, Table, advance, fold
from ladder.models import Ladder
from ladder.rating.services import enter
from tests import factories

#: Options of games of a deal or two.
SHORT: dict[str, dict[str, Any]] = {
    "hearts": {"end_score": 20, "tie_for_first": "shared"},
    "spades": {"target": 250},
}

#: Who made a play: the deal's number and the seat.
Cause = Callable[[int, int], str]


def ladder(kind: str = "hearts") -> Ladder:
    """A ladder of a kind."""
    version = models.PresetVersion.objects.filter(preset__kind=kind).order_by("pk").first()
    assert version is not None
    return Ladder.objects.get_or_create(slug=f"{kind}-ranked", defaults={"kind": kind, "preset_version": version})[0]


def members(number: int = 4) -> list[User]:
    """Registered players."""
    return [factories.user(is_guest=False) for _ in range(number)]


def ranked(
    seats: Sequence[User | str],
    *,
    kind: str = "hearts",
    cause: Cause = lambda deal, seat: "player",
    options: dict[str, Any] | None = None,
    seed: int = 1,
) -> models.Game:
    """A finished ranked game, not yet rated."""
    opened = services.open_game(kind=kind, seats=seats, options=SHORT[kind] if options is None else options)
    enter(game=opened, ladder=ladder(kind))
    factories.deal(opened.pk)
    finish(opened, cause, random.Random(seed))
    return models.Game.objects.get(pk=opened.pk)


def finish(game: models.Game, cause: Cause, rng: random.Random) -> None:
    """Plays a game to its end: anything legal, so that games differ."""
    table = factories.table_of(game.pk)
    position = fold(table, factories.log_of(game.pk))
    first, entries = position.ply, list[Entry]()
    now = timezone.now()
    seed = deals.read_code(models.GameSecret.objects.get(game=game).code).seed
    while position.state.phase != "over":
        entry = _next(table, position, seed, cause, rng, now)
        entries.append(entry)
        position = advance(table, position, entry)
    assert services._finish(table, first, entries, position)


def _next(table: Table, position: Position, seed: bytes, cause: Cause, rng: random.Random, now: datetime) -> Entry:
    if position.state.phase == "deal":
        deal, attempt, _ = table.rules.next_deal(position.state)
        pack = deals.shuffle(seed, deal, attempt, table.rules.deck)
        return Entry(position.ply + 1, None, "deal", "", {"pack": list(pack)}, "dealer", None, now)
    seat = factories.asked_seat(position)
    action = factories.random_answer(table, position, seat, rng)
    who = "cpu" if table.holders[seat].user_id is None else cause(position.state.deal, seat)
    ask = position.asks[seat].id
    return Entry(position.ply + 1, seat, action.kind, ask, services.said(action), who, None, now)
