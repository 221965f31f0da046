"""The browser that tests click in: the system's Chromium if there is one, else the one Playwright has installed."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Error, sync_playwright

from tests.site_run import Run, copy_of_the_project

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    found = next(filter(None, map(shutil.which, NAMES)), None)
    with sync_playwright() as playwright:
        try:
            chromium = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        except Error as error:
            reason = f"no Chromium to test with: {error.message.splitlines()[0]}"
            if os.environ.get("CI"):
                pytest.fail(reason)
            pytest.skip(reason)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def site() -> Iterator[Run]:
    """The whole site, with CPUs that do not pause."""
    with copy_of_the_project() as folder:
        run = Run(folder)
        try:
            run.await_address()
            yield run
            run.end(signal.SIGINT)
        finally:
            run.process.kill()
            run.process.wait()
            run.reader.join(5)
