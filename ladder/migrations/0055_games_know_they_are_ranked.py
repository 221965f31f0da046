"""Says of the ranked games so far that they count for a ladder, as `services.enter` does of each new one."""

from django.db import migrations

MARK = """
update games_game g set is_ranked = true from ladder_rankedgame r where r.game_id = g.id;
update games_player p set is_ranked = true from ladder_rankedgame r
    where r.game_id = p.game_id and p.ended_at is not null;
"""


class Migration(migrations.Migration):
    dependencies = [("ladder", "0030_boards"), ("games", "0056_seats_of_games_so_far")]

    operations = [migrations.RunSQL(MARK, migrations.RunSQL.noop)]
