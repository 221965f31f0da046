"""Addresses of sockets."""

from django.urls import path, re_path

from games.parties.consumers import LobbyConsumer, PartyConsumer
from games.tables.consumers import NoSuchSocket, TableConsumer

websocket_urlpatterns = [
    path("ws/game/<int:game_id>/", TableConsumer.as_asgi()),
    path("ws/party/<str:code>/", PartyConsumer.as_asgi()),
    path("ws/lobby/", LobbyConsumer.as_asgi()),
    re_path(r"", NoSuchSocket.as_asgi()),  # a clear answer instead of an error of the server
]
