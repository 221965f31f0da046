"""Where the cards come from: game codes, the shuffle, and deals that players can check. Standard library only.

**Game code** (局番号), 16 characters in groups of four, e.g. ``4000-0000-0000-000K``. Letters and digits of Crockford's
base 32 (``0123456789ABCDEFGHJKMNPQRSTVWXYZ``), so that no two look alike; case, hyphens and spaces do not matter, O
is read as 0, I and L as 1. Character 1 is the table (a row of `TABLES`: kind, players, pack), 2 to 15 are 70 random
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
3d7754d12c794a65; that pack begins 8C 3S KD 7H TS 2S; the first dealer is seat 2. `tests/test_deals.py` has more.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from games.rules import DECK, Rules, rules_for

SHUFFLE_VERSION = 1
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
RANDOM_CHARACTERS = 14
CODE_LENGTH = RANDOM_CHARACTERS + 2
LONGEST_TEXT = 200  # that is read as a code
SECRET_BYTES = 32
MOST_NONCE_BYTES = 32

#: What the first character of a code names: kind, players and the options that decide the pack. Rows are only ever
#: added at the end, so that a code stays what it is.
TABLES: tuple[tuple[str, int, dict[str, str]], ...] = (
    ("hearts", 2, {}),
    ("hearts", 3, {"removed_three": "2D"}),
    ("hearts", 3, {"removed_three": "2C"}),
    ("hearts", 3, {"surplus": "kitty"}),
    ("hearts", 4, {}),
    ("hearts", 5, {}),
    ("hearts", 5, {"surplus": "kitty"}),
    ("hearts", 6, {"removed_six": "all_twos"}),
    ("hearts", 6, {"removed_six": "keep_hearts"}),
    ("hearts", 6, {"surplus": "kitty"}),
    ("hearts", 7, {}),
    ("hearts", 7, {"surplus": "kitty"}),
    ("spades", 4, {}),
)


class BadCode(ValueError):
    """A text is not a game code. `code` says why: bad_length, bad_character (`character`), bad_check, unknown_table."""

    def __init__(self, code: str, character: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.character = character


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


def new_code(rules: Rules) -> GameCode:
    """A fresh code for a table, from the system's secure source."""
    return _code(rules, secrets.randbits(5 * RANDOM_CHARACTERS))


def read_code(text: str) -> GameCode:
    """The code that somebody typed; raises BadCode. Full-width letters and any dashes or spaces are accepted."""
    if len(text) > LONGEST_TEXT:
        raise BadCode("bad_length")
    plain = unicodedata.normalize("NFKC", text).upper()
    kept = [c for c in plain if not c.isspace() and unicodedata.category(c) != "Pd" and c not in "ー−"]
    read = "".join(kept).translate(str.maketrans("OIL", "011"))
    for character in read:
        if character not in ALPHABET:
            raise BadCode("bad_character", character)
    if len(read) != CODE_LENGTH:
        raise BadCode("bad_length")
    if _check_character(read[:-1]) != read[-1]:
        raise BadCode("bad_check")
    place = ALPHABET.index(read[0])
    if place >= len(TABLES):
        raise BadCode("unknown_table")
    kind, players, pack_options = TABLES[place]
    written = "-".join(read[i : i + 4] for i in range(0, CODE_LENGTH, 4))
    return GameCode(written, kind, players, dict(pack_options), read[:-1].encode())


def _code(rules: Rules, bits: int) -> GameCode:
    for place, (kind, players, pack_options) in enumerate(TABLES):
        if (kind, players) == (rules.kind, rules.players) and rules_for(kind, players, pack_options).deck == rules.deck:
            digits = [bits >> shift & 31 for shift in range(5 * (RANDOM_CHARACTERS - 1), -1, -5)]
            body = ALPHABET[place] + "".join(ALPHABET[digit] for digit in digits)
            return read_code(body + _check_character(body))
    raise ValueError(f"no code for {rules.kind} with {rules.players} players and this pack")


def _check_character(body: str) -> str:
    value = 0
    for character in body:
        value = _times_x(value) ^ ALPHABET.index(character)
    return ALPHABET[_times_x(value)]


def _times_x(value: int) -> int:
    """A product in GF(32): one shift, reduced by x^5 + x^2 + 1."""
    return value << 1 ^ (0b100101 if value & 16 else 0)


# --- shuffle --------------------------------------------------------------------------------------------------------


def stream(seed: bytes, label: str) -> Iterator[int]:
    """The bytes of a labelled stream, without end."""
    block = 0
    while True:
        yield from hmac.digest(seed, f"{label}|{block}".encode(), "sha256")
        block += 1


