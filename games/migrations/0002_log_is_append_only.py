"""The log of actions refuses UPDATE always, and DELETE unless a purge says so for its own transaction.

TRUNCATE is for tests alone, which empty their database between two of them.
"""

from django.db import migrations

FORWARDS = """
create function games_action_is_append_only() returns trigger language plpgsql as $$
begin
    if tg_op = 'DELETE' and current_setting('moonshot.purge', true) = 'on' then
        return old;
    end if;
    if tg_op = 'TRUNCATE' and current_setting('moonshot.truncate', true) = 'on' then
        return null;
    end if;
    raise exception 'the log of actions is append-only' using errcode = 'restrict_violation';
end $$;
create trigger games_action_append_only before update or delete on games_action
    for each row execute function games_action_is_append_only();
create trigger games_action_no_truncate before truncate on games_action
    for each statement execute function games_action_is_append_only();
alter table games_game set (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
"""
BACKWARDS = """
drop trigger games_action_append_only on games_action;
drop trigger games_action_no_truncate on games_action;
drop function games_action_is_append_only();
"""


class Migration(migrations.Migration):
    dependencies = [("games", "0001_initial")]
    operations = [migrations.RunSQL(FORWARDS, BACKWARDS)]
