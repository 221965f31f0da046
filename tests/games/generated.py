"""Generated games of every sort: each shipped preset at each of its numbers of players, and options at random."""

from __future__ import annotations

import random
from typing import Any

from games import verify
from games.histories import records
from games.histories.records import notation
from games.kinds.checks import checks
from games.presets.shipped import shipped_presets
from tests.games.finished import played
from tests.games.rules.play import TABLES, random_options

Sort = tuple[str, int, dict[str, Any]]

#: Every shipped preset at every number of players.
PRESETS: tuple[Sort, ...] = tuple(
    (preset.kind, players, dict(preset.options)) for preset in shipped_presets() for players in preset.players
)


def generated(number: int) -> records.Record:
    """A game, the same for the same number. Presets in turns, and every other time whatever options go together."""
    rng = random.Random(number)
    if number % 2:
        kind, players = TABLES[number // 2 % len(TABLES)]
        options: dict[str, Any] = random_options(kind, players, rng)
    else:
        kind, players, options = PRESETS[number // 2 % len(PRESETS)]
    humans = sorted(rng.sample(range(players), rng.randint(1, players)))
    most_deals = rng.randint(1, 4) if rng.random() < 0.1 else 99  # one in ten ends without a result
    return played(kind, players, options, seed=number, humans=humans, most_deals=most_deals)


def faults_of(record: records.Record) -> list[str]:
    """What does not hold of it after it has been written and read again, in both forms."""
    raw = records.to_bytes(record)
    read = records.from_bytes(raw)
    found = records.faults(read) + verify.check_record(read, checks())
    if records.to_bytes(read) != raw:
        found.append("the JSON that was read is not that which was written")
    notation.to_text(read)  # raises BadRecord unless the text leads back to this very record
    return found
