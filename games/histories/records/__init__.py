"""A finished game as a document that leaves the site and is read again: JSON with a published schema, or plain text.

A record is a plain JSON object; `SCHEMA` says what is in it, `games/tables/README.md` what it means. Its JSON is
canonical: the same game is the same bytes. Pure: no Django in here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from games.histories.records.schema import FORMAT, MOST_BYTES, SCHEMA, VERSION, BadRecord, Record, Result, Row, _, fault
from games.kinds import rules_for
from games.log import positions
from games.log.positions import Entry, Holder, Position, Table
from games.rules import RULES_VERSION, Refused
from games.rules.lines import strict_json
from games.rules.state import ACTION_KEYS, plain

__all__ = [
    "FORMAT",
    "SCHEMA",
    "VERSION",
    "BadRecord",
    "Record",
    "build",
    "checked",
    "entries_of",
    "faults",
    "fold",
    "followed",
    "from_bytes",
    "table_of",
    "to_bytes",
]


def build(
    *,
    table: Table,
    entries: Sequence[Entry],
    names: Sequence[str],
    rules_version: int,
    preset: tuple[str, int] | None,
    commitment: str,
    secret: bytes | None,
    result: Result | None,
) -> Record:
    """The record of a game that is over. `names` has the name of each seat; `preset` its short name and version."""
    nonces = entries[0].data.get("nonces") or [""] * table.rules.players
    forks = entries[0].data.get("forks")
    record: Record = {
        "format": FORMAT,
        "version": VERSION,
        "kind": table.rules.kind,
        "players": table.rules.players,
        "options": table.rules.options.to_json(),
        "rules_version": rules_version,
        "preset": None if preset is None else {"slug": preset[0], "version": preset[1]},
        "timer_s": table.timer_s,
        "seats": [
            {"name": _plain(name), "cpu": holder.cpu_level or None}
            for name, holder in zip(names, table.holders, strict=True)
        ],
        "code": table.code,
        "commitment": commitment or None,
        "secret": None if secret is None else secret.hex(),
        "nonces": list(nonces),
        "log": [_row(entry) for entry in entries],
        "result": result,
    }
    if forks:
        record["forks"] = [{"ply": span["ply"], "code": span["code"]} for span in forks]
    return record


def _plain(name: str) -> str:
    """A name without what cannot stand in one line."""
    return "".join(character if character.isprintable() else " " for character in name)


def _row(entry: Entry) -> Row:
    data: Any = entry.data
    if entry.kind == "open":
        data = {"dealer": data["dealer"]}  # commitment and nonces are said once, above
    elif entry.kind == "outage":
        data = {"seconds": data["seconds"]}
    return {
        "ply": entry.ply,
        "seat": entry.seat,
        "kind": entry.kind,
        "ask": entry.ask,
        "data": data,
        "cause": entry.cause,
        "at": round(entry.created_at.timestamp() * 1000),
    }


# --- JSON -------------------------------------------------------------------------------------------------------------


def to_bytes(record: Record) -> bytes:
    """The one written form of a record."""
    return (json.dumps(record, ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n").encode()


def from_bytes(raw: bytes) -> Record:
    """The record in a file. Raises BadRecord with one sentence that says what is wrong."""
    if len(raw) > MOST_BYTES:
        raise BadRecord(_("It is too large for a game."))
    try:
        read = strict_json(raw.decode())
    except (ValueError, RecursionError):
        raise BadRecord(_("It is no JSON in UTF-8, or has a key twice.")) from None
    return checked(read)


def checked(record: object) -> Record:
    """The same record, if its form is right. Raises BadRecord. Whether the game can have been so is not looked at."""
    found = fault(SCHEMA, record)
    if found is not None:
        raise found
    form: Any = record
    for name in ("seats", "nonces"):
        if len(form[name]) != form["players"]:
            raise BadRecord(
                _("%(name)s has to have one entry for each of the %(players)s seats."),
                name=name,
                players=form["players"],
            )
    right: Record = form
    for place, entry in enumerate(right["log"], 1):
        if entry["ply"] != place:
            raise BadRecord(_("Entry %(entry)s of the log has the ply %(ply)s."), entry=place, ply=entry["ply"])
    if right.get("forks") == []:
        raise BadRecord(_("%(place)s has a value that is not known."), place="forks")
    plies = [0, *(span["ply"] for span in right.get("forks", ()))]
    if plies != sorted(set(plies)) or plies[-1] > len(right["log"]):
        raise BadRecord(_("The plies of the forks have to grow and to be in the log."))
    return right


# --- what a record leads to -------------------------------------------------------------------------------------------


def table_of(record: Record) -> Table:
    """The table of a record. Raises BadRecord for options that no table can have."""
    try:
        rules = rules_for(record["kind"], record["players"], record["options"])
    except Refused as refused:
        raise BadRecord(_("No table has these options: %(code)s."), code=refused.code) from None
    holders = tuple(
        Holder(None, seat["cpu"], "") if seat["cpu"] else Holder(number, "", seat["name"])
        for number, seat in enumerate(record["seats"], 1)
    )
    return Table(0, rules, record["timer_s"], holders, record["code"])


def entries_of(record: Record) -> list[Entry]:
    """The log of a record."""
    forks = {"forks": record["forks"]} if "forks" in record else {}
    data: list[Any] = [row["data"] for row in record["log"]]
    return [
        Entry(
            row["ply"],
            row["seat"],
            row["kind"],
            row["ask"],
            said | forks if row["kind"] == "open" else said,
            row["cause"],
            None,
            datetime.fromtimestamp(row["at"] / 1000, UTC),
        )
        for row, said in zip(record["log"], data, strict=True)
    ]


def fold(record: Record) -> Position:
    """Where the log leads by the rules. Raises BadRecord at the first entry that they refuse."""
    if record["rules_version"] != RULES_VERSION:
        raise BadRecord(_("It was played by version %(version)s of the rules."), version=record["rules_version"])
    table = table_of(record)
    position = positions.start(table)
    for entry in entries_of(record):
        if not _is_formed(entry, record["players"]):
            raise BadRecord(_("Entry %(entry)s does not say what it has to."), entry=entry.ply)
        try:
            if entry.action is not None and entry.seat is not None:
                asked = table.rules.ask_id(position.state, entry.seat)
                if asked is not None and entry.ask != asked:
                    raise BadRecord(
                        _("Entry %(entry)s answers “%(ask)s”, but “%(asked)s” was asked."),
                        entry=entry.ply,
                        ask=entry.ask,
                        asked=asked,
                    )
            position = positions.advance(table, position, entry)
        except Refused as refused:
            raise BadRecord(
                _("The rules refuse entry %(entry)s: %(code)s."), entry=entry.ply, code=refused.code
            ) from None
        except (KeyError, TypeError, IndexError, OverflowError):
            raise BadRecord(_("Entry %(entry)s does not say what it has to."), entry=entry.ply) from None
        except ValueError as error:
            if isinstance(error, BadRecord):
                raise
            raise BadRecord(_("Entry %(entry)s cannot be here."), entry=entry.ply) from None
    return position


#: What entries that are not of the rules say.
_SITES_KEYS = {"stand_in": {"by"}, "back": {"by"}, "outage": {"seconds"}, "void": {"reason"}}
#: Those that are nobody's, and those that may be.
_NOBODYS, _PERHAPS_NOBODYS = ("open", "deal", "outage"), ("void",)


def _is_formed(entry: Entry, players: int) -> bool:
    """Whether an entry has a seat if it has to, a question only if it answers one, and says nothing but its own."""
    known = _SITES_KEYS[entry.kind] if entry.kind in _SITES_KEYS else {ACTION_KEYS[entry.kind], "forks"}
    if not known.issuperset(entry.data) or ("forks" in entry.data and entry.kind != "open"):
        return False
    if entry.ask and (entry.kind in _SITES_KEYS or entry.kind in _NOBODYS):
        return False
    if entry.seat is None:
        return entry.kind in _NOBODYS or entry.kind in _PERHAPS_NOBODYS
    return entry.kind not in _NOBODYS and entry.seat < players


def followed(record: Record) -> Position:
    """Where the log leads, if it leads to the end of the game and to its result. Raises BadRecord."""
    position = fold(record)
    if not position.is_over:
        raise BadRecord(_("The log stops before the game is over."))
    result = table_of(record).rules.result(position.state)
    counted = None if result is None else plain(result)
    if counted != record["result"]:
        raise BadRecord(_("The log leads to the result %(result)s."), result=counted)
    return position


def faults(record: Record) -> list[str]:
    """What does not hold of a record by the rules: sentences without their stop; empty if all is well."""
    try:
        followed(record)
    except BadRecord as bad:
        return [str(bad).removesuffix(".")]
    return []
