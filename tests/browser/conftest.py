"""The browser that tests click in, and a whole site for it."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser import chromium, node
from tests.browser.installing import Unusable
from tests.site_run import Run, copy_of_the_project


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A test that cannot have it fails: one that is left out tells nothing about the pages."""
    try:
        chosen = chromium.chosen()
        with node.playwright() as playwright:
            started = chosen.launch(playwright)
            yield started
            started.close()
    except chromium.NoBrowser as error:
        pytest.fail(str(error), pytrace=False)
    except Unusable as error:
        pytest.fail(f"{chosen.name} does not start: {error}. Run make browser", pytrace=False)


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
