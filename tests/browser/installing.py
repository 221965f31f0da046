"""What finding and installing a browser share: where things go, running programs, and in one line why one failed."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
HOME = Path(sys.prefix) / "browser"  # inside the environment, so it goes with that
PATIENCE_S = 900.0
ERROR = re.compile(r"E: |ERROR: |Error: |BrowserType\.|npm (error|ERR!) (?!code |errno |syscall |A complete)")


class Unusable(Exception):
    """This one way does not work. The message says why."""


def home() -> Path:
    HOME.mkdir(exist_ok=True)
    return HOME


def run(command: Sequence[str], surroundings: Mapping[str, str] | None = None) -> None:
    """Runs a program that asks nothing. Raises Unusable if it fails."""
    name = Path(command[0]).name
    try:
        done = subprocess.run(
            command,
            env=surroundings,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=PATIENCE_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Unusable(f"{name} did not end within {PATIENCE_S / 60:.0f} minutes") from None
    except OSError as error:
        raise Unusable(f"{name}: {error.strerror}") from None
    if done.returncode:
        raise Unusable(reason(done.stdout))


def reason(text: str) -> str:
    """The line of a program's output that says what is wrong: the first that names an error, else the last."""
    lines = [re.sub(r"\x1b\[[\d;]*m", "", line).strip() for line in text.splitlines()]
    lines = [line for line in lines if line] or ["it left no word"]
    libraries = [line for line in lines if "error while loading shared libraries" in line]
    errors = [line for line in lines if ERROR.match(line)]
    return (libraries or errors or lines[-1:])[0].rstrip(".")


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
