"""Writes the end of every game so far at its seats, from the stored result and the last entry of the log."""

from django.db import migrations

#: As `games.log.endings` writes it. The first place is shared where more seats have it than a side has.
FILL = """
update games_player p set
    ended_at = coalesce(a.created_at, g.moved_at),
    place = (g.result -> 'placings' ->> p.seat)::int,
    outcome = case
        when g.result is null then 'void'
        when (g.result -> 'placings' ->> p.seat)::int > 1 then 'lost'
        when (select count(*) from jsonb_array_elements_text(g.result -> 'placings') e where e::int = 1)
            > g.players / jsonb_array_length(g.result -> 'scores') then 'draw'
        else 'won' end,
    kind = g.kind,
    preset_id = v.preset_id,
    is_private = g.is_private
from games_game g
left join games_action a on a.game_id = g.id and a.ply = g.ply
left join games_presetversion v on v.id = g.preset_version_id
where g.id = p.game_id and g.status in ('finished', 'void')
"""


class Migration(migrations.Migration):
    dependencies = [("games", "0055_seats_of_ended_games")]

    operations = [
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
