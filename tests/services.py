"""A pytest plugin that starts a private Postgres and Valkey before the settings are read, once for all workers, and
compiles the texts.

With DATABASE_URL and REDIS_URL set, those are used instead. Loaded by `-p tests.services` in pyproject.toml.
"""

from __future__ import annotations

import atexit
import os
from pathlib import Path

from config import catalogues
from config.embedded import ServiceError, Services

DATA = Path(__file__).resolve().parent.parent / ".data"
MOST_RUNS = 8  # at the same time, each with servers of its own

# The import of config has named the site's own settings there, and pytest-django takes that before pyproject.toml.
os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"


def _start() -> None:
    for number in range(MOST_RUNS):
        services = Services(DATA / f"tests-{number}")
        try:
            services.start()
        except ServiceError:
            if number == MOST_RUNS - 1:
                raise
            continue  # another run has this folder
        atexit.register(services.stop)
        os.environ["DATABASE_URL"], os.environ["REDIS_URL"] = services.database_url, services.redis_url
        return


if not (os.environ.get("DATABASE_URL") and os.environ.get("REDIS_URL")):
    _start()
catalogues.compile_all()  # Django reads them when a language is first used
