"""Whether an exported game is as it has to be: `verify_deal FILE`. Without the site it is `python verify.py FILE`."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from games import verify
from games.histories import records
from games.histories.records import notation
from games.kinds.checks import checks


class Command(BaseCommand):
    """As `games.verify`, and it holds the form to the schema and plays the log by the rules of the site.

    Ends with status 0 if all is well, 1 with a line for each fault, 2 if the file cannot be read.
    """

    help = "Checks the packs of an exported game against its secret and code, and its log against the rules."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", help="exported games, JSON or text; - is the standard input")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            games = verify.games_of(verify.read_file(options["file"]))
        except verify.Unreadable as unreadable:
            self.stderr.write(str(unreadable))
            sys.exit(2)
        sys.exit(max([self._look_at(raw, f"Game {n}: " if len(games) > 1 else "") for n, raw in enumerate(games, 1)]))

    def _look_at(self, raw: bytes, head: str) -> int:
        try:
            record = _read(raw)
            faults = records.faults(record)
            status, lines = verify.answer(record, checks(), faults)
            if faults:  # which say the same of a wrong result, and what the right one is
                lines = [line for line in lines if verify.FAULTS["wrong_result"] not in line]
        except (verify.Unreadable, records.BadRecord) as unreadable:
            self.stderr.write(f"{head}{unreadable}")
            return 2
        for line in lines:
            self.stdout.write(f"{head}{line}")
        return status


def _read(raw: bytes) -> records.Record:
    if raw.lstrip()[:1] in (b"{", b""):
        return records.from_bytes(raw)
    try:
        return notation.from_text(raw.decode())
    except UnicodeDecodeError:
        raise records.BadRecord("It is no text in UTF-8.") from None
