"""What all parts of the read API share: how answers are written, pages that go on where the last one ended, faults."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Annotated, Any

from ninja import Query, Schema
from pydantic import ConfigDict, Field

#: Entries of a page, unless fewer or more are asked for.
USUAL, MOST = 50, 100

Cursor = Annotated[
    str,
    Query(default="", max_length=200, description="`next` of the page before; left out for the first page"),
]
Limit = Annotated[int, Query(default=USUAL, ge=1, le=MOST, description="entries of a page")]


class BadCursor(Exception):
    """A cursor that this site has not given out."""


class Answer(Schema):
    """An answer or a part of one: just the keys that are described."""

    model_config = ConfigDict(extra="forbid", from_attributes=True)


class Fault(Answer):
    """Why there is no answer."""

    code: str = Field(description="`not_found`, `invalid`, `bad_cursor`, `too_many`, `not_allowed`, `server_error`, …")
    message: str = Field(description="the same for people, in English")
    faults: list[str] = Field(default=[], description="of `invalid`: each parameter that is wrong, and why")


#: What every address may answer beside what it is for.
FAULTS: dict[Any, Any] = {frozenset({404, 422, 429, 500}): Fault}


def cursor_of(*values: int | str) -> str:
    """The place after an entry, from what its list is ordered by."""
    text = json.dumps(values, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def values_of(cursor: str, *kinds: type) -> list[Any]:
    """What a cursor was made from. Raises BadCursor."""
    try:
        values = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError):
        raise BadCursor from None
    if not isinstance(values, list) or [type(value) for value in values] != list(kinds):
        raise BadCursor
    if any(isinstance(value, int) and abs(value) >= 2**62 for value in values):
        raise BadCursor
    return values
