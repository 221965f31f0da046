"""The short codes of parties: drawn without signs that look alike, read however they were typed."""

from __future__ import annotations

import secrets
import unicodedata

#: One sign of each group that is mistaken for each other, and no vowels but A, E and Y, so that no words come out.
CHARS = "ABCDEFGHJKMNPQRSTVWXYZ3479"
LENGTH = 6
#: What a sign that is not among them is read as.
LOOK_ALIKES = {"0": "Q", "O": "Q", "1": "J", "I": "J", "L": "J", "2": "Z", "5": "S", "6": "G", "8": "B", "U": "V"}


def draw() -> str:
    """A new code."""
    return "".join(secrets.choice(CHARS) for _ in range(LENGTH))


def read(text: str) -> str | None:
    """The code that was meant, or None: small letters, spaces, hyphens, full-width signs and look-alikes are fine."""
    plain = unicodedata.normalize("NFKC", text[:60]).upper()
    signs = [LOOK_ALIKES.get(sign, sign) for sign in plain if sign.isalnum()]
    code = "".join(signs)
    return code if len(code) == LENGTH and all(sign in CHARS for sign in code) else None
