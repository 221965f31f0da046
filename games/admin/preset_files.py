"""Presets out to a file and in from one, as pages of the admin."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.admin.base import differences, settings_of
from games.kinds.words import kind_label
from games.presets import services as preset_store
from games.presets.drafts import MOST_BYTES, BadPresets, Draft, from_bytes
from games.presets.models import RulePreset
from games.presets.services import Change

LABELS = {
    "players": lambda: _("Numbers of players"),
    "name": lambda: _("Name in English"),
    "name_ja": lambda: _("Name in Japanese"),
    "note": lambda: _("Note in English"),
    "note_ja": lambda: _("Note in Japanese"),
    "order": lambda: _("Place in lists"),
    "is_active": lambda: _("Offered"),
    "choices": lambda: _("What a party may change"),
    "ranked_players": lambda: _("Ranked"),
}


def download(presets: Iterable[RulePreset]) -> HttpResponse:
    """A file of presets."""
    answer = HttpResponse(preset_store.export(presets), content_type="application/json; charset=utf-8")
    answer["Content-Disposition"] = 'attachment; filename="presets.json"'
    return answer


@dataclass(frozen=True, slots=True)
class Row:
    """One preset of an import, as it is shown before anything is stored."""

    slug: str
    kind: str
    what: str
    mark: str  # new, version, change or same
    changes: list[str]


class ImportPage:
    """One request to the import: a file to look at, or one that was looked at to be stored."""

    def __init__(self, request: HttpRequest) -> None:
        self.fault: BadPresets | None = None
        self.rows: list[Row] = []
        self.text = ""
        self.looked_at = ""  # what was shown, which is what may be stored
        self.is_stale = False
        self.is_done = False
        self.summary = ""
        if request.method == "POST":
            try:
                self._read(request)
            except BadPresets as fault:
                self.fault = fault

    def _read(self, request: HttpRequest) -> None:
        raw = self._raw(request)
        drafts = from_bytes(raw)
        self.text = raw.decode("utf-8-sig")
        changes = preset_store.plan_all(drafts)
        self.looked_at = preset_store.plan_mark(changes)
        if "store" in request.POST:
            if self._store(drafts, request):
                return
            changes = preset_store.plan_all(drafts)
            self.looked_at, self.is_stale = preset_store.plan_mark(changes), True
        self.rows = [_row(change) for change in changes]

    def _store(self, drafts: list[Draft], request: HttpRequest) -> bool:
        """Stores the file if that still does what was shown."""
        try:
            stored = preset_store.store_all(drafts, by=request.user, looked_at=request.POST.get("looked_at", ""))
        except preset_store.PlanChanged:
            return False
        self.is_done = True
        changed = sum(change.is_any for change in stored)
        text = ngettext("%(count)s preset was imported.", "%(count)s presets were imported.", changed)
        self.summary = text % {"count": changed}
        return True

    def _raw(self, request: HttpRequest) -> bytes:
        file: Any = request.FILES.get("file")
        if file is not None:
            if file.size > MOST_BYTES:
                raise BadPresets("", _("The file is larger than %(most)s bytes.") % {"most": MOST_BYTES})
            return bytes(file.read())
        text = request.POST.get("text", "")
        if not text.strip():
            raise BadPresets("", _("Choose a file, or paste its text."))
        return text.encode("utf-8", "replace")

    @property
    def changes_anything(self) -> bool:
        return any(row.mark != "same" for row in self.rows)


def _row(change: Change) -> Row:
    draft, before = change.draft, change.before
    kind = kind_label(draft.kind)
    if before is None:
        return Row(draft.slug, kind, _("New"), "new", settings_of(draft.kind, draft.options or {}))
    changes = []
    for name in change.changed:
        if name == "options":
            changes += differences(draft.kind, before.options or {}, draft.options or {})
        else:
            changes.append(_change(name, before, draft))
    if not change.is_any:
        return Row(draft.slug, kind, _("As it is"), "same", [])
    if change.makes_version:
        return Row(draft.slug, kind, _("New version"), "version", changes)
    return Row(draft.slug, kind, _("Changed"), "change", changes)


def _change(name: str, before: Draft, draft: Draft) -> str:
    old, new = (_shown(getattr(part, name)) for part in (before, draft))
    if name in ("choices", "note", "note_ja"):
        return LABELS[name]()
    return _("%(option)s: %(old)s → %(new)s") % {"option": LABELS[name](), "old": old, "new": new}


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "–" if value in (None, "") else str(value)
