"""Presets out to a file and in from one: `presets export [SLUG …]`, `presets import FILE [--dry-run]`."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.presets import services as preset_store
from games.presets.drafts import BadPresets, from_bytes
from games.presets.models import RulePreset
from games.presets.services import Change


class Command(BaseCommand):
    """One line says what was done; a file that is not accepted changes nothing and ends with status 1."""

    help = "Exports presets as JSON, or imports them from such a file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True, metavar="export|import")
        export = acts.add_parser("export", help="write presets as JSON, all of them unless some are named")
        export.add_argument("slugs", nargs="*", metavar="SLUG", help="short name of a preset")
        export.add_argument("--output", default="-", metavar="FILE", help="where to; - is the standard output")
        importing = acts.add_parser("import", help="read presets from a file: all of them or, if one is bad, none")
        importing.add_argument("file", metavar="FILE", help="where from; - is the standard input")
        importing.add_argument("--dry-run", action="store_true", help="only say what would change")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["act"] == "export":
            self._export(options["slugs"], options["output"])
        else:
            self._import(options["file"], is_dry=options["dry_run"])

    def _export(self, slugs: list[str], output: str) -> None:
        presets = RulePreset.objects.filter(slug__in=slugs) if slugs else RulePreset.objects.all()
        unknown = set(slugs) - {preset.slug for preset in presets}
        if unknown:
            raise CommandError(f"There is no preset of the short name {min(unknown)}.")
        text = preset_store.export(presets)
        if output == "-":
            self.stdout.write(text, ending="")
            return
        try:
            Path(output).write_text(text, encoding="utf-8")
        except OSError as error:
            raise CommandError(f"{output} cannot be written: {error.strerror}.") from None
        self.stdout.write(f"{_counted(len(presets))} exported to {output}.")

    def _import(self, file: str, *, is_dry: bool) -> None:
        try:
            raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}.") from None
        try:
            drafts = from_bytes(raw)
            changes = preset_store.plan_all(drafts) if is_dry else preset_store.store_all(drafts)
        except BadPresets as bad:
            raise CommandError(f"Nothing was imported. {bad}") from None
        self.stdout.write(f"{_summary(changes)}{' Nothing was stored.' if is_dry else ''}")


def _summary(changes: list[Change]) -> str:
    new = sum(change.is_new for change in changes)
    versions = sum(change.makes_version and not change.is_new for change in changes)
    others = sum(change.is_any and not change.makes_version for change in changes)
    same = len(changes) - new - versions - others
    return f"{_counted(len(changes))}: {new} new, {versions} with a new version, {others} changed, {same} as before."


def _counted(count: int) -> str:
    return "1 preset" if count == 1 else f"{count} presets"
