"""What lists of finished games are read from: copies at the seats, and the index over them; what counts for a ladder."""

import django.db.models.deletion
from django.db import migrations, models

KINDS = [("hearts", "hearts"), ("spades", "spades")]
OUTCOMES = [("won", "Won"), ("draw", "Draw"), ("lost", "Lost"), ("void", "Void")]


class Migration(migrations.Migration):
    dependencies = [("games", "0050_opening")]

    operations = [
        migrations.AddField("game", "is_ranked", models.BooleanField(default=False)),
        migrations.AddField("player", "ended_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField("player", "place", models.PositiveSmallIntegerField(blank=True, null=True)),
        migrations.AddField(
            "player",
            "outcome",
            models.CharField(blank=True, choices=OUTCOMES, default="", max_length=4),
            preserve_default=False,
        ),
        migrations.AddField(
            "player",
            "kind",
            models.CharField(blank=True, choices=KINDS, default="", max_length=16),
            preserve_default=False,
        ),
        migrations.AddField(
            "player",
            "preset",
            models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                to="games.rulepreset",
            ),
        ),
        migrations.AddField("player", "is_ranked", models.BooleanField(default=False)),
        migrations.AddField("player", "is_private", models.BooleanField(default=False)),
    ]
