"""Which pages may open a socket: those of this very site, as for its forms.

A browser sends cookies to every port of a host, so a page that another program serves on another port is a stranger.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from channels.security.websocket import AllowedHostsOriginValidator, WebsocketDenier
from django.conf import settings
from django.utils.http import is_same_domain


def is_own(origin: str, host: str) -> bool:
    """Whether a page from this origin belongs to the site that was asked by this name, or is trusted as forms are."""
    parts = urlsplit(origin)
    if parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower():
        return True
    for trusted in map(urlsplit, settings.CSRF_TRUSTED_ORIGINS):
        pattern = trusted.netloc.removeprefix("*")
        if parts.scheme == trusted.scheme and parts.netloc and is_same_domain(parts.netloc.lower(), pattern):
            return True
    return False


class OriginValidator:
    """Refuses a socket with HTTP 403 before it opens unless its page is one of ours, under a name that is allowed."""

    def __init__(self, application: Any) -> None:
        self._of_allowed_host = AllowedHostsOriginValidator(application)

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        headers = dict(scope["headers"])
        origin, host = (headers.get(name, b"").decode("latin-1") for name in (b"origin", b"host"))
        try:
            own = is_own(origin, host)
        except ValueError:  # no address at all
            own = False
        if not own:
            return await WebsocketDenier()(scope, receive, send)
        return await self._of_allowed_host(scope, receive, send)
