"""The addresses of a page that has one for each language."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import translate_url


def addresses(request: HttpRequest, path: str = "") -> dict[str, Any]:
    """The canonical address of a page and its other languages."""
    path = path or request.path
    return {"canonical": request.build_absolute_uri(path), "alternates": alternates(request, path)}


def alternates(request: HttpRequest, path: str) -> list[dict[str, str]]:
    """The page in each language, and without one, where it follows the reader's."""
    found = [
        {"language": code, "address": request.build_absolute_uri(translate_url(path, code))}
        for code, _ in settings.LANGUAGES
    ]
    neutral = "/" + path.split("/", 2)[2]
    return [*found, {"language": "x-default", "address": request.build_absolute_uri(neutral)}]
