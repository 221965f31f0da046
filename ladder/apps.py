from importlib import import_module

from django.apps import AppConfig


class LadderConfig(AppConfig):
    name = "ladder"

    def ready(self) -> None:
        import_module("ladder.receivers")
        import_module("ladder.queue.receivers")
