"""Settings of a site that has the plain kinds as well: a package from outside registers them when it is ready."""

from __future__ import annotations

from django.apps import AppConfig

from tests.settings import *  # noqa: F403
from tests.settings import INSTALLED_APPS


class PlainConfig(AppConfig):
    name = "tests.games.kinds"
    label = "plain_kinds"

    def ready(self) -> None:
        from games.kinds import register  # noqa: PLC0415 - not before Django is set up
        from tests.games.kinds.plain import ALONE, PAIRS  # noqa: PLC0415

        for kind in (PAIRS, ALONE):
            register(kind)


INSTALLED_APPS = [*INSTALLED_APPS, "tests.games.kinds.plain_site.PlainConfig"]
