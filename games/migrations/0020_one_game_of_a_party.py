"""A party has one running game at a time, and seven seats at most."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0010_ranked_versions"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddConstraint(
            model_name="game",
            constraint=models.UniqueConstraint(
                condition=models.Q(("party__isnull", False), ("status", "playing")),
                fields=("party",),
                name="game_of_party",
            ),
        ),
        migrations.AddConstraint(
            model_name="partymember",
            constraint=models.CheckConstraint(
                condition=models.Q(("seat__isnull", True), ("seat__lte", 6), _connector="OR"),
                name="party_seat_exists",
            ),
        ),
    ]
