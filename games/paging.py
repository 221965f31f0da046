"""Pages of a long list, each of which begins where the one before has ended: at the values of its last entry.

Unlike pages with numbers they cost the same however far back they are, and an entry that joins the list meanwhile moves
none of them. How the place is written in an address is the matter of whoever shows the list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from django.db.models import Q, QuerySet

R = TypeVar("R", bound=QuerySet[Any, Any])
T = TypeVar("T")


def after(rows: R, order: Sequence[str], values: Sequence[Any] | None) -> R:
    """The rows in this order, as `order_by` takes it: of all of them those behind an entry with such values.

    No two rows may have the same values. Without values it is the whole list.
    """
    ordered = rows.order_by(*order)
    return ordered if values is None else ordered.filter(_behind(order, values))


def _behind(order: Sequence[str], values: Sequence[Any]) -> Q:
    """With more than one field the first condition is what an index can begin at, and the rest sees to equals."""
    (field, *others), (value, *rest) = order, values
    name, compared = field.removeprefix("-"), "lt" if field.startswith("-") else "gt"
    behind = Q((f"{name}__{compared}", value))
    if not others:
        return behind
    return Q((f"{name}__{compared}e", value)) & (behind | _behind(others, rest))


def cut(rows: QuerySet[Any, T], size: int) -> tuple[list[T], T | None]:
    """The first rows, and the last of them if there are more: where the next page goes on."""
    found = list(rows[: size + 1])
    return found[:size], found[size - 1] if len(found) > size else None
