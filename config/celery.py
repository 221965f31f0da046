"""The Celery app: CPU turns in the queue `turns`, clocks and the sweep in `clock`."""

from __future__ import annotations

import os
from typing import Any

from celery import Celery
from celery.app.amqp import AMQP
from kombu import Connection

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

RETRY_S = 0.5


class EagerConnection(Connection):
    """Looks for a Redis that went away at a steady pace. Celery waits for two seconds at first, then ever longer, while
    a turn that is overdue is to be settled within three seconds of Redis being back."""

    def ensure_connection(self, errback: Any = None, max_retries: int | None = None, **options: Any) -> Connection:
        pace = {"interval_start": RETRY_S, "interval_step": 0, "interval_max": RETRY_S}
        return super().ensure_connection(errback, max_retries, **{**options, **pace})


class EagerAMQP(AMQP):
    Connection = EagerConnection


app = Celery("moonshot", amqp=EagerAMQP)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["games"])
app.autodiscover_tasks(["games"], related_name="party_tasks")
