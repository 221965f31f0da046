from importlib import import_module

from django.apps import AppConfig


class GamesConfig(AppConfig):
    name = "games"

    def ready(self) -> None:
        import_module("games.account_data")  # answers what accounts ask
