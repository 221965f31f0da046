"""What is stored of the public statistics of deals: counts, and the games that are still to be counted."""

from __future__ import annotations

from django.db import models


class Tally(models.Model):
    """How often something was seen in deals of finished games: `games.statistics.tallies` says of what."""

    name = models.CharField(max_length=24)
    value = models.CharField(max_length=24)
    count = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=("name", "value"), name="tally_of_value")]

    def __str__(self) -> str:
        return f"{self.name} {self.value}: {self.count}"


class Uncounted(models.Model):
    """A finished game that is in no count yet. Written with its end, deleted with its counts."""

    game = models.OneToOneField("games.Game", on_delete=models.CASCADE, primary_key=True, related_name="+")

    def __str__(self) -> str:
        return f"game {self.game_id}"
