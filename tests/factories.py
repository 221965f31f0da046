"""What tests of the live site share: users, seated games, codes that deal what a test needs, readers of the log.

Plain functions, written for the ORM: async tests call them through `away` of `tests.games.help`.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from accounts.models import User
from games import models
from games.codes import deals
from games.kinds import rules_for
from games.log import openings, services, wakeups
from games.log.positions import Entry, Holder, Position, Table, fold
from games.rules import Action, Rules, State
from tests.games.rules.play import answer_at_random

#: The options of a short game of Hearts: a deal or two.
SHORT: dict[str, Any] = {"end_score": 20, "tie_for_first": "shared"}
#: With it, a game of SHORT is over after one deal if everybody answers as the clock would.
ONE_DEAL = "4TEV-8JF2-TEDX-05Y6"

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Seated:
    """An open game and the users of its seats; None where a CPU sits."""

    id: int
    users: tuple[User | None, ...]

    @property
    def row(self) -> models.Game:
        """The game as stored now."""
        return models.Game.objects.get(pk=self.id)


def user(name: str = "", **fields: Any) -> User:
    """Somebody who can hold a seat; a guest unless `fields` say otherwise."""
    name = name or f"player-{next(_numbers)}"
    return User.objects.create(username=name, display_name=name.title(), **{"is_guest": True, **fields})


def game(
    humans: int = 4,
    cpus: int = 0,
    *,
    kind: str = "hearts",
    options: dict[str, Any] | None = None,
    timer_s: int = 0,
    code: str | None = None,
    level: str = "normal",
) -> Seated:
    """A game that has been dealt: users in the first seats, CPUs in the others."""
    seated = open_game(humans, cpus, kind=kind, options=options, timer_s=timer_s, code=code, level=level)
    deal(seated.id)
    return seated


def open_game(humans: int = 4, cpus: int = 0, *, kind: str = "hearts", level: str = "normal", **more: Any) -> Seated:
    """A game as the site opens it: if it is sealed, nobody has given a nonce yet."""
    users = tuple(user() for _ in range(humans))
    opened = services.open_game(kind=kind, seats=[*users, *[level] * cpus], **more)
    return Seated(opened.pk, (*users, *[None] * cpus))


def deal(game_id: int) -> None:
    """Every player's browser gives its nonce, unless the game is dealt already; CPUs hear of what they are asked."""
    if models.Game.objects.get(pk=game_id).status != models.Game.Status.OPEN:
        return
    for seat in models.Player.objects.filter(game=game_id, user__isnull=False).values_list("seat", flat=True):
        _, dealt = openings.add_nonce(game_id=game_id, seat=seat, nonce=f"{seat:02x}" * 16)
    assert dealt is not None
    wakeups.opened(dealt.table, dealt.steps[-1].after)


def rigged_code(rules: Rules, wanted: Callable[[State], bool], *, most: int = 2_000) -> str:
    """A game code whose first deal leads to a state as wanted; the same one in every run."""
    draw = random.Random(7)
    for _ in range(most):
        code = deals.sealed_code(rules, draw.randbytes(32), [b""] * rules.players)
        if wanted(first_deal(rules, code.text)):
            return code.text
    raise AssertionError("no code deals that")


def first_deal(rules: Rules, code: str) -> State:
    """The state that a game from this code starts in."""
    read = deals.read_code(code)
    state = rules.apply(rules.start(), Action("open", dealer=deals.first_dealer(read.seed, rules.players)))
    return rules.apply(state, Action("deal", pack=deals.shuffle(read.seed, 1, 0, rules.deck)))


# --- reading, apart from games.log.store and games.log.live
# -------------------------------------------------------------------


def log_of(game_id: int) -> list[Entry]:
    """Every entry of a game's log, in order, read by the ORM."""
    rows = models.Action.objects.filter(game_id=game_id).order_by("ply")
    return [
        Entry(row.ply, row.seat, row.kind, row.ask, row.data, row.cause, row.client_id, row.created_at) for row in rows
    ]


def kinds_of(game_id: int) -> list[str]:
    """The kinds of a game's entries, in order."""
    return [entry.kind for entry in log_of(game_id)]


def table_of(game_id: int) -> Table:
    """A game's table, read by the ORM."""
    row = models.Game.objects.get(pk=game_id)
    players = models.Player.objects.filter(game=row).select_related("user").order_by("seat")
    holders = tuple(
        Holder(player.user_id, player.cpu_level, player.user.display_name if player.user else "") for player in players
    )
    rules = rules_for(row.kind, row.players, row.options)
    return Table(row.pk, rules, row.timer_s, holders, row.code, settings.TIME_SCALE, commitment=row.commitment)


def position_of(game_id: int) -> Position:
    """Where a game stands by its log alone."""
    return fold(table_of(game_id), log_of(game_id))


# --- playing ----------------------------------------------------------------------------------------------------------


def asked_seat(position: Position) -> int:
    """The first seat that has to answer."""
    return min(position.asks)


def answer(table: Table, position: Position, seat: int) -> Action:
    """The answer that the clock would give: always legal, the same each time."""
    return table.rules.default_action(position.state, seat)


def random_answer(table: Table, position: Position, seat: int, rng: random.Random) -> Action:
    """Any legal answer."""
    return answer_at_random(table.rules, position.state, seat, rng)
