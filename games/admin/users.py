"""Users as administrators of games need them: their games, what is said of them, and whether they are heard."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy, ngettext

from accounts.acts import note_act
from accounts.admin import PeopleAdmin
from accounts.models import User
from games.admin.base import moment
from games.admin.game_log import status_of
from games.admin.reports import REASONS
from games.log.models import Game
from games.people.models import Mute, Report


class MuteInline(admin.StackedInline):
    """A mute of the user, if there is one."""

    model = Mute
    extra = 0
    max_num = 1
    fields = ("reason", "until_at")
    verbose_name = gettext_lazy("mute")
    verbose_name_plural = gettext_lazy("Mute: the user's phrases are told to nobody")


admin.site.unregister(User)


@admin.register(User)
class UserAdmin(PeopleAdmin):
    """People with what they did in games."""

    inlines = (MuteInline,)
    list_display: Any = (*PeopleAdmin.list_display, "muted")
    readonly_fields = (*PeopleAdmin.readonly_fields, "latest_games", "reports_about")
    actions: Any = (*PeopleAdmin.actions, "mute", "unmute")

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        found = super().get_fieldsets(request, obj)
        if obj is None:
            return found
        return [*found, (gettext_lazy("Games"), {"fields": ("latest_games", "reports_about")})]

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        mutes = Mute.objects.in_force().filter(user=OuterRef("pk"))
        return super().get_queryset(request).annotate(is_muted=Exists(mutes))

    @admin.display(description=gettext_lazy("Muted"), boolean=True)
    def muted(self, user: Any) -> bool:
        return bool(user.is_muted)

    @admin.display(description=gettext_lazy("Latest games"))
    def latest_games(self, user: User) -> SafeString:
        rows = [
            (reverse("admin:games_game_change", args=[game.pk]), game.pk, status_of(game))
            for game in Game.objects.filter(player__user=user).order_by("-pk")[:20]
        ]
        return format_html_join(" · ", '<a href="{}">{}</a> ({})', rows) or SafeString("–")

    @admin.display(description=gettext_lazy("Reports about the user"))
    def reports_about(self, user: User) -> SafeString:
        rows = [
            (
                reverse("admin:games_report_change", args=[report.pk]),
                REASONS[Report.Reason(report.reason)],
                moment(report.created_at),
            )
            for report in Report.objects.filter(reported=user)[:20]
        ]
        return format_html_join(" · ", '<a href="{}">{}</a> ({})', rows) or SafeString("–")

    @admin.action(description=gettext_lazy("Mute until it is lifted"), permissions=["mute"])
    def mute(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        changed = 0
        for user in queryset.filter(mute__isnull=True):
            _mute, made = Mute.objects.get_or_create(user=user)
            if made:
                changed += 1
                note_act(request.user, user, str(gettext_lazy("Muted.")))
        self._say_changed(request, changed)

    @admin.action(description=gettext_lazy("Lift the mute"), permissions=["mute"])
    def unmute(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        found = list(queryset.filter(mute__isnull=False))
        Mute.objects.filter(user__in=found).delete()
        for user in found:
            note_act(request.user, user, str(gettext_lazy("Mute lifted.")))
        self._say_changed(request, len(found))

    def has_mute_permission(self, request: HttpRequest) -> bool:
        """Whether somebody may mute users."""
        return request.user.has_perms(("games.add_mute", "games.delete_mute"))

    def _say_changed(self, request: HttpRequest, count: int) -> None:
        text = ngettext("%(count)s user was changed.", "%(count)s users were changed.", count)
        self.message_user(request, text % {"count": count})
