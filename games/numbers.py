"""Whole numbers that come with an address, a form or a message."""

from __future__ import annotations

#: So long that every key of a row fits, and none is too large for Postgres.
MOST_DIGITS = 18


def number_in(text: str, digits: int = MOST_DIGITS) -> int | None:
    """A number from 0 on, written as the site writes it; None for anything else, which counts as left out."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= digits else None
