"""The site's settings for tests/bench/by_the_book.py: what guides recommend for one channel a socket and the ORM."""

from __future__ import annotations

from config.settings import *  # noqa: F403

# The ORM works in the one thread of `database_sync_to_async`, so a kept connection is safe and the fastest there is.
DATABASES["default"]["CONN_MAX_AGE"] = None  # noqa: F405
DATABASES["default"]["OPTIONS"].pop("pool", None)  # noqa: F405

CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.core.RedisChannelLayer",
        "CONFIG": {
            # Without the timeout's end, redis-py 8 closes sockets that are idle for five seconds.
            "hosts": [{"address": REDIS_URL, "socket_timeout": None}],  # noqa: F405
            "prefix": "moonshot-bench",
        },
    },
}
