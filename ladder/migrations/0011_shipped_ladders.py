"""The ladders that a new site starts with."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from ladder.shipped import load_shipped


def load(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    load_shipped(apps.get_model("ladder", "Ladder"), apps.get_model("games", "PresetVersion"))


class Migration(migrations.Migration):
    dependencies = [("ladder", "0010_queue"), ("games", "0010_ranked_versions")]
    operations = [migrations.RunPython(load, migrations.RunPython.noop)]
