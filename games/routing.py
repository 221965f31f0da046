"""Addresses of sockets."""

from django.urls import path

from games.consumers import TableConsumer

websocket_urlpatterns = [path("ws/game/<int:game_id>/", TableConsumer.as_asgi())]
