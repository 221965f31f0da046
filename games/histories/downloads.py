"""Answers that a browser saves as a file."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from django.http import HttpResponse, StreamingHttpResponse

from accounts.streams import sent


def attached(content: bytes, kind: str, name: str) -> HttpResponse:
    """A file that is there as a whole."""
    return HttpResponse(content, content_type=kind, headers=headers_of(name))


def streamed(parts: Iterator[bytes], kind: str, name: str) -> StreamingHttpResponse:
    """A file that is sent while it is made."""
    body: AsyncIterator[bytes] = sent(parts)
    return StreamingHttpResponse(body, content_type=kind, headers=headers_of(name))


def headers_of(name: str) -> dict[str, str]:
    """What has a browser save an answer, as what it is said to be."""
    return {"Content-Disposition": f'attachment; filename="{name}"', "X-Content-Type-Options": "nosniff"}
