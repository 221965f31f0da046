"""Does nothing now: it added the ladders that a new site starts with, and has been applied on sites as they are.

They are added after `migrate`, from the list of shipped ladders, so that a fresh site and a running one have the same.
"""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("ladder", "0010_queue"), ("games", "0010_ranked_versions")]
    operations = []
