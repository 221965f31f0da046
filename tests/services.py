"""A pytest plugin that has the run watched, starts a private Postgres and Valkey before the settings are read, once for
all workers, and compiles the texts.

With DATABASE_URL and REDIS_URL set, those are used instead. A run of `-m pure` (or `-m "pure and not long"`) needs no
server and gets none, so a test that is wrongly taken for pure fails. Loaded by `-p tests.services` in pyproject.toml.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Generator
from pathlib import Path

import pytest

from config import catalogues
from config.embedded import ServiceError, Services
from tests.warden import Watched

DATA = Path(__file__).resolve().parent.parent / ".data"
MOST_RUNS = 8  # at the same time, each with servers of its own
#: What tests ask for that needs a server.
SERVED = {"db", "transactional_db", "django_db_setup", "live_server", "site", "browser", "_fresh_limits"}
#: What starts servers or a browser of its own.
STARTERS = ("tests/test_embedded.py", "tests/browser/test_chromium.py")
#: What computes for long: searches of experts, many generated games, much chance. `make check` leaves it out.
LONG = (
    *("tests/games/codes/test_packs.py", "tests/games/mistakes/test_mistakes.py"),
    *(f"tests/games/cpu/test_{name}.py" for name in ("choices", "command", "kernel")),
    *("tests/games/kinds/hearts/test_hearts_expert.py", "tests/games/kinds/spades/test_spades_expert.py"),
    *("tests/games/histories/test_records.py", "tests/games/tables/test_protocol.py"),
    *("tests/games/rules/test_against_naive.py", "tests/games/rules/test_laws.py"),
)

# The import of config has named the site's own settings there, and pytest-django takes that before pyproject.toml.
os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, object, object]:
    """A wrapper comes before pytest-django, which reads the settings here. Workers inherit what the run has set."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        watched = Watched()
        if early_config.known_args_namespace.markexpr.startswith("pure"):
            for name in ("DATABASE_URL", "REDIS_URL"):
                os.environ.pop(name, None)
        elif not (os.environ.get("DATABASE_URL") and os.environ.get("REDIS_URL")):
            _start(watched)
        catalogues.compile_all()  # Django reads them when a language is first used
    return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks as pure what asks for no server, and what is long, before `-m` chooses."""
    for item in items:
        file = item.nodeid.partition("::")[0]
        is_served = SERVED & set(getattr(item, "fixturenames", ())) or item.get_closest_marker("django_db")
        if not is_served and not item.get_closest_marker("slow") and file not in STARTERS:
            item.add_marker("pure")
        if file in LONG:
            item.add_marker("long")


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
