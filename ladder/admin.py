"""Ladders and what they hold, to look at. Changes are made by services, never by hand."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.fields import BLANK_CHOICE_DASH
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.text import capfirst
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from accounts.acts import note_act
from accounts.models import User
from games.kinds import KINDS
from games.presets.models import PresetVersion
from ladder.boards import tables
from ladder.queue import admin as queue_admin
from ladder.queue.models import Ticket
from ladder.rating import services
from ladder.rating.models import Abandon, Ladder, LadderMove, QueueLock, RankedGame, Rating, RatingChange

#: Games whose ratings may be taken back with one press.
MOST_VOIDED = 200


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


class VoidForm(forms.Form):
    """Why what games did to ratings is taken back."""

    note = forms.CharField(
        max_length=300,
        label=_("Why"),
        help_text=_("For the log of administration; players do not see it."),
        widget=forms.TextInput(attrs={"class": "vTextField"}),
    )


@admin.register(RankedGame)
class RankedGameAdmin(ReadOnly):
    """Ranked games. What a rated one did to ratings may be taken back; a running one is closed among the games."""

    list_display = ("game", "ladder", "rated_at")
    list_select_related = ("game", "ladder")
    search_fields = ("=game__id", "game__player__user__display_name")
    search_help_text = _("Number of a game, or name of somebody who plays")
    actions = ("void_ratings",)

    def has_void_permission(self, request: HttpRequest) -> bool:
        """Whether somebody may take back what games did to ratings."""
        return request.user.has_perm("ladder.change_rankedgame")

    @admin.action(description=_("Take back what the game did to ratings…"), permissions=["void"])
    def void_ratings(self, request: HttpRequest, queryset: QuerySet[RankedGame]) -> HttpResponse:
        ids = ",".join(map(str, queryset.values_list("pk", flat=True)[:MOST_VOIDED]))
        return redirect(reverse("admin:ladder_rankedgame_void") + f"?ids={ids}")

    def get_urls(self) -> list[URLPattern]:
        return [
            path("void/", self.admin_site.admin_view(self.void_view), name="ladder_rankedgame_void"),
            *super().get_urls(),
        ]

    def void_view(self, request: HttpRequest) -> HttpResponse:
        """Asks why, then takes back what rated games did to ratings."""
        if not self.has_void_permission(request):
            raise PermissionDenied
        ids = [int(text) for text in request.GET.get("ids", "").split(",") if text.isdecimal() and len(text) < 18]
        rated = RankedGame.objects.filter(pk__in=ids[:MOST_VOIDED], rated_at__isnull=False).select_related("ladder")
        voids = RatingChange.objects.filter(game=OuterRef("pk"), reason=RatingChange.Reason.VOID)
        games = list(rated.exclude(Exists(voids)).order_by("pk"))
        form = VoidForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            self._void(request, games, form.cleaned_data["note"])
            return redirect("admin:ladder_rankedgame_changelist")
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": _("Take back what games did to ratings"),
            "games": games,
            "form": form,
        }
        return TemplateResponse(request, "admin/ladder/rankedgame/void.html", context)

    def _void(self, request: HttpRequest, games: list[RankedGame], note: str) -> None:
        voided = 0
        for game in games:
            with transaction.atomic():
                if services.void_game(game.pk):
                    voided += 1
                    transaction.on_commit(partial(tables.tell, game.pk), robust=True)
                    note_act(request.user, game, " ".join((gettext("Ratings taken back."), note)))
        text = ngettext("%(number)s game is void for ratings.", "%(number)s games are void for ratings.", voided)
        self.message_user(request, text % {"number": voided})


class LadderForm(forms.ModelForm):
    """A ladder is played by a version that was made for ranked games of its kind and number of players."""

    def clean_preset_version(self) -> PresetVersion:
        version: PresetVersion = self.cleaned_data["preset_version"]
        ladder = self.instance
        kind = ladder.kind or self.cleaned_data.get("kind")
        players = ladder.players if ladder.pk else self.cleaned_data.get("players")
        if (version.preset.kind, version.ranked_players) != (kind, players):
            raise forms.ValidationError(_("That version is not ranked at this game and number of players."))
        return version


@admin.register(Ladder)
class LadderAdmin(admin.ModelAdmin):
    """A ladder may be closed, and moved to another version of its preset, which is noted."""

    form = LadderForm
    fields = ("slug", "kind", "players", "timer_s", "preset_version", "is_open")

    list_display = ("slug", "kind", "players", "timer_s", "preset_version", "is_open")

    def get_readonly_fields(self, request: HttpRequest, obj: Ladder | None = None) -> tuple[str, ...]:
        return ("slug", "kind", "players", "timer_s") if obj else ()

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """One of the kinds that there are: no column lists them, so that another needs no migration."""
        if db_field.name == "kind":
            kinds = [(kind, kind) for kind in KINDS]
            return forms.ChoiceField(label=capfirst(db_field.verbose_name), choices=[*BLANK_CHOICE_DASH, *kinds])
        return super().formfield_for_dbfield(db_field, request, **kwargs)

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
