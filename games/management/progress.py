"""How far a long run has come: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from typing import Any

WIDTH = 30
BAR_S, LINE_S = 0.2, 15.0


class Progress:
    """Counts up to a total; `stream` is where it is shown, as a rule the standard error."""

    def __init__(self, total: int, stream: Any, what: str = "games", done: int = 0) -> None:
        self.total, self.stream, self.what = total, stream, what
        self.done = self.before = done
        self.began = time.monotonic()
        self.shown_at = 0.0
        self.is_terminal = bool(getattr(stream, "isatty", lambda: False)())

    def step(self, count: int = 1, note: str = "") -> None:
        """So many more are done."""
        self.done += count
        now = time.monotonic()
        pause = BAR_S if self.is_terminal else LINE_S
        if self.done >= self.total or now - self.shown_at >= pause:
            self.shown_at = now
            self._show(now, note)

    def _show(self, now: float, note: str) -> None:
        share = min(1.0, self.done / self.total) if self.total else 1.0
        pace = (self.done - self.before) / max(now - self.began, 1e-9)
        left = f", {_time((self.total - self.done) / pace)} left" if pace and self.done < self.total else ""
        text = f"{self.done:,} of {self.total:,} {self.what} ({share:.0%}{left}){f', {note}' if note else ''}"
        if self.is_terminal:
            bar = "#" * round(share * WIDTH)
            self.stream.write(f"\r[{bar:<{WIDTH}}] {text}\x1b[K{chr(10) if self.done >= self.total else ''}")
        else:
            self.stream.write(f"{text}\n")
        self.stream.flush()


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min {rest} s"
