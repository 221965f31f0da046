from django.apps import AppConfig


class GamesConfig(AppConfig):
    name = "games"

    def ready(self) -> None:
        """Whoever listens to the end of a game does so in every process."""
        from games import party_games  # noqa: F401, PLC0415 - needs the models
