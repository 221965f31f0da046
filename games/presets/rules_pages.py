"""What the rules pages read: presets, their versions, and the pages that `games.rulebook` draws from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Prefetch
from django.utils.formats import date_format
from django.utils.translation import gettext

from games.guides.pages import guides
from games.kinds import KINDS
from games.kinds.rulebook import rules_page
from games.kinds.words import kind_label
from games.presets.models import PresetVersion, RulePreset
from games.presets.selectors import Chip, chips
from games.rulebook import Page, words

USUAL_PLAYERS = 4

#: The name of an address and its values.
Address = tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Entry:
    """A preset in the index of all rules."""

    slug: str
    name: str
    note: str
    players: str
    ranked: bool
    chips: list[Chip]


def kinds_with_rules() -> list[dict[str, Any]]:
    """The active presets of every kind, in their order."""
    newest_first = Prefetch("versions", PresetVersion.objects.order_by("-number"))
    found: dict[str, list[Entry]] = {kind: [] for kind in KINDS}
    for preset in RulePreset.objects.filter(is_active=True).prefetch_related(newest_first):
        versions = list(preset.versions.all())
        if versions:
            found[preset.kind].append(_entry(preset, versions[0]))
    return [{"kind": kind, "label": kind_label(kind), "entries": entries} for kind, entries in found.items()]


def _entry(preset: RulePreset, version: PresetVersion) -> Entry:
    return Entry(
        slug=preset.slug,
        name=preset.local_name,
        note=preset.local_note,
        players=words.players(sorted(preset.players)),
        ranked=version.ranked_players is not None,
        chips=chips(preset.kind, version.options),
    )


def version_of(slug: str, number: int | None = None) -> PresetVersion | None:
    """A version of a preset, the current one without a number; None if there is none."""
    versions = PresetVersion.objects.select_related("preset").filter(preset__slug=slug)
    if number is not None:
        versions = versions.filter(number=number)
    return versions.order_by("-number").first()


def told_of(version: PresetVersion) -> str:
    """Which version it is, and since when."""
    date = date_format(version.created_at, "DATE_FORMAT")
    return gettext("Version %(number)s, last updated on %(date)s.") % {"number": version.number, "date": date}


def numbers_of(preset: RulePreset) -> list[int]:
    """The numbers of all versions of a preset, the current one first."""
    return list(PresetVersion.objects.filter(preset=preset).order_by("-number").values_list("number", flat=True))


def solo_players(preset: RulePreset) -> list[int]:
    """Numbers of players that the preset can be played with against CPUs."""
    return sorted(set(preset.players) & set(KINDS[preset.kind].solo_players))


def usual_players(allowed: list[int]) -> int | None:
    """The number of players for whoever does not say."""
    return USUAL_PLAYERS if USUAL_PLAYERS in allowed else next(iter(allowed), None)


def page_of(version: PresetVersion) -> Page:
    """The rules page of a version of a preset."""
    preset = version.preset
    return rules_page(preset.kind, preset.players, version.options, name=preset.local_name, choices=version.choices)


def addresses() -> list[Address]:
    """What a search engine should know of: the name of each address and its values."""
    presets = RulePreset.objects.filter(is_active=True, versions__isnull=False).distinct()
    return [
        ("rules_index", {}),
        *(("rules", {"slug": preset.slug}) for preset in presets),
        *(("guide", {"name": name}) for name in guides()),
    ]
