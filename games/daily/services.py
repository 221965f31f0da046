"""The daily deal: one for each kind and day, the same cards and CPU players for everybody, one try each.

Its game code is drawn from a secret when the row is made. The commitment to that secret is shown at once, the code and
the secret when the day has ended; until then a finished game of it is shown to its own player only, without them.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import Any

from django.db import transaction
from django.dispatch import receiver
from django.utils import timezone

from accounts.models import User
from accounts.services import lock
from games import cpu, rules
from games.codes import deals
from games.daily import days
from games.daily.boards import address_of
from games.daily.models import DailyDeal, DailySecret, DailyTry
from games.hooks import game_finished, game_voided, table_shown
from games.kinds import KINDS, rules_for
from games.kinds.kind import Kind
from games.log import services
from games.log.models import Game, GameSecret, Player
from games.log.selectors import stored_position
from games.presets.models import PresetVersion
from games.presets.selectors import play_now_preset

#: The expert's answers depend on how fast its machine is, unless it is told how much to do; this level needs no search.
LEVEL = "normal"
PLAYERS = 4
#: Where the one human sits.
SEAT = 0
#: Games that get their code in one run.
MOST_PUBLISHED = 500
#: The files of a kind's folder that its CPU players' choices follow from.
CHOOSING = ("rules.py", "options.py", "cpu/*.py")


class DayOver(Exception):
    """A daily deal can be begun on its own day only."""


@cache
def cpu_version() -> str:
    """What the choices of the CPU players follow from: a digest of the sources of the rules and of the CPU players."""
    digest = hashlib.sha256()
    shared = [Path(package.__path__[0]) for package in (rules, cpu)]
    own = [Path(str(sys.modules[kind.rules.__module__].__file__)).parent for kind in KINDS.values()]
    files = [path for folder in shared for path in sorted(folder.glob("*.py"))]
    files += [path for folder in own for name in CHOOSING for path in sorted(folder.glob(name))]
    files += [Path(str(sys.modules[kind.choose.__module__].__file__)) for kind in KINDS.values()]
    for path in dict.fromkeys(files):  # most kinds choose in a file of their `cpu/`
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


# --- the deal of a day ------------------------------------------------------------------------------------------------


def today() -> date:
    """The day that it is in Tokyo."""
    return days.day_of(timezone.now())


def deal_of(kind: str, day: date | None = None) -> DailyDeal | None:
    """The daily deal of a kind and day. That of today is made if nobody has asked for it before.

    None: there was none on that day, or nothing of the kind is offered.
    """
    day = day or today()
    found = DailyDeal.objects.filter(kind=kind, day=day).select_related("preset_version__preset").first()
    return found or (_make(kind, day) if kind in KINDS and day == today() else None)


def _make(kind: str, day: date) -> DailyDeal | None:
    version = _version_of(kind)
    if version is None:
        return None
    table = rules_for(kind, PLAYERS, version.options)
    with transaction.atomic():
        lock(f"daily {kind} {day}")
        secret = deals.new_secret()
        daily, is_new = DailyDeal.objects.get_or_create(
            kind=kind,
            day=day,
            defaults={
                "preset_version": version,
                "cpu_level": LEVEL,
                "cpu_version": cpu_version(),
                "commitment": deals.commitment(secret),
            },
        )
        if is_new:
            code = deals.sealed_code(table, secret, [b""] * PLAYERS).text
            DailySecret.objects.create(daily=daily, code=code, secret=secret)
    return daily


def _version_of(kind: str) -> PresetVersion | None:
    offered = PresetVersion.objects.offered(kind)
    usual = offered.filter(preset__slug=KINDS[kind].daily).first() or play_now_preset(kind)
    return usual if usual is not None and PLAYERS in usual.preset.players else None


# --- a try ------------------------------------------------------------------------------------------------------------


def begin(*, user: User, daily: DailyDeal) -> Game:
    """The user's game of a daily deal: opened, or the one that he has. Raises DayOver, and TooMany of `services`."""
    with services.opening_for(user):
        found = DailyTry.objects.filter(daily=daily, user=user).select_related("game").first()
        if found is not None:
            return found.game
        if daily.day != today():
            raise DayOver
        services.check_may_open(user)
        game = services.open_game(
            kind=daily.kind,
            seats=[user, *[daily.cpu_level] * (PLAYERS - 1)],
            options=daily.preset_version.options,
            preset_version=daily.preset_version,
            shared=services.SharedCards(DailySecret.objects.get(daily=daily).code, daily.commitment),
        )
        DailyTry.objects.create(daily=daily, user=user, game=game)
    return game


