"""The presets shipped with the site, gathered from the kinds in the order in which they are shown."""

from __future__ import annotations

from games.kinds import KINDS
from games.kinds.preset import Preset


def shipped_presets() -> tuple[Preset, ...]:
    """The presets of every kind; each kind has its own in its folder."""
    return tuple(preset for kind in KINDS.values() for preset in kind.presets)
