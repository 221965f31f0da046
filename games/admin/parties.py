"""Parties in the admin: who sits where, and what the next game is played with."""

from __future__ import annotations

from django.contrib import admin
from django.forms import Media
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import selectors
from games.admin.base import LookOnly, chips, settings_of
from games.models import Party


@admin.register(Party)
class PartyAdmin(LookOnly):
    """Parties, to be looked at. They are cleaned up by themselves."""

    list_display = ("code", "host", "preset", "is_listed", "is_closed", "created_at", "touched_at")
    list_filter = ("is_closed", "is_listed")
    list_select_related = ("host", "preset_version__preset")
    search_fields = ("code", "host__username", "host__display_name")
    fields = (
        "code",
        "host",
        "preset",
        "rules",
        "players",
        "timer_s",
        "cpu_level",
        "may_watch",
        "is_listed",
        "is_closed",
        "members",
        "games",
        "created_at",
        "touched_at",
    )
    readonly_fields = fields

    @property
    def media(self) -> Media:
        return super().media + Media(css={"all": ["games/css/admin.css"]})

    @admin.display(description=gettext_lazy("Preset"))
    def preset(self, party: Party) -> str:
        preset = party.preset_version.preset
        names = {"kind": selectors.kind_label(preset.kind), "name": preset.local_name}
        return _("%(kind)s: %(name)s") % names

    @admin.display(description=gettext_lazy("Rules"))
    def rules(self, party: Party) -> SafeString:
        return chips(settings_of(party.preset_version.preset.kind, party.options))

    @admin.display(description=gettext_lazy("Members"))
    def members(self, party: Party) -> SafeString:
        rows = [
            (str(member.user), _("sent away") if member.seat is None else member.seat)
            for member in party.members.select_related("user").order_by("seat", "joined_at")
        ]
        return format_html("<ul>{}</ul>", format_html_join("", "<li>{} ({})</li>", rows)) if rows else SafeString("–")

    @admin.display(description=gettext_lazy("Games"))
    def games(self, party: Party) -> SafeString:
        return format_html_join(
            " ", '<a href="../../../game/{0}/change/">{0}</a>', party.games.values_list("pk").order_by("-pk")[:50]
        )
