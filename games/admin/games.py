"""Games in the admin: looked at as a spectator sees them, found when they are stuck, closed without a result."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from games.admin import game_log
from games.admin.base import ByKind, LookOnly, chips, column, settings_of
from games.kinds.words import kind_label
from games.log import live, services
from games.log.models import RUNNING, Game, Player
from games.log.refusals import Rejected

#: Games that may be closed with one press.
MOST_CLOSED = 200
#: A question that is overdue for longer than the sweep would ever need.
OVERDUE = timedelta(minutes=1)


class Stuck(admin.SimpleListFilter):
    """Running games that somebody should look at."""

    title = gettext_lazy("stuck")
    parameter_name = "stuck"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        return (
            ("overdue", gettext_lazy("A question is overdue")),
            ("day", gettext_lazy("Not moved for a day")),
            ("month", gettext_lazy("Not moved for 30 days")),
        )

    def queryset(self, request: HttpRequest, queryset: QuerySet[Game]) -> QuerySet[Game]:
        now, running = timezone.now(), queryset.filter(status__in=RUNNING)
        if self.value() == "overdue":
            return running.filter(deadline_at__lt=now - OVERDUE)
        if self.value() in ("day", "month"):
            return running.filter(moved_at__lt=now - timedelta(days=1 if self.value() == "day" else 30))
        return queryset


class ByStatus(admin.SimpleListFilter):
    """Games that are running, over, or void."""

    title = gettext_lazy("status")
    parameter_name = "status"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        return [(status, label()) for status, label in game_log.STATUSES.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Game]) -> QuerySet[Game]:
        return queryset.filter(status=self.value()) if self.value() else queryset


class CloseForm(forms.Form):
    """Why games are closed."""

    reason = forms.ChoiceField(
        choices=(
            ("admin", gettext_lazy("An administrator closes it")),
            ("outage", gettext_lazy("The site was down for too long")),
            ("abandoned", gettext_lazy("Nobody came back to it")),
        ),
        widget=forms.RadioSelect,
        initial="admin",
        label=gettext_lazy("What the players are told"),
    )
    note = forms.CharField(
        required=False,
        max_length=300,
        label=gettext_lazy("Note"),
        help_text=gettext_lazy("For the log of administration; players do not see it."),
        widget=forms.TextInput(attrs={"class": "vTextField"}),
    )


@admin.register(Game)
class GameAdmin(LookOnly):
    """Games: seats, rules, log. Of a running one nothing that a spectator may not know."""

    list_display = ("number", "shown_kind", "shown_status", "seats", "clock", "entries", "begun", "moved")
    list_display_links = ("number",)
    list_filter = (Stuck, ByStatus, ByKind)
    search_fields = ("player__user__username", "player__user__display_name")
    search_help_text = gettext_lazy("Number of a game, or name of somebody who plays")
    date_hierarchy = "created_at"
    ordering = ("-id",)
    actions = ("close_chosen",)
    change_form_template = "admin/games/game/change_form.html"
    fieldsets = (
        (
            None,
            {
                "fields": (
                    "shown_kind",
                    "shown_status",
                    "made_from",
                    "at_party",
                    "rules",
                    "clock",
                    "scores",
                    "shown_code",
                    "begun",
                    "moved",
                )
            },
        ),
        (gettext_lazy("Seats"), {"fields": ("seat_table",)}),
        (gettext_lazy("Log"), {"fields": ("log_table",)}),
    )
    readonly_fields = (*fieldsets[0][1]["fields"], "seat_table", "log_table")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Game]:
        players = Player.objects.select_related("user").order_by("seat")
        return super().get_queryset(request).prefetch_related(Prefetch("player_set", players))

    def get_search_results(self, request: HttpRequest, queryset: Any, search_term: str) -> Any:
        term = search_term.strip()
        if term.isdecimal() and len(term) < 18:
            return queryset.filter(pk=int(term)), False
        return super().get_search_results(request, queryset, search_term)

    number = column("id", gettext_lazy("Number"))
    entries = column("ply", gettext_lazy("Plies"))
    begun = column("created_at", gettext_lazy("Begun"))
    moved = column("moved_at", gettext_lazy("Last moved"))
    at_party = column("party", gettext_lazy("Party"))

    # --- what is shown ------------------------------------------------------------------------------------------------

    @admin.display(description=gettext_lazy("Game"), ordering="kind")
    def shown_kind(self, game: Game) -> str:
        return kind_label(game.kind)

    @admin.display(description=gettext_lazy("Status"), ordering="status")
    def shown_status(self, game: Game) -> str:
        return game_log.status_of(game)

    @admin.display(description=gettext_lazy("Seats"))
    def seats(self, game: Game) -> str:
        return ", ".join(str(player.user or _("CPU")) for player in game.player_set.all())

    @admin.display(description=gettext_lazy("Time for a turn"), ordering="deadline_at")
    def clock(self, game: Game) -> Any:
        limit = _("%(seconds)s seconds") % {"seconds": game.timer_s} if game.timer_s else _("No limit")
        overdue = game.deadline_at is not None and game.deadline_at < timezone.now() - OVERDUE
        if overdue and game.is_running:
            return format_html('{} <span class="mark mark-late">{}</span>', limit, _("overdue"))
        return limit

    @admin.display(description=gettext_lazy("Preset"))
    def made_from(self, game: Game) -> Any:
        version = game.preset_version
        if version is None:
            return "–"
        address = reverse("admin:games_rulepreset_change", args=[version.preset_id])
        names = {"name": version.preset.local_name, "number": version.number}
        return format_html('<a href="{}">{}</a>', address, _("%(name)s, version %(number)s") % names)

    @admin.display(description=gettext_lazy("Rules"))
    def rules(self, game: Game) -> SafeString:
        return chips(settings_of(game.kind, game.options))

    @admin.display(description=gettext_lazy("Scores"))
    def scores(self, game: Game) -> str:
        found = game_log.standing(game)
        if found is None:
            return _("The log of this game cannot be read any more.")
        return ", ".join(map(str, found[1].state.scores))

    @admin.display(description=gettext_lazy("Game code"))
    def shown_code(self, game: Game) -> str:
        return game.code if game.code and not game_log.is_running(game) else "–"

    @admin.display(description="")
    def seat_table(self, game: Game) -> SafeString:
        found = game_log.standing(game)
        rows = game_log.seat_rows(game, found[1] if found else None, timezone.now())
        return SafeString(render_to_string("admin/games/game/seats.html", {"rows": rows}))

    @admin.display(description="")
    def log_table(self, game: Game) -> SafeString:
        context = {"rows": game_log.log_rows(game), "hidden": game_log.is_hidden(game), "game": game}
        return SafeString(render_to_string("admin/games/game/log.html", context))

    # --- closing ------------------------------------------------------------------------------------------------------

    def has_close_permission(self, request: HttpRequest) -> bool:
        """Whether somebody may close games."""
        return bool(request.user.has_perm("games.void_game"))

    def change_view(self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None) -> Any:
        game = self.get_object(request, object_id)
        may_close = game is not None and game_log.is_running(game) and self.has_close_permission(request)
        context = {"may_close": may_close, **(extra_context or {})}
        return super().change_view(request, object_id, form_url, context)

    @admin.action(description=gettext_lazy("Close without a result…"), permissions=["close"])
    def close_chosen(self, request: HttpRequest, queryset: QuerySet[Game]) -> HttpResponse:
        ids = ",".join(map(str, queryset.values_list("pk", flat=True)[:MOST_CLOSED]))
        return redirect(reverse("admin:games_game_close") + f"?ids={ids}")

    def get_urls(self) -> list[URLPattern]:
        return [
            path("close/", self.admin_site.admin_view(self.close_view), name="games_game_close"),
            *super().get_urls(),
        ]

    def close_view(self, request: HttpRequest) -> HttpResponse:
        """Asks why, then closes running games without a result."""
        if not self.has_close_permission(request):
            raise PermissionDenied
        ids = [int(text) for text in request.GET.get("ids", "").split(",") if text.isdecimal() and len(text) < 18]
        games = list(self.get_queryset(request).filter(pk__in=ids[:MOST_CLOSED], status__in=RUNNING))
        form = CloseForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            self._close(request, [game.pk for game in games], **form.cleaned_data)
            return HttpResponseRedirect(reverse("admin:games_game_changelist"))
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": _("Close without a result"),
            "games": games,
            "form": form,
        }
        return TemplateResponse(request, "admin/games/game/close.html", context)

    def _close(self, request: HttpRequest, ids: list[int], *, reason: str, note: str) -> None:
        closed = 0
        for game_id in ids:
            try:
                services.close_game(game_id=game_id, reason=reason, by=request.user, note=note)  # type: ignore[arg-type]
                closed += 1
            except (Rejected, live.NoSuchGame):
                text = _("Game %(number)s was over already.") % {"number": game_id}
                self.message_user(request, text, messages.WARNING)
        text = ngettext("%(count)s game was closed.", "%(count)s games were closed.", closed)
        self.message_user(request, text % {"count": closed})
