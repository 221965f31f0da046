"""An index for the list of finished games that everybody may see, the latest first."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("games", "0066_deal_statistics")]

    operations = [
        migrations.AddIndex(
            model_name="game",
            index=models.Index(
                fields=("-moved_at", "-id"),
                condition=models.Q(status="finished", is_private=False),
                name="game_public_ended",
            ),
        ),
    ]
