"""Counts the public statistics of deals anew: `rebuild_statistics`."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from games.statistics import services as deal_statistics


class Command(BaseCommand):
    """Needed when the way of counting has changed. Stopped on the way, workers go on with the rest."""

    help = "Forgets the public statistics of deals and counts all finished games again."

    def handle(self, *args: Any, **options: Any) -> None:
        total = deal_statistics.rebuild()
        done = 0
        while looked_at := deal_statistics.count(5.0):
            done += looked_at
            self.stderr.write(f"{min(done, total)} of {total} games")
        self.stdout.write(f"{total} games counted.")
