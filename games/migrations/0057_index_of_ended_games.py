"""The index that lists of finished games are read by; made after the seats were filled."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("games", "0056_seats_of_games_so_far")]

    operations = [
        migrations.AddIndex(
            "player",
            models.Index(
                condition=models.Q(("ended_at__isnull", False), ("user__isnull", False)),
                fields=["user", "-ended_at", "-game"],
                include=("outcome", "kind", "preset", "is_ranked", "is_private"),
                name="player_ended",
            ),
        ),
    ]
