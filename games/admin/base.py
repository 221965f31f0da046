"""What the admin's pages share: pages to look at, and how options are written out."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.kinds import KINDS, options_for
from games.kinds.words import kind_label
from games.presets.words import value_label
from games.rules import Refused


def column(field: str, label: Any, *, boolean: bool = False) -> Any:
    """A column, or a line of a page, that shows a field under a name of ours in the reader's language."""

    def show(self: Any, row: Any) -> Any:
        value = getattr(row, field)
        if boolean:
            return value
        return moment(value) if isinstance(value, datetime) else "–" if value is None else value

    return admin.display(description=label, ordering=field, boolean=boolean)(show)


class ByKind(admin.SimpleListFilter):
    """Rows of one kind of game."""

    title = gettext_lazy("game")
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        return [(kind, kind_label(kind)) for kind in KINDS]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        return queryset.filter(kind=self.value()) if self.value() else queryset


class LookOnly(admin.ModelAdmin):
    """Rows that are looked at. What may be done to them is an act of its own, with a page that asks first."""

    actions: Any = None
    list_per_page = 50
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def moment(at: Any) -> str:
    """A time as it is written in the reader's language, or a dash."""
    return date_format(localtime(at), "DATETIME_FORMAT") if at else "–"


def differences(kind: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """What has become another between two sets of options, in words: "End score: 50 → 60"."""
    found = []
    for option in KINDS[kind].options.declared():
        old, new = (options.get(option.name, option.default) for options in (before, after))
        if old != new:
            values = {"option": _(option.label), "old": value_label(option, old), "new": value_label(option, new)}
            found.append(_("%(option)s: %(old)s → %(new)s") % values)
    return found


def settings_of(kind: str, options: Mapping[str, Any]) -> list[str]:
    """What of some options is not the default, in words. Options that are not known any more are named as they are."""
    declared = {option.name: option for option in KINDS[kind].options.declared()} if kind in KINDS else {}
    found = []
    for name, value in options.items():
        if name not in declared:
            found.append(f"{name}: {value}")
        elif value != declared[name].default:
            option = declared[name]
            values = {"option": _(option.label), "value": value_label(option, value)}
            found.append(_("%(option)s: %(value)s") % values)
    return found


def short_rules(kind: str, options: Mapping[str, Any]) -> list[str]:
    """What of some options is not the default, in the few words of the chips at a table."""
    try:
        known = options_for(kind, options).differences()
    except Refused:  # stored under rules that have changed
        return settings_of(kind, options)
    found = []
    for option in KINDS[kind].options.declared():
        if option.name in known:
            value = known[option.name]
            words = next((allowed.chip for allowed in option.values if allowed.value == value), option.chip)
            found.append(_(words) % {"value": value} if option.type == "whole" else _(words))
    return found


def chips(texts: list[str], otherwise: str = "") -> SafeString:
    """Short texts side by side."""
    if not texts:
        return format_html('<span class="quiet">{}</span>', otherwise or _("The defaults"))
    return format_html('<ul class="chips">{}</ul>', format_html_join("", "<li>{}</li>", ((text,) for text in texts)))
