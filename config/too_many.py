"""The page for somebody who does something too often."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.limits import TooMany


class TooManyMiddleware:
    """Answers with 429 and when to come back, wherever `accounts.limits` has said no."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.answer(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, TooMany):
            return None
        page = render(request, "429.html", {"what": exception.what}, status=429)
        page["Retry-After"] = str(exception.seconds)
        return page
