"""Every write to tickets but those of matchmaking: who may queue, joining, leaving, signs of life, partners.

All writes to the queue take turns (`held`), so each of them sees it whole. Only a sign of life does not wait.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext

from accounts import names
from accounts.acts import note_act
from accounts.models import User
from accounts.services import lock
from games.kinds import KINDS
from games.log import wakeups
from games.log.models import RUNNING, Game, Player
from games.people.models import Block
from ladder.queue.models import Invite, ReadyCheck, Ticket
from ladder.queue.windows import may_pair
from ladder.rating.formula import START
from ladder.rating.models import Ladder, QueueLock, RankedGame, Rating
from ladder.rating.services import locks_of

#: So many games, of any sort, have to be finished before the first ranked one.
GAMES_NEEDED = 3
#: Whoever was not heard of for so long has gone, in seconds.
LOST_S = 15
#: How long a writer waits for the others, in seconds.
HELD_S = 3
#: An invitation to queue as partners stands so long, in seconds.
INVITE_S = 60


class Declined(Exception):
    """Not done. `code` says why, `details` what belongs to it; the page has a sentence for each."""

    def __init__(self, code: str, **details: Any) -> None:
        super().__init__(code)
        self.code, self.details = code, details


@dataclass(frozen=True, slots=True)
class Bar:
    """Why somebody may not queue now."""

    code: str
    games: int | None = None
    until: datetime | None = None
    game: int | None = None


@contextmanager
def held() -> Iterator[datetime]:
    """While the queue is changed, in one transaction: everybody else who changes it waits. The time.

    Raises OperationalError if somebody holds it for too long: one who hangs must not take the whole site with him.
    """
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("select set_config('lock_timeout', %s, true)", [f"{HELD_S}s"])
        lock("queue")
        yield timezone.now()


def scaled(seconds: float, at_least: float = 0.0) -> timedelta:
    """A duration of the queue, as tries of long waits shorten it. `at_least`: what lines and processes need even so."""
    return timedelta(seconds=max(seconds / settings.TIME_SCALE, min(seconds, at_least)))


def lost_before(now: datetime) -> datetime:
    """Whoever was last heard of before this has gone."""
    return now - scaled(LOST_S, at_least=3)


def tell(users: Iterable[int]) -> None:
    """Whoever looks at the queue hears of a change after the commit; these users, that theirs has changed."""
    named = sorted(set(users))
    transaction.on_commit(lambda: wakeups.queue_soon(named), robust=True)


# --- who may queue ----------------------------------------------------------------------------------------------------


def bar_of(user: User | None) -> Bar | None:
    """Why a user may not queue; None if he may."""
    return Bar("sign_up") if user is None else bars_of([user])[user.pk]


def bars_of(users: Sequence[User]) -> dict[int, Bar | None]:
    """The same for many users at once."""
    members = [user for user in users if user.is_active and user.is_member]
    running = dict(
        RankedGame.objects.filter(game__status__in=RUNNING, game__player__user__in=members)
        .order_by("pk")
        .values_list("game__player__user", "pk")
    )
    locks = locks_of(user.pk for user in members)

    def bar(user: User) -> Bar | None:
        if user.pk in running:
            return Bar("running", game=running[user.pk])
        if user.pk in locks:
            return Bar("locked", until=locks[user.pk])
        whole = Player.objects.filter(user=user, game__status=Game.Status.FINISHED, game__forked_from=None)
        finished = whole[:GAMES_NEEDED].count()  # nobody's games are counted further, however many they are
        return Bar("too_few_games", games=finished) if finished < GAMES_NEEDED else None

    return {user.pk: Bar("sign_up") for user in users} | {user.pk: bar(user) for user in members}


def _check_may_queue(user_id: int) -> User:
    user = User.objects.filter(pk=user_id).first()
    bar = bar_of(user)
    if bar is not None:
        details = {"games": bar.games, "until": bar.until, "game": bar.game}
        raise Declined(bar.code, **{name: value for name, value in details.items() if value is not None})
    assert user is not None
    return user


def _open_ladder(slug: str) -> Ladder:
    ladder = Ladder.objects.filter(slug=slug).first()
    if ladder is None:
        raise Declined("unknown_ladder")
    if not ladder.is_open:
        raise Declined("closed")
    return ladder


def _rating_of(user_id: int, ladder: Ladder) -> Any:
    found = Rating.objects.filter(user=user_id, ladder=ladder).values_list("rating", flat=True).first()
    return START if found is None else found


# --- one ticket -------------------------------------------------------------------------------------------------------


def join(*, user_id: int, ladder: str, takes_cpu: bool = False) -> Ticket:
    """Gives a user a ticket; asked twice, from two pages or by a double tap, the one that he has. Raises Declined."""
    with held() as now:
        ticket = Ticket.objects.select_related("ladder").filter(user=user_id).first()
        if ticket is not None and ticket.seen_at < lost_before(now):
            drop([user_id])  # left behind, and not yet found by a tick
            ticket = None
        if ticket is not None:
            if ticket.ladder.slug != ladder:
                raise Declined("waiting")
            ticket.seen_at = now
            ticket.save(update_fields=("seen_at",))
            return ticket
        _check_may_queue(user_id)
        ticket = _make(user_id, _open_ladder(ladder), now, takes_cpu=takes_cpu)
        Invite.objects.filter(inviter=user_id).delete()
        tell([user_id])
    return ticket


def _make(user_id: int, ladder: Ladder, now: datetime, *, takes_cpu: bool = False) -> Ticket:
    return Ticket.objects.create(
        user_id=user_id,
        ladder=ladder,
        rating=_rating_of(user_id, ladder),
        takes_cpu=takes_cpu,
        joined_at=now,
        seen_at=now,
    )


def leave(user_id: int) -> bool:
    """Takes a user's ticket away, in a ready check too; False if there was none."""
    with held():
        return bool(drop([user_id]))


