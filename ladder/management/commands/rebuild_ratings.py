"""Folds all rating changes anew from the games and proves the stored values."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from ladder.rating.models import RatingChange
from ladder.rating.proof import Proof, prove


class Command(BaseCommand):
    """Names every difference and fails if there is one; `--repair` stores the ratings that the games lead to."""

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        """One switch."""
        parser.add_argument("--repair", action="store_true", help="store the ratings that the games lead to")

    def handle(self, *args: Any, **options: Any) -> None:
        """Looks, repairs if that is asked, and looks again."""
        differences = prove()
        for line in differences:
            self.stdout.write(line)
        if options["repair"] and differences:
            with transaction.atomic():
                proof = Proof()
                list(proof.differences())
                proof.repair()
            differences = prove()
        if differences:
            raise CommandError(f"{len(differences)} differences")
        self.stdout.write(f"{RatingChange.objects.count()} changes follow from their games")
