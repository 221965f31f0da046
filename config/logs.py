"""Logs that somebody at a terminal can read."""

from __future__ import annotations

import logging


class OneLine(logging.Filter):
    """Puts what libraries say of a lost Redis or a wrong host into one line: the kind of error, not its trace.

    Errors of our own tasks keep theirs (celery.app.trace), and with DEBUG everything does.
    """

    NAMES = ("celery.worker", "celery.beat", "kombu", "channels_redis", "django.security")

    def filter(self, record: logging.LogRecord) -> bool:
        if not record.name.startswith(self.NAMES) or logging.getLogger().isEnabledFor(logging.DEBUG):
            return True
        words = [" ".join(record.getMessage().split())]
        if record.exc_info and record.exc_info[0] is not None:
            words.append(f"({record.exc_info[0].__name__}: {' '.join(str(record.exc_info[1]).split())})")
        record.msg, record.args = " ".join(words), ()
        record.exc_info = record.exc_text = record.stack_info = None
        return True
