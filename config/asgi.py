"""HTTP to Django; WebSocket through the origin check and the session to the tables."""

from __future__ import annotations

import os

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
http = get_asgi_application()

from config.origins import OriginValidator  # noqa: E402 - needs the settings
from games.routing import websocket_urlpatterns  # noqa: E402 - needs the apps to be loaded
from ladder.routing import websocket_urlpatterns as queue_urlpatterns  # noqa: E402

application = ProtocolTypeRouter(
    {
        "http": http,
        # Those of the games end with one that answers to every address.
        "websocket": OriginValidator(AuthMiddlewareStack(URLRouter([*queue_urlpatterns, *websocket_urlpatterns]))),
    }
)
