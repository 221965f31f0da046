"""Hearts, for two to seven players."""

from __future__ import annotations

from games.kinds.hearts.check import HeartsCheck
from games.kinds.hearts.cpu import normal
from games.kinds.hearts.options import HeartsOptions
from games.kinds.hearts.presets import PRESETS
from games.kinds.hearts.rules import Hearts
from games.kinds.hearts.table_words import WORDS
from games.kinds.kind import Kind
from games.rules.options import _

HEARTS = Kind(
    name="hearts",
    label=_("Hearts"),
    pitch=_("%(rules)s. Avoid hearts and the queen of spades."),
    broken=_("Hearts are broken."),
    suit="H",
    picture=("AH", "QS", "2H"),
    words=WORDS,
    rules=Hearts,
    options=HeartsOptions,
    is_partnership=False,
    highest_wins=False,
    grades=((0, "good"), (6, "fair"), (12, "poor")),
    limit_option="end_score",
    full_limit=100,
    guide_limits=(100, 50, 25),
    solo_players=(3, 4, 5),
    choose=normal.choose,
    expert="games.kinds.hearts.cpu.expert",
    mistakes="games.kinds.hearts.mistakes",
    rulebook="games.kinds.hearts.rulebook",
    check=HeartsCheck,
    check_script="games/kinds/hearts_check.js",
    presets=PRESETS,
    play_now="hearts-short",
    daily="hearts-short",
)
