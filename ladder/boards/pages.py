"""What pages of the ladder have in common."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from accounts.models import User
from ladder.rating.standing import ZONE as TOKYO


def shown_page(request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    """A page whose days are those of the ladder, in Tokyo."""
    with timezone.override(TOKYO):
        return render(request, template, context)


def member_of(request: HttpRequest) -> User | None:
    """Who asks, if that is somebody with an account."""
    return request.user if isinstance(request.user, User) and request.user.is_member else None
