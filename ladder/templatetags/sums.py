"""Numbers of the ladder as people write them."""

from __future__ import annotations

from decimal import Decimal

from django import template

from ladder.guide.how import fraction
from ladder.rating.receipts import MINUS, signed

register = template.Library()
register.filter("fraction", fraction)
register.filter("signed", signed)


@register.filter
def exact(value: Decimal, places: int = 4) -> str:
    """A number of a sum with all its places: 0.4150, −0.0283."""
    text = f"{abs(value):.{places}f}"
    return f"{MINUS}{text}" if value < 0 and Decimal(text) else text


@register.filter
def term(value: Decimal, places: int = 4) -> str:
    """A number as a later term of a sum: + 0.4150, − 0.0283."""
    return f"{MINUS if value < 0 else '+'} {abs(value):.{places}f}"
