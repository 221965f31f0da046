"""Pages for recorded games that somebody has brought along: opened from a file or a text, shown as a replay."""

from __future__ import annotations

import io
from typing import Any

from django import forms
from django.core.exceptions import RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe

from accounts import limits
from accounts.services import player_of
from games.histories import opened_records, record_files, records
from games.histories.downloads import attached
from games.histories.models import OpenedRecord
from games.histories.records import notation

#: Bytes of a file, which may have many games; those of a text are what Django takes of a form.
MOST_BYTES = 32_000_000
OPENED_A_MINUTE = 10


class RecordForm(forms.Form):
    """A recorded game: a file, or the text itself."""

    file = forms.FileField(
        required=False,
        label=gettext_lazy("File"),
        widget=forms.FileInput(attrs={"accept": ".json,.jsonl,.txt,application/json,text/plain"}),
    )
    text = forms.CharField(
        required=False,
        label=gettext_lazy("Or its text"),
        strip=False,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false", "autocomplete": "off"}),
    )
    number = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=1_000_000,
        label=gettext_lazy("Number of the game, if there are several"),
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )

    def record(self) -> records.Record:
        """What was brought along. Raises BadRecord."""
        file, text = self.cleaned_data["file"], self.cleaned_data["text"]
        lines = record_files.lines_of(file or io.BytesIO(text.encode()))
        return record_files.one_of(lines, self.cleaned_data["number"])

    def clean(self) -> dict[str, Any]:
        """A file or a text has to be there."""
        given = self.cleaned_data
        if not self.errors and not given.get("file") and not (given.get("text") or "").strip():
            raise forms.ValidationError(_("Choose a file, or put in the text of a recorded game."))
        return given


@csrf_exempt  # `_open` is protected: here what is too large is turned away before it is read
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def open_record(request: HttpRequest) -> HttpResponse:
    """Opens a recorded game."""
    length = request.headers.get("Content-Length", "")
    if length.isdecimal() and len(length) < 19 and int(length) > MOST_BYTES:
        return _too_large(request)
    try:
        return _open(request)
    except RequestDataTooBig:
        return _too_large(request)


@csrf_protect
def _open(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return _page(request, RecordForm(), 200)
    form = RecordForm(request.POST, request.FILES)
    limits.count("records", limits.address_of(request), OPENED_A_MINUTE)
    if form.is_valid():
        try:
            record = form.record()
            records.followed(record)
            notation.to_text(record)  # both files can be had of what is kept
        except records.BadRecord as bad:
            form.add_error(None, opened_records.sentence(bad))
        else:
            return redirect("opened", opened_records.keep(player_of(request), record).code)
    return _page(request, form, 400)


def _page(request: HttpRequest, form: RecordForm, status: int) -> HttpResponse:
    context = {"form": form, "kept": opened_records.list_of(request.user), "days": opened_records.KEPT_FOR.days}
    return render(request, "games/histories/open_record.html", context, status=status)


def _too_large(request: HttpRequest) -> HttpResponse:
    said = _("That is too large: a file may have 32 MB, and a text that is pasted 2 MB.")
    return render(request, "games/histories/too_large.html", {"said": said}, status=413)


@require_safe
@never_cache
def opened(request: HttpRequest, code: str) -> HttpResponse:
    """A recorded game step by step."""
    kept, record = _found(request, code)
    files = {"json": reverse("opened_json", args=(code,)), "text": reverse("opened_text", args=(code,))}
    began_at = records.entries_of(record)[0].created_at
    replay = {**opened_records.replay_of(record), "files": files}
    game = {"created_at": began_at, "opened_until": kept.created_at + opened_records.KEPT_FOR}
    return render(request, "games/histories/replay.html", {"game": game, "replay": replay})


@require_safe
@never_cache
def opened_json(request: HttpRequest, code: str) -> HttpResponse:
    """The record as JSON: to the byte what the site would export."""
    _kept, record = _found(request, code)
    return attached(records.to_bytes(record), "application/json", f"moonshot-{code}.json")


@require_safe
@never_cache
def opened_text(request: HttpRequest, code: str) -> HttpResponse:
    """The record in the text notation."""
    _kept, record = _found(request, code)
    return attached(notation.to_text(record).encode(), "text/plain; charset=utf-8", f"moonshot-{code}.txt")


def _found(request: HttpRequest, code: str) -> tuple[OpenedRecord, records.Record]:
    kept = opened_records.kept_by(request.user, code)
    if kept is None:
        raise Http404
    return kept, opened_records.record_of(kept)
