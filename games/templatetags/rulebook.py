"""For pages of the rulebook: suits in their colours, and what is code as code."""

from __future__ import annotations

import re

from django import template
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

SUITS = {"♣": "C", "♦": "D", "♥": "H", "♠": "S"}
CODE = re.compile(r"`([^`]+)`")
CARD = re.compile(r"[♣♦♥♠](?:10|[2-9JQKA])?(?![0-9A-Za-z])|[♣♦♥♠]")


@register.filter
def suits(text: str) -> SafeString:
    """Text with each card, ♠Q or ♥, in the colour of its suit and never broken in two; and with what is code marked."""
    marked = CODE.sub(r'<code translate="no">\1</code>', conditional_escape(text))
    return mark_safe(CARD.sub(lambda found: f'<span class="c-{SUITS[found[0][0]]}">{found[0]}</span>', marked))
