"""The site's settings for tests: the servers that tests/services.py starts, quick hashing, CPUs that do not pause."""

from __future__ import annotations

import os

os.environ.setdefault("SECRET_KEY", "only-for-tests")

from config.settings import *  # noqa: F403

# Tests with real transactions leave by emptying the tables.
DATABASES["default"]["OPTIONS"]["options"] = "-c moonshot.truncate=on"  # noqa: F405
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
CPU_PACE = 0.0
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "testserver"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
