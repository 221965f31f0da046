"""Folds all stored games and compares: `check_histories [--after ID] [--most N]`."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand

from games import histories
from games.models import Game

CHUNK = 200
OFTEN = 1_000  # games between two lines of progress


class Command(BaseCommand):
    """A line for each game that is not what its log says; status 1 if there is one.

    Games are taken in the order of their ids, so that a run that was stopped goes on with `--after` and the last id.
    """

    help = "Folds the log of every finished game and compares it with the stored result and game code."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--after", type=int, default=0, metavar="ID", help="go on behind this game")
        parser.add_argument("--most", type=int, default=0, metavar="N", help="stop after so many games; 0: never")

    def handle(self, *args: Any, **options: Any) -> None:
        over = Game.objects.filter(status__in=histories.OVER)
        rest = over.filter(pk__gt=options["after"]).count()
        total = min(rest, options["most"]) if options["most"] else rest
        wrong = done = 0
        last = options["after"]
        try:
            for game in _games(last, total):
                for fault in _faults(game):
                    wrong += 1
                    self.stdout.write(f"game {game.pk}: {fault}.")
                done, last = done + 1, game.pk
                if done % OFTEN == 0 or done == total:
                    self.stderr.write(f"{done} of {total} games ({done * 100 // total} %), up to game {last}")
        except KeyboardInterrupt:
            self.stderr.write(f"Stopped. Go on with --after {last}.")
            sys.exit(130)
        self.stdout.write(f"{done} games looked at, {wrong} faults. The last was game {last}.")
        if wrong:
            sys.exit(1)


def _games(after: int, most: int) -> Iterator[Game]:
    """Finished games in the order of their ids."""
    while most > 0:
        games = Game.objects.filter(status__in=histories.OVER, pk__gt=after).select_related("preset_version__preset")
        chunk = list(games.order_by("pk")[: min(CHUNK, most)])
        if not chunk:
            return
        yield from chunk
        after, most = chunk[-1].pk, most - len(chunk)


def _faults(game: Game) -> list[str]:
    try:
        return histories.faults_of(game)
    except Exception as error:  # whatever is wrong with one game, the others are looked at
        return [f"it cannot be read: {type(error).__name__}: {' '.join(str(error).split())[:200]}"]
