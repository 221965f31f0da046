"""Files of exported games: one game or many, JSON or the text notation."""

from __future__ import annotations

import json
import re
import sys
from itertools import pairwise
from typing import Any

from games.verify.faults import Unreadable
from games.verify.notation import from_text

MOST_BYTES = 200_000_000  # of a file, which may have many games


def read_file(name: str) -> bytes:
    """A file, or the standard input for "-". Raises Unreadable."""
    try:
        if name == "-":
            raw = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            with open(name, "rb") as file:  # noqa: PTH123 - nothing but the bare language
                raw = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise Unreadable(f"{name} cannot be read: {error.strerror}.") from None
    if len(raw) > MOST_BYTES:
        raise Unreadable("It is too large for an exported game.")
    return raw


def games_of(raw: bytes) -> list[bytes]:
    """The games of a file, JSON a line each or texts from tag to tag; a file with one is that file."""
    raw = raw.removeprefix(b"\xef\xbb\xbf")
    if raw.lstrip().startswith(b"{"):
        lines = [line for line in raw.splitlines() if line.strip()]
        is_a_line_each = all(line.startswith(b"{") and line.rstrip().endswith(b"}") for line in lines)
        return lines if is_a_line_each else [raw]
    begins = [found.start() for found in re.finditer(rb"^\[Format ", raw, re.MULTILINE)]
    edges = [0, *begins[1:], len(raw)]
    return [raw[begin:end] for begin, end in pairwise(edges)]


def from_bytes(raw: bytes) -> dict[str, Any]:
    """The document in a file of one game, JSON or text. Raises Unreadable."""
    try:
        text = raw.decode()
        is_json = text.lstrip().startswith("{")
        record = json.loads(text, object_pairs_hook=_once) if is_json else from_text(text)
    except UnicodeDecodeError:
        raise Unreadable("It is no text in UTF-8.") from None
    except (ValueError, RecursionError) as error:
        if isinstance(error, Unreadable):
            raise
        raise Unreadable("It is no JSON, or has a key twice.") from None
    if not isinstance(record, dict) or record.get("format") != "moonshot-game" or record.get("version") != 1:
        raise Unreadable("It is not an exported game of version 1.")
    return record


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; of a key that is there twice readers do not agree which counts."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key twice")
    return found
