"""Pages of accounts are for members and visitors: a guest is a visitor there, who may log in or sign up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse

from accounts.models import User

PREFIX = "/account/"
#: Where passwords are typed nothing runs, and nothing is asked for, but the site's own files.
POLICY = (
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


def guest_of(request: HttpRequest) -> User | None:
    """The guest of this browser on a page of accounts."""
    guest = getattr(request, "guest", None)
    return guest if isinstance(guest, User) else None


class AccountPagesMiddleware:
    """After Django's authentication and before allauth's middleware."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if _is_account_page(request):
            response.headers.setdefault("Content-Security-Policy", POLICY)
            response.headers.setdefault("Cache-Control", "private, no-store")
        return response

    def process_view(self, request: HttpRequest, _view: Any, _args: Any, _kwargs: Any) -> None:
        """Notes the guest and the session's key, either of which the view may change."""
        if not _is_account_page(request):
            return
        request.session_key_before = request.session.session_key  # type: ignore[attr-defined]
        if isinstance(request.user, User) and request.user.is_guest:
            request.guest = request.user  # type: ignore[attr-defined]
            request.user = AnonymousUser()


def _is_account_page(request: HttpRequest) -> bool:
    return request.path_info.startswith(PREFIX)
