"""The ladders that a new site starts with, each on a preset that was made for ranked games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Shipped:
    """A ladder and the preset that it begins with."""

    slug: str
    kind: str
    preset: str
    players: int = 4
    timer_s: int = 30


SHIPPED = (
    Shipped("hearts", "hearts", "hearts-standard"),
    Shipped("spades", "spades", "spades-standard"),
)


def load_shipped(ladders: Any, versions: Any) -> None:
    """Stores those that are missing. Takes the two models, or what a migration has in their place.

    A ladder whose preset is gone, or ranked no more, is left to the administrators.
    """
    for shipped in SHIPPED:
        ranked = versions.objects.filter(preset__slug=shipped.preset, ranked_players=shipped.players)
        version = ranked.order_by("-number").first()
        if version is not None:
            ladders.objects.get_or_create(
                slug=shipped.slug,
                defaults={
                    "kind": shipped.kind,
                    "players": shipped.players,
                    "timer_s": shipped.timer_s,
                    "preset_version": version,
                },
            )
