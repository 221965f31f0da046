"""The packs of a log, and whether code, first dealer and packs are what they have to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.verify.codes import BadCode, Table, code_of, read_text
from games.verify.promises import MOST_NONCE_BYTES, commitment, sealed_bits
from games.verify.shuffle import first_dealer, shuffle


def packs_of(log: Sequence[Mapping[str, Any]]) -> dict[tuple[int, int], Sequence[str]]:
    """The packs of a log by deal and attempt."""
    packs: dict[tuple[int, int], Sequence[str]] = {}
    deal, attempt, called_off = 0, 0, False
    for entry in log:
        if entry["kind"] == "skip":
            called_off = True
        elif entry["kind"] == "deal":
            deal, attempt = (deal, attempt + 1) if called_off else (deal + 1, 0)
            packs[deal, attempt] = entry["data"]["pack"]
            called_off = False
    return packs


def others_of(record: Mapping[str, Any]) -> tuple[dict[tuple[int, int], str], str | None]:
    """Of a game that was played on from another one: the packs that are not its own, each with the code that dealt it,
    and the code that drew the first dealer. Nothing and None for any other game.
    """
    spans = record.get("forks") or []
    others, codes = {}, iter(spans)
    span = next(codes, None)
    for number, key in zip(*_deals_of(record["log"]), strict=True):
        while span is not None and number > span["ply"]:
            span = next(codes, None)
        if span is not None:
            others[key] = str(span["code"])
    return others, str(spans[0]["code"]) if spans else None


def _deals_of(log: Sequence[Mapping[str, Any]]) -> tuple[list[int], list[tuple[int, int]]]:
    """The plies at which packs were dealt, and deal and attempt of each."""
    return [entry["ply"] for entry in log if entry["kind"] == "deal"], list(packs_of(log))


def check_deals(
    *,
    tables: tuple[Table, ...],
    kind: str,
    players: int,
    deck: Sequence[str],
    code: str,
    dealer: int,
    packs: Mapping[tuple[int, int], Sequence[str]],
    secret: bytes | None,
    commitment_shown: str | None,
    nonces: Sequence[bytes],
    others: Mapping[tuple[int, int], str] | None = None,
    dealer_code: str | None = None,
) -> list[str]:
    """What does not hold of a finished game's deals, as faults; empty if all is as it should be.

    `packs` maps (deal, attempt) to the pack in dealing order, for every deal and attempt from the first on. A game
    with a commitment needs the secret and the nonces. `deck`: that of the table's rules. Of a game that was played on
    from another one, `others` has the code of that one for each of its packs, `dealer_code` the first such code.
    """
    faults = []
    try:
        read, table = read_text(code, tables)
    except BadCode:
        return ["bad_code"]
    if (table.kind, table.players) != (kind, players) or tuple(deck) != table.deck:
        return ["wrong_table"]
    if commitment_shown is None and (secret is not None or any(nonces)):
        faults.append("no_commitment")
    if commitment_shown is not None:
        if secret is None:
            return ["no_secret"]
        if commitment(secret) != commitment_shown:
            faults.append("wrong_commitment")
        if len(nonces) != players or any(len(nonce) > MOST_NONCE_BYTES for nonce in nonces):
            faults.append("wrong_nonces")
        elif code_of(table.character, sealed_bits(secret, nonces)) != read:
            faults.append("wrong_code")
    seeds = {code: read[:-1].encode()}
    for other in {*(others or {}).values(), dealer_code or code}:
        try:
            read, row = read_text(other, tables)
        except BadCode:
            return ["bad_code"]
        if (row.kind, row.players) != (kind, players) or row.deck != table.deck:
            return ["wrong_table"]
        seeds[other] = read[:-1].encode()
    if first_dealer(seeds[dealer_code or code], players) != dealer:
        faults.append("wrong_dealer")
    faults += [f"missing_pack {deal} {attempt}" for deal, attempt in _gaps(packs)]
    for (deal, attempt), pack in sorted(packs.items()):
        seed = seeds[(others or {}).get((deal, attempt), code)]
        if shuffle(seed, deal, attempt, table.deck) != tuple(pack):
            faults.append(f"wrong_pack {deal} {attempt}")
    return faults


def _gaps(packs: Mapping[tuple[int, int], Sequence[str]]) -> list[tuple[int, int]]:
    """Packs that must have been dealt and are not among those given: an earlier deal, an earlier attempt."""
    last = max((deal for deal, _ in packs), default=1)
    needed = {(deal, 0) for deal in range(1, last + 1)} | {
        (deal, earlier) for deal, attempt in packs for earlier in range(attempt)
    }
    return sorted(needed - set(packs))
