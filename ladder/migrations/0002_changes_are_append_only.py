"""Rating changes are never changed or deleted. TRUNCATE is for tests alone, as for the log of actions."""

from django.db import migrations

FORWARDS = """
create function ladder_change_is_append_only() returns trigger language plpgsql as $$
begin
    if tg_op = 'TRUNCATE' and current_setting('moonshot.truncate', true) = 'on' then
        return null;
    end if;
    raise exception 'rating changes are append-only' using errcode = 'restrict_violation';
end $$;
create trigger ladder_change_append_only before update or delete on ladder_ratingchange
    for each row execute function ladder_change_is_append_only();
create trigger ladder_change_no_truncate before truncate on ladder_ratingchange
    for each statement execute function ladder_change_is_append_only();
"""
BACKWARDS = """
drop trigger ladder_change_append_only on ladder_ratingchange;
drop trigger ladder_change_no_truncate on ladder_ratingchange;
drop function ladder_change_is_append_only();
"""


class Migration(migrations.Migration):
    dependencies = [("ladder", "0001_initial")]
    operations = [migrations.RunSQL(FORWARDS, BACKWARDS)]
