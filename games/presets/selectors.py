"""Every read of presets: what is offered, and what differs from the usual rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from games.kinds import KINDS, options_for
from games.kinds.words import kind_label
from games.presets.models import PresetVersion


@dataclass(frozen=True, slots=True)
class Chip:
    """A few words about one rule of a table, and the sentence behind them."""

    label: str
    title: str
    icon: str


def play_now_preset(kind: str) -> PresetVersion | None:
    """What *Play now* starts: the usual preset, or the first one that is offered; None if none of the kind is."""
    offered = list(PresetVersion.objects.offered(kind))
    usual = (version for version in offered if version.preset.slug == KINDS[kind].play_now)
    return next(usual, offered[0] if offered else None)


def kinds_to_play() -> list[dict[str, str]]:
    """The games of the front page: the kinds of which a preset is offered, with the rules that *Play now* starts."""
    shown = []
    for kind, known in KINDS.items():
        version = play_now_preset(kind)
        if version is not None:
            rules = version.preset.local_name, *(chip.label for chip in chips(kind, version.options))
            detail = _(known.pitch) % {"rules": " · ".join(rules)}
            shown.append({"kind": kind, "label": kind_label(kind), "suit": known.suit, "detail": detail})
    return shown


def chips(kind: str, options: dict[str, Any]) -> list[Chip]:
    """What differs from the defaults, and the score that ends the game, in the reader's language."""
    chosen = options_for(kind, options)
    differences = chosen.differences()
    shown = []
    for option in chosen.declared():
        value = getattr(chosen, option.name)
        if option.type == "whole":
            shown.append(Chip(_(option.chip) % {"value": value}, _(option.label), option.icon))
        elif option.name in differences:
            chip = next(allowed.chip for allowed in option.values if allowed.value == value)
            shown.append(Chip(_(chip), _(option.effect), option.icon))
    return shown
