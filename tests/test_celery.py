"""What the site changes about Celery, and that there still is no other way."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from celery.worker.consumer import Consumer
from kombu import Connection
from kombu.exceptions import OperationalError

from config.celery import RETRY_S, app

#: Nobody listens there.
NOWHERE = "redis://127.0.0.1:1/0"


def pauses_of(connection: Connection, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds between tries to reach a broker, as the worker makes them."""
    monkeypatch.setattr("kombu.utils.functional.sleep", lambda _seconds: None)
    pauses: list[float] = []
    with pytest.raises(OperationalError):
        connection.ensure_connection(lambda _error, pause: pauses.append(pause), 4)
    return pauses


def test_a_broker_that_is_away_is_looked_for_twice_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(pauses_of(app.connection_for_read(NOWHERE), monkeypatch)) == {RETRY_S}


def test_by_itself_celery_would_wait_ever_longer_and_takes_no_other_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once this fails, `EagerConnection` of config/celery.py may be needed no more."""
    pauses = pauses_of(Connection(NOWHERE), monkeypatch)
    assert pauses[0] == 2
    assert pauses == sorted(set(pauses))
    asked = Mock()
    worker: Any = SimpleNamespace(app=app, first_connection_attempt=True, broker_connection_retry_attempt=0)
    Consumer.ensure_connected(worker, asked)
    (_, most_tries), named = asked.ensure_connection.call_args
    assert most_tries == app.conf.broker_connection_max_retries
    assert set(named) == {"callback"}
    assert not [name for name in app.conf if name.startswith("broker") and ("interval" in name or "pause" in name)]
