"""Whether a ladder may use a preset is said of a version; versions are never changed; users can be muted."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

RANKED_BY_VERSION = """
update games_presetversion version set ranked_players = preset.ranked_players
from games_rulepreset preset
where preset.id = version.preset_id and not exists (
    select from games_presetversion later where later.preset_id = preset.id and later.number > version.number);
"""
RANKED_BY_PRESET = """
update games_rulepreset preset set ranked_players = version.ranked_players
from games_presetversion version
where preset.id = version.preset_id and not exists (
    select from games_presetversion later where later.preset_id = preset.id and later.number > version.number);
"""
FROZEN = """
create function games_presetversion_is_frozen() returns trigger language plpgsql as $$
begin
    raise exception 'a version of a preset is never changed' using errcode = 'restrict_violation';
end $$;
create trigger games_presetversion_frozen before update on games_presetversion for each row
    when ((old.id, old.preset_id, old.number, old.options, old.choices, old.created_at)
          is distinct from (new.id, new.preset_id, new.number, new.options, new.choices, new.created_at))
    execute function games_presetversion_is_frozen();
"""
THAWED = """
drop trigger games_presetversion_frozen on games_presetversion;
drop function games_presetversion_is_frozen();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0004_parties_votes_reports"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="presetversion",
            name="ranked_players",
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
        migrations.RunSQL(RANKED_BY_VERSION, RANKED_BY_PRESET),
        migrations.RemoveField(model_name="rulepreset", name="ranked_players"),
        migrations.AlterField(
            model_name="presetversion",
            name="preset",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="versions", to="games.rulepreset"
            ),
        ),
        migrations.RunSQL(FROZEN, THAWED),
        migrations.CreateModel(
            name="Mute",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("until_at", models.DateTimeField(blank=True, null=True)),
                ("reason", models.CharField(blank=True, max_length=300)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="mute",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={"verbose_name": "mute", "verbose_name_plural": "mutes"},
        ),
        migrations.AlterModelOptions(
            name="game",
            options={
                "permissions": [("void_game", "Can close a game without a result")],
                "verbose_name": "game",
                "verbose_name_plural": "games",
            },
        ),
        migrations.AlterModelOptions(name="party", options={"verbose_name": "party", "verbose_name_plural": "parties"}),
        migrations.AlterModelOptions(
            name="presetversion",
            options={"verbose_name": "version of a preset", "verbose_name_plural": "versions of presets"},
        ),
        migrations.AlterModelOptions(
            name="report",
            options={"ordering": ("-created_at",), "verbose_name": "report", "verbose_name_plural": "reports"},
        ),
        migrations.AlterModelOptions(
            name="rulepreset",
            options={
                "ordering": ("kind", "order", "slug"),
                "verbose_name": "rule preset",
                "verbose_name_plural": "rule presets",
            },
        ),
    ]
