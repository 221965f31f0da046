"""Django's Postgres backend, with a pool that gets over a restart of the server at once.

The pool looks at a connection before it is used. A dead one costs a pause, and each further one twice as long a pause:
after a restart, with a few idle connections, the next page would wait until it fails. Here the first dead one has all
idle connections looked at, so that the dead are replaced together and the pause is a single one.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from django.db.backends.postgresql import base
from psycopg_pool import ConnectionPool


def check_all(pool: ConnectionPool[Any], connection: Any) -> None:
    """Raises if the connection is dead, after the pool has thrown out whatever else is."""
    try:
        pool.check_connection(connection)
    except Exception:
        pool.check()
        raise


class DatabaseWrapper(base.DatabaseWrapper):
    @property
    def pool(self) -> Any:
        """The pool of this database, made with the first use."""
        found = super().pool
        if found is not None:
            # Django gives the pool a check of its own and takes no other. That the pool goes by this name, and that it
            # would be too slow without, tests/games/log/test_races.py holds: a page waits once.
            found._check = partial(check_all, found)
        return found
