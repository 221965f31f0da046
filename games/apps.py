from django.apps import AppConfig
from django.db.models.signals import post_migrate


class GamesConfig(AppConfig):
    name = "games"

    def ready(self) -> None:
        from games.support import make_group  # noqa: PLC0415 - models cannot be imported before

        post_migrate.connect(make_group, sender=self, dispatch_uid="games.support")
