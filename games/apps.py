from importlib import import_module

from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy


class GamesConfig(AppConfig):
    name = "games"
    verbose_name = gettext_lazy("Games")

    def ready(self) -> None:
        from games.after_migrate import complete  # noqa: PLC0415 - models cannot be imported before

        post_migrate.connect(complete, sender=self, dispatch_uid="games.after_migrate")
        for room in ("account_data", "checks", "daily.services", "parties.games", "statistics.services"):
            import_module(f"games.{room}")  # they answer signals and what accounts ask, in every process
