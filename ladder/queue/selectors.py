"""Every read of the queue."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from typing import TYPE_CHECKING

from django.conf import settings
from django.db.models import Count
from django.utils import timezone

from accounts.models import User
from games.kinds import KINDS
from games.log.models import RUNNING
from ladder.queue import tickets, windows
from ladder.queue.models import Invite, ReadyCheck, Ticket, Wait
from ladder.queue.tickets import Bar
from ladder.rating.models import Ladder, RankedGame

if TYPE_CHECKING:
    from ladder.queue.protocol import OfTicket

#: What to expect is told from so many of the latest who were seated, of so long ago at most, and not from fewer.
WAITS = 40
FEWEST_WAITS = 4
WAITS_SINCE = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class LadderNow:
    """How busy a ladder is: people who wait and who play, and how long one has waited of late, in seconds."""

    slug: str
    is_open: bool
    waiting: int
    playing: int
    wait_s: int | None


@dataclass(frozen=True, slots=True)
class TicketNow:
    """A ticket as its owner sees it."""

    ladder: str
    kind: str
    joined_at: datetime
    takes_cpu: bool
    partner: str | None
    is_asked: bool = False

    def to_json(self, now: datetime) -> OfTicket:
        """With what time does to it: `growth` a second, until it is open in `opens_in` seconds."""
        real_s = max(0.0, (now - self.joined_at).total_seconds())
        scale = settings.TIME_SCALE

        def seconds_to(after: float) -> float:
            return round(max(0.0, after / scale - real_s), 1)

        return {
            "ladder": self.ladder,
            "waited": round(real_s, 1),
            "window": windows.window(real_s * scale),
            "growth": windows.GROWTH * scale,
            "opens_in": seconds_to(windows.OPEN_AFTER_S),
            "cpu": self.takes_cpu,
            "cpu_in": seconds_to(windows.CPU_AFTER_S) if not KINDS[self.kind].is_partnership else None,
            "partner": self.partner,
            "asked": self.is_asked,
        }


@dataclass(frozen=True, slots=True)
class CheckNow:
    """A ready check as one of those asked sees it."""

    ladder: str
    until: datetime
    ready: int
    of: int
    has_cpu: bool
    is_ready: bool


@dataclass(frozen=True, slots=True)
class InviteNow:
    """An invitation to queue as partners, with the name of the other one."""

    by: int
    name: str
    ladder: str
    until: datetime
    is_declined: bool = False


@dataclass(frozen=True, slots=True)
class OwnNow:
    """What one user alone is told of the queue."""

    bar: Bar | None
    ticket: TicketNow | None = None
    check: CheckNow | None = None
    invited: tuple[InviteNow, ...] = ()
    inviting: InviteNow | None = None


class QueueNow:
    """The queue at one moment."""

    def __init__(self) -> None:
        self.ladders = ladders_now()
        checks = {check.pk: check for check in ReadyCheck.objects.select_related("ladder")}
        self.tickets: dict[int, TicketNow] = {}
        asked: dict[int, list[Ticket]] = {}
        for ticket in Ticket.objects.select_related("ladder", "partner__user"):
            partner = ticket.partner
            self.tickets[ticket.user_id] = TicketNow(
                ticket.ladder.slug,
                ticket.ladder.kind,
                ticket.joined_at,
                ticket.takes_cpu,
                None if partner is None else str(partner.user),
                ticket.ready_check_id in checks,
            )
            if ticket.ready_check_id in checks:
                asked.setdefault(ticket.ready_check_id, []).append(ticket)
        self.checks: dict[int, CheckNow] = {}
        for number, those in asked.items():
            check, ready = checks[number], sum(ticket.is_ready for ticket in those)
            for ticket in those:
                self.checks[ticket.user_id] = CheckNow(
                    check.ladder.slug, check.until, ready, len(those), bool(check.cpus), ticket.is_ready
                )
        self.invites = list(
            Invite.objects.filter(until__gt=timezone.now()).select_related("ladder", "inviter", "invited")
        )

    def own(self, user_id: int, bar: Bar | None) -> OwnNow:
        """What one user is told."""
        invited = [
            InviteNow(row.inviter_id, str(row.inviter), row.ladder.slug, row.until)
            for row in self.invites
            if row.invited_id == user_id and not row.is_declined
        ]
        inviting = [
            InviteNow(row.inviter_id, str(row.invited), row.ladder.slug, row.until, row.is_declined)
            for row in self.invites
            if row.inviter_id == user_id
        ]
        ticket, check = self.tickets.get(user_id), self.checks.get(user_id)
        return OwnNow(bar, ticket, check, tuple(invited), inviting[0] if inviting else None)


def ladders_now() -> tuple[LadderNow, ...]:
    """How busy each ladder is."""
    waiting = dict(Ticket.objects.values_list("ladder").annotate(Count("pk")).order_by())
    running = RankedGame.objects.filter(rated_at__isnull=True, game__status__in=RUNNING)
    playing = dict(running.values_list("ladder").annotate(Count("game__player__user")).order_by())
    return tuple(
        LadderNow(
            ladder.slug, ladder.is_open, waiting.get(ladder.pk, 0), playing.get(ladder.pk, 0), expected_wait(ladder)
        )
        for ladder in Ladder.objects.all()
    )


def expected_wait(ladder: Ladder) -> int | None:
    """How long somebody waited of late before he was seated, in seconds; None if hardly anybody was."""
    lately = Wait.objects.filter(ladder=ladder, at__gt=timezone.now() - WAITS_SINCE).order_by("-at")
    found = list(lately.values_list("seconds", flat=True)[:WAITS])
    return round(median(found)) if len(found) >= FEWEST_WAITS else None


def bars_of(user_ids: Iterable[int]) -> dict[int, Bar | None]:
    """Why each of these users may not queue."""
    wanted = set(user_ids)
    found = tickets.bars_of(list(User.objects.filter(pk__in=wanted)))
    return {user: found.get(user, Bar("sign_up")) for user in wanted}
