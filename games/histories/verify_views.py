"""The file that checks games without the site."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from games.histories.downloads import attached
from games.kinds.checks import files
from games.verify import build


@require_safe
def verify_file(request: HttpRequest) -> HttpResponse:
    """`verify.py`, put together from the checks of the kinds that are played here."""
    return attached(_built(tuple(files().items())), "text/x-python; charset=utf-8", "verify.py")


@lru_cache(maxsize=1)
def _built(kinds: tuple[tuple[str, Path], ...]) -> bytes:
    return build.source(dict(kinds)).encode()
