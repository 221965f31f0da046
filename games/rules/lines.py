"""Lines from another program, with bounded memory: what the commands of the rules and of the CPUs read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO


def bounded_lines(source: BinaryIO, longest: int) -> Iterator[bytes]:
    """Lines without their ends. One of more than `longest` bytes is cut, but stays too long."""
    most = longest + 2  # with an end of one or two bytes
    while line := source.readline(most):
        rest = line
        while len(rest) == most and not rest.endswith(b"\n"):
            rest = source.readline(most)
        yield line if len(line) == most and not line.endswith(b"\n") else line.removesuffix(b"\n").removesuffix(b"\r")
