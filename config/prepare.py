"""What must be in order before the processes of the site start. Run by `config.play` with the site's environment.

    python -m config.prepare

Every step is safe to repeat, and does nothing where nothing has changed.
"""

from __future__ import annotations

import os

import django
import redis
from django.conf import settings
from django.core.management import call_command

from config import catalogues


def main() -> None:
    """Fails with whatever stands in the way, the reason in the last line of the trace."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=10) as client:
        client.ping()
    call_command("migrate", interactive=False, verbosity=0)
    catalogues.compile_all()
    call_command("collectstatic", interactive=False, verbosity=0)
    _load_what_the_others_load()


def _load_what_the_others_load() -> None:
    """A missing package shows here, once, instead of in every process again and again."""
    from channels.layers import get_channel_layer  # noqa: PLC0415 - needs the apps

    import config.asgi  # noqa: PLC0415
    import config.web  # noqa: F401, PLC0415
    from config.celery import app  # noqa: PLC0415

    get_channel_layer()
    app.loader.import_default_modules()


if __name__ == "__main__":
    main()
