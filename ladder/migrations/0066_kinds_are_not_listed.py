"""Which kinds there are is said by the program alone: another kind needs no migration."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("ladder", "0065_boards_from_indexes"),
    ]

    operations = [
        migrations.AlterField(
            model_name="ladder",
            name="kind",
            field=models.CharField(max_length=16),
        ),
    ]
