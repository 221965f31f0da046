"""Presets in the admin: written, tried as a rules page, looked back at version by version, taken out and in as JSON."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect
from django.template.loader import render_to_string
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from games.admin import preset_files
from games.admin.base import ByKind, chips, column, differences, settings_of, short_rules
from games.admin.preset_form import PresetForm, may_name
from games.admin.preview import rulebook_preview
from games.kinds import KINDS
from games.kinds.words import kind_label
from games.log.models import Game
from games.parties.models import Party
from games.presets import services as preset_store
from games.presets.forms import field_name
from games.presets.models import PresetVersion, RulePreset

#: What is shown to those who may look and not change.
VIEWED = ("slug", "shown_kind", "name", "name_ja", "note", "note_ja", "shown_players", "rules_now", "place", "offered")


def _counted(model: Any, preset: RulePreset) -> dict[int, int]:
    """How many rows of a model were made from each version of a preset."""
    found = model.objects.filter(preset_version__preset=preset).values_list("preset_version")
    return dict(found.annotate(Count("pk")).order_by())


class Offered(admin.SimpleListFilter):
    """Presets that new games may be made from, or those that are switched off."""

    title = gettext_lazy("state")
    parameter_name = "offered"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        return (("yes", gettext_lazy("Offered")), ("no", gettext_lazy("Switched off")))

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        return queryset.filter(is_active=self.value() == "yes") if self.value() in ("yes", "no") else queryset


@admin.register(RulePreset)
class RulePresetAdmin(admin.ModelAdmin):
    """Named sets of options. A change of options makes a new version; what runs keeps the one it has."""

    list_display = ("shown_name", "shown_kind", "shown_players", "rules", "version", "ranked", "offered")
    list_display_links = ("shown_name",)
    list_filter = (ByKind, Offered)
    search_fields = ("slug", "name", "name_ja")
    ordering = ("kind", "order", "slug")
    actions = ("export_chosen", "switch_on", "switch_off")
    change_list_template = "admin/games/rulepreset/change_list.html"
    change_form_template = "admin/games/rulepreset/change_form.html"
    save_on_top = True

    place = column("order", gettext_lazy("Place in lists"))
    offered = column("is_active", gettext_lazy("Offered"), boolean=True)

    # --- the list -----------------------------------------------------------------------------------------------------

    def get_queryset(self, request: HttpRequest) -> QuerySet[RulePreset]:
        latest = PresetVersion.objects.filter(preset=OuterRef("pk")).order_by("-number")
        return (
            super()
            .get_queryset(request)
            .annotate(
                latest_number=Subquery(latest.values("number")[:1]),
                latest_options=Subquery(latest.values("options")[:1]),
                latest_ranked=Subquery(latest.values("ranked_players")[:1]),
            )
        )

    @admin.display(description=gettext_lazy("Name"), ordering="name")
    def shown_name(self, preset: RulePreset) -> str:
        return preset.local_name

    @admin.display(description=gettext_lazy("Game"), ordering="kind")
    def shown_kind(self, preset: RulePreset) -> str:
        return kind_label(preset.kind)

    @admin.display(description=gettext_lazy("Players"))
    def shown_players(self, preset: RulePreset) -> str:
        return ", ".join(map(str, preset.players))

    @admin.display(description=gettext_lazy("Differs from the defaults"))
    def rules(self, preset: Any) -> SafeString:
        return chips(short_rules(preset.kind, preset.latest_options or {}))

    @admin.display(description=gettext_lazy("Version"))
    def version(self, preset: Any) -> str:
        return str(preset.latest_number or "–")

    @admin.display(description=gettext_lazy("Ranked"))
    def ranked(self, preset: Any) -> str:
        return str(preset.latest_ranked or "–")

    # --- the form -----------------------------------------------------------------------------------------------------

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        kind = obj.kind if obj is not None else self._kind_asked_for(request)
        attributes = {"preset_kind": kind, "is_final": request.method == "POST" and kwargs.get("is_final", True)}
        return type("BoundPresetForm", (PresetForm,), attributes)

    def _kind_asked_for(self, request: HttpRequest) -> str:
        kind = request.GET.get("kind", "")
        return kind if kind in KINDS else next(iter(KINDS))

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is not None and not self.has_change_permission(request, obj):
            return [(None, {"fields": VIEWED}), (_("Versions"), {"fields": ("history",)})]
        kind = obj.kind if obj is not None else self._kind_asked_for(request)
        options = [(field_name(o.name), may_name(o.name)) for o in KINDS[kind].options.declared()]
        shown: list[Any] = [
            (
                None,
                {"fields": ("seen", "slug", ("name", "name_ja"), ("note", "note_ja"), ("order", "is_active"))},
            ),
            (_("Table"), {"fields": ("players", "ranked_players", "limits")}),
            (_("Rules"), {"fields": options, "classes": ("options",)}),
        ]
        if obj is not None:
            shown.append((_("Versions"), {"fields": ("history",)}))
        return shown

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is not None and not self.has_change_permission(request, obj):
            return (*VIEWED, "history")
        return ("history",) if obj is not None else ()

    @admin.display(description=gettext_lazy("Rules"))
    def rules_now(self, preset: RulePreset) -> SafeString:
        version = preset_store.current_version(preset)
        return chips(settings_of(preset.kind, version.options if version else {}))

    @admin.display(description="")
    def history(self, preset: RulePreset) -> SafeString:
        """Every version, the latest first, with what it changed and what was made from it."""
        rows, before = [], None
        games, parties = (_counted(model, preset) for model in (Game, Party))
        for version in preset.versions.order_by("number"):
            if before is None:
                changes = settings_of(preset.kind, version.options)
            else:
                changes = differences(preset.kind, before.options, version.options)
                if before.choices != version.choices:
                    changes.append(_("What a party may change"))
            made = {"games": games.get(version.pk, 0), "parties": parties.get(version.pk, 0)}
            rows.append({"version": version, "changes": chips(changes), **made})
            before = version
        return SafeString(render_to_string("admin/games/rulepreset/versions.html", {"rows": rows[::-1]}))

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        if not self.has_add_permission(request):
            raise PermissionDenied
        if request.GET.get("kind") not in KINDS:
            kinds = [{"kind": kind, "label": kind_label(kind)} for kind in KINDS]
            context = {**self.admin_site.each_context(request), "opts": self.opts, "kinds": kinds}
            context["title"] = _("New preset")
            return TemplateResponse(request, "admin/games/rulepreset/choose_kind.html", context)
        return super().add_view(request, form_url, extra_context)

    def changeform_view(
        self, request: HttpRequest, object_id: Any = None, form_url: str = "", extra_context: Any = None
    ) -> Any:
        preview = reverse("admin:games_rulepreset_preview") + f"?kind={self._kind_asked_for(request)}"
        if object_id is not None:
            preview = reverse("admin:games_rulepreset_preview") + f"?preset={object_id}"
        context = {"preview": preview, "show_save_and_add_another": False, **(extra_context or {})}
        return super().changeform_view(request, object_id, form_url, context)

    def save_form(self, request: HttpRequest, form: Any, change: bool) -> Any:
        return form.instance  # `save_model` stores the draft; the form itself stores nothing

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Versions are stored with the preset."""

    def save_model(self, request: HttpRequest, obj: RulePreset, form: Any, change: bool) -> None:
        stored, made = preset_store.save(form.draft)
        obj.pk = stored.pk
        obj._state.adding = False
        version = preset_store.current_version(stored)
        if change and made.makes_version and version is not None:
            text = _("Version %(number)s was made. Games and parties that have begun keep theirs.")
            self.message_user(request, text % {"number": version.number})
        if made.loses_rank:
            text = _(
                "The version before was ranked; the new one is not. Ladders stay with the old one until they are "
                "moved. Mark the new one as ranked if it may be used for that."
            )
            self.message_user(request, text, messages.WARNING)

    # --- deleting -----------------------------------------------------------------------------------------------------

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        if obj is not None and preset_store.is_used(obj):
            return False
        return super().has_delete_permission(request, obj)

    def get_actions(self, request: HttpRequest) -> Any:
        return {name: action for name, action in super().get_actions(request).items() if name != "delete_selected"}

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> Any:
        try:
            return super().delete_view(request, object_id, extra_context)
        except preset_store.PresetInUse:
            text = _("A game or a party was made from it meanwhile. Switch it off instead.")
            self.message_user(request, text, messages.ERROR)
            return redirect("admin:games_rulepreset_change", object_id)

    def delete_model(self, request: HttpRequest, obj: RulePreset) -> None:
        preset_store.delete(obj)

    # --- actions and pages of its own ---------------------------------------------------------------------------------

    @admin.action(description=gettext_lazy("Export as a file"), permissions=["view"])
    def export_chosen(self, request: HttpRequest, queryset: QuerySet[RulePreset]) -> HttpResponse:
        return preset_files.download(queryset)

    @admin.action(description=gettext_lazy("Offer them"), permissions=["change"])
    def switch_on(self, request: HttpRequest, queryset: QuerySet[RulePreset]) -> None:
        self._switch(request, queryset, is_active=True)

    @admin.action(description=gettext_lazy("Offer them no more"), permissions=["change"])
    def switch_off(self, request: HttpRequest, queryset: QuerySet[RulePreset]) -> None:
        self._switch(request, queryset, is_active=False)

    def _switch(self, request: HttpRequest, queryset: QuerySet[RulePreset], *, is_active: bool) -> None:
        what = _("Offered.") if is_active else _("Offered no more.")
        changed = preset_store.switch(queryset, is_active=is_active, by=request.user, what=what)
        text = ngettext("%(count)s preset was changed.", "%(count)s presets were changed.", changed)
        self.message_user(request, text % {"count": changed})

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("export/", view(self.export_view), name="games_rulepreset_export"),
            path("import/", view(self.import_view), name="games_rulepreset_import"),
            path("preview/", view(self.preview_view), name="games_rulepreset_preview"),
            *super().get_urls(),
        ]

    def export_view(self, request: HttpRequest) -> HttpResponse:
        """Every preset as one file."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        return preset_files.download(RulePreset.objects.all())

    def import_view(self, request: HttpRequest) -> HttpResponse:
        """Presets from a file: first what it would change, then, confirmed, the change."""
        if not (self.has_add_permission(request) and self.has_change_permission(request)):
            raise PermissionDenied
        page = preset_files.ImportPage(request)
        if page.is_done:
            self.message_user(request, page.summary)
            return HttpResponseRedirect(reverse("admin:games_rulepreset_changelist"))
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": _("Import presets"),
            "page": page,
        }
        return TemplateResponse(request, "admin/games/rulepreset/import.html", context)

    def preview_view(self, request: HttpRequest) -> HttpResponse:
        """The rules page of what is in the form, stored or not."""
        preset = None
        if "preset" in request.GET:
            number = request.GET["preset"]
            preset = get_object_or_404(RulePreset, pk=int(number) if number.isdecimal() and len(number) < 18 else 0)
        may = self.has_change_permission(request, preset) if preset else self.has_add_permission(request)
        if request.method != "POST" or not may:
            raise PermissionDenied
        form = self.get_form(request, preset, is_final=False)(request.POST, instance=preset or RulePreset())
        form.full_clean()
        faults = [
            (form.fields[name].label if name in form.fields else "", error)
            for name, errors in form.errors.items()
            if name in ("players", "__all__") or name.startswith(field_name(""))
            for error in errors
        ]
        if faults:
            context = {**self.admin_site.each_context(request), "opts": self.opts, "faults": faults}
            context["title"] = _("Not yet a set of rules")
            return TemplateResponse(request, "admin/games/rulepreset/faults.html", context, status=422)
        players = sorted(form.cleaned_data["players"])
        name, choices = form.instance.local_name, form.chosen_choices(form.cleaned_data)
        return rulebook_preview(form.preset_kind, players, form.options, request, name=name, choices=choices)
