"""Every write about what players think of each other: mutes, blocks, reports."""

from __future__ import annotations

from django.db import IntegrityError, transaction

from accounts.models import User
from games.log.models import Game, Player
from games.log.refusals import Rejected
from games.people.models import Block, Mute, Report

MOST_REPORT_TEXT = 500
#: Reports of one user that may wait for an administrator at the same time.
MOST_OPEN_REPORTS = 20


class Declined(Exception):
    """Not done: `yourself`, `reported_before` or `too_many_reports`. The page has a sentence for each."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def set_block(*, user: User, other: User, kind: str | None) -> None:
    """Mutes or blocks somebody, or takes it back with None. Twice is as good as once."""
    if user == other:
        raise Declined("yourself")
    if kind is None:
        Block.objects.filter(user=user, other=other).delete()
    else:
        Block.objects.update_or_create(user=user, other=other, defaults={"kind": Block.Kind(kind)})


def set_mute(*, game_id: int, seat: int, target: int, on: bool) -> None:
    """Mutes the user of a seat for the user of another, or hears him again. A block is not undone by it."""
    held = dict(Player.objects.filter(game_id=game_id, seat__in=(seat, target)).values_list("seat", "user"))
    user, other = held.get(seat), held.get(target)
    if user is None or other is None or user == other:
        raise Rejected("nobody_there")
    if on:
        Block.objects.get_or_create(user_id=user, other_id=other, defaults={"kind": Block.Kind.MUTE})
    else:
        Block.objects.filter(user_id=user, other_id=other, kind=Block.Kind.MUTE).delete()


def may_speak(*, game_id: int, seat: int) -> bool:
    """Whether phrases of the user of a seat are told: no administrator has muted him."""
    return not Mute.objects.in_force().filter(user__player__game=game_id, user__player__seat=seat).exists()


def are_apart(users: list[User]) -> bool:
    """Whether any of these users has blocked another: they are not to be seated together."""
    return Block.objects.filter(user__in=users, other__in=users, kind=Block.Kind.BLOCK).exists()


def report(*, reporter: User, reported: User, reason: str, text: str = "", game: Game | None = None) -> Report:
    """Tells the administrators about somebody. Once a game about the same user; again is `reported_before`."""
    if reporter == reported:
        raise Declined("yourself")
    if Report.objects.filter(reporter=reporter, handled_at=None).count() >= MOST_OPEN_REPORTS:
        raise Declined("too_many_reports")
    try:
        with transaction.atomic():
            return Report.objects.create(
                reporter=reporter,
                reported=reported,
                game=game,
                reason=Report.Reason(reason),
                text=text.strip()[:MOST_REPORT_TEXT],
            )
    except IntegrityError:
        raise Declined("reported_before") from None
