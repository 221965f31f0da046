"""A finished game as a file: `export_game ID [--text] [--output FILE]`."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.histories import records
from games.histories import selectors as histories
from games.histories.records import notation
from games.log.models import Game


class Command(BaseCommand):
    """Prints the record. A running game has none: whoever reads this could sit at it."""

    help = "Prints a finished game as a record: what a bug report about a game is made of."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("game", type=int, metavar="ID")
        parser.add_argument("--text", action="store_true", help="in the text notation instead of JSON")
        parser.add_argument("--output", default="-", metavar="FILE", help="where to; - is the standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        game = Game.objects.filter(pk=options["game"]).select_related("preset_version__preset").first()
        if game is None:
            raise CommandError(f"There is no game {options['game']}.")
        if game.status not in histories.OVER:
            raise CommandError(f"Game {game.pk} is not over.")
        if game.is_sealed:
            raise CommandError(f"Game {game.pk} is of a daily deal whose day is not over.")
        record = histories.record_of(game)
        text = notation.to_text(record) if options["text"] else records.to_bytes(record).decode()
        if options["output"] == "-":
            self.stdout.write(text, ending="")
            return
        try:
            Path(options["output"]).write_text(text, encoding="utf-8", newline="")
        except OSError as error:
            raise CommandError(f"{options['output']} cannot be written: {error.strerror}.") from None
