"""The verdict on a game: its faults, and the lines that say them or that all is well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.verify.codes import table_of, tables_of
from games.verify.faults import Unreadable, sentence
from games.verify.kind import Checks
from games.verify.packs import check_deals, others_of, packs_of
from games.verify.walk import Walk


def check_record(record: Mapping[str, Any], checks: Checks) -> list[str]:
    """The faults of an exported game. Raises Unreadable if it is none, or of a kind that is not among `checks`."""
    tables = tables_of(checks)
    try:
        if isinstance(record["kind"], str) and record["kind"] not in checks:
            raise Unreadable("Games of this kind are not known here.")
        log = record["log"]
        others, dealer_code = others_of(record)
        return (
            check_deals(
                tables=tables,
                kind=record["kind"],
                players=record["players"],
                deck=table_of(checks, record["kind"], record["players"], record["options"]).deck,
                code=record["code"],
                dealer=log[0]["data"]["dealer"],
                packs=packs_of(log),
                secret=None if record["secret"] is None else _unhex(record["secret"]),
                commitment_shown=record["commitment"],
                nonces=[_unhex(nonce) for nonce in record["nonces"]],
                others=others,
                dealer_code=dealer_code,
            )
            + Walk(record, checks).faults()
        )
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, Unreadable):
            raise
        raise Unreadable("It is not an exported game: something is missing in it or of the wrong form.") from None


def _unhex(text: str) -> bytes:
    """Bytes in the one form in which they are written."""
    found = bytes.fromhex(text)
    if found.hex() != text:
        raise ValueError(text)
    return found


def answer(record: Mapping[str, Any], checks: Checks, more: Sequence[str] = ()) -> tuple[int, list[str]]:
    """The exit status and the lines to print. `more`: sentences about faults that were found elsewhere."""
    lines = [*map(sentence, check_record(record, checks)), *more]
    if lines:
        return 1, [f"WRONG: {line}." for line in lines]
    others, first = others_of(record)
    count = len(packs_of(record["log"])) - len(others)
    basis = "its game code" if record["commitment"] is None else "the secret that was committed to, and the nonces"
    line = f"{_packs(count)} from {basis}"
    if first is not None:
        codes = ", ".join(dict.fromkeys(str(span["code"]) for span in record["forks"]))
        line = f"It was played on from another game. {_packs(len(others))} from the code of that one ({codes}), {line}"
    return 0, [f"OK: {line}."]


def _packs(packs: int) -> str:
    return f"{packs} {'pack follows' if packs == 1 else 'packs follow'}"