def below(n: int, source: Iterator[int]) -> int:
    """A number from 0 to n - 1, all equally likely; takes four bytes, or more where some are thrown away."""
    limit = 2**32 - 2**32 % n
    while True:
        word = int.from_bytes(bytes(next(source) for _ in range(4)), "big")
        if word < limit:
            return word % n


def shuffle(seed: bytes, deal: int, attempt: int, deck: Sequence[str] = DECK) -> tuple[str, ...]:
    """The pack of a deal, in dealing order: version 1 of the shuffle described above."""
    source = stream(seed, f"moonshot-{SHUFFLE_VERSION}|pack|{deal}|{attempt}")
    pack = list(deck)
    for i in range(len(pack) - 1, 0, -1):
        j = below(i + 1, source)
        pack[i], pack[j] = pack[j], pack[i]
    return tuple(pack)


def first_dealer(seed: bytes, players: int) -> int:
    """The seat that deals first, drawn by lot."""
    return below(players, stream(seed, f"moonshot-{SHUFFLE_VERSION}|dealer"))


# --- deals that can be checked --------------------------------------------------------------------------------------


def new_secret() -> bytes:
    """A server's secret for one game."""
    return secrets.token_bytes(SECRET_BYTES)


def commitment(secret: bytes) -> str:
    """What is shown of a secret before the game: its SHA-256 in hex."""
    return hashlib.sha256(secret).hexdigest()


def sealed_code(rules: Rules, secret: bytes, nonces: Sequence[bytes]) -> GameCode:
    """The code of a verifiable game. `nonces` has one entry per seat, empty where a seat gave none."""
    if len(nonces) != rules.players:
        raise ValueError("one nonce a seat, empty where there is none")
    if any(len(nonce) > MOST_NONCE_BYTES for nonce in nonces):
        raise ValueError(f"a nonce has at most {MOST_NONCE_BYTES} bytes")
    message = f"moonshot-{SHUFFLE_VERSION}|nonces|" + "|".join(nonce.hex() for nonce in nonces)
    digest = hmac.digest(secret, message.encode(), "sha256")
    return _code(rules, int.from_bytes(digest, "big") >> 256 - 5 * RANDOM_CHARACTERS)


def check_game(
    rules: Rules,
    *,
    code: str,
    dealer: int,
    packs: Mapping[tuple[int, int], Sequence[str]],
    secret: bytes | None = None,
    commitment_shown: str | None = None,
    nonces: Sequence[bytes] = (),
) -> list[str]:
    """What does not hold of a finished game's deals; empty if all is as it should be.

    `packs` maps (deal, attempt) to the pack in dealing order, for every deal and attempt from the first on. A game
    with a commitment needs the secret and the nonces. Answers are codes: bad_code, wrong_table, no_secret,
    no_commitment, wrong_commitment, wrong_nonces, wrong_code, wrong_dealer, "wrong_pack 3 0", "missing_pack 1 0".
    """
    faults = []
    try:
        read = read_code(code)
    except BadCode:
        return ["bad_code"]
    if not read.fits(rules):
        return ["wrong_table"]
    if commitment_shown is None and (secret is not None or any(nonces)):
        faults.append("no_commitment")
    if commitment_shown is not None:
        if secret is None:
            return ["no_secret"]
        if commitment(secret) != commitment_shown:
            faults.append("wrong_commitment")
        if len(nonces) != rules.players or any(len(nonce) > MOST_NONCE_BYTES for nonce in nonces):
            faults.append("wrong_nonces")
        elif sealed_code(rules, secret, nonces).text != read.text:
            faults.append("wrong_code")
    if first_dealer(read.seed, rules.players) != dealer:
        faults.append("wrong_dealer")
    faults += [f"missing_pack {deal} {attempt}" for deal, attempt in _gaps(packs)]
    for (deal, attempt), pack in sorted(packs.items()):
        if shuffle(read.seed, deal, attempt, rules.deck) != tuple(pack):
            faults.append(f"wrong_pack {deal} {attempt}")
    return faults


def _gaps(packs: Mapping[tuple[int, int], Sequence[str]]) -> list[tuple[int, int]]:
    """Packs that must have been dealt and are not among those given: an earlier deal, an earlier attempt."""
    last = max((deal for deal, _ in packs), default=1)
    needed = {(deal, 0) for deal in range(1, last + 1)} | {
        (deal, earlier) for deal, attempt in packs for earlier in range(attempt)
    }
    return sorted(needed - set(packs))
