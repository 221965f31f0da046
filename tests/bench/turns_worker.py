"""The site's Celery app, with a note of how long each CPU turn took. Loaded by the workers of tests/bench/turns.py.

From the start of the task to its end, in this process: the move is committed by then, and everybody was told.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from celery.signals import task_postrun, task_prerun

from config.celery import app

__all__ = ["app"]

FOLDER = Path(os.environ["TURNS_FOLDER"])
TURN = "games.cpu_turn"

_begun: dict[str, float] = {}


@task_prerun.connect
def begin(task_id: str, **_more: Any) -> None:
    _begun[task_id] = time.perf_counter()


@task_postrun.connect
def end(task_id: str, task: Any, args: list[Any], **_more: Any) -> None:
    """Notes the game, the time of the start and the length of a turn."""
    took = time.perf_counter() - _begun.pop(task_id)
    if task.name == TURN:
        with (FOLDER / f"{os.getpid()}.turns").open("a") as file:
            file.write(f"{args[0]} {time.time() - took:.3f} {1000 * took:.3f}\n")
