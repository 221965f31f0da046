"""Which kinds there are is said by the program alone: another kind needs no migration."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0067_public_games"),
    ]

    operations = [
        migrations.AlterField(
            model_name="dailydeal",
            name="kind",
            field=models.CharField(max_length=16),
        ),
        migrations.AlterField(
            model_name="game",
            name="kind",
            field=models.CharField(max_length=16),
        ),
        migrations.AlterField(
            model_name="player",
            name="kind",
            field=models.CharField(blank=True, max_length=16),
        ),
        migrations.AlterField(
            model_name="rulepreset",
            name="kind",
            field=models.CharField(max_length=16),
        ),
    ]
