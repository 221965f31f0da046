"""Pages of accounts beside those of django-allauth."""

from __future__ import annotations

import json

from allauth.account.decorators import reauthentication_required
from allauth.account.models import EmailAddress
from allauth.mfa.utils import is_mfa_enabled
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.timezone import localdate
from django.utils.translation import gettext
from django.views import i18n
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import export, members, streams
from accounts.forms import CloseForm, NameForm
from accounts.models import User

#: Bytes of a message with table settings.
MOST_BODY = 4_000


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def overview(request: HttpRequest) -> HttpResponse:
    """The account at a glance; its name can be changed here."""
    user = _member(request)
    form = NameForm(request.POST if request.method == "POST" else None, user=user)
    if request.method == "POST" and form.is_valid():
        messages.success(request, gettext("Your name is changed."))
        return redirect("account")
    addresses = EmailAddress.objects.filter(user=user)
    context = {
        "form": form,
        "address": addresses.filter(primary=True).first() or addresses.first(),
        "has_second_factor": is_mfa_enabled(user),
        "kept_until": members.name_kept_until(user),
    }
    return render(request, "accounts/overview.html", context)


@login_required
@reauthentication_required
@require_safe
@never_cache
def download(request: HttpRequest, form: str) -> HttpResponseBase:
    """Everything that is stored about this user, as a file that is sent while it is made."""
    user = _member(request)
    found = export.everything(user)
    if form == "json":
        parts, kind = export.as_json(found), "application/json"
    else:
        parts, kind = export.as_text(found), "text/plain; charset=utf-8"
    extension = "json" if form == "json" else "txt"
    name = f"moonshot-{localdate().isoformat()}.{extension}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingHttpResponse(streams.sent(parts), content_type=kind, headers=headers)


@login_required
@reauthentication_required
@require_http_methods(["GET", "HEAD", "POST"])
def close(request: HttpRequest) -> HttpResponse:
    """Deletes the account, after one more question."""
    user = _member(request)
    form = CloseForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        members.close_account(user=user)
        logout(request)
        return redirect("account_closed")
    return render(request, "accounts/close.html", {"form": form})


@require_safe
def closed(request: HttpRequest) -> HttpResponse:
    """What has happened to a deleted account."""
    return render(request, "accounts/closed.html")


@require_POST
def table_settings(request: HttpRequest) -> HttpResponse:
    """Keeps what a member has set for his tables. A guest's are kept by his browser."""
    if not isinstance(request.user, User) or not request.user.is_member:
        return JsonResponse({"code": "not_signed_in"}, status=401)
    if len(request.body) > MOST_BODY:
        return JsonResponse({"code": "too_long"}, status=413)
    try:
        members.keep_table_settings(user=request.user, given=json.loads(request.body))
    except (ValueError, RecursionError):  # the second: nested without end
        return JsonResponse({"code": "malformed"}, status=400)
    return HttpResponse(status=204)


def set_language(request: HttpRequest) -> HttpResponseBase:
    """Django's own choice of a language, remembered with the account."""
    response = i18n.set_language(request)
    if request.method == "POST" and "language" in request.POST and response.cookies:
        members.remember_language(request.user, next(iter(response.cookies.values())).value)
    return response


def _member(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
