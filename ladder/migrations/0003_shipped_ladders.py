"""One ladder for each preset that is shipped for ranked games: four players, thirty seconds for a turn."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def load(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    versions = apps.get_model("games", "PresetVersion")
    ladders = apps.get_model("ladder", "Ladder")
    for version in versions.objects.filter(ranked_players__isnull=False).select_related("preset").order_by("-number"):
        values = {
            "kind": version.preset.kind,
            "players": version.ranked_players,
            "timer_s": 30,
            "preset_version": version,
        }
        ladders.objects.get_or_create(slug=version.preset.slug, defaults=values)


class Migration(migrations.Migration):
    dependencies = [("ladder", "0002_changes_are_append_only"), ("games", "0010_ranked_versions")]
    operations = [migrations.RunPython(load, migrations.RunPython.noop)]
