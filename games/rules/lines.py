"""What other programs send: lines, with bounded memory, and JSON that no two readers take differently."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO


def bounded_lines(source: BinaryIO, longest: int) -> Iterator[bytes]:
    """Lines without their ends. One of more than `longest` bytes is cut, but stays too long."""
    most = longest + 2  # with an end of one or two bytes
    while line := source.readline(most):
        rest = line
        while len(rest) == most and not rest.endswith(b"\n"):
            rest = source.readline(most)
        yield line if len(line) == most and not line.endswith(b"\n") else line.removesuffix(b"\n").removesuffix(b"\r")


def strict_json(text: str) -> Any:
    """The value of a JSON text. Raises ValueError, and RecursionError for one that is nested too deep.

    No key may come twice in an object, since readers disagree which counts; NaN and the infinities, which Python reads,
    are no JSON.
    """
    return json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key twice")
    return found


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
