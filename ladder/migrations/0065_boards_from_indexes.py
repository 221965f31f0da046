"""Indexes that hold all a board is picked and ordered by, so that no row before a page is read."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("ladder", "0055_games_know_they_are_ranked"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name="rating",
            name="rating_board",
        ),
        migrations.RemoveIndex(
            model_name="rating",
            name="rating_listed",
        ),
        migrations.RemoveIndex(
            model_name="seasonrating",
            name="season_listed",
        ),
        migrations.AddIndex(
            model_name="rating",
            index=models.Index(
                condition=models.Q(("games__gte", 30)),
                fields=["ladder", "-rating", "user"],
                include=("last_game_at",),
                name="rating_board",
            ),
        ),
        migrations.AddIndex(
            model_name="seasonrating",
            index=models.Index(
                condition=models.Q(("games__gte", 20)),
                fields=["ladder", "season", "-rating", "user"],
                name="season_board",
            ),
        ),
    ]
