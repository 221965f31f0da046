"""The queue in the admin: who waits and who may not, and what may be done about it. Every act is noted."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy, ngettext

from games.admin.base import LookOnly, column
from ladder.queue import tickets
from ladder.queue.models import Ticket
from ladder.rating.models import QueueLock


class TicketAdmin(LookOnly):
    """Who waits for a ranked game, the longest first; anybody may be taken out."""

    list_display = ("who", "where", "rated", "since", "heard", "with_whom", "cpu", "asked", "there")
    list_display_links = None
    list_filter = ("ladder",)
    list_select_related = ("user", "ladder", "partner__user")
    search_fields = ("user__username", "user__display_name")
    ordering = ("joined_at",)
    actions: Any = ("take_out",)

    who = column("user", gettext_lazy("Player"))
    where = column("ladder", gettext_lazy("Ladder"))
    rated = column("rating", gettext_lazy("Rating"))
    since = column("joined_at", gettext_lazy("Waits since"))
    heard = column("seen_at", gettext_lazy("Last heard of"))
    cpu = column("takes_cpu", gettext_lazy("Takes a CPU"), boolean=True)
    there = column("is_ready", gettext_lazy("Ready"), boolean=True)

    @admin.display(description=gettext_lazy("Partner"))
    def with_whom(self, ticket: Ticket) -> str:
        return str(ticket.partner.user) if ticket.partner else "–"

    @admin.display(description=gettext_lazy("Asked"), boolean=True)
    def asked(self, ticket: Ticket) -> bool:
        return ticket.ready_check_id is not None

    def has_take_out_permission(self, request: HttpRequest) -> bool:
        """Whether somebody may take users out of the queue."""
        return request.user.has_perm("ladder.delete_ticket")

    @admin.action(description=gettext_lazy("Take out of the queue"), permissions=["take_out"])
    def take_out(self, request: HttpRequest, queryset: QuerySet[Ticket]) -> None:
        count = tickets.take_out([ticket.user for ticket in queryset.select_related("user")], request.user)
        text = ngettext("%(count)s user was taken out.", "%(count)s users were taken out.", count)
        self.message_user(request, text % {"count": count})


class QueueLockAdmin(LookOnly):
    """Who may not queue for having abandoned games; a lock may be lifted."""

    list_display = ("who", "ends")
    list_display_links = None
    list_select_related = ("user",)
    search_fields = ("user__username", "user__display_name")
    ordering = ("-until",)
    actions: Any = ("lift",)

    who = column("user", gettext_lazy("Player"))
    ends = column("until", gettext_lazy("Until"))

    def has_lift_permission(self, request: HttpRequest) -> bool:
        """Whether somebody may lift locks."""
        return request.user.has_perm("ladder.delete_queuelock")

    @admin.action(description=gettext_lazy("Lift the lock"), permissions=["lift"])
    def lift(self, request: HttpRequest, queryset: QuerySet[QueueLock]) -> None:
        count = tickets.lift_locks([lock.user for lock in queryset.select_related("user")], request.user)
        text = ngettext("%(count)s lock was lifted.", "%(count)s locks were lifted.", count)
        self.message_user(request, text % {"count": count})
