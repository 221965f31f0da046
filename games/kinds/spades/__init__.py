"""Spades, for two partnerships."""

from __future__ import annotations

from games.kinds.kind import Kind
from games.kinds.spades.check import SpadesCheck
from games.kinds.spades.cpu import normal
from games.kinds.spades.options import SpadesOptions
from games.kinds.spades.presets import PRESETS
from games.kinds.spades.rules import Spades
from games.kinds.spades.table_words import WORDS
from games.rules.options import _

SPADES = Kind(
    name="spades",
    label=_("Spades"),
    pitch=_("%(rules)s. Bid your tricks with your partner and make them."),
    broken=_("Spades are broken."),
    suit="S",
    picture=("KH", "JC", "AS"),
    words=WORDS,
    rules=Spades,
    options=SpadesOptions,
    is_partnership=True,
    highest_wins=True,
    grades=((40, "good"), (1, "fair")),
    limit_option="target",
    full_limit=500,
    guide_limits=(500, 250),
    solo_players=(4,),
    choose=normal.choose,
    expert="games.kinds.spades.cpu.expert",
    mistakes="games.kinds.spades.mistakes",
    rulebook="games.kinds.spades.rulebook",
    check=SpadesCheck,
    check_script="games/kinds/spades_check.js",
    presets=PRESETS,
    play_now="spades-standard",
    daily="spades-short",
)
