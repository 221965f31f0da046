"""Secrets and nonces: what is shown before the game, and what follows from it after."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence

from games.verify.codes import RANDOM_CHARACTERS
from games.verify.shuffle import SHUFFLE_VERSION

MOST_NONCE_BYTES = 32


def commitment(secret: bytes) -> str:
    """What is shown of a secret before the game: its SHA-256 in hex."""
    return hashlib.sha256(secret).hexdigest()


def sealed_bits(secret: bytes, nonces: Sequence[bytes]) -> int:
    """The 70 bits of the code of a verifiable game. `nonces` has one entry a seat, empty where a seat gave none."""
    message = f"moonshot-{SHUFFLE_VERSION}|nonces|" + "|".join(nonce.hex() for nonce in nonces)
    digest = hmac.digest(secret, message.encode(), "sha256")
    return int.from_bytes(digest, "big") >> 256 - 5 * RANDOM_CHARACTERS
