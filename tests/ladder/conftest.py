"""The live site, for tests of ranked games that are played at a table."""

from tests.games.conftest import clock, site, transactional_db  # noqa: F401 - fixtures
