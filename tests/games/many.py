"""Very many rows in a moment: copies of one row, but for the columns that are said to differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import connection
from django.db.models import Model


def spread(
    row: Model, source: str, columns: Mapping[str, str], values: Mapping[str, Any], *, where: str = "true"
) -> None:
    """Inserts a copy of a row (named `t` in the SQL) for each one of a source, with these columns, given as SQL.

    Whatever columns a table gets in time, the copies have them.
    """
    table = row._meta.db_table
    names = [str(field.column) for field in row._meta.concrete_fields if field.column != "id" or "id" in columns]
    listed = ", ".join(columns.get(name, f"t.{name}") for name in names)
    with connection.cursor() as cursor:
        cursor.execute(
            f"insert into {table} ({', '.join(names)}) select {listed} from {table} t, {source} "
            f"where t.id = %(row)s and {where} on conflict do nothing",
            {**values, "row": row.pk},
        )
