"""The log of what administrators have done: to be read, never to be changed."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.translation import gettext_lazy

from games.admin.base import LookOnly


@admin.register(LogEntry)
class LogEntryAdmin(LookOnly):
    """Who did what, and when."""

    list_display = ("action_time", "user", "kind", "about", "what")
    list_filter = ("action_flag", ("content_type", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("user", "content_type")
    search_fields = ("object_repr", "user__username", "user__display_name", "change_message")
    date_hierarchy = "action_time"
    fields = ("action_time", "user", "kind", "about", "what")
    readonly_fields = fields

    @admin.display(description=gettext_lazy("Did"), ordering="action_flag")
    def kind(self, entry: LogEntry) -> str:
        return entry.get_action_flag_display()

    @admin.display(description=gettext_lazy("To"))
    def about(self, entry: LogEntry) -> Any:
        address = None if entry.is_deletion() else entry.get_admin_url()
        return format_html('<a href="{}">{}</a>', address, entry.object_repr) if address else entry.object_repr

    @admin.display(description=gettext_lazy("What"))
    def what(self, entry: LogEntry) -> str:
        return entry.get_change_message()

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.has_perm("admin.view_logentry"))
