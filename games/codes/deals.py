"""Where the cards come from: game codes, the shuffle, and deals that players can check. Standard library only.

**Game code** (局番号), 16 characters in groups of four, e.g. ``4000-0000-0000-000K``. Letters and digits of Crockford's
base 32 (``0123456789ABCDEFGHJKMNPQRSTVWXYZ``), so that no two look alike; case, hyphens and spaces do not matter, O
is read as 0, I and L as 1. Character 1 is the table (a row of `tables`: kind, players, pack), 2 to 15 are 70 random
bits, 16 is the check character. The *seed* of a game is the first 15 characters in upper case without hyphens, as
ASCII bytes.

**Shuffle, version 1.** A *stream* is HMAC-SHA-256(key seed, message "<label>|0"), then "<label>|1" and so on, the
digests put end to end. ``below(n)`` takes the next four bytes as an unsigned big-endian number w; if w is not less
than the greatest multiple of n within 2**32 it is thrown away and the next four bytes are taken; the number is w
modulo n. A pack starts as the cards of the table in deck order (clubs, diamonds, hearts, spades, each from two to
ace); with the stream labelled "moonshot-1|pack|<deal>|<attempt>", for i from the last place down to 1 the cards at i
and below(i + 1) change places. The first dealer is below(players) of the stream labelled "moonshot-1|dealer". Deals
count from 1, attempts from 0, in decimal.

**Check character**: in GF(32) with x^5 + x^2 + 1, the value that makes d1·x^15 + d2·x^14 + … + d15·x + d16 zero. It
catches any one wrong character and any two that changed places.

**Verifiable games.** The server draws a secret of 32 bytes and shows the commitment SHA-256(secret) before the first
deal. Each seat may add a nonce of 1 to 32 bytes; a seat without one has the empty nonce. The 70 bits of the code are
the first 70 bits of HMAC-SHA-256(key secret, message "moonshot-1|nonces|" + the nonces in seat order as hex, put
together with "|"). After the game the secret is shown and anyone can recompute code, dealer and packs: `check_game`.

Test vectors: the stream of the seed of ``4000-0000-0000-000K`` labelled "moonshot-1|pack|1|0" begins in hex
3d7754d12c794a65; that pack begins 8C 3S KD 7H TS 2S; the first dealer is seat 2. `tests/games/codes/test_deals.py` has
more.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from games import verify
from games.kinds import rules_for
from games.kinds.checks import checks
from games.rules import Rules
from games.verify import (
    ALPHABET,
    CODE_LENGTH,
    MOST_NONCE_BYTES,
    RANDOM_CHARACTERS,
    SHUFFLE_VERSION,
    BadCode,
    Table,
    below,
    commitment,
    first_dealer,
    shuffle,
    stream,
)

#: What is computed is in `games.verify`, which works without the rest; it is told here which rules it is for.
__all__ = [
    "ALPHABET",
    "CODE_LENGTH",
    "MOST_NONCE_BYTES",
    "SHUFFLE_VERSION",
    "BadCode",
    "GameCode",
    "Table",
    "below",
    "check_game",
    "commitment",
    "first_dealer",
    "new_code",
    "new_secret",
    "read_code",
    "sealed_code",
    "shuffle",
    "stream",
    "tables",
]

SECRET_BYTES = 32


@dataclass(frozen=True, slots=True)
class GameCode:
    """A game code that has been read.

    `text` is its one written form; `seed` is what every deal of the game comes from.
    """

    text: str
    kind: str
    players: int
    pack_options: dict[str, str] = field(hash=False)
    seed: bytes

    @property
    def deck(self) -> tuple[str, ...]:
        """The cards of the table, in deck order."""
        return rules_for(self.kind, self.players, self.pack_options).deck

    def fits(self, rules: Rules) -> bool:
        """Whether the code is for a table with these rules."""
        return (self.kind, self.players, self.deck) == (rules.kind, rules.players, rules.deck)


# --- codes ----------------------------------------------------------------------------------------------------------


def tables() -> tuple[Table, ...]:
    """The tables that codes are for, in the order of their characters."""
    return verify.tables_of(checks())


def new_code(rules: Rules) -> GameCode:
    """A fresh code for a table, from the system's secure source."""
    return _code(rules, secrets.randbits(5 * RANDOM_CHARACTERS))


def read_code(text: str) -> GameCode:
    """The code that somebody typed; raises BadCode. Full-width letters and any dashes or spaces are accepted."""
    read, table = verify.read_text(text, tables())
    written = "-".join(read[i : i + 4] for i in range(0, CODE_LENGTH, 4))
    return GameCode(written, table.kind, table.players, dict(table.options), read[:-1].encode())


def _code(rules: Rules, bits: int) -> GameCode:
    for table in tables():
        if (table.kind, table.players, table.deck) == (rules.kind, rules.players, rules.deck):
            return read_code(verify.code_of(table.character, bits))
    raise ValueError(f"no code for {rules.kind} with {rules.players} players and this pack")


# --- deals that can be checked --------------------------------------------------------------------------------------


def new_secret() -> bytes:
    """A server's secret for one game."""
    return secrets.token_bytes(SECRET_BYTES)


def sealed_code(rules: Rules, secret: bytes, nonces: Sequence[bytes]) -> GameCode:
    """The code of a verifiable game. `nonces` has one entry per seat, empty where a seat gave none."""
    if len(nonces) != rules.players:
        raise ValueError("one nonce a seat, empty where there is none")
    if any(len(nonce) > MOST_NONCE_BYTES for nonce in nonces):
        raise ValueError(f"a nonce has at most {MOST_NONCE_BYTES} bytes")
    return _code(rules, verify.sealed_bits(secret, nonces))


def check_game(
    rules: Rules,
    *,
    code: str,
    dealer: int,
    packs: Mapping[tuple[int, int], Sequence[str]],
    secret: bytes | None = None,
    commitment_shown: str | None = None,
    nonces: Sequence[bytes] = (),
    others: Mapping[tuple[int, int], str] | None = None,
    dealer_code: str | None = None,
) -> list[str]:
    """What does not hold of the deals of a finished game at a table with these rules: see `verify.check_deals`."""
    return verify.check_deals(
        tables=tables(),
        kind=rules.kind,
        players=rules.players,
        deck=rules.deck,
        code=code,
        dealer=dealer,
        packs=packs,
        secret=secret,
        commitment_shown=commitment_shown,
        nonces=nonces,
        others=others,
        dealer_code=dealer_code,
    )
