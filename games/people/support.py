"""The group of those who help players: they may look at everything in the admin, and change nothing."""

from __future__ import annotations

from django.contrib.auth.models import Group, Permission

NAME = "Support"
#: App and model of what the group may look at.
MAY_VIEW = (
    ("accounts", "user"),
    ("admin", "logentry"),
    ("games", "game"),
    ("games", "mute"),
    ("games", "party"),
    ("games", "report"),
    ("games", "rulepreset"),
)


def make_group() -> None:
    """Makes the group where it is missing; one that is there stays as administrators have made it."""
    group, made = Group.objects.get_or_create(name=NAME)
    if made:
        for app, model in MAY_VIEW:
            group.permissions.add(Permission.objects.get(content_type__app_label=app, codename=f"view_{model}"))
