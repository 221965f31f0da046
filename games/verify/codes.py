"""Game codes: which table a code is for, how it is read, and how it is made."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any, NamedTuple

from games.verify.cards import CARDS
from games.verify.kind import Checks

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
RANDOM_CHARACTERS = 14
CODE_LENGTH = RANDOM_CHARACTERS + 2
LONGEST_TEXT = 200  # that is read as a code


class BadCode(ValueError):
    """A text is not a game code. `code` says why: bad_length, bad_character (`character`), bad_check, unknown_table."""

    def __init__(self, code: str, character: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.character = character


class Table(NamedTuple):
    """What the first character of a code names: kind, players, and the pack with the options that decide it."""

    character: str
    kind: str
    players: int
    options: Mapping[str, str]
    removed: str

    @property
    def deck(self) -> tuple[str, ...]:
        """The cards of the pack, in deck order."""
        removed = self.removed.split()
        return tuple(card for card in CARDS if card not in removed and card[0] not in removed)


def tables_of(checks: Checks) -> tuple[Table, ...]:
    """The tables of all kinds, in the order of their characters.

    Raises ValueError where a character is used twice or left out. A new row takes the next one, and keeps it for ever,
    so that a code stays what it is.
    """
    tables = [Table(row[0], kind, *row[1:]) for kind, check in checks.items() for row in check.ROWS]
    tables.sort(key=lambda table: ALPHABET.find(table.character))
    if "".join(table.character for table in tables) != ALPHABET[: len(tables)]:
        used = ", ".join(f"{table.character} ({table.kind})" for table in tables)
        raise ValueError(f"The rows of game codes must begin with 0, 1, 2 and so on, each once, but they are {used}.")
    return tuple(tables)


def table_of(checks: Checks, kind: str, players: int, options: Mapping[str, Any]) -> Table:
    """The row of a table with these options. Raises ValueError if it has none, KeyError if the kind is not known."""
    chosen = {**checks[kind].OPTIONS, **options}
    for table in reversed(tables_of(checks)):
        is_for = (table.kind, table.players) == (kind, players)
        if is_for and all(chosen[name] == value for name, value in table.options.items()):
            return table
    raise ValueError(f"no row for {kind} with {players} players and this pack")


def read_text(text: str, tables: tuple[Table, ...]) -> tuple[str, Table]:
    """A code that somebody typed: its 16 characters, and its table. Raises BadCode."""
    if len(text) > LONGEST_TEXT:
        raise BadCode("bad_length")
    plain = unicodedata.normalize("NFKC", text).upper()
    kept_ones = [c for c in plain if not c.isspace() and unicodedata.category(c) != "Pd" and c not in "ー−"]
    read = "".join(kept_ones).translate(str.maketrans("OIL", "011"))
    for character in read:
        if character not in ALPHABET:
            raise BadCode("bad_character", character)
    if len(read) != CODE_LENGTH:
        raise BadCode("bad_length")
    if check_character(read[:-1]) != read[-1]:
        raise BadCode("bad_check")
    place = ALPHABET.index(read[0])
    if place >= len(tables):
        raise BadCode("unknown_table")
    return read, tables[place]


def code_of(character: str, bits: int) -> str:
    """The 16 characters of a code, from the character of its table and its 70 bits."""
    digits = [bits >> shift & 31 for shift in range(5 * (RANDOM_CHARACTERS - 1), -1, -5)]
    body = character + "".join(ALPHABET[digit] for digit in digits)
    return body + check_character(body)


def check_character(body: str) -> str:
    """The last character of a code, from the others."""
    value = 0
    for character in body:
        value = _times_x(value) ^ ALPHABET.index(character)
    return ALPHABET[_times_x(value)]


def _times_x(value: int) -> int:
    """A product in GF(32): one shift, reduced by x^5 + x^2 + 1."""
    return value << 1 ^ (0b100101 if value & 16 else 0)
