"""Parties in the admin: who sits where, and what the next game is played with."""

from __future__ import annotations

from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.admin.base import LookOnly, chips, column, settings_of
from games.kinds.words import kind_label
from games.parties.models import Party


@admin.register(Party)
class PartyAdmin(LookOnly):
    """Parties, to be looked at. They are cleaned up by themselves."""

    list_display = ("shown_code", "by", "preset", "listed", "closed", "made", "touched")
    list_filter = ("is_closed", "is_listed")
    list_select_related = ("host", "preset_version__preset")
    search_fields = ("code", "host__username", "host__display_name")
    fields = (
        "shown_code",
        "by",
        "preset",
        "rules",
        "size",
        "limit",
        "level",
        "watched",
        "listed",
        "closed",
        "sitting",
        "played",
        "made",
        "touched",
    )
    readonly_fields = fields

    shown_code = column("code", gettext_lazy("Code"))
    by = column("host", gettext_lazy("Host"))
    size = column("players", gettext_lazy("Players"))
    limit = column("timer_s", gettext_lazy("Seconds for a turn"))
    level = column("cpu_level", gettext_lazy("Level of the CPUs"))
    watched = column("may_watch", gettext_lazy("May be watched"), boolean=True)
    listed = column("is_listed", gettext_lazy("Listed"), boolean=True)
    closed = column("is_closed", gettext_lazy("Closed"), boolean=True)
    made = column("created_at", gettext_lazy("Made at"))
    touched = column("touched_at", gettext_lazy("Last used"))

    @admin.display(description=gettext_lazy("Preset"))
    def preset(self, party: Party) -> str:
        preset = party.preset_version.preset
        names = {"kind": kind_label(preset.kind), "name": preset.local_name}
        return _("%(kind)s: %(name)s") % names

    @admin.display(description=gettext_lazy("Rules"))
    def rules(self, party: Party) -> SafeString:
        return chips(settings_of(party.preset_version.preset.kind, party.options))

    @admin.display(description=gettext_lazy("Members"))
    def sitting(self, party: Party) -> SafeString:
        away = _("sent away")
        rows = [
            f"{member.user} ({away if member.seat is None else member.seat})"
            for member in party.members.select_related("user").order_by("seat", "joined_at")
        ]
        return chips(rows, otherwise="–")

    @admin.display(description=gettext_lazy("Games"))
    def played(self, party: Party) -> SafeString:
        rows = [
            (reverse("admin:games_game_change", args=[number]), number)
            for number in party.games.values_list("pk", flat=True).order_by("-pk")[:50]
        ]
        return format_html_join(" ", '<a href="{}">{}</a>', rows) or SafeString("–")
