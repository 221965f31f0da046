"""The shipped ladders, after every `migrate`: at each start of the site, on deploys, and in the database of tests."""

from __future__ import annotations

import logging
from typing import Any

from django.db import DEFAULT_DB_ALIAS

from games.after_migrate import is_at_last_migration
from games.presets.models import PresetVersion
from ladder.rating.models import Ladder
from ladder.shipped import SHIPPED

logger = logging.getLogger(__name__)


def complete(using: str = DEFAULT_DB_ALIAS, **_more: Any) -> None:
    """Receives `post_migrate`. Comes after the presets, since this app is named after theirs."""
    if is_at_last_migration(using, "games", "ladder"):
        sync_shipped()


def sync_shipped() -> None:
    """Adds the shipped ladders that this site does not have, each on the latest version that is ranked for it.

    One that is there is never changed, whatever the list says: players have earned their ratings on it. No ladder is
    ever deleted in the admin, only closed, so one that is missing is new. It is safe to repeat, and in several
    processes at once: slugs are unique.
    """
    for shipped in SHIPPED:
        if Ladder.objects.filter(slug=shipped.slug).exists():
            continue
        ranked = PresetVersion.objects.filter(preset__slug=shipped.preset, ranked_players=shipped.players)
        version = ranked.order_by("-number").first()
        if version is None:
            logger.warning("The shipped ladder %s is not added: %s is not ranked.", shipped.slug, shipped.preset)
            continue
        fields = {"kind": shipped.kind, "players": shipped.players, "timer_s": shipped.timer_s}
        Ladder.objects.get_or_create(slug=shipped.slug, defaults={**fields, "preset_version": version})
