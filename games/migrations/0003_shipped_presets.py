"""The presets that a new site starts with."""

from typing import Any

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from games.presets.shipped import SHIPPED


def load(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    presets: Any = apps.get_model("games", "RulePreset")
    versions = apps.get_model("games", "PresetVersion")
    for order, preset in enumerate(SHIPPED):
        made = presets.objects.create(
            slug=preset.slug,
            kind=preset.kind,
            players=list(preset.players),
            name=preset.name,
            note=preset.note,
            ranked_players=preset.ranked,
            order=order,
        )
        choices = None if preset.choices is None else {name: list(values) for name, values in preset.choices.items()}
        versions.objects.create(preset=made, number=1, options=preset.options, choices=choices)


class Migration(migrations.Migration):
    dependencies = [("games", "0002_log_is_append_only")]
    operations = [migrations.RunPython(load, migrations.RunPython.noop)]
