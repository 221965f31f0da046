"""Folds all stored games and compares: `check_histories [--after ID] [--most N] [--state FILE] [--repair]`."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.histories import checks as history_checks
from games.log.models import Game
from games.management.progress import Progress

CHUNK = 200


@dataclass
class Run:
    """How far a run has come; kept in a file, so that it can be killed at any moment and goes on there."""

    last: int = 0
    looked_at: int = 0
    faults: int = 0


class Command(BaseCommand):
    """A line for each game that is not what its log says; status 1 if there is one left as it is.

    Games are taken in the order of their ids. What a run had looked at when it was killed since the state was last
    written, up to two hundred games, is looked at again.
    """

    help = "Folds the log of every game and compares it with what is stored of it: result, seats, questions, game code."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--after", type=int, default=0, metavar="ID", help="go on behind this game")
        parser.add_argument("--most", type=int, default=0, metavar="N", help="stop after so many games; 0: never")
        parser.add_argument("--state", metavar="FILE", help="where a run notes how far it is, and goes on from")
        parser.add_argument("--repair", action="store_true", help="write anew what is derived from the log")

    def handle(self, *args: Any, **options: Any) -> None:
        state = Path(options["state"]) if options["state"] else None
        run = _begun(state) or Run(last=options["after"])
        rest = _games().filter(pk__gt=run.last).count()
        total = min(rest, options["most"]) if options["most"] else rest
        stream = options.get("stderr") or sys.stderr  # not self.stderr, which ends every line
        progress = Progress(total + run.looked_at, stream, done=run.looked_at)
        try:
            for game in _following(run.last, total):
                run.faults += self._look_at(game, repair=options["repair"])
                run.looked_at, run.last = run.looked_at + 1, game.pk
                if state is not None and run.looked_at % CHUNK == 0:
                    _note(state, run)
                progress.step(note=f"up to game {game.pk}")
        except KeyboardInterrupt:
            if state is not None:
                _note(state, run)
            self.stderr.write(f"Stopped. Go on with --after {run.last}.")
            sys.exit(130)
        self.stdout.write(f"{run.looked_at} games looked at, {run.faults} faults. The last was game {run.last}.")
        if state is not None:
            state.unlink(missing_ok=True)
        if run.faults:
            sys.exit(1)

    def _look_at(self, game: Game, *, repair: bool) -> int:
        """Names the faults of a game. Returns how many of them stay."""
        faults = _faults(game)
        for fault in faults:
            self.stdout.write(f"game {game.pk}: {fault}.")
        if not faults or not repair:
            return len(faults)
        if history_checks.repair(game.pk):
            left = _faults(_games().get(pk=game.pk))
            self.stdout.write(f"game {game.pk}: {'repaired, but for that' if left else 'repaired'}.")
            return len(left)
        self.stdout.write(f"game {game.pk}: it cannot be repaired.")
        return len(faults)


def _games() -> Any:
    return Game.objects.exclude(status=Game.Status.OPEN).select_related("preset_version__preset")


def _following(after: int, most: int) -> Iterator[Game]:
    """Games in the order of their ids."""
    while most > 0:
        chunk = list(_games().filter(pk__gt=after).order_by("pk")[: min(CHUNK, most)])
        if not chunk:
            return
        yield from chunk
        after, most = chunk[-1].pk, most - len(chunk)


def _faults(game: Game) -> list[str]:
    try:
        return history_checks.faults_of(game)
    except Exception as error:  # whatever is wrong with one game, the others are looked at
        said = "" if game.status == Game.Status.PLAYING else f": {' '.join(str(error).split())[:200]}"
        return [f"it cannot be read: {type(error).__name__}{said}"]


def _begun(state: Path | None) -> Run | None:
    if state is None or not state.exists():
        return None
    try:
        return Run(**json.loads(state.read_text()))
    except (OSError, ValueError, TypeError):
        raise CommandError(f"{state} is no state of a run of this command.") from None


def _note(state: Path, run: Run) -> None:
    """Whole or not at all, whenever the process is killed."""
    beside = state.with_name(f"{state.name}.new")
    beside.write_text(json.dumps(asdict(run)))
    beside.replace(state)
