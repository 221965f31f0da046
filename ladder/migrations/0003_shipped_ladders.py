"""One ladder for each preset that is shipped for ranked games: four players, thirty seconds for a turn."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def load(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    presets = apps.get_model("games", "RulePreset")
    ladders = apps.get_model("ladder", "Ladder")
    for preset in presets.objects.filter(ranked_players__isnull=False):
        version = preset.versions.order_by("-number").first()
        if version is not None:
            values = {
                "kind": preset.kind,
                "players": preset.ranked_players,
                "timer_s": 30,
                "preset_version": version,
            }
            ladders.objects.get_or_create(slug=preset.slug, defaults=values)


class Migration(migrations.Migration):
    dependencies = [("ladder", "0002_changes_are_append_only"), ("games", "0003_shipped_presets")]
    operations = [migrations.RunPython(load, migrations.RunPython.noop)]
