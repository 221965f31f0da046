"""Addresses of the ladder's sockets."""

from django.urls import path

from ladder.queue.consumers import QueueConsumer

websocket_urlpatterns = [path("ws/queue/", QueueConsumer.as_asgi())]
