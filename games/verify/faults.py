"""What may be wrong with a game, and how it is said."""

from __future__ import annotations

#: Fault: what it says. Numbers that follow a fault are put after its sentence.
FAULTS = {
    "bad_code": "the game code is not one",
    "wrong_table": "the game code is for another table",
    "no_commitment": "there is a secret or a nonce, but no commitment",
    "no_secret": "the secret is missing",
    "wrong_commitment": "the secret is not the one that was committed to",
    "wrong_nonces": "there is not one nonce a seat, or one is too long",
    "wrong_code": "the game code does not follow from secret and nonces",
    "wrong_dealer": "the first dealer does not follow from the code",
    "missing_pack": "a pack is missing: deal, attempt",
    "wrong_pack": "a pack does not follow from the code: deal, attempt",
    "other_rules": "it was played by rules of another version than those that are known here",
    "wrong_log": "the log cannot be true from this entry on: ply",
    "wrong_result": "the result is not the one that the log leads to",
}


class Unreadable(ValueError):
    """A file is not an exported game; the message says why."""


def sentence(fault: str) -> str:
    """A fault in words."""
    name, *numbers = fault.split()
    return " ".join([FAULTS[name], *numbers])
