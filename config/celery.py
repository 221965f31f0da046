"""The Celery app: CPU turns in the queue `turns`, clocks and the sweep in `clock`, ratings in `ladder`, the search for
mistakes in `reviews`.
"""

from __future__ import annotations

import os
from pkgutil import iter_modules
from threading import Thread
from typing import Any

from celery import Celery
from celery.app.amqp import AMQP
from celery.signals import celeryd_after_setup, worker_process_init
from kombu import Connection

import games

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

RETRY_S = 0.5
NICE = 15


class EagerConnection(Connection):
    """Looks for a Redis that went away at a steady pace. Celery waits for two seconds at first, then ever longer, while
    a turn that is overdue is to be settled within three seconds of Redis being back.

    Celery has no setting for these pauses, and gives none to its transport (tests/test_celery.py).
    """

    def ensure_connection(self, errback: Any = None, max_retries: int | None = None, **options: Any) -> Connection:
        pace = {"interval_start": RETRY_S, "interval_step": 0, "interval_max": RETRY_S}
        return super().ensure_connection(errback, max_retries, **{**options, **pace})


class EagerAMQP(AMQP):
    Connection = EagerConnection


app = Celery("moonshot", amqp=EagerAMQP)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["ladder"])
app.autodiscover_tasks(lambda: [f"games.{room.name}" for room in iter_modules(games.__path__) if room.ispkg])


class _Duties:
    """What the worker of this process does, told before it forks."""

    plays_turns = False
    only_reviews = False


@celeryd_after_setup.connect
def note_duties(instance: Any, **_more: Any) -> None:
    """Whether CPU turns are this worker's, or nothing that anybody waits for at a table."""
    queues = set(instance.app.amqp.queues.consume_from)
    _Duties.plays_turns, _Duties.only_reviews = "turns" in queues, queues == {"reviews"}


@worker_process_init.connect
def step_back(**_more: Any) -> None:
    """A worker that only looks for mistakes lets every other process go first."""
    if _Duties.only_reviews:
        os.nice(NICE)


@worker_process_init.connect
def warm_up(**_more: Any) -> None:
    """Loads the experts' compiled search beside the first turns, so that no turn of an expert waits for it."""
    from django.conf import settings  # noqa: PLC0415 - not before Django is set up

    from games.kinds import cpu  # noqa: PLC0415

    if _Duties.plays_turns and settings.CPU_WARM:
        Thread(target=cpu.warm, name="warm", daemon=True).start()
