"""Hearts: the fitted tables of costs by which deals are played out, from the files beside this module.

There are two, since a diamond is another thing altogether where the jack of diamonds scores.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from games.kinds.hearts.cpu.expert_engine import JACK_SCORES, Numbers
from games.kinds.hearts.cpu.expert_policy import TABLES_SIZE, Costs

FILE = Path(__file__).with_name("expert_tables.npy")
JACK_FILE = Path(__file__).with_name("expert_jack_tables.npy")


def load(path: Path = FILE) -> Costs:
    """The tables, in the order of `hearts_expert_policy`."""
    tables: Costs = np.ascontiguousarray(np.load(path, allow_pickle=False), dtype=np.float32)
    if tables.shape != (TABLES_SIZE,):
        raise ValueError(f"{path.name} does not fit the policy: {tables.shape} instead of {TABLES_SIZE}")
    return tables


COSTS = load()
JACK_COSTS = load(JACK_FILE)


def costs_of(table: Numbers) -> Costs:
    """The costs for the rules in this table."""
    return JACK_COSTS if table[JACK_SCORES] else COSTS
