"""What follows every `migrate`: at each start of the site, on deploys, and where tests make or empty their database."""

from __future__ import annotations

from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations.loader import MigrationLoader

from games.people import support
from games.presets import services as presets


def is_at_last_migration(using: str, *labels: str) -> bool:
    """Whether every migration of these apps is applied, so that their models and the database agree.

    They do not after `migrate games 0010`, or on the way back to an earlier version of the site.
    """
    loader = MigrationLoader(connections[using])
    return all(last in loader.applied_migrations for label in labels for last in loader.graph.leaf_nodes(label))


def complete(using: str = DEFAULT_DB_ALIAS, **_more: Any) -> None:
    """Receives `post_migrate`: the group that may look, and the shipped presets."""
    if is_at_last_migration(using, "accounts", "admin", "games"):
        support.make_group()
        presets.sync_shipped()
