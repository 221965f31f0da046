"""Does nothing now: it added the presets that a new site starts with, and has been applied on sites as they are.

They are added after `migrate`, from the list of shipped presets, so that a fresh site and a running one have the same.
"""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("games", "0002_log_is_append_only")]
    operations = []
