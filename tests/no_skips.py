"""A pytest plugin: a run in which a test was skipped is not green, and says which. Loaded in pyproject.toml.

What a test needs, it brings or fails for the lack of: a check that is silently left out is trusted all the same.
"""

from __future__ import annotations

import pytest
from _pytest.terminal import TerminalReporter


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.exitstatus == pytest.ExitCode.OK and _skipped(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: TerminalReporter, config: pytest.Config) -> None:
    if skipped := _skipped(config):
        terminalreporter.write_line(
            f"Not green: {len(skipped)} skipped. A test brings what it needs, or fails without it.", red=True
        )


def _skipped(config: pytest.Config) -> list[object]:
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    return list(reporter.stats.get("skipped", ())) if reporter else []
