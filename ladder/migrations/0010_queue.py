"""Tickets of the queue, ready checks, invitations to queue as partners, and how long people waited."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_names_settings_sessions"),
        ("ladder", "0002_changes_are_append_only"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="queuelock",
            options={"verbose_name": "queue lock", "verbose_name_plural": "queue locks"},
        ),
        migrations.CreateModel(
            name="Invite",
            fields=[
                (
                    "inviter",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("until", models.DateTimeField()),
                ("is_declined", models.BooleanField(default=False)),
                (
                    "invited",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("ladder", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="ladder.ladder")),
            ],
        ),
        migrations.CreateModel(
            name="ReadyCheck",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("cpus", models.PositiveSmallIntegerField(default=0)),
                ("until", models.DateTimeField()),
                ("ladder", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="ladder.ladder")),
            ],
        ),
        migrations.CreateModel(
            name="Ticket",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="ticket",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("rating", models.DecimalField(decimal_places=2, max_digits=7)),
                ("takes_cpu", models.BooleanField(default=False)),
                ("joined_at", models.DateTimeField()),
                ("seen_at", models.DateTimeField()),
                ("is_ready", models.BooleanField(default=False)),
                ("ladder", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="ladder.ladder")),
                (
                    "partner",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="ladder.ticket",
                    ),
                ),
                (
                    "ready_check",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="tickets",
                        to="ladder.readycheck",
                    ),
                ),
            ],
            options={
                "verbose_name": "ticket of the queue",
                "verbose_name_plural": "tickets of the queue",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("partner", models.F("user")), _negated=True), name="ticket_not_own_partner"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Wait",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("seconds", models.PositiveIntegerField()),
                ("at", models.DateTimeField()),
                ("ladder", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="ladder.ladder")),
            ],
            options={
                "indexes": [models.Index(fields=["ladder", "-at"], name="wait_recent")],
            },
        ),
    ]
