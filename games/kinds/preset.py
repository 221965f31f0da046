"""A preset that a kind ships: a named set of options. Standard library and rules only."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Preset:
    """A set of options for some numbers of players. `ranked` is the number of players for which a ladder may use it.

    `choices` limits what a table made from the preset may change: option to the values offered. None: everything.
    """

    slug: str
    kind: str
    players: tuple[int, ...]
    name: str
    note: str
    options: dict[str, str | int] = field(default_factory=dict)
    ranked: int | None = None
    choices: dict[str, tuple[str | int, ...]] | None = None
