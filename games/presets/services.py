"""Every write to presets. A change of options makes a new version; what was stored with an older one keeps it.

Writers take turns: two administrators, or one and an import, never see half of each other's work.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from django.db import connection, transaction
from django.db.models import ProtectedError
from django.utils.translation import gettext as _

from accounts.acts import note_act
from games.kinds.preset import Preset
from games.presets.drafts import BadPresets, Draft, checked, to_text
from games.presets.models import PresetVersion, RulePreset, ShippedPreset
from games.presets.shipped import shipped_presets

logger = logging.getLogger(__name__)

#: What of a draft is kept in the version; all else is the preset's own.
_OF_VERSION = ("options", "choices", "ranked_players")
_OF_PRESET = ("players", "name", "name_ja", "note", "note_ja", "order", "is_active")


class PresetInUse(Exception):
    """A preset that games, parties or ladders were made from cannot be deleted."""


class PlanChanged(Exception):
    """Storing a file would do something else than what was shown before."""


@dataclass(frozen=True, slots=True)
class Change:
    """What storing a draft does: `changed` are the names of its parts that become others."""

    draft: Draft
    before: Draft | None  # None: there is no such preset yet
    changed: tuple[str, ...]

    @property
    def is_new(self) -> bool:
        return self.before is None

    @property
    def makes_version(self) -> bool:
        """Whether games made later are played with a new version."""
        return self.before is None or "options" in self.changed or "choices" in self.changed

    @property
    def loses_rank(self) -> bool:
        """Whether the version that follows is not ranked though the one before it is."""
        return self.before is not None and self.before.ranked_players is not None and self.makes_version

    @property
    def is_any(self) -> bool:
        return self.is_new or bool(self.changed)


def hold_locked() -> None:
    """Other writers of presets wait until this transaction ends; readers, and games that are opened, do not."""
    with connection.cursor() as cursor:
        cursor.execute("lock table games_rulepreset in share row exclusive mode")


def current_version(preset: RulePreset) -> PresetVersion | None:
    """The version that new games are played with."""
    return preset.versions.order_by("-number").first()


def draft_of(preset: RulePreset) -> Draft:
    """A preset as it is stored, with its current version."""
    version = current_version(preset)
    stored = Draft(
        slug=preset.slug,
        kind=preset.kind,
        players=tuple(preset.players),
        name=preset.name,
        name_ja=preset.name_ja,
        note=preset.note,
        note_ja=preset.note_ja,
        order=preset.order,
        is_active=preset.is_active,
        ranked_players=version.ranked_players if version else None,
        options=version.options if version else {},
        choices=version.choices if version else None,
    )
    try:
        return checked(stored)
    except BadPresets:  # written under other rules: shown as it is, and judged when somebody stores it again
        return stored


def fingerprint(preset: RulePreset) -> str:
    """Changes with anything that an administrator may change: what a form was opened with, and is it still so?"""
    return hashlib.sha256(to_text([draft_of(preset)]).encode()).hexdigest()[:32]


def plan(draft: Draft, place: str = "") -> Change:
    """What storing a checked draft would do. Raises BadPresets where it does not go with what is stored.

    A version that follows a ranked one is not ranked itself: a ladder is moved to it on purpose, by a later change.
    """
    preset = RulePreset.objects.filter(slug=draft.slug).first()
    if preset is None:
        return Change(draft, None, ())
    if preset.kind != draft.kind:
        where = ".".join(part for part in (place, "kind") if part)
        raise BadPresets(where, _("A preset of this short name is of another game."))
    before = draft_of(preset)
    change = _compare(before, draft)
    if change.makes_version and before.ranked_players is not None:
        change = _compare(before, replace(draft, ranked_players=None))
    return change


def _compare(before: Draft, draft: Draft) -> Change:
    old, new = before.to_json(), draft.to_json()
    return Change(draft, before, tuple(name for name in (*_OF_PRESET, *_OF_VERSION) if old[name] != new[name]))


@transaction.atomic
def save(draft: Draft) -> tuple[RulePreset, Change]:
    """Stores a draft: makes the preset, or changes it and adds a version if its options change. Raises BadPresets."""
    hold_locked()
    change = plan(checked(draft))
    return _store(change), change


def _store(change: Change) -> RulePreset:
    draft = change.draft
    preset = RulePreset.objects.filter(slug=draft.slug).first() or RulePreset(slug=draft.slug, kind=draft.kind)
    for name in _OF_PRESET:
        value = getattr(draft, name)
        setattr(preset, name, list(value) if name == "players" else value)
    preset.save()
    latest = current_version(preset)
    if latest is None or change.makes_version:
        preset.versions.create(
            number=latest.number + 1 if latest else 1,
            options=dict(draft.options or {}),
            choices=draft.choices,
            ranked_players=draft.ranked_players,
        )
    elif latest.ranked_players != draft.ranked_players:
        latest.ranked_players = draft.ranked_players
        latest.save(update_fields=("ranked_players",))
    return preset


def plan_all(drafts: Sequence[Draft]) -> list[Change]:
    """What an import would do, preset by preset. Raises BadPresets."""
    return [plan(draft, f"presets[{index}]") for index, draft in enumerate(drafts)]


def plan_mark(changes: Sequence[Change]) -> str:
    """Changes with anything that an import would do, so that what was shown is what is done."""
    parts = [to_text([draft]) for change in changes for draft in (change.draft, change.before) if draft is not None]
    return hashlib.sha256("".join(parts).encode()).hexdigest()[:32]


@transaction.atomic
def store_all(drafts: Sequence[Draft], by: Any = None, looked_at: str | None = None) -> list[Change]:
    """Imports presets: all of them, or none. Those that are not named stay as they are.

    `looked_at` is the mark of the plan that was confirmed. Every preset that changes has its entry in the log of `by`;
    None is somebody at the machine itself. Raises BadPresets, and PlanChanged.
    """
    hold_locked()
    changes = plan_all(drafts)
    if looked_at is not None and plan_mark(changes) != looked_at:
        raise PlanChanged
    for change in changes:
        if change.is_any:
            preset = _store(change)
            if by is not None:
                note_act(by, preset, _("Imported from a file."), added=change.is_new)
    return changes


@transaction.atomic
def switch(presets: Iterable[RulePreset], *, is_active: bool, by: Any, what: str) -> int:
    """Switches presets on or off, each with its entry in the log of `by`; returns how many were not so before."""
    hold_locked()
    found = RulePreset.objects.filter(pk__in=[preset.pk for preset in presets]).exclude(is_active=is_active)
    changed = list(found)
    for preset in changed:
        preset.is_active = is_active
        preset.save(update_fields=("is_active",))
        note_act(by, preset, what)
    return len(changed)


def export(presets: Iterable[RulePreset]) -> str:
    """A file of these presets with their current versions."""
    return to_text(draft_of(preset) for preset in presets)


def is_used(preset: RulePreset) -> bool:
    """Whether anything that is stored was made from one of its versions."""
    versions = PresetVersion.objects.filter(preset=preset)
    return any(
        relation.related_model._default_manager.filter(**{f"{relation.field.name}__in": versions}).exists()
        for relation in PresetVersion._meta.related_objects
    )


@transaction.atomic
def delete(preset: RulePreset) -> None:
    """Deletes a preset that nothing was made from. Raises PresetInUse: one that is used is switched off instead."""
    hold_locked()
    list(PresetVersion.objects.select_for_update().filter(preset=preset))  # no game can begin with it meanwhile
    try:
        preset.delete()
    except ProtectedError:
        raise PresetInUse from None


# --- the shipped ones -------------------------------------------------------------------------------------------------


@transaction.atomic
def sync_shipped() -> None:
    """Brings this site up to the list of shipped presets, `Kind.presets`. Run after every `migrate`.

    What the list says of a preset is dealt with once at each site; `ShippedPreset` remembers what that was.

    - A preset that the site has never had is added. If administrators have made one of the same slug, theirs stays.
    - Where the list has changed a preset, so does the site; other options make a new version. But one that is not in
      every part as the list had it before stays as administrators have made it: edited, switched off or deleted.
    - One that is no longer in the list stays.

    Ladders keep their versions. It is safe to repeat, and in several processes at once: they take turns. Raises
    BadPresets for a list that is not in order.
    """
    if not _unseen():
        return
    hold_locked()
    for listed, before in _unseen():
        draft = checked(listed)
        preset = RulePreset.objects.filter(slug=draft.slug).first()
        if preset is None:
            if before is None:
                _store(Change(listed, None, ()))
        elif preset.kind == draft.kind and draft_of(preset) == (before or draft):
            _store(_compare(draft_of(preset), draft))
        elif before is None:
            logger.warning("The shipped preset %s is not added: this site has one of its own there.", draft.slug)
        else:
            logger.info("The shipped preset %s has changed; this site keeps it as it was edited here.", draft.slug)
        ShippedPreset.objects.update_or_create(slug=draft.slug, defaults={"content": listed.to_json()})


def _unseen() -> list[tuple[Draft, Draft | None]]:
    """The presets of which the list says something new, each with what it said before; None: nothing."""
    seen = {row.slug: _read(row.content) for row in ShippedPreset.objects.all()}
    listed = [_listed(preset, order) for order, preset in enumerate(shipped_presets())]
    return [(draft, seen.get(draft.slug)) for draft in listed if checked(draft) != seen.get(draft.slug)]


def _read(content: Mapping[str, Any]) -> Draft:
    """What was remembered of the list, in the form that drafts have today."""
    draft = Draft(**{part.name: content[part.name] for part in fields(Draft) if part.name in content})
    try:
        return checked(draft)
    except BadPresets:  # remembered under other rules: no preset that can be stored today is the same
        return draft


def _listed(preset: Preset, order: int) -> Draft:
    return Draft(
        slug=preset.slug,
        kind=preset.kind,
        players=preset.players,
        name=preset.name,
        note=preset.note,
        order=order,
        ranked_players=preset.ranked,
        options=preset.options,
        choices=preset.choices,
    )
