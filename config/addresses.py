"""Addresses that can be nobody's: those with a NUL, which no text in the database can hold."""

from __future__ import annotations

from collections.abc import Callable

from django.http import Http404, HttpRequest, HttpResponse

NUL = "\0"


class NoNuls:
    """There is nothing at an address with a NUL in it, be it in the path or in the query."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if NUL in request.path_info or any(NUL in value for values in request.GET.lists() for value in values[1]):
            raise Http404
        return self.answer(request)
