"""From those who wait to a table: finding who fits, asking whether they are there, seating them in one transaction.

Nothing here remembers anything: every step reads the rows anew while it holds the queue, so it may run twice, in
several processes at once, and be killed anywhere. What a killed one has left undone is found by the next `tick`.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from random import Random, SystemRandom

from django.conf import settings
from django.db.models import Case, Q, When

from games.kinds import KINDS
from games.log import services
from games.log.models import Game, Heartbeat, Outage
from ladder.queue.models import Invite, ReadyCheck, Ticket, Wait
from ladder.queue.tickets import Declined, bars_of, blocks_among, dissolve, drop, held, lost_before, scaled, tell
from ladder.queue.windows import Found, Waiter, may_pair, seats, tables
from ladder.rating.models import Ladder, QueueLock
from ladder.rating.services import enter

logger = logging.getLogger(__name__)

#: Whoever was not heard of for so long is not asked to a table, though he may come back to his place.
FRESH_S = 8
#: How long a ready check lasts, in seconds.
CHECK_S = 15
#: Without a web process for so long nobody could give a sign of life, in seconds.
BLIND_S = 5
CPU_LEVEL = "normal"
#: How long waits are remembered.
KEEP_WAITS = timedelta(days=1)


def tick() -> None:
    """Everything that is due in the queue; once a second. One ladder that fails must not keep the others."""
    if not Ticket.objects.exists() and not Invite.objects.exists():
        return
    for step in (expire, seat_ready, match_all):
        try:
            step()
        except Exception:
            logger.exception("the queue: %s", step.__name__)


# --- what is over -----------------------------------------------------------------------------------------------------


def expire() -> None:
    """Ends what is over: tickets of those who have gone or may not play, ready checks, invitations, old waits."""
    with held() as now:
        is_blind = _was_blind(now)
        gone = Q(user__is_active=False) | Q(user__is_guest=True) | Q(user__closed_at__isnull=False)
        gone |= Q(ladder__is_open=False) | Q(user__in=QueueLock.objects.filter(until__gt=now).values("user"))
        if not is_blind:
            gone |= Q(seen_at__lt=lost_before(now))
        drop(Ticket.objects.filter(gone).values_list("user_id", flat=True))
        for check in ReadyCheck.objects.filter(until__lt=now):
            late = [] if is_blind else Ticket.objects.filter(ready_check=check, is_ready=False)
            late_users = [ticket.user_id for ticket in late]
            dissolve(check)
            drop(late_users)
        for invite in Invite.objects.filter(until__lt=now):
            tell([invite.inviter_id, invite.invited_id])
            invite.delete()
        Wait.objects.filter(at__lt=now - KEEP_WAITS).delete()


def _was_blind(now: datetime) -> bool:
    """Whether the site was away of late, so that nobody could be heard; or is just back, unknown to the sweep."""
    unseen = now - scaled(BLIND_S, at_least=2)
    if Heartbeat.objects.filter(Q(name="web", seen_at__lt=unseen) | Q(name="sweep", web_seen_at__lt=unseen)).exists():
        return True
    return Outage.objects.filter(to_at__gt=lost_before(now)).exists()


# --- who fits ---------------------------------------------------------------------------------------------------------


def match_all() -> None:
    """Asks everybody who can be seated now, on every ladder."""
    for ladder in Ladder.objects.filter(is_open=True):
        try:
            match(ladder)
        except Exception:
            logger.exception("nobody can be matched for %s", ladder)


def match(ladder: Ladder) -> list[ReadyCheck]:
    """Asks those who fit whether they are ready: one ready check for each table that can be made."""
    with held() as now:
        fresh_since = now - scaled(FRESH_S, at_least=2)
        waiting = Ticket.objects.filter(ladder=ladder, ready_check__isnull=True, seen_at__gt=fresh_since)
        tickets = {ticket.user_id: ticket for ticket in waiting.order_by("user_id")}
        apart = blocks_among(tickets)
        _part(tickets, apart)
        found = tables(_waiters(tickets, now), ladder.players, apart, with_cpu=not KINDS[ladder.kind].is_partnership)
        return _ask(ladder, list(found), now)


def _part(tickets: dict[int, Ticket], apart: Collection[frozenset[int]]) -> None:
    """Partners of whom one has blocked the other meanwhile go on alone."""
    parted = [ticket for ticket in tickets.values() if frozenset((ticket.user_id, ticket.partner_id)) in apart]
    for ticket in parted:
        ticket.partner = None
        ticket.save(update_fields=("partner",))
        tell([ticket.user_id])


def _waiters(tickets: dict[int, Ticket], now: datetime) -> list[Waiter]:
    """Those who wait, partners as one. Somebody whose partner cannot be asked just now waits for him."""
    found = []
    for user, ticket in tickets.items():
        waited_s = (now - ticket.joined_at).total_seconds() * settings.TIME_SCALE
        if ticket.partner_id is None:
            found.append(Waiter((user,), ticket.rating, waited_s, ticket.takes_cpu))
        elif ticket.partner_id in tickets and user < ticket.partner_id:
            partner = tickets[ticket.partner_id]
            found.append(Waiter((user, partner.user_id), (ticket.rating + partner.rating) / 2, waited_s))
    return found


def _ask(ladder: Ladder, found: Sequence[Found], now: datetime) -> list[ReadyCheck]:
    """Asks everybody at these tables. As few statements for many as for one, since all others wait meanwhile."""
    if not found:
        return []
    until = now + scaled(CHECK_S, at_least=1)
    checks = ReadyCheck.objects.bulk_create(ReadyCheck(ladder=ladder, cpus=table.cpus, until=until) for table in found)
    asked = [user for table in found for user in table.users]
    whose = [When(user__in=table.users, then=check.pk) for check, table in zip(checks, found, strict=True)]
    Ticket.objects.filter(user__in=asked).update(ready_check=Case(*whose), is_ready=False)
    tell(asked)
    return checks


# --- the ready check --------------------------------------------------------------------------------------------------


def ready(user_id: int) -> Game | None:
    """A user is there. The game, if he was the last to say so. Raises Declined."""
    with held() as now:
        ticket = Ticket.objects.filter(user=user_id).first()
        if ticket is None or ticket.ready_check_id is None:
            raise Declined("no_check")
        ticket.is_ready, ticket.seen_at = True, now
        ticket.save(update_fields=("is_ready", "seen_at"))
        check = ticket.ready_check_id
        tell(Ticket.objects.filter(ready_check=check).values_list("user_id", flat=True))
    try:
        return seat(check)
    except Exception:  # nobody has lost anything; the next tick tries again
        logger.exception("nobody is seated yet by ready check %s", check)
        return None


def decline(user_id: int) -> None:
    """A user does not want to play now, and loses his ticket. Raises Declined."""
    with held():
        if not Ticket.objects.filter(user=user_id, ready_check__isnull=False).exists():
            raise Declined("no_check")
        drop([user_id])


# --- seating ----------------------------------------------------------------------------------------------------------


def seat_ready() -> None:
    """Seats everybody whose ready check is complete: where that failed, or whoever did it was killed."""
    complete = ReadyCheck.objects.exclude(tickets__is_ready=False).values_list("pk", flat=True)
    for check in list(complete):
        try:
            seat(check)
        except Exception:
            logger.exception("nobody is seated yet by ready check %s", check)


def seat(check_id: int, rng: Random | None = None) -> Game | None:
    """Opens the game of a complete ready check and takes its tickets, all or nothing; None if it is not complete.

    Everything that was true when they were matched is looked at again. Whoever may not play now loses his ticket, and
    the others keep their place.
    """
    with held() as now:
        check = ReadyCheck.objects.select_related("ladder__preset_version__preset").filter(pk=check_id).first()
        if check is None:
            return None
        # In order of users. The rows themselves are held too, since an account may be closed meanwhile.
        asked = Ticket.objects.select_for_update(of=("self",)).filter(ready_check=check).order_by("user_id")
        tickets = list(asked.select_related("user"))
        if not all(ticket.is_ready for ticket in tickets):
            return None
        bars = bars_of([ticket.user for ticket in tickets])
        lost = lost_before(now)
        unfit = [ticket.user_id for ticket in tickets if bars[ticket.user_id] is not None or ticket.seen_at < lost]
        if unfit or not _make_a_table(check, tickets):
            dissolve(check)
            drop(unfit)
            return None
        users = {ticket.user_id: ticket.user for ticket in tickets}
        drawn = seats(_units(tickets), check.ladder.players, rng or SystemRandom())
        game = services.open_game(
            kind=check.ladder.kind,
            seats=[CPU_LEVEL if user is None else users[user] for user in drawn],
            options=check.ladder.preset_version.options,
            timer_s=check.ladder.timer_s,
            preset_version=check.ladder.preset_version,
            may_watch=True,
        )
        enter(game=game, ladder=check.ladder)
        Wait.objects.bulk_create(Wait(ladder=check.ladder, seconds=_waited(ticket, now), at=now) for ticket in tickets)
        Ticket.objects.filter(user__in=users).delete()
        check.delete()
        tell(users)
    return game


def _make_a_table(check: ReadyCheck, tickets: Sequence[Ticket]) -> bool:
    """Whether these are still as many as the table needs, of this ladder, none of them blocked, partners together."""
    by_user = {ticket.user_id: ticket for ticket in tickets}
    partners = [ticket.partner_id for ticket in tickets if ticket.partner_id is not None]
    return (
        len(by_user) == len(tickets) == check.ladder.players - check.cpus
        and check.ladder.is_open
        and all(ticket.ladder_id == check.ladder_id for ticket in tickets)
        and all(partner in by_user for partner in partners)
        and all(
            may_pair(by_user[partner].rating, by_user[by_user[partner].partner_id or 0].rating) for partner in partners
        )
        and (not check.cpus or all(ticket.takes_cpu for ticket in tickets))
        and not blocks_among(by_user)
    )


def _units(tickets: Sequence[Ticket]) -> list[tuple[int, ...]]:
    """Users as they go together."""
    alone = [(ticket.user_id,) for ticket in tickets if ticket.partner_id is None]
    pairs = [(ticket.user_id, ticket.partner_id) for ticket in tickets if ticket.user_id < (ticket.partner_id or 0)]
    return [*alone, *((user, partner) for user, partner in pairs if partner is not None)]


def _waited(ticket: Ticket, now: datetime) -> int:
    return max(0, round((now - ticket.joined_at).total_seconds() * settings.TIME_SCALE))