def drop(users: Iterable[int]) -> int:
    """Takes tickets away, within `held`. A ready check that they were asked in is over; the others keep their place."""
    gone = sorted(users)
    for check in ReadyCheck.objects.filter(tickets__user__in=gone).distinct():
        dissolve(check)
    told = set(gone) | set(Ticket.objects.filter(partner__in=gone).values_list("user_id", flat=True))
    count, _ = Ticket.objects.filter(user__in=gone).delete()
    if count:
        tell(told)
    return count


def dissolve(check: ReadyCheck) -> None:
    """Ends a ready check, within `held`: whoever still has a ticket goes on waiting where he was."""
    tickets = Ticket.objects.filter(ready_check=check)
    asked = list(tickets.values_list("user_id", flat=True))
    tickets.update(ready_check=None, is_ready=False)
    check.delete()
    tell(asked)


def consent(*, user_id: int, takes_cpu: bool) -> None:
    """Whether a user agrees to a CPU in the fourth seat. Raises Declined."""
    with held():
        ticket = Ticket.objects.filter(user=user_id).first()
        if ticket is None:
            raise Declined("not_waiting")
        if ticket.ready_check_id is not None:
            raise Declined("checking")
        ticket.takes_cpu = takes_cpu
        ticket.save(update_fields=("takes_cpu",))
        tell([user_id])


def note_seen(user_ids: Iterable[int]) -> int:
    """Pages of these users have given a sign of life. How many of them have a ticket."""
    return Ticket.objects.filter(user__in=sorted(user_ids)).update(seen_at=timezone.now())


# --- partners ---------------------------------------------------------------------------------------------------------


