"""Another program as a player of the arena: it reads a view a line and answers with an action a line.

The lines are those of `python -m games.cpu`. So an earlier version of the project plays from a checkout of its own, and
any other program through a few lines of its own that speak them.
"""

from __future__ import annotations

import json
import random
import shlex
import subprocess
import threading

from games.rules import Action, Refused, View

#: A program that thinks for longer is taken to hang; compiling may come before the first answer.
ANSWER_S = 120.0
STOP_S = 5.0
LONGEST_TEXT = 200


class Program:
    """A program that is started with the first view and stopped with `close`. Calling it answers a view."""

    def __init__(self, command: str) -> None:
        try:
            self.command = shlex.split(command)
        except ValueError as error:
            raise SystemExit(f"not a command: {command}: {error}") from None
        self.process: subprocess.Popen[str] | None = None

    def __call__(self, seen: View, rng: random.Random) -> Action:
        process = self.process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        overdue = threading.Timer(ANSWER_S, process.kill)
        overdue.start()
        try:
            process.stdin.write(json.dumps(seen.to_json()) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except OSError:
            line = ""
        finally:
            overdue.cancel()
        if not line:
            raise SystemExit(f"{self.command[0]} ended, or gave no answer in {ANSWER_S:g} s")
        try:
            return Action.from_json(json.loads(line))
        except (ValueError, RecursionError, Refused):
            raise SystemExit(f"{self.command[0]} answered no action: {line.strip()[:LONGEST_TEXT]}") from None

    def _start(self) -> subprocess.Popen[str]:
        try:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        except OSError as error:
            raise SystemExit(f"{self.command[0]} cannot be started: {error}") from None
        return self.process

    def close(self) -> None:
        """Ends the program, by force if it does not end with its input."""
        process, self.process = self.process, None
        if process is None:
            return
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.close()
            process.wait(STOP_S)
        except (OSError, subprocess.TimeoutExpired):
            process.kill()
            process.wait()
        process.stdout.close()
