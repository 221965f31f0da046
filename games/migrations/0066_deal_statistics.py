"""The public statistics of deals: counts, and games to be counted, which at first are all that are finished."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0065_daily_deals"),
    ]

    operations = [
        migrations.CreateModel(
            name="Uncounted",
            fields=[
                (
                    "game",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="games.game",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Tally",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=24)),
                ("value", models.CharField(max_length=24)),
                ("count", models.PositiveBigIntegerField(default=0)),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("name", "value"), name="tally_of_value")],
            },
        ),
        migrations.RunSQL(
            "insert into games_uncounted (game_id) select id from games_game where status = 'finished'",
            migrations.RunSQL.noop,
        ),
    ]