def invite(*, user_id: int, ladder: str, name: str) -> Invite:
    """Asks somebody, by name, to queue as the user's partner. Raises Declined.

    Whoever cannot be asked, because of a block too, is `not_found`: nobody learns that he is blocked.
    """
    with held() as now:
        _check_may_queue(user_id)
        found = _open_ladder(ladder)
        if not KINDS[found.kind].is_partnership:
            raise Declined("no_pairs")
        if Ticket.objects.filter(user=user_id).exists():
            raise Declined("waiting")
        invited = User.objects.filter(name_key=names.skeleton(name), is_active=True).exclude(name_key="").first()
        if invited is not None and invited.pk == user_id:
            raise Declined("yourself")
        if invited is None or not invited.is_member or are_apart([user_id, invited.pk]):
            raise Declined("not_found")
        before = Invite.objects.filter(inviter=user_id, until__gt=now).first()
        if before is not None and before.is_declined and before.invited_id == invited.pk:
            raise Declined("declined")  # asked again at once it would be a nuisance
        _check_pair(user_id, invited.pk, found)
        made, _ = Invite.objects.update_or_create(
            inviter_id=user_id,
            defaults={"invited": invited, "ladder": found, "until": now + scaled(INVITE_S), "is_declined": False},
        )
        tell([user_id, invited.pk, *([before.invited_id] if before else [])])
    return made


def uninvite(user_id: int) -> None:
    """Takes an invitation back."""
    with held():
        for found in Invite.objects.filter(inviter=user_id, is_declined=False):
            tell([user_id, found.invited_id])
            found.delete()


def accept(*, user_id: int, inviter_id: int) -> None:
    """The invited queues with the inviter: each gets a ticket and is the other's partner. Raises Declined."""
    with held() as now:
        found = Invite.objects.select_related("ladder").filter(inviter=inviter_id, invited=user_id, until__gt=now)
        standing = found.filter(is_declined=False).first()
        if standing is None or are_apart([user_id, inviter_id]):
            raise Declined("no_invite")
        _check_may_queue(user_id)
        inviter = User.objects.filter(pk=inviter_id).first()
        if bar_of(inviter) is not None:
            raise Declined("partner_cannot")
        ladder = _open_ladder(standing.ladder.slug)
        _check_pair(user_id, inviter_id, ladder)
        tickets = Ticket.objects.filter(user__in=(user_id, inviter_id))
        if tickets.filter(ready_check__isnull=False).exists():
            raise Declined("checking")
        drop(tickets.values_list("user_id", flat=True))  # one who has waited alone begins anew, with the other
        own, other = (_make(user, ladder, now) for user in (user_id, inviter_id))
        for ticket, partner in ((own, other), (other, own)):
            ticket.partner = partner
            ticket.save(update_fields=("partner",))
        Invite.objects.filter(inviter__in=(user_id, inviter_id)).delete()
        tell([user_id, inviter_id])


def refuse(*, user_id: int, inviter_id: int) -> None:
    """The invited does not want to. The same one cannot be asked again until the invitation would have run out."""
    with held():
        if Invite.objects.filter(inviter=inviter_id, invited=user_id).update(is_declined=True):
            tell([user_id, inviter_id])


def _check_pair(user_id: int, other_id: int, ladder: Ladder) -> None:
    if not may_pair(_rating_of(user_id, ladder), _rating_of(other_id, ladder)):
        raise Declined("too_far_apart")


# --- blocks -----------------------------------------------------------------------------------------------------------


def blocks_among(users: Iterable[int]) -> set[frozenset[int]]:
    """Every two of these users of whom one has blocked the other."""
    among = list(users)
    found = Block.objects.filter(Q(user__in=among), Q(other__in=among), kind=Block.Kind.BLOCK)
    return {frozenset(pair) for pair in found.values_list("user_id", "other_id")}


def are_apart(users: Iterable[int]) -> bool:
    """Whether two of these users are never seated together."""
    return bool(blocks_among(users))


# --- administrators ---------------------------------------------------------------------------------------------------


def take_out(users: Iterable[User], by: Any) -> int:
    """An administrator takes users out of the queue; each is noted. How many were in it."""
    count = 0
    for user in users:
        with held():
            if drop([user.pk]):
                count += 1
                note_act(by, user, gettext("Taken out of the queue."))
    return count


def lift_locks(users: Iterable[User], by: Any) -> int:
    """An administrator lets users queue again; each is noted. How many were locked."""
    count = 0
    for user in users:
        with held():
            if QueueLock.objects.filter(user=user).delete()[0]:
                count += 1
                note_act(by, user, gettext("Queue lock lifted."))
                tell([user.pk])
    return count
