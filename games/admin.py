"""The admin of games: histories to look at, never the cards of a running game."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from games.models import Game, PresetVersion, RulePreset


@admin.register(Game)
class GameAdmin(admin.ModelAdmin):
    """Games as a list; nothing can be changed, and the log is not shown."""

    list_display = ("id", "kind", "players", "status", "ply", "created_at", "moved_at")
    list_filter = ("kind", "status")
    fields = list_display

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


class PresetVersionInline(admin.TabularInline):
    model = PresetVersion
    extra = 0


@admin.register(RulePreset)
class RulePresetAdmin(admin.ModelAdmin):
    list_display = ("slug", "kind", "order", "is_active")
    inlines = [PresetVersionInline]
