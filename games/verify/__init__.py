"""Whether the deals of an exported game are what they have to be, and its log as the rules allow: see README.md.

The functions take the kinds that are known as `checks`, a mapping from their names to classes that extend `Check`.
"""

from games.verify.cards import CARDS
from games.verify.codes import (
    ALPHABET,
    CODE_LENGTH,
    RANDOM_CHARACTERS,
    BadCode,
    Table,
    check_character,
    code_of,
    read_text,
    table_of,
    tables_of,
)
from games.verify.command import main
from games.verify.faults import FAULTS, Unreadable, sentence
from games.verify.kind import Check, Checks, Deal, Row
from games.verify.packs import check_deals, others_of, packs_of
from games.verify.promises import MOST_NONCE_BYTES, commitment, sealed_bits
from games.verify.reading import from_bytes, games_of, read_file
from games.verify.shuffle import SHUFFLE_VERSION, below, first_dealer, shuffle, stream
from games.verify.verdict import answer, check_record

__all__ = [
    "ALPHABET",
    "CARDS",
    "CODE_LENGTH",
    "FAULTS",
    "MOST_NONCE_BYTES",
    "RANDOM_CHARACTERS",
    "SHUFFLE_VERSION",
    "BadCode",
    "Check",
    "Checks",
    "Deal",
    "Row",
    "Table",
    "Unreadable",
    "answer",
    "below",
    "check_character",
    "check_deals",
    "check_record",
    "code_of",
    "commitment",
    "first_dealer",
    "from_bytes",
    "games_of",
    "main",
    "others_of",
    "packs_of",
    "read_file",
    "read_text",
    "sealed_bits",
    "sentence",
    "shuffle",
    "stream",
    "table_of",
    "tables_of",
]
