"""Ladders and what they hold, to look at. Changes are made by services, never by hand."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from ladder.models import Abandon, Ladder, LadderMove, QueueLock, RankedGame, Rating, RatingChange


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


admin.site.register((Ladder, LadderMove, RankedGame, Rating, Abandon, QueueLock), ReadOnly)
