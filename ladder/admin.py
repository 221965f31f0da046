"""Ladders and what they hold, to look at. Changes are made by services, never by hand."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import admin
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts.models import User
from games.models import PresetVersion
from ladder import queue_admin, services
from ladder.models import Abandon, Ladder, LadderMove, QueueLock, RankedGame, Rating, RatingChange, Ticket


class ReadOnly(admin.ModelAdmin):
    """A list and its details."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(RatingChange)
class RatingChangeAdmin(ReadOnly):
    list_display = ("seq", "game", "user", "ladder", "reason", "before", "delta", "after", "at")
    list_select_related = ("game", "user", "ladder")


@admin.register(RankedGame)
class RankedGameAdmin(ReadOnly):
    list_display = ("game", "ladder", "rated_at")
    list_select_related = ("game", "ladder")
    actions = ("void_ratings",)

    def has_void_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("ladder.change_rankedgame")

    @admin.action(description=_("Take back what the game did to ratings"), permissions=["void"])
    def void_ratings(self, request: HttpRequest, queryset: QuerySet[RankedGame]) -> None:
        number = sum(services.void_game(game) for game in queryset.values_list("pk", flat=True))
        text = ngettext("%(number)s game is void for ratings.", "%(number)s games are void for ratings.", number)
        self.message_user(request, text % {"number": number})


@admin.register(Ladder)
class LadderAdmin(admin.ModelAdmin):
    """A ladder may be closed, and moved to another version of its preset, which is noted."""

    list_display = ("slug", "kind", "players", "timer_s", "preset_version", "is_open")

    def get_readonly_fields(self, request: HttpRequest, obj: Ladder | None = None) -> tuple[str, ...]:
        return ("slug", "kind", "players", "timer_s") if obj else ()

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Only what was made for ranked games."""
        if db_field.name == "preset_version":
            kwargs["queryset"] = PresetVersion.objects.filter(ranked_players__isnull=False).select_related("preset")
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def has_delete_permission(self, request: HttpRequest, obj: Ladder | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Ladder, form: ModelForm[Ladder], change: bool) -> None:
        if change and "preset_version" in form.changed_data:
            services.move_ladder(ladder=obj, version=obj.preset_version, by=cast(User, request.user))
        super().save_model(request, obj, form, change)


admin.site.register((LadderMove, Rating, Abandon), ReadOnly)
admin.site.register(Ticket, queue_admin.TicketAdmin)
admin.site.register(QueueLock, queue_admin.QueueLockAdmin)
