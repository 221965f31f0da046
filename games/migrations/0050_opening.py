"""Games whose cards are being prepared: nonces of seats, and `open` as a status of running games. Games of one code."""

from django.conf import settings
from django.db import migrations, models

RUNNING = models.Q(("status__in", ("open", "playing")))


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0030_history"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="game", name="game_of_party"),
        migrations.RemoveIndex(model_name="game", name="game_deadline"),
        migrations.AddField(
            model_name="game",
            name="cards",
            field=models.CharField(choices=[("drawn", "Drawn"), ("given", "Given")], default="drawn", max_length=8),
        ),
        migrations.AddField(
            model_name="player",
            name="nonce",
            field=models.CharField(blank=True, max_length=64),
        ),
        migrations.AddIndex(
            model_name="game",
            index=models.Index(condition=RUNNING, fields=["deadline_at"], name="game_deadline"),
        ),
        migrations.AddIndex(
            model_name="game",
            index=models.Index(
                condition=models.Q(("code", ""), _negated=True), fields=["code", "-id"], name="game_code"
            ),
        ),
        migrations.AddConstraint(
            model_name="game",
            constraint=models.UniqueConstraint(
                condition=models.Q(("party__isnull", False)) & RUNNING,
                fields=("party",),
                name="game_of_party",
            ),
        ),
    ]