@receiver(game_finished)
@receiver(game_voided)
def note_end(game: Game, **_kwargs: Any) -> None:
    """Writes down how a try went, in the transaction that ends its game."""
    found = DailyTry.objects.filter(game=game).select_related("daily").first()
    if found is None:
        return
    found.ended_at = timezone.now()
    found.is_late = found.ended_at >= days.ends_at(found.daily.day)
    if game.result is not None:
        state = stored_position(game)[1].state
        scores = game.result["scores"]
        side = SEAT % len(scores)
        found.place = game.result["placings"][SEAT]
        found.score = scores[side]
        found.edge = _edge(KINDS[game.kind], scores, side)
        found.deals = [row.change[side] for row in state.sheet]
    found.save()


def _edge(kind: Kind, scores: Sequence[int], side: int) -> int:
    """What decides between equal places: the lead of one of two sides, else the own score; more is better."""
    sign = 1 if kind.highest_wins else -1
    if kind.is_partnership:
        return sign * (scores[side] - scores[1 - side])
    return sign * scores[side]


@receiver(table_shown)
def _tell_table(sender: object, game: Game, **_more: Any) -> dict[str, Any]:
    """What the page of a table knows of the daily deal that its game is a try at."""
    return {"daily": address_of(game)}


def hand_over(*, guest: User, member: User) -> None:
    """A guest's tries go to his account. Of two at the same deal the one that was begun first counts."""
    own = {row.daily_id: row for row in DailyTry.objects.filter(user=member)}
    for row in DailyTry.objects.filter(user=guest):
        other = own.get(row.daily_id)
        if other is not None:
            later = max(other, row, key=lambda one: (one.began_at, one.pk))
            DailyTry.objects.filter(pk=later.pk).update(user=None)
            if later is row:
                continue
        DailyTry.objects.filter(pk=row.pk).update(user=member)


# --- when the day is over ---------------------------------------------------------------------------------------------


def publish(now: datetime) -> int:
    """Shows the codes and secrets of days that are over, and of games that have ended since. Returns how many games.

    It may be run at any time, by several at once, and again: whatever was missed is found.
    """
    for pk in DailyDeal.objects.filter(published_at=None, day__lt=days.day_of(now)).values_list("pk", flat=True):
        _publish_deal(pk, now)
    tries = DailyTry.objects.filter(is_sealed=True, ended_at__isnull=False, daily__published_at__isnull=False)
    found = list(tries.order_by("pk").values_list("pk", flat=True)[:MOST_PUBLISHED])
    for pk in found:
        _unseal(pk)
    return len(found)


def _publish_deal(pk: int, now: datetime) -> None:
    with transaction.atomic():
        daily = DailyDeal.objects.select_for_update().get(pk=pk)
        if daily.published_at is None:
            kept = DailySecret.objects.get(daily=daily)
            daily.code, daily.secret, daily.published_at = kept.code, bytes(kept.secret).hex(), now
            daily.save(update_fields=("code", "secret", "published_at"))


def _unseal(pk: int) -> None:
    """Gives a finished game its code and its secret."""
    with transaction.atomic():
        found = DailyTry.objects.select_for_update(of=("self",)).select_related("daily").get(pk=pk)
        Game.objects.filter(pk=found.game_id).update(code=found.daily.code)
        Player.objects.filter(game=found.game_id).update(is_private=False)  # lists show it to others from now on
        GameSecret.objects.filter(game=found.game_id).update(secret=bytes.fromhex(found.daily.secret))
        found.is_sealed = False
        found.save(update_fields=("is_sealed",))
