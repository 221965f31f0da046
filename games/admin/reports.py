"""Complaints: read, looked into, and handled with a note."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext_lazy

from games.admin.base import column, moment
from games.people.models import Report

#: Reasons in the reader's language.
REASONS = {
    Report.Reason.LEAVING: gettext_lazy("Leaves games"),
    Report.Reason.STALLING: gettext_lazy("Plays slowly on purpose"),
    Report.Reason.COLLUSION: gettext_lazy("Plays together with another"),
    Report.Reason.NAME: gettext_lazy("Offensive name"),
    Report.Reason.PHRASES: gettext_lazy("Misuses phrases"),
    Report.Reason.OTHER: gettext_lazy("Something else"),
}


class Handled(admin.SimpleListFilter):
    """What still has to be looked at is what is seen first."""

    title = gettext_lazy("state")
    parameter_name = "handled"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        return (("no", gettext_lazy("Open")), ("yes", gettext_lazy("Handled")))

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        if self.value() in ("yes", "no"):
            return queryset.filter(handled_at__isnull=self.value() == "no")
        return queryset


class ReportForm(forms.ModelForm):
    """Only what an administrator adds to a report."""

    is_handled = forms.BooleanField(required=False, label=gettext_lazy("Handled"))

    class Meta:
        model = Report
        fields = ("note",)
        labels = {"note": gettext_lazy("Note")}
        help_texts = {"note": gettext_lazy("For administrators; nobody else sees it.")}
        widgets = {"note": forms.Textarea(attrs={"rows": 3, "class": "vLargeTextField", "maxlength": 500})}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["is_handled"] = self.instance.handled_at is not None


@admin.register(Report)
class ReportAdmin(admin.ModelAdmin):
    """Reports: nothing of what was said can be changed, only whether it is handled, with a note."""

    form = ReportForm
    actions = None
    list_display = ("made", "why", "about", "by", "game_link", "state")
    list_filter = (Handled,)
    list_select_related = ("reporter", "reported", "game")
    search_fields = ("reported__username", "reported__display_name", "reporter__username", "text")
    readonly_fields = ("why", "reported_link", "by", "game_link", "said", "made", "state")
    fields = (*readonly_fields, "note", "is_handled")

    made = column("created_at", gettext_lazy("Made at"))
    about = column("reported", gettext_lazy("Reported"))
    by = column("reporter", gettext_lazy("By"))

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        if self.has_change_permission(request, obj):
            return self.fields
        return (*self.readonly_fields, "note")

    @admin.display(description=gettext_lazy("Reason"), ordering="reason")
    def why(self, report: Report) -> str:
        return str(REASONS[Report.Reason(report.reason)])

    @admin.display(description=gettext_lazy("What was said"))
    def said(self, report: Report) -> str:
        return report.text or "–"

    @admin.display(description=gettext_lazy("Reported"))
    def reported_link(self, report: Report) -> Any:
        address = reverse("admin:accounts_user_change", args=[report.reported_id])
        return format_html('<a href="{}">{}</a>', address, report.reported)

    @admin.display(description=gettext_lazy("Game"))
    def game_link(self, report: Report) -> Any:
        if report.game_id is None:
            return "–"
        address = reverse("admin:games_game_change", args=[report.game_id])
        return format_html('<a href="{}">{}</a>', address, report.game_id)

    @admin.display(description=gettext_lazy("State"), ordering="handled_at")
    def state(self, report: Report) -> str:
        if report.handled_at is None:
            return str(gettext_lazy("Open"))
        return f"{moment(report.handled_at)}, {report.handled_by}"

    def save_model(self, request: HttpRequest, obj: Report, form: Any, change: bool) -> None:
        if form.cleaned_data["is_handled"] != (obj.handled_at is not None):
            handled = form.cleaned_data["is_handled"]
            obj.handled_at = timezone.now() if handled else None
            obj.handled_by = request.user if handled else None  # type: ignore[assignment]
        obj.save(update_fields=("note", "handled_at", "handled_by"))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
