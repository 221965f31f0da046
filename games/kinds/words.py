"""Names of games and of CPU players, in the reader's language."""

from __future__ import annotations

from django.utils.translation import gettext as _

from games.kinds import KINDS


def kind_label(kind: str) -> str:
    """The name of a kind in the reader's language."""
    return _(KINDS[kind].label)


def level_name(level: str) -> str:
    """A level of CPU players in the reader's language."""
    names = {"beginner": _("CPU: beginner"), "normal": _("CPU: normal"), "expert": _("CPU: expert")}
    return names.get(level, level)
