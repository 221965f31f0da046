"""What tests of the ladder share with those of the live site."""

from tests.games.conftest import site, transactional_db  # noqa: F401 - fixtures, for the tests that ask for them
