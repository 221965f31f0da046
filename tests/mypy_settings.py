"""The settings as the type checker reads them: no server is asked."""

import os

os.environ.setdefault("DATABASE_URL", "postgresql:///types")
os.environ.setdefault("REDIS_URL", "redis://localhost/0")

from tests.settings import *  # noqa: F403
