"""Daily deals: one of a kind and day, the secret of its cards, and the one try of each user."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0060_review"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="DailyDeal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                ("kind", models.CharField(choices=[("hearts", "hearts"), ("spades", "spades")], max_length=16)),
                ("cpu_level", models.CharField(max_length=16)),
                ("cpu_version", models.CharField(max_length=16)),
                ("commitment", models.CharField(max_length=64)),
                ("code", models.CharField(blank=True, max_length=24)),
                ("secret", models.CharField(blank=True, max_length=64)),
                ("published_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "preset_version",
                    models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to="games.presetversion"),
                ),
            ],
            options={
                "verbose_name": "daily deal",
                "verbose_name_plural": "daily deals",
            },
        ),
        migrations.CreateModel(
            name="DailySecret",
            fields=[
                (
                    "daily",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        serialize=False,
                        to="games.dailydeal",
                    ),
                ),
                ("code", models.CharField(max_length=24)),
                ("secret", models.BinaryField()),
            ],
        ),
        migrations.CreateModel(
            name="DailyTry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("began_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("is_late", models.BooleanField(default=False)),
                ("is_sealed", models.BooleanField(default=True)),
                ("place", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("score", models.IntegerField(blank=True, null=True)),
                ("edge", models.IntegerField(blank=True, null=True)),
                ("deals", models.JSONField(default=list)),
                (
                    "daily",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="tries", to="games.dailydeal"
                    ),
                ),
                (
                    "game",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="daily_try", to="games.game"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="dailydeal",
            constraint=models.UniqueConstraint(fields=("day", "kind"), name="daily_deal_of_day"),
        ),
        migrations.AddIndex(
            model_name="dailytry",
            index=models.Index(fields=["daily", "place", "-edge"], name="daily_board"),
        ),
        migrations.AddIndex(
            model_name="dailytry",
            index=models.Index(
                condition=models.Q(("ended_at__isnull", False), ("is_sealed", True)),
                fields=["daily"],
                name="daily_to_publish",
            ),
        ),
        migrations.AddConstraint(
            model_name="dailytry",
            constraint=models.UniqueConstraint(fields=("daily", "user"), name="daily_try_once"),
        ),
    ]
