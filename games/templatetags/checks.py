"""For pages that check a finished game: the scripts of its kinds."""

from __future__ import annotations

from django import template
from django.templatetags.static import static
from django.utils.html import json_script
from django.utils.safestring import SafeString

from games.kinds.checks import scripts

register = template.Library()


@register.simple_tag
def check_scripts() -> SafeString:
    """By kind the address of the script that knows its rules, as JSON in the page."""
    return json_script({kind: static(path) for kind, path in scripts().items()}, "check-scripts")
