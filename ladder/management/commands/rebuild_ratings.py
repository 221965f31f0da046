"""Folds all rating changes anew from the games and proves the stored values."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from ladder.models import RatingChange
from ladder.proof import Proof


class Command(BaseCommand):
    """Names every difference and fails if there is one; `--repair` stores the ratings that the games lead to."""

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        """One switch."""
        parser.add_argument("--repair", action="store_true", help="store the ratings that the games lead to")

    def handle(self, *args: Any, **options: Any) -> None:
        """Reads everything as of one moment."""
        with transaction.atomic():
            if not options["repair"]:
                _read_one_moment()
            proof = Proof()
            differences = list(proof.differences())
            for line in differences:
                self.stdout.write(line)
            if options["repair"]:
                proof.repair()
                differences = list(Proof().differences())
        if differences:
            raise CommandError(f"{len(differences)} differences")
        self.stdout.write(f"{RatingChange.objects.count()} changes follow from their games")


def _read_one_moment() -> None:
    """Games that are rated meanwhile would look like differences."""
    from django.db import connection  # noqa: PLC0415 - the transaction's own

    with connection.cursor() as cursor:
        cursor.execute("set transaction isolation level repeatable read read only")
