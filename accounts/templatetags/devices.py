"""What people call the browser that a session is in."""

from __future__ import annotations

from django import template

register = template.Library()

#: The first that is named counts: each browser also names those it wants to pass for.
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
)
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "Mac"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)
LONGEST = 60


@register.filter
def device(user_agent: str) -> str:
    """Browser and system, or the beginning of what the browser says of itself."""
    found = [next((name for sign, name in signs if sign in user_agent), "") for signs in (BROWSERS, SYSTEMS)]
    return " · ".join(filter(None, found)) or user_agent[:LONGEST] or "–"
