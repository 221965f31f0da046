from importlib import import_module

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class LadderConfig(AppConfig):
    name = "ladder"

    def ready(self) -> None:
        from ladder.after_migrate import complete  # noqa: PLC0415 - models cannot be imported before

        post_migrate.connect(complete, sender=self, dispatch_uid="ladder.after_migrate")
        import_module("ladder.receivers")
        import_module("ladder.queue.receivers")
