"""The site's settings for tests: the servers that tests/services.py starts, quick hashing, CPUs that do not pause."""

from __future__ import annotations

import os

os.environ.setdefault("SECRET_KEY", "only-for-tests")

# Several runners of pytest-xdist share one Valkey: each has a database of its own there, and channels of its own.
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")
if WORKER and "REDIS_URL" in os.environ:
    os.environ["REDIS_URL"] = os.environ["REDIS_URL"].replace("?db=0", f"?db={int(WORKER.removeprefix('gw')) % 15 + 1}")

from config.settings import *  # noqa: E402, F403

# Tests with real transactions leave by emptying the tables.
if DATABASES:  # noqa: F405 - a run of pure tests has none
    DATABASES["default"]["OPTIONS"]["options"] = "-c moonshot.truncate=on"  # noqa: F405
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
CHANNEL_LAYERS["default"]["CONFIG"]["prefix"] = f"test{WORKER}"  # noqa: F405
CACHES["default"]["KEY_PREFIX"] = f"test{WORKER}"  # noqa: F405
STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # noqa: F405 - served by whitenoise, which warns without it
CPU_PACE = 0.0
GAMES_A_MINUTE = GUESTS_A_MINUTE = API_A_MINUTE = 1_000_000  # tests of these set their own
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "testserver"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
