"""An index for a user's history: his seats, those of the latest games first. The user's own index is part of it."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("games", "0020_one_game_of_a_party")]

    operations = [
        migrations.AddIndex(
            model_name="player",
            index=models.Index(fields=("user", "-game"), condition=models.Q(user__isnull=False), name="player_history"),
        ),
        migrations.AlterField(
            model_name="player",
            name="user",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                to=settings.AUTH_USER_MODEL,
            ),
        ),
    ]
