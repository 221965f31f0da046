from importlib import import_module

from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy


class GamesConfig(AppConfig):
    name = "games"
    verbose_name = gettext_lazy("Games")

    def ready(self) -> None:
        from games import (  # noqa: PLC0415 - hear of the end of games, in every process
            dailies,  # noqa: F401
            deal_statistics,  # noqa: F401
            party_games,  # noqa: F401
        )
        from games.after_migrate import complete  # noqa: PLC0415 - models cannot be imported before

        post_migrate.connect(complete, sender=self, dispatch_uid="games.after_migrate")
        import_module("games.account_data")  # answers what accounts ask
