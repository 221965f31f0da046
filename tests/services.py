"""A pytest plugin that has the run watched, starts a private Postgres and Valkey before the settings are read, once for
all workers, and compiles the texts.

With DATABASE_URL and REDIS_URL set, those are used instead. Loaded by `-p tests.services` in pyproject.toml.
"""

from __future__ import annotations

import atexit
import os
from pathlib import Path

from config import catalogues
from config.embedded import ServiceError, Services
from tests.warden import Watched

DATA = Path(__file__).resolve().parent.parent / ".data"
MOST_RUNS = 8  # at the same time, each with servers of its own

# The import of config has named the site's own settings there, and pytest-django takes that before pyproject.toml.
os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"


class _WatchedServices(Services):
    """Servers that the run's warden knows of before they are started."""

    def __init__(self, data: Path, run: Watched) -> None:
        super().__init__(data)
        self._run = run

    def _prepare(self) -> None:
        super()._prepare()  # from here on, the folder is this run's
        self._run.add(self.data_dir)


def _start(run: Watched) -> None:
    for number in range(MOST_RUNS):
        services = _WatchedServices(DATA / f"tests-{number}", run)
        try:
            services.start()
        except ServiceError:
            if number == MOST_RUNS - 1:
                raise
            continue  # another run has this folder
        atexit.register(services.stop)
        os.environ["DATABASE_URL"], os.environ["REDIS_URL"] = services.database_url, services.redis_url
        return


if "PYTEST_XDIST_WORKER" not in os.environ:
    watched = Watched()
    if not (os.environ.get("DATABASE_URL") and os.environ.get("REDIS_URL")):
        _start(watched)
catalogues.compile_all()  # Django reads them when a language is first used
